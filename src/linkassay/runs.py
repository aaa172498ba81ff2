"""Runs: what one system predicted for one corpus, stored with everything needed to repeat it.

A run lies in `runs/<corpus>/<system>-<fingerprint>/`: `predictions.parquet` and `run.json`. The
fingerprint is that of its `RunIdentity`; times and the machine are recorded beside it but are not part
of it.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linkassay import corpora, store
from linkassay.corpora.stored import Corpus
from linkassay.engine import Engine, Task
from linkassay.errors import LinkassayError, UsageError
from linkassay.identity import RunIdentity
from linkassay.kbs.stored import Kb
from linkassay.linkers import shard
from linkassay.linkers.request import LinkRequest
from linkassay.model import Prediction
from linkassay.registry import near_miss

__all__ = ["Run", "all_failed", "all_runs", "brief", "keep", "kept", "labels", "link", "stored"]

_PACKAGES = ("linkassay", "duckdb", "numpy", "pyarrow")


class Run:
    """One stored run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        about = {"parameters": {}, "software": ""} | store.read_json(path / "run.json")
        self._remake = _remake(path, about)
        self.about: dict[str, Any] = store.Recorded(about, path / "run.json", self._remake)
        self.corpus: str = self.about["corpus"]
        self.system: str = self.about["system"]
        self.split: str = self.about["split"]
        self.name = f"{self.corpus}/{self.system}"
        self.kb = f"{self.about['kb']}@{self.about['kb_revision']}"

    @classmethod
    def open(cls, name: str) -> Run:
        """A run by its folder or as `corpus/system`: the newest of that name (RUN-2), `@split` if so wished."""
        if (Path(name) / "run.json").exists():
            return cls(Path(name))._complete()
        runs = all_runs()
        corpus, slash, rest = name.partition("/")
        name = corpora.canonical(corpus) + slash + rest  # wiki-fair is wiki_fair
        found = [run for run in runs if name in (run.name, f"{run.name}@{run.split}", f"{run.corpus}/{run.path.name}")]
        if not found:
            known = sorted({run.name for run in runs})
            raise UsageError(f"no run {name!r}; {near_miss(name, known)}")
        return max(found, key=lambda run: (run.about["finished"], run.path.name))._complete()

    def _complete(self) -> Run:
        store.complete(self.path / "predictions.parquet", store.PREDICTIONS.names, self._remake)
        return self

    def __repr__(self) -> str:
        return f"<run {self.name} {self.path.name}>"

    @cached_property
    def key(self) -> str:
        """What figures and tables know the run by: no two runs have the same.

        In the data home that is the folder's name, elsewhere the name with a digest of `run.json`: folders there may be
        called alike, and a run of the same fingerprint may have other answers.
        """
        path = self.path.resolve()
        if (store.home() / "runs").resolve() in path.parents:
            return path.name
        return f"{path.name}-{store.fingerprint(self.about)}"

    def predictions(self) -> Iterator[Prediction]:
        """The predictions, in the corpus's order."""
        for row in store.rows(self.path / "predictions.parquet", 10_000):
            yield Prediction(
                row["document"], tuple((s["start"], s["end"]) for s in row["spans"]),
                tuple(map(tuple, row["groups"])), tuple(row["scores"]), row["mention"], row["type"], row["nil"],
            )  # fmt: skip

    def open_corpus(self) -> Corpus:
        """The corpus in the revision that was linked."""
        name, slash, type_ = self.corpus.partition("/")
        return Corpus.open(f"{name}@{self.about['corpus_revision']}{slash}{type_}")

    def open_kb(self) -> Kb:
        """The knowledge base in the revision that was used."""
        return Kb.open(self.kb)


def _remake(path: Path, about: Mapping[str, Any]) -> str:
    """The command that makes a run again, as far as it is recorded or the folder tells."""
    system = about.get("system", path.name.rpartition("-")[0])
    corpus = about.get("corpus", path.parent.name.replace("+", "/"))
    parameters = about["parameters"]
    if "import" in parameters:
        return f"linkassay import {parameters['import']} FILES --corpus {corpus} --system {system}"
    return f"linkassay link {parameters.get('linker', system)} {corpus} --again"


def all_runs() -> list[Run]:
    """All runs of the data home, by corpus and system."""
    root = store.home() / "runs"
    paths = sorted(p.parent for p in root.glob("*/*/run.json") if not p.parent.name.startswith("."))
    return [Run(path) for path in paths]


def brief(value: Any) -> str:
    """A parameter on one line."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def labels(runs: Sequence[Run]) -> list[str]:
    """The system's name; where it repeats, with what sets its runs apart."""
    found = []
    for run in runs:
        same = [r for r in runs if r.system == run.system]
        if len(same) == 1:
            found.append(run.system)
            continue
        facts = [{"kb": r.kb, "software": r.about["software"], **r.about["parameters"]} for r in same]
        mine = facts[same.index(run)]
        apart = {key: mine[key] for key in mine if len({str(f.get(key)) for f in facts}) > 1}
        if (
            set(apart) in ({"abbreviations"}, {"synonyms"})
            and len({str(f[k]) for k in apart for f in facts if k in f}) == 1
        ):
            found.append(f"{run.system} + {next(iter(apart))}")
        else:
            told = ", ".join(f"{key} {brief(value)}" for key, value in apart.items())
            found.append(f"{run.system} ({told})" if told else run.system)
    repeated = {label for label, n in Counter(found).items() if n > 1}
    return [
        f"{label} ({run.key.rpartition('-')[2]})" if label in repeated else label
        for label, run in zip(found, runs, strict=True)
    ]


def link(
    request: LinkRequest,
    *,
    again: bool = False,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Run, bool]:
    """Do what is asked for; returns the run and whether it had to be done (`again`: in any case).

    Documents are linked in shards; those that are done stay when the work is killed. A document that the linker
    fails on is recorded in `failures`.
    """
    request = request.pinned()
    linker, strict = request.linker, request.strict
    corpus, kb = Corpus.open(request.corpus), Kb.open(request.kb)
    documents = corpus[request.split]
    identity = RunIdentity.of(request)
    work = store.home() / "work" / f"run-{identity.fingerprint}{'-again' if again else ''}"
    tasks = [
        Task(f"{start:08d}", "linkassay.linkers.shard:link_shard", {"request": request.as_data(), "start": start})
        for start in range(0, len(documents), shard.DOCUMENTS)
    ]

    def moved(done: int, _: int) -> None:
        if progress:
            progress(min(done * shard.DOCUMENTS, len(documents)), len(documents))

    def fill(add: Callable[[tuple[Any, ...]], None]) -> dict[str, Any]:
        try:
            with redirect_stdout(sys.stderr):  # what a linker prints is no output of ours, e.g. no JSON
                done = (engine or Engine(workers=1)).run(tasks, work, moved)
        finally:
            shard.forget()
        notes = [store.read_json(path / "shard.json") for path in done]
        further = _costs(notes, _mentions(corpus, request.split)) | {
            "documents": len(documents),
            "answered": 0,
            "failures": [failure for note in notes for failure in note["failures"]],
            "unknown_ids": _unknown(kb, [path / "predictions.parquet" for path in done]),
        }
        if request.ids:
            further["ids_file"] = str(request.ids)
        if strict:
            _refuse(linker, further)
        for path in done:
            for row in store.rows(path / "predictions.parquet"):
                add(tuple(row[column] for column in store.PREDICTIONS.names))
                further["answered"] += bool(row["groups"] or row["nil"])
        return further

    found = None if again else kept(identity)
    if found is None:
        with store.lock(work):  # the same command elsewhere is waited for: its shards are ours
            for path in work.glob("*") if again else ():
                shutil.rmtree(path)
            try:
                run, fresh = _stored(identity, fill, again)
            except BaseException:
                if again:  # its shards are of no use to whoever comes next
                    shutil.rmtree(work, ignore_errors=True)
                raise
            shutil.rmtree(work, ignore_errors=True)
    else:
        run, fresh = found, False
        shutil.rmtree(work, ignore_errors=True)  # left by a run that was killed at just that point
    if strict and not fresh:
        _refuse(linker, run.about, " Run it again with --again.")
    return run, fresh


def stored(request: LinkRequest) -> Run | None:
    """The run that `link` would give, if it is there."""
    return kept(RunIdentity.of(request.pinned()))


def _mentions(corpus: Corpus, split: str) -> int:
    """How many mentions a split has, whether the linker is given them or has to find them."""
    counted = corpus.sql("select split, count(*) from mentions where parent = '' group by split")
    return int(dict(counted).get(split, 0))


def _costs(notes: list[dict[str, Any]], mentions: int) -> dict[str, Any]:
    """What the shards of so many mentions cost together; a linker that several processes had to prepare counts once.

    The times of all workers are added up, so that the speed is that of one worker, however many there were.
    """
    first = next((note for note in notes if "index_seconds" in note), {})
    costs: dict[str, Any] = {}
    for clock in ("seconds", "cpu_seconds"):
        index, train = first.get(f"index_{clock}", 0.0), first.get(f"train_{clock}", 0.0)
        costs |= {f"index_{clock}": index, f"train_{clock}": train, f"prepare_{clock}": index + train}
        costs[f"link_{clock}"] = sum(note[f"link_{clock}"] for note in notes)
    costs["mentions_per_second"] = mentions / costs["link_seconds"] if costs["link_seconds"] else None
    costs["peak_memory_bytes"] = max((note["peak_memory_bytes"] or 0 for note in notes), default=0) or None
    return costs


def _unknown(kb: Kb, predictions: list[Path]) -> dict[str, Any]:
    """Predicted ids that the knowledge base neither has nor had: how many, and the first of them."""
    if not predictions:
        return {"count": 0, "examples": []}
    query = (
        "with said as (select unnest(flatten(groups)) as id from predictions) select id, count(*) from said "
        "anti join entities using (id) anti join current on said.id = old group by id order by id"
    )
    found = kb.connect({"predictions": predictions}).execute(query).fetchall()
    return {"count": sum(n for _, n in found), "examples": [identifier for identifier, _ in found[:10]]}


def all_failed(about: dict[str, Any]) -> str:
    """Why no document at all was answered, if so: the first error."""
    failed = about.get("failures", [])
    return str(failed[0]["error"]) if failed and len(failed) == about.get("documents") else ""


def _refuse(linker: str, about: dict[str, Any], then: str = "") -> None:
    """With --strict: an error if a document failed or an id is unknown."""
    if failed := about["failures"]:
        first = failed[0]
        raise LinkassayError(f"linker {linker!r} failed on {len(failed)} documents; the first is "
                             f"{first['document']}: {first['error']}.{then}")  # fmt: skip
    if unknown := about["unknown_ids"]["examples"]:
        raise LinkassayError(f"linker {linker!r} predicted {about['unknown_ids']['count']} ids that are not in the "
                             f"knowledge base, e.g. {', '.join(unknown[:3])}.{then}")  # fmt: skip


def keep(identity: RunIdentity, predictions: Iterable[Prediction], *, further: dict[str, Any]) -> tuple[Run, bool]:
    """Store predictions made elsewhere as a run; `further` is recorded with them."""

    def fill(add: Callable[[tuple[Any, ...]], None]) -> dict[str, Any]:
        for prediction in predictions:
            add(shard.row(prediction))
        return further

    return _stored(identity, fill, again=False)


def kept(identity: RunIdentity) -> Run | None:
    """The run of this identity, if it is there."""
    return Run(identity.folder) if (identity.folder / "run.json").exists() else None


def _stored(
    identity: RunIdentity, fill: Callable[[Callable[[tuple[Any, ...]], None]], dict[str, Any]], again: bool
) -> tuple[Run, bool]:
    """Write the run that `identity` stands for, or find that it is there.

    `fill` is handed what adds a row, and returns what else `run.json` records. `again` replaces the run that is there,
    when the new one is whole.
    """
    target = identity.folder
    if not again and (found := kept(identity)):
        return found, False
    with store.new_folder(target, replace=again) as temporary:
        with store.Table(temporary / "predictions.parquet", store.PREDICTIONS) as table:
            further = fill(table.add)
        about = identity.as_dict() | {"mentions": table.rows, "finished": time.time(), **_machine(), **further}
        text = json.dumps(about, indent=1, sort_keys=True)
        (temporary / "run.json").write_text(text + "\n", encoding="utf-8")
    return Run(target), True


def _machine() -> dict[str, Any]:
    return {
        "host": {"system": platform.platform(), "cores": os.cpu_count(), "python": platform.python_version()},
        "packages": {name: version(name) for name in _PACKAGES},
    }
