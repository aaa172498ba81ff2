"""What is asked of a linker, in one value that goes from command line, bench file or Python to the runner's processes.

What can be meant is decided here and nowhere else: what needs no more than the request when it is made, what depends on
the linker and the data home in `pinned`.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from linkassay.corpora import Corpus, ensure_mini, id_file
from linkassay.errors import UsageError
from linkassay.kbs import Kb, synonym_sources
from linkassay.linkers import LINKERS, Capabilities, capabilities_of, capable_with, linker_file, load_linker
from linkassay.linkers.composed import OF_RUN, PIPELINE, read_components, spot_of
from linkassay.linkers.neural import model_checksum, model_folder
from linkassay.runs.leak_guard import parts_of_model, refuse_leak
from linkassay.runs.training import NO_TRAINING, parts_text, pinned_training, training_parts
from linkassay.sources import checksum
from linkassay.text.abbreviations import abbreviations_record

#: What a linker may be given: mentions to link, or the text alone (end to end).
GIVEN: tuple[str, ...] = ("mentions", "text")

#: Options of some linkers, and whose they are; a plug-in may have others of the same names.
_OF = {
    "cmd": ("command",), "url": ("http",), "exchange": ("command", "http"), "prefix": ("command", "http"),
    "ids": ("command", "http"), "max_output": ("command", "http"), "rate": ("http",), "retries": ("http",),
}  # fmt: skip
#: Options of all linkers that want a model.
_OF_MODELS = ("model", "device")
#: Options that make a linker a part of a pipeline.
_AROUND = ("spot", "rerank")


@dataclass(frozen=True)
class LinkRequest:
    """A linker, what it is to link, and how.

    It is made with `options`, which are part of what its run is, and `running`, which are not; both are plain data. The
    file of an outside system's ids is of `running`, the checksum that `pinned` adds is of `options`. A document that is
    not answered within `timeout` seconds fails; with `strict` that ends the run.
    """

    linker: str  # of the registry, or a class of a file: ./mylinker.py:MyLinker
    corpus: str = ""  # its name, if so wished with revision and type; each in turn where a bench file has several
    kb: str = ""  # "": the corpus's
    split: str = "test"
    top: int = 10
    abbreviations: str = "none"  # what writes them out: a name, a file, or none
    synonyms: tuple[str, ...] = ()  # knowledge bases whose names for the entities of `kb` the linker sees as well
    give: str = ""  # one of GIVEN; "": the text alone if the linker can do with that
    options: Mapping[str, Any] = field(default_factory=dict)
    running: Mapping[str, Any] = field(default_factory=dict)
    system: str = ""  # what the run is called; "": as the linker
    strict: bool = False
    timeout: float = 600.0
    train_on: tuple[str, ...] = ()  # corpora, each with splits if so wished; "none"; (): the corpus's own train split
    allow_leak: bool = False  # documents that were trained on may be linked

    def __post_init__(self) -> None:
        if isinstance(self.top, bool) or not isinstance(self.top, int) or self.top < 1:
            raise UsageError(f"top is how many ranks to keep, a whole number from 1 on, not {self.top!r}")
        if self.give not in ("", *GIVEN):
            raise UsageError(f"--give is {' or '.join(GIVEN)}, not {self.give!r}")
        if not self.timeout >= 0:
            raise UsageError(f"--timeout is a number of seconds, not {self.timeout!r}")
        options, running = self._plain(self.options), self._plain(self.running)
        if self.linker in _OF["ids"] and "ids" in options:  # a run is of what the file says, not of its name
            running = {"ids": options.pop("ids"), **running}
        linker, system = self.linker, self.system
        if self.linker != PIPELINE and (around := {each: options[each] for each in _AROUND if options.get(each)}):
            named = (around.get("spot", ""), self.linker, around.get("rerank", ""))
            linker, system = PIPELINE, system or "+".join(_word(str(each)) for each in named if each)
            options = {"candidates": self.linker, **options}
        alike = {"linker": linker, "system": system,
                 "synonyms": tuple([self.synonyms] if isinstance(self.synonyms, str) else self.synonyms),
                 "train_on": tuple([self.train_on] if isinstance(self.train_on, str) else self.train_on),
                 "abbreviations": self.abbreviations or "none", "options": options, "running": running}  # fmt: skip
        for name, value in alike.items():  # the same request is the same value, however it was written
            object.__setattr__(self, name, value)

    def _plain(self, options: Mapping[str, Any]) -> Any:
        """Options as another process will have them."""
        try:
            return json.loads(json.dumps(dict(options)))
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"options of linker {self.linker!r} are texts, numbers, lists and tables: {error}"
            ) from error

    def as_data(self) -> dict[str, Any]:
        """The request as plain data, to go to another process."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> LinkRequest:
        """The request that `as_data` gave."""
        return cls(**data)

    @property
    def made_with(self) -> dict[str, Any]:
        """All that the linker is made with; one that sees to the time itself is told how much there is."""
        linker_class = load_linker(self.linker)
        timed = self.capabilities.keeps_time and "timeout" in inspect.signature(linker_class).parameters
        return {**({"timeout": self.timeout} if timed else {}), **self.options, **self.running}

    @property
    def capabilities(self) -> Capabilities:
        """What the linker can do, made with these options."""
        return capable_with(load_linker(self.linker), self.linker, self.options)

    def parts(self) -> list[LinkRequest]:
        """What is asked of each part of a linker that is composed of others; nothing of all others."""
        if self.linker != PIPELINE:
            return []
        of_run = self.running.keys()
        return [
            replace(
                self, linker=each.linker, system="", give="mentions",
                options={name: value for name, value in each.options.items() if name not in of_run},
                running={name: value for name, value in each.options.items() if name in of_run},
            )
            for each in read_components({**self.options, **self.running})
        ]  # fmt: skip

    @property
    def ids(self) -> Path | None:
        """The file of an outside system's ids, if there is one."""
        given = self.running.get("ids") if self.linker in _OF["ids"] else None
        return Path(str(given)) if given else None

    def beside(self, folder: Path) -> LinkRequest:
        """The same with a file of ids, that of the linker, and a folder of a model relative to `folder`."""
        file = linker_file(self.linker)
        linker = str(file._replace(path=folder / file.path.expanduser())) if file else self.linker
        running = {**self.running, "ids": str(folder / self.ids.expanduser())} if self.ids else self.running
        options = dict(self.options)
        if model := str(options.get("model") or ""):
            own = folder / Path(model).expanduser()
            if own.is_dir() and capable_with(load_linker(linker), linker, options).wants_model:
                options["model"] = str(own)
        kind, name = spot_of(str(options.get("spot", ""))) if self.linker == PIPELINE else ("", "")
        if kind and (own := folder / Path(name).expanduser()).is_dir():
            options["spot"] = f"{kind}:{own}"
        return replace(self, linker=linker, running=running, options=options)

    @property
    def called(self) -> str:
        """What the run is called: as it is to be, else as the linker, or its class."""
        file = linker_file(self.linker)
        return self.system or (file.system if file else self.linker)

    def pinned(self) -> LinkRequest:
        """The same with nothing left open: revisions, whole paths, what is given; an error if it cannot be met.

        Nothing is linked yet. What is pinned stays as it is.
        """
        corpus = Corpus.open(self.corpus)
        corpus[self.split]  # refuses an unknown one
        pinned = self._pinned(Kb.open(self.kb or corpus.manifest["kb"]))
        capabilities = self.capabilities
        give = self._given(capabilities)
        if capabilities.wants_model and not self.allow_leak:
            taught = parts_of_model(model_folder(str(pinned.running["model"])), corpus)
            refuse_leak(taught, corpus, self.split, f"{self.linker} with this model")
        return replace(
            pinned, corpus=corpus.pinned, give=give, train_on=self._training(capabilities, corpus),
            abbreviations=self._expansions(capabilities, give),
        )  # fmt: skip

    def ready_for_any(self) -> LinkRequest:
        """The same for a linker that is made ready and links nothing yet; told of the first corpus it is trained on."""
        pinned = self._pinned(Kb.open(self.kb))
        capabilities = self.capabilities
        trained = [name for name in self.train_on if name != NO_TRAINING]
        if trained and not capabilities.uses_training:
            raise self._learns_not(capabilities)
        for name in trained:
            ensure_mini(name.partition(":")[0])
        corpus = Corpus.open(trained[0].partition(":")[0]) if trained else None
        train_on = parts_text(training_parts(self.train_on, corpus)) if corpus else (NO_TRAINING,)
        return replace(
            pinned, corpus=corpus.pinned if corpus else "", train_on=train_on,
            abbreviations=self._expansions(capabilities, "mentions"),
        )  # fmt: skip

    def _pinned(self, kb: Kb) -> LinkRequest:
        """The linker, its options, its knowledge base."""
        linker_class = load_linker(self.linker)
        capabilities = self.capabilities
        self._check_options(linker_class, capabilities)
        others = tuple(synonym_sources(kb, self.synonyms))
        if others and capabilities.outside:
            raise UsageError(
                f"--synonyms are for linkers that read the knowledge base; {self.linker!r} has names of its own"
            )
        options, running = self.options, self.running
        if self.ids:
            options = {"ids_sha256": checksum(id_file(self.ids))["sha256"], **options}
            running = {**running, "ids": str(self.ids.resolve())}
        if capabilities.wants_model:
            options, running = self._with_model()
        if spot_of(str(options.get("spot", "")))[0]:
            options, running = _with_spot(options, running)
        file = linker_file(self.linker)
        linker = str(file.whole) if file else self.linker
        return replace(self, linker=linker, kb=kb.pinned, synonyms=others, options=options, running=running)

    def _with_model(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Options that say by a checksum which model it is, and what says where it is found, and where it runs."""
        given = {**self.options, **self.running}
        name = str(given.get("model") or self._usual_model())
        folder = model_folder(name)
        own = Path(name).expanduser()
        kept = {"model": str(own.resolve()) if own.is_dir() else name}
        kept |= {"device": given["device"]} if given.get("device") else {}
        options = {each: value for each, value in self.options.items() if each not in ("model", "device")}
        running = {each: value for each, value in self.running.items() if each not in ("model", "device")}
        return {**options, "model_sha256": model_checksum(folder)}, {**running, **kept}

    def _usual_model(self) -> str:
        """That of the linker, or of the parts that want one."""
        classes = [load_linker(each.linker) for each in (self.parts() or [self]) if each.capabilities.wants_model]
        usual = {str(inspect.signature(each).parameters["model"].default) for each in classes}
        if len(usual) > 1:
            raise UsageError(f"which model? --model is one of {', '.join(sorted(usual))}, or another one")
        return usual.pop()

    def _check_options(self, linker_class: Any, capabilities: Capabilities) -> None:
        known = inspect.signature(linker_class).parameters
        for name in (*self.options, *self.running):
            whose = _whose(name) or (self.linker,)
            if name in _OF_MODELS and capabilities.wants_model:
                continue
            if capabilities.composed and name not in _OF:
                continue  # its parts say what they know
            if self.linker not in whose and (capabilities.outside or name not in known):
                option = name.replace("_", "-")
                raise UsageError(f"--{option} is of the linker{'s' * (len(whose) > 1)} {' and '.join(whose)}, "
                                 f"not of {self.linker!r}")  # fmt: skip
        try:
            inspect.signature(linker_class).bind(**self.made_with)
        except TypeError as error:
            options = {**self.options, **self.running}
            raise UsageError(f"linker {self.linker!r} cannot be made with the options {options}: {error}") from error

    def _training(self, capabilities: Capabilities, corpus: Corpus) -> tuple[str, ...]:
        """What is trained on, pinned; refused where the linker does not learn, or would link what it has seen."""
        if not capabilities.uses_training:
            if set(self.train_on) - {NO_TRAINING}:
                raise self._learns_not(capabilities)
            return ()
        for name in self.train_on:
            ensure_mini(name.partition(":")[0])
        if not self.allow_leak:
            refuse_leak(training_parts(self.train_on, corpus), corpus, self.split, self.linker)
        return pinned_training(self.train_on, corpus)

    def _learns_not(self, capabilities: Capabilities) -> UsageError:
        but = f", but with --option {capabilities.trains_with}=true" if capabilities.trains_with else ""
        return UsageError(f"--train-on is for linkers that learn; {self.linker!r} does not{but}")

    def _given(self, capabilities: Capabilities) -> str:
        if self.give == "text" and not capabilities.annotates:
            raise UsageError(f"linker {self.linker!r} finds no mentions itself: leave out --give text")
        return self.give or ("text" if capabilities.annotates else "mentions")

    def _expansions(self, capabilities: Capabilities, give: str) -> str:
        if self.abbreviations == "none":
            return "none"
        abbreviations_record(self.abbreviations)  # says what is wrong with it
        if give == "text":
            raise UsageError("--abbreviations writes out given mentions; with --give text there are none")
        if not capabilities.links:
            raise UsageError(
                f"--abbreviations writes out mentions before they are linked; {self.linker!r} reads whole documents"
            )
        path = Path(self.abbreviations)
        return str(path.resolve()) if path.exists() else self.abbreviations


def _whose(option: str) -> tuple[str, ...]:
    """The linkers that an option is of, where it is of some only."""
    if option in _OF_MODELS:
        return tuple(name for name in LINKERS if capabilities_of(LINKERS.load(name), name).wants_model)
    return _OF.get(option, ())


def _word(part: str) -> str:
    """What a part is called in the name of a run."""
    if file := linker_file(part):
        return file.system
    kind, name = spot_of(part)
    return f"{kind}.{re.sub('[^A-Za-z0-9]+', '-', Path(name).name).strip('-')}" if kind else part


def _with_spot(options: Mapping[str, Any], running: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options that say by name and checksum where mentions come from, and what says where that lies."""
    from linkassay.runs.stored_run import Run

    kind, name = spot_of(options["spot"])
    if kind == OF_RUN:
        run = Run.open(name)
        place = run.path / "predictions.parquet"
        told = {"spot": f"{kind}:{run.corpus}/{run.path.name}", "spot_sha256": checksum(id_file(place))["sha256"]}
    else:
        place = model_folder(name)
        told = {"spot": f"{kind}:{place.name}", "spot_sha256": model_checksum(place)}
    return {**options, **told}, {**running, "spot_place": str(place.resolve())}
