"""One shard of a run: link some documents of a split, hold the answers to what they must be, note what it cost.

A document that fails is recorded with its error and left without answers. Putting shards together and storing runs
is the work of `runs`.
"""

from __future__ import annotations

import json
import math
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.corpora.stored import Corpus
from linkassay.errors import LinkassayError
from linkassay.kbs.stored import Kb
from linkassay.linkers import LINKERS
from linkassay.linkers.abbreviated import Abbreviated
from linkassay.linkers.base import Answer, Linker, Query
from linkassay.model import Document, Mention, Prediction
from linkassay.text.abbreviations import abbreviations as source_of

__all__ = ["DOCUMENTS", "forget", "link_shard", "row"]

#: Documents of a shard, which are given to the linker in one call. Part of no fingerprint: a linker's answer to a
#: mention may depend on its document, not on what else is asked in the same call.
DOCUMENTS = 32


def row(prediction: Prediction) -> tuple[Any, ...]:
    """A prediction as a row of `store.PREDICTIONS`."""
    spans = [{"start": start, "end": end} for start, end in prediction.spans]
    return (prediction.document, prediction.mention, spans, prediction.type, prediction.groups, prediction.scores,
            prediction.nil)  # fmt: skip


def link_shard(
    target: Path, linker: str, corpus: str, kb: str, split: str, abbreviations: str, start: int, top: int,
    timeout: float, strict: bool,
) -> None:  # fmt: skip
    """Link the documents from number `start` on and write `predictions.parquet` and `shard.json` into `target`."""
    session = _session(linker, corpus, kb, split, abbreviations)
    documents = session.documents(start)
    failures: list[dict[str, str]] = []
    clock = _Clock()
    found = _batch(linker, session.linker, documents, top, timeout, failures, strict)
    clock.lap("link")
    with store.Table(target / "predictions.parquet", store.PREDICTIONS) as table:
        for prediction in found:
            table.add(row(prediction))
    note = {"failures": failures, "peak_memory_bytes": _peak_memory(), **session.laps, **clock.laps}
    session.laps = {}  # noted once for each process that prepared the linker
    (target / "shard.json").write_text(json.dumps(note), encoding="utf-8")


class _Session:
    """A prepared linker and the documents it is to link; a process keeps one, as shards come one after another."""

    def __init__(self, linker: str, corpus: str, kb: str, split: str, abbreviations: str) -> None:
        self._documents = Corpus.open(corpus)[split]
        self._rest: Iterator[Document] = iter(())
        self._next = 0
        made: Linker = LINKERS.load(linker)()
        self.linker = Abbreviated(made, source_of(abbreviations)) if abbreviations else made
        source = Corpus.open(corpus)
        train = source["train"] if "train" in source.splits else ()
        clock = _Clock()
        try:
            if learn := getattr(self.linker, "train", None):
                self.linker.prepare(Kb.open(kb), ())
                clock.lap("index")
                learn(train)
                clock.lap("train")
            else:
                self.linker.prepare(Kb.open(kb), train)
                clock.lap("index")
        except LinkassayError:
            raise
        except Exception as error:
            raise LinkassayError(f"linker {linker!r} could not be prepared: {_said(error)}") from error
        self.laps = clock.laps

    def documents(self, start: int) -> list[Document]:
        """The documents of the shard that begins at `start`; read on where the last one ended, if possible."""
        if start < self._next or not self._next:
            self._rest, self._next = iter(self._documents), 0
        found = list(islice(self._rest, start - self._next, start - self._next + DOCUMENTS))
        self._next = start + DOCUMENTS
        return found


_kept: dict[tuple[str, ...], _Session] = {}


def _session(*identity: str) -> _Session:
    if identity not in _kept:
        forget()
        _kept[identity] = _Session(*identity)
    return _kept[identity]


def forget() -> None:
    """Let go of the linker that this process has prepared."""
    _kept.clear()


def _batch(
    name: str, linker: Linker, documents: Sequence[Document], top: int, timeout: float,
    failures: list[dict[str, str]], strict: bool,
) -> list[Prediction]:  # fmt: skip
    """All documents in one call; if that fails one by one, to find out whose fault it is."""
    try:
        return _linked(linker, documents, top, timeout)
    except Exception as error:
        if len(documents) > 1:
            return [p for d in documents for p in _batch(name, linker, [d], top, timeout, failures, strict)]
        [document] = documents
        if strict:
            raise LinkassayError(f"linker {name!r} failed on document {document.id}: {_said(error)}") from error
        failures.append({"document": document.id, "error": _said(error)})
        return [_prediction(mention, [], document) for mention in document.mentions]


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, LinkassayError) else f"{type(error).__name__}: {error}"[:1000]


def _linked(linker: Linker, documents: Sequence[Document], top: int, timeout: float) -> list[Prediction]:
    """The linker's answers, each held to what an answer must be."""
    asked = [(mention, document) for document in documents for mention in document.mentions]
    if not asked:
        return []
    with _at_most(timeout):
        answers = linker.link([Query(m.text, m.type, m.spans, d.id, d.text) for m, d in asked], top)
    if answers is None or len(answers) != len(asked):
        raise LinkassayError(f"it gave {'no' if answers is None else len(answers)} answers for {len(asked)} mentions; "
                             "it must give one for each, an empty list for none")  # fmt: skip
    return [_prediction(mention, answer, document) for (mention, document), answer in zip(asked, answers, strict=True)]


def _prediction(mention: Mention, answer: Answer, document: Document) -> Prediction:
    try:
        groups = tuple(tuple(ids) for ids, _ in answer)
        scores = tuple(float(score) for _, score in answer)
    except (TypeError, ValueError):
        groups, scores = ((),), ()
    whole = all(ids and all(isinstance(i, str) and i.strip() for i in ids) for ids in groups)
    if not whole or not all(map(math.isfinite, scores)):
        raise LinkassayError(f"it answered mention {mention.id!r} with {answer!r:.200}; expected is a list of "
                             "(tied ids, finite score), e.g. [(('mesh:D006073',), 0.9)]")  # fmt: skip
    return Prediction(document.id, mention.spans, groups, scores, mention.id, mention.type)


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """An error after so many seconds, where the system can interrupt: in the main thread, not inside of C code."""
    if not seconds or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise LinkassayError(f"it gave no answer within {seconds:g} s (--timeout)")

    before: Any = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Clock:
    """Wall and CPU seconds of each stage, measured here, never by the linker."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def lap(self, stage: str) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.laps[f"{stage}_seconds"], self.laps[f"{stage}_cpu_seconds"] = wall - self._wall, cpu - self._cpu
        self._wall, self._cpu = wall, cpu


def _peak_memory() -> int | None:
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
