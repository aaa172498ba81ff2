"""Runs: what one system predicted for one corpus, stored with everything needed to repeat it.

A run lies in `runs/<corpus>/<system>-<fingerprint>/`: `predictions.parquet` and `run.json`. The
fingerprint covers corpus and KB revision, linker, parameters and software version; times and the
machine are recorded beside it but are not part of it.
"""

from __future__ import annotations

import inspect
import json
import math
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linkassay import corpora, store
from linkassay.corpora.stored import Corpus
from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs.stored import Kb
from linkassay.linkers import LINKERS
from linkassay.linkers.base import Linker, Query
from linkassay.model import Document, Mention, Prediction
from linkassay.registry import near_miss

__all__ = ["Run", "all_runs", "keep", "link"]

_RECORDED = ("corpus", "corpus_revision", "split", "kb", "kb_revision", "system", "mentions", "finished")
_PACKAGES = ("linkassay", "duckdb", "numpy", "pyarrow")


class Run:
    """One stored run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.about: dict[str, Any] = store.read_json(path / "run.json")
        if missing := [key for key in _RECORDED if key not in self.about]:
            raise LinkassayError(f"{path}: run.json lacks {', '.join(missing)}; remove the folder and run it again")
        self.corpus: str = self.about["corpus"]
        self.system: str = self.about["system"]
        self.split: str = self.about["split"]
        self.name = f"{self.corpus}/{self.system}"
        self.kb = f"{self.about['kb']}@{self.about['kb_revision']}"

    @classmethod
    def open(cls, name: str) -> Run:
        """A run by its folder or as `corpus/system`: the newest of that name, `@split` if so wished."""
        if (Path(name) / "run.json").exists():
            return cls(Path(name))
        runs = all_runs()
        corpus, slash, rest = name.partition("/")
        name = corpora.canonical(corpus) + slash + rest  # wiki-fair is wiki_fair
        found = [run for run in runs if name in (run.name, f"{run.name}@{run.split}", f"{run.corpus}/{run.path.name}")]
        if not found:
            known = sorted({run.name for run in runs})
            raise UsageError(f"no run {name!r}; {near_miss(name, known)}")
        return max(found, key=lambda run: (run.about["finished"], run.path.name))

    def __repr__(self) -> str:
        return f"<run {self.name} {self.path.name}>"

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


def all_runs() -> list[Run]:
    """All runs of the data home, by corpus and system."""
    root = store.home() / "runs"
    paths = sorted(p.parent for p in root.glob("*/*/run.json") if not p.parent.name.startswith("."))
    return [Run(path) for path in paths]


def link(
    linker: str,
    corpus: Corpus,
    kb: Kb,
    *,
    split: str = "test",
    top: int = 10,
    again: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Run, bool]:
    """Run a linker over one split; returns the run and whether it had to be done (`again`: in any case)."""
    documents = corpus[split]
    make: Callable[[], Linker] = LINKERS.load(linker)
    identity = {
        "corpus": corpus.name, "corpus_revision": corpus.revision, "split": split, "kb": kb.name,
        "kb_revision": kb.revision, "system": linker, "parameters": {"top": top},
        "software": version("linkassay"), "code": _code(make),
    }  # fmt: skip

    def fill(add: Callable[[Prediction], None]) -> dict[str, Any]:
        clock = _Clock()
        system = make()
        system.prepare(kb, corpus["train"] if "train" in corpus.splits else ())
        clock.lap("prepare")
        for done, document in enumerate(documents, start=1):
            for prediction in _linked(linker, system, document, top):
                add(prediction)
            if progress:
                progress(done, len(documents))
        clock.lap("link")
        return dict(clock.laps)

    return _stored(identity, fill, again)


def keep(
    system: str,
    corpus: Corpus,
    predictions: Iterable[Prediction],
    *,
    split: str,
    kb: str,
    kb_revision: str,
    parameters: dict[str, Any],
    further: dict[str, Any],
) -> tuple[Run, bool]:
    """Store predictions made elsewhere as a run; `parameters` are part of what it is, `further` is only recorded.

    `kb_revision` is empty where the knowledge base is not at hand.
    """
    identity = {
        "corpus": corpus.name, "corpus_revision": corpus.revision, "split": split, "kb": kb,
        "kb_revision": kb_revision, "system": system, "parameters": parameters, "software": version("linkassay"),
    }  # fmt: skip

    def fill(add: Callable[[Prediction], None]) -> dict[str, Any]:
        for prediction in predictions:
            add(prediction)
        return further

    return _stored(identity, fill, again=False)


def _stored(
    identity: dict[str, Any], fill: Callable[[Callable[[Prediction], None]], dict[str, Any]], again: bool
) -> tuple[Run, bool]:
    """Write the run that `identity` stands for, or find that it is there.

    `fill` is handed what adds a prediction, and returns what else `run.json` records.
    """
    name = f"{store.valid_name(identity['system'], 'system')}-{store.fingerprint(identity)}"
    target = store.home() / "runs" / identity["corpus"].replace("/", "+") / name
    if again:
        shutil.rmtree(target, ignore_errors=True)
    if (target / "run.json").exists():
        return Run(target), False
    with store.new_folder(target) as temporary:
        with store.Table(temporary / "predictions.parquet", store.PREDICTIONS) as table:
            further = fill(lambda prediction: table.add(_row(prediction)))
        about = identity | {"mentions": table.rows, "finished": time.time(), **further, **_machine()}
        text = json.dumps(about, indent=1, sort_keys=True)
        (temporary / "run.json").write_text(text + "\n", encoding="utf-8")
    return Run(target), True


def _row(prediction: Prediction) -> tuple[Any, ...]:
    spans = [{"start": start, "end": end} for start, end in prediction.spans]
    return (prediction.document, prediction.mention, spans, prediction.type, prediction.groups, prediction.scores,
            prediction.nil)  # fmt: skip


def _linked(name: str, system: Linker, document: Document, top: int) -> Iterable[Prediction]:
    """The linker's answers to one document, each held to what an answer must be."""
    mentions = document.mentions
    answers = list(system.link([_query(m, document) for m in mentions], top)) if mentions else []
    if len(answers) != len(mentions):
        raise LinkassayError(f"linker {name!r} gave {len(answers)} answers for the {len(mentions)} mentions of "
                             f"document {document.id}; it must give one for each, an empty list for none")  # fmt: skip
    for mention, answer in zip(mentions, answers, strict=True):
        try:
            groups = tuple(tuple(ids) for ids, _ in answer)
            scores = tuple(float(score) for _, score in answer)
        except (TypeError, ValueError):
            groups, scores = (("",),), ()
        if not all(g and all(isinstance(i, str) and i.strip() for i in g) for g in groups) or not all(
            map(math.isfinite, scores)
        ):
            raise LinkassayError(f"linker {name!r} answered mention {mention.id!r} with {answer!r:.200}; expected is a "
                                 "list of (tied ids, finite score), e.g. [(('mesh:D006073',), 0.9)]")  # fmt: skip
        yield Prediction(document.id, mention.spans, groups, scores, mention.id, mention.type)


def _code(make: Any) -> str:
    """A fingerprint of the linker's own source file, so that an edited linker is run again."""
    try:
        return store.fingerprint(Path(inspect.getfile(make)).read_text(encoding="utf-8"))
    except (TypeError, OSError, UnicodeDecodeError):
        return ""


def _query(mention: Mention, document: Document) -> Query:
    return Query(mention.text, mention.type, mention.spans, document.id, document.text)


class _Clock:
    """Wall and CPU seconds of each stage, measured by the runner, never by the linker."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def lap(self, stage: str) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.laps[f"{stage}_seconds"], self.laps[f"{stage}_cpu_seconds"] = wall - self._wall, cpu - self._cpu
        self._wall, self._cpu = wall, cpu


def _machine() -> dict[str, Any]:
    return {
        "peak_memory_bytes": _peak_memory(),
        "host": {"system": platform.platform(), "cores": os.cpu_count(), "python": platform.python_version()},
        "packages": {name: version(name) for name in _PACKAGES},
    }


def _peak_memory() -> int | None:
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
