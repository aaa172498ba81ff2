"""One shard of a run: link or annotate some documents of a split, verify the answers, note what it cost.

A document that fails is recorded with its error and left without answers. Putting shards together and storing runs
is the work of `runs`.
"""

from __future__ import annotations

import inspect
import json
import math
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from linkassay import store
from linkassay.corpora.stored import Corpus
from linkassay.errors import LinkassayError, UsageError
from linkassay.formats.claims import mentions_at
from linkassay.kbs.borrowing import borrowed
from linkassay.kbs.stored import Kb
from linkassay.linkers import LINKERS
from linkassay.linkers.abbreviated import Abbreviated
from linkassay.linkers.base import Annotator, Answer, Linker, Marked, OutOfOrderError, Query
from linkassay.model import Document, Mention, Prediction, Span
from linkassay.text.abbreviations import abbreviations as source_of

__all__ = ["DOCUMENTS", "GIVEN", "forget", "given", "link_shard", "row"]

#: Documents of a shard, which are given to the linker in one call. Part of no fingerprint: a linker's answer to a
#: mention may depend on its document, not on what else is asked in the same call.
DOCUMENTS = 32

#: Half of a character, which no file can hold.
_SURROGATE = re.compile("[\ud800-\udfff]")

#: What a linker may be given: mentions to link, or the text alone (end to end).
GIVEN = ("mentions", "text")


def given(linker: str, make: Any, give: str = "") -> str:
    """What the linker is to be given, `give` being what was asked for: the text alone if it can do with that."""
    if give not in ("", *GIVEN):
        raise UsageError(f"--give is {' or '.join(GIVEN)}, not {give!r}")
    if give == "text" and not hasattr(make, "annotate"):
        raise UsageError(f"linker {linker!r} finds no mentions itself: leave out --give text")
    return give or ("text" if hasattr(make, "annotate") else "mentions")


def row(prediction: Prediction) -> tuple[Any, ...]:
    """A prediction as a row of `store.PREDICTIONS`."""
    spans = [{"start": start, "end": end} for start, end in prediction.spans]
    return (prediction.document, prediction.mention, spans, prediction.type, prediction.groups, prediction.scores,
            prediction.nil)  # fmt: skip


def link_shard(
    target: Path, linker: str, corpus: str, kb: str, split: str, abbreviations: str, synonyms: list[str], give: str,
    options: dict[str, Any], start: int, top: int, timeout: float, strict: bool,
) -> None:  # fmt: skip
    """Link the documents from number `start` on and write `predictions.parquet` and `shard.json` into `target`."""
    session = _session(linker, corpus, kb, split, abbreviations, " ".join(synonyms), json.dumps(options))
    if place := getattr(session.made, "work_in", None):
        place(target.parent)
    documents = session.documents(start)
    failures: list[dict[str, str]] = []
    clock = _Clock()
    found = _Batch(linker, session.linker, top, timeout, give, strict, failures).of(documents)
    clock.lap("link")
    with store.Table(target / "predictions.parquet", store.PREDICTIONS) as table:
        for prediction in found:
            table.add(row(prediction))
    note = {"failures": failures, "peak_memory_bytes": session.memory.peak(), **session.laps, **clock.laps}
    session.laps = {}  # noted once for each process that prepared the linker
    (target / "shard.json").write_text(json.dumps(note), encoding="utf-8")


class _Session:
    """A prepared linker and the documents it is to link; a process keeps one, as shards come one after another."""

    def __init__(
        self, linker: str, corpus: str, kb: str, split: str, abbreviations: str, synonyms: str, options: str
    ) -> None:
        self.memory = _Memory()
        self._documents = Corpus.open(corpus)[split]
        self._rest: Iterator[Document] = iter(())
        self._next = 0
        self.made = made = _made(linker, json.loads(options))
        self.linker = Abbreviated(made, source_of(abbreviations)) if abbreviations else made
        source = Corpus.open(corpus)
        train = source["train"] if "train" in source.splits else ()
        clock = _Clock()
        try:
            knowledge = borrowed(Kb.open(kb), synonyms.split())
            if tell := getattr(made, "about", None):
                tell(source)
            if learn := getattr(self.linker, "train", None):
                self.linker.prepare(knowledge, ())
                clock.lap("index")
                learn(train)
                clock.lap("train")
            else:
                self.linker.prepare(knowledge, train)
                clock.lap("index")
        except LinkassayError:
            raise
        except (Exception, SystemExit) as error:
            raise LinkassayError(f"linker {linker!r} could not be prepared: {_said(error)}") from error
        self.laps = clock.laps

    def documents(self, start: int) -> list[Document]:
        """The documents of the shard that begins at `start`; read on where the last one ended, if possible."""
        if start < self._next or not self._next:
            self._rest, self._next = iter(self._documents), 0
        found = list(islice(self._rest, start - self._next, start - self._next + DOCUMENTS))
        self._next = start + DOCUMENTS
        return found


def _made(linker: str, options: dict[str, Any]) -> Linker:
    make = LINKERS.load(linker)
    try:
        inspect.signature(make).bind(**options)
    except TypeError as error:
        raise UsageError(f"linker {linker!r} cannot be made with the options {options}: {error}") from error
    made: Linker = make(**options)
    return made


_kept: dict[tuple[str, ...], _Session] = {}


def _session(*identity: str) -> _Session:
    if identity not in _kept:
        forget()
        _kept[identity] = _Session(*identity)
    return _kept[identity]


def forget() -> None:
    """Let go of the linker that this process has prepared."""
    _kept.clear()


class _Batch(NamedTuple):
    """How documents are given to a linker, and where those are noted that fail."""

    name: str
    linker: Any  # a Linker or an Annotator
    top: int
    timeout: float
    give: str
    strict: bool
    failures: list[dict[str, str]]

    def of(self, documents: Sequence[Document]) -> list[Prediction]:
        """All documents in one call; if that fails one by one, to find out whose fault it is."""
        try:
            if self.give == "mentions" and hasattr(self.linker, "link"):
                return self._linked(documents)
            return self._annotated(documents)
        except OutOfOrderError as error:
            raise LinkassayError(f"linker {self.name!r} cannot go on: {error}. What is done stays; run the same "
                                 "command again to go on") from error  # fmt: skip
        except (Exception, SystemExit) as error:
            if len(documents) > 1:
                return [prediction for document in documents for prediction in self.of([document])]
            return self._failed(documents[0], error)

    def _failed(self, document: Document, error: BaseException) -> list[Prediction]:
        if self.strict:
            raise LinkassayError(f"linker {self.name!r} failed on document {document.id}: {_said(error)}") from error
        self.failures.append({"document": document.id, "error": _said(error)})
        return self._unanswered(document.mentions)

    def _unanswered(self, mentions: Iterable[Mention]) -> list[Prediction]:
        """Mentions that were given have a prediction each, if only to say that there is none."""
        return [self._prediction(mention, []) for mention in mentions] if self.give == "mentions" else []

    def _linked(self, documents: Sequence[Document]) -> list[Prediction]:
        """The linker's answers to given mentions, each held to what an answer must be."""
        linker: Linker = self.linker
        asked = [(mention, document) for document in documents for mention in document.mentions]
        if not asked:
            return []
        with self._in_time():
            answers = linker.link([Query(m.text, m.type, m.spans, d.id, d.text) for m, d in asked], self.top)
        if answers is None or len(answers) != len(asked):
            raise LinkassayError(f"it gave {'no' if answers is None else len(answers)} answers for {len(asked)} "
                                 "mentions; it must give one for each, an empty list for none")  # fmt: skip
        return [self._prediction(mention, answer) for (mention, _), answer in zip(asked, answers, strict=True)]

    def _annotated(self, documents: Sequence[Document]) -> list[Prediction]:
        """The mentions that the linker found, each held to what one must be, and joined with gold at its span."""
        linker: Annotator = self.linker
        with self._in_time():
            found = linker.annotate([_shown(document, self.give) for document in documents], self.top)
        if found is None or len(found) != len(documents):
            raise LinkassayError(f"it gave {'nothing' if found is None else f'{len(found)} lists of mentions'} for "
                                 f"{len(documents)} documents; it must give one list for each")  # fmt: skip
        placed = [m if isinstance(m, LinkassayError) else self._placed(d, m) for d, m in zip(documents, found)]
        return [
            prediction
            for document, part in zip(documents, placed, strict=True)
            for prediction in (self._failed(document, part) if isinstance(part, LinkassayError) else part)
        ]

    def _placed(self, document: Document, marks: Iterable[Marked]) -> list[Prediction]:
        """Marks at the spans of gold mentions bear their names, as those of an import do; one for each mention."""
        at = mentions_at(document.mentions)
        named: dict[str, Prediction] = {}
        others: dict[tuple[tuple[Span, ...], str], Prediction] = {}
        for mark in marks:
            _check_spans(mark.spans, document)
            there = at(mark.spans, mark.type)
            name = there[0].id if len(there) == 1 and there[0].id not in named else ""
            mention = Mention(name, document.id, mark.spans, "", mark.type or (there[0].type if name else ""))
            prediction = replace(self._prediction(mention, mark.answer), nil=mark.nil)
            if name:
                named[name] = prediction
            else:
                others.setdefault((mark.spans, mention.type), prediction)
        missed = self._unanswered(m for m in document.mentions if m.id not in named)
        return sorted([*named.values(), *others.values(), *missed], key=lambda p: (p.spans, p.type, p.mention))

    def _prediction(self, mention: Mention, answer: Answer) -> Prediction:
        """The first ranks of an answer."""
        try:
            groups = tuple(() if isinstance(ids, str) else tuple(ids) for ids, _ in answer)[: self.top]
            scores = tuple(float(score) for _, score in answer)[: self.top]
        except (TypeError, ValueError):
            groups, scores = ((),), ()
        if not all(ids and all(map(_is_id, ids)) for ids in groups) or not all(map(math.isfinite, scores)):
            at = repr(mention.id) if mention.id else f"at {mention.spans}"
            raise LinkassayError(f"it answered mention {at} with {answer!r:.200}; expected is a list of "
                                 "(tied ids, finite score), e.g. [(('mesh:D006073',), 0.9)]")  # fmt: skip
        return Prediction(mention.document, mention.spans, groups, scores, mention.id, mention.type)

    def _in_time(self) -> AbstractContextManager[None]:
        return _at_most(0 if getattr(self.linker, "keeps_time", False) else self.timeout)


def _said(error: BaseException) -> str:
    return str(error) if isinstance(error, LinkassayError) else f"{type(error).__name__}: {error}"[:1000]


def _shown(document: Document, give: str) -> Document:
    """What an end-to-end linker may see of a document: never gold, and mentions only if they are given."""
    shown = tuple(Mention(m.id, m.document, m.spans, m.text, m.type) for m in document.mentions)
    return replace(document, annotations=shown if give == "mentions" else (), evaluation_spans=None)


def _check_spans(spans: tuple[Span, ...], document: Document) -> None:
    last = 0
    for start, end in spans:
        if not last <= start < end or (document.text and end > len(document.text)):
            raise LinkassayError(f"it found a mention at {spans!r:.100}, outside of the text of {len(document.text)} "
                                 "characters, or with its pieces out of order")  # fmt: skip
        last = end
    if not spans:
        raise LinkassayError("it found a mention without a place")


def _is_id(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and not _SURROGATE.search(value)


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """An error after so many seconds, where the system can interrupt: in the main thread, not inside of C code."""
    if not seconds or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise _Late

    before: Any = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again each second, for those who catch everything
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    except _Late:
        raise LinkassayError(f"it gave no answer within {seconds:g} s (--timeout)") from None


class _Late(BaseException):
    """Time is up: no `Exception`, so that a linker which catches these does not catch it."""


class _Clock:
    """Wall and CPU seconds of each stage, measured here, never by the linker; of commands that it ran, too."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._wall, self._cpu = time.perf_counter(), _cpu_seconds()

    def lap(self, stage: str) -> None:
        wall, cpu = time.perf_counter(), _cpu_seconds()
        self.laps[f"{stage}_seconds"], self.laps[f"{stage}_cpu_seconds"] = wall - self._wall, cpu - self._cpu
        self._wall, self._cpu = wall, cpu


def _cpu_seconds() -> float:
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


class _Memory:
    """The most memory that this process, or a command that it ran, had since now; None where nobody knows."""

    def __init__(self) -> None:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak so far is forgotten
        self._before = _largest("RUSAGE_CHILDREN")

    def peak(self) -> int | None:
        children = _largest("RUSAGE_CHILDREN")
        return max(_own_peak(), children if children > self._before else 0) or None


def _own_peak() -> int:
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return _largest("RUSAGE_SELF")
    found = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else _largest("RUSAGE_SELF")


def _largest(of: str) -> int:
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    return resource.getrusage(getattr(resource, of)).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
