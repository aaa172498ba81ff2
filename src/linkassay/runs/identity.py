"""What a run is: the facts that its fingerprint stands for (RUN-1). When, where, how long is recorded beside, not here.

Of the software only what can change an answer counts: an edit of one linker leaves the runs of the others alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.kbs import Kb
from linkassay.linkers import LinkerFile, linker_file, load_linker
from linkassay.runs.dependencies import Graph, digest_of_files, versions
from linkassay.runs.request import LinkRequest
from linkassay.text.abbreviations import abbreviations_record

#: The runner's own part: the documents that a linker is given, and what is made of its answers.
_RUNNER = "linkassay.runs.shard"
#: What of ours cannot change an answer: the verbs, which lead everywhere, names and errors; the request, whose every
#: choice is among the parameters; costs; how raw data are obtained, which their revisions tell; where the data home is;
#: and how things look.
APART = frozenset(
    f"linkassay{module}"
    for module in (
        "",
        ".errors",
        ".fetch",
        ".moved",
        ".registry",
        ".runs.costs",
        ".runs.request",
        ".sources",
        ".store.data_home",
        ".tables.rows",
    )
)
#: What the module of a file that a user names is called here, whatever the file's name is.
_OWN = "own linker"
#: What the runner uses only where a request asks for it.
_EXPANDING = frozenset({"linkassay.linkers.with_abbreviations", "linkassay.text.abbreviations.sources"})
_OTHER_NAMES = frozenset({"linkassay.kbs.synonyms_from_other_kbs"})


@dataclass(frozen=True)
class RunIdentity:
    """One run among all. `code` and `libraries` are empty where the predictions were made elsewhere."""

    corpus: str
    corpus_revision: str
    split: str
    kb: str
    kb_revision: str  # empty where the knowledge base is not at hand
    system: str
    parameters: Mapping[str, Any]
    software: str = field(default_factory=lambda: version("linkassay"))
    code: str = ""
    libraries: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, request: LinkRequest) -> RunIdentity:
        """That of the run which a pinned request asks for."""
        corpus, kb = Corpus.open(request.corpus), Kb.open(request.kb)
        linker_class = load_linker(request.linker)
        parameters: dict[str, Any] = {"top": request.top}
        if request.abbreviations != "none":
            parameters["abbreviations"] = abbreviations_record(request.abbreviations)
        if request.synonyms:
            parameters["synonyms"] = list(request.synonyms)
        if request.capabilities.annotates:
            parameters["give"] = request.give
        if request.train_on:  # else the corpus says it
            parameters["train_on"] = list(request.train_on)
        if request.system:
            file = linker_file(request.linker)
            parameters["linker"] = file.cls if file else request.linker
        code, libraries = software(linker_class, request)
        return cls(
            corpus.name, corpus.revision, request.split, kb.name, kb.revision, request.called,
            {**parameters, **request.options}, code=code, libraries=libraries,
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """The facts as `run.json` has them; what is empty since nothing of ours was run is left out."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in found.items() if value or name not in ("code", "libraries")}

    @property
    def fingerprint(self) -> str:
        """Stands for all of it."""
        return store.fingerprint(self.as_dict())

    @property
    def folder(self) -> Path:
        """Where the run is, or will be."""
        name = f"{store.valid_name(self.system, 'system')}-{self.fingerprint}"
        return store.home() / "runs" / self.corpus.replace("/", "+") / name


def software(linker_class: Any, request: LinkRequest, package: Path | None = None) -> tuple[str, dict[str, str]]:
    """A digest of the sources that can change what a linker answers, and the versions of their libraries.

    These are the linker's module and all that it imports of its own package and ours, and the runner's part. Of a
    linker that is not ours every file of its package counts, and its distribution is a library, too: it may find its
    parts by name. `package` is where our own sources are.
    """
    if file := linker_file(request.linker):
        return _software_of_file(file, request, package)
    module = getattr(linker_class, "__module__", None) or type(linker_class).__module__
    top = module.partition(".")[0]
    roots = {"linkassay": package or Path(__file__).parent.parent}
    plugin = _root(top) if top not in roots else None
    if plugin is not None:
        roots[top] = plugin
    graph = Graph(roots)
    of_parts = [load_linker(each.linker).__module__ for each in request.parts()]
    modules = graph.reach([module, *of_parts], APART) | _of_runner(graph, request)
    libraries = graph.libraries(modules)
    if plugin is None:
        return graph.digest(modules), versions(libraries)
    return store.fingerprint([graph.digest(modules), digest_of_files(plugin)]), versions({*libraries, top})


def _software_of_file(file: LinkerFile, request: LinkRequest, package: Path | None) -> tuple[str, dict[str, str]]:
    """The same of a class of a file: what it says, not where it is or how it is called, and what is beside it."""
    graph = Graph({**file.whole.siblings, "linkassay": package or Path(__file__).parent.parent, _OWN: file.whole.path})
    modules = graph.reach([_OWN], APART) | _of_runner(graph, request)
    return store.fingerprint([graph.digest(modules), file.cls]), versions(graph.libraries(modules))


def _of_runner(graph: Graph, request: LinkRequest) -> frozenset[str]:
    unasked = (_EXPANDING if request.abbreviations == "none" else frozenset()) | (
        _OTHER_NAMES if not request.synonyms else frozenset()
    )
    return graph.reach([_RUNNER], APART | unasked)


def _root(top: str) -> Path | None:
    """The folder of a package that is not ours, or its only file; None if it came from no file."""
    loaded = sys.modules.get(top)
    if file := getattr(loaded, "__file__", None):
        return Path(file).parent if Path(file).name == "__init__.py" else Path(file)
    folders = list(getattr(loaded, "__path__", ()))
    return Path(folders[0]) if folders else None
