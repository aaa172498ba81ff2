"""One shard of a run: link or annotate some documents of a split, verify the answers, note what it cost.

A document that fails is recorded with its error and left without answers (SAFE-9). Putting shards together and storing
runs is the work of `execute`.
"""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.errors import LinkassayError, UnwritableError
from linkassay.formats.predictions import mentions_at
from linkassay.linkers import (
    Annotator,
    Answer,
    Capabilities,
    FoundMention,
    OutOfOrderError,
    Query,
    first_ranks,
)
from linkassay.model import Document, Mention, Prediction, Span
from linkassay.runs.costs import Clock, Memory
from linkassay.runs.prediction_rows import CANDIDATES, row_of
from linkassay.runs.ready_linker import ReadyLinker, error_text
from linkassay.runs.request import LinkRequest

#: Documents of a shard, which are given to the linker in one call. Part of no fingerprint: a linker's answer to a
#: mention may depend on its document, not on what else is asked in the same call.
DOCUMENTS = 32


def link_shard(target: Path, request: dict[str, Any], start: int, prepared: Sequence[str]) -> None:
    """Link the documents from number `start` on and write `predictions.parquet` and `shard.json` into `target`.

    `prepared`: the names of what the linker is opened from, if it was made ready before.
    """
    asked = LinkRequest.of_data(request)
    session = _session(asked, prepared)
    if session.capabilities.wants_folder:
        session.linker.work_in(target.parent)
    documents = session.documents(start)
    failures: list[dict[str, str]] = []
    clock = Clock()
    predictions = _Batch(asked, session.linker, session.capabilities, failures).of(documents)
    clock.lap("link")
    with store.Table(target / "predictions.parquet", store.PREDICTIONS) as table:
        for prediction in predictions:
            table.add(row_of(prediction))
    if session.capabilities.pools:
        with store.Table(target / CANDIDATES, store.CANDIDATES) as table:
            for prediction in predictions:
                table.add((prediction.candidates,))
    note = {"failures": failures, "peak_memory_bytes": session.memory.peak(), **session.laps, **clock.laps}
    session.laps = {}  # noted once for each process that prepared the linker
    (target / "shard.json").write_text(json.dumps(note), encoding="utf-8")


class _Session:
    """A prepared linker and the documents it is to link; a process keeps one, as shards come one after another."""

    def __init__(self, asked: LinkRequest, prepared: Sequence[str]) -> None:
        self.memory = Memory()
        self._documents = Corpus.open(asked.corpus)[asked.split]
        self._rest: Iterator[Document] = iter(())
        self._next = 0
        ready = ReadyLinker.made(asked)
        self.linker, self.capabilities = ready.linker, ready.capabilities
        self.laps = ready.prepare(prepared)

    def documents(self, start: int) -> list[Document]:
        """The documents of the shard that begins at `start`; read on where the last one ended, if possible."""
        if start < self._next or not self._next:
            self._rest, self._next = iter(self._documents), 0
        found = list(islice(self._rest, start - self._next, start - self._next + DOCUMENTS))
        self._next = start + DOCUMENTS
        return found


_kept: list[tuple[tuple[LinkRequest, tuple[str, ...]], _Session]] = []


def _session(asked: LinkRequest, prepared: Sequence[str]) -> _Session:
    wanted = asked, tuple(prepared)
    if not _kept or _kept[0][0] != wanted:
        forget()
        _kept.append((wanted, _Session(*wanted)))
    return _kept[0][1]


def forget() -> None:
    """Let go of the linker that this process has prepared."""
    _kept.clear()


class _Batch(NamedTuple):
    """How documents are given to a linker, and where those are noted that fail."""

    asked: LinkRequest
    linker: Any  # a MentionLinker or an Annotator, as its capabilities say
    capabilities: Capabilities
    failures: list[dict[str, str]]

    def of(self, documents: Sequence[Document]) -> list[Prediction]:
        """All documents in one call; if that fails one by one, to find out whose fault it is."""
        try:
            if self.asked.give == "mentions" and self.capabilities.links:
                return self._linked(documents)
            return self._annotated(documents)
        except OutOfOrderError as error:
            raise LinkassayError(f"linker {self.asked.linker!r} cannot go on: {error}. What is done stays; run the "
                                 "same command again to go on") from error  # fmt: skip
        except (Exception, SystemExit) as error:
            if isinstance(error, UnwritableError) or store.unwritable(error):
                raise  # the next document would fail as well
            if len(documents) > 1:
                return [prediction for document in documents for prediction in self.of([document])]
            return self._failed(documents[0], error)

    def _failed(self, document: Document, error: BaseException) -> list[Prediction]:
        if self.asked.strict:
            raise LinkassayError(
                f"linker {self.asked.linker!r} failed on document {document.id}: {error_text(error)}"
            ) from error
        self.failures.append({"document": document.id, "error": error_text(error)})
        return self._unanswered(document.mentions)

    def _unanswered(self, mentions: Iterable[Mention]) -> list[Prediction]:
        """Mentions that were given have a prediction each, if only to say that there is none."""
        return [self._prediction(mention, []) for mention in mentions] if self.asked.give == "mentions" else []

    def _linked(self, documents: Sequence[Document]) -> list[Prediction]:
        """The linker's answers to given mentions, each held to what an answer must be."""
        asked = [(mention, document) for document in documents for mention in document.mentions]
        if not asked:
            return []
        with self._in_time():
            answers = self._answers([Query(m.text, m.type, m.spans, d.id, d.text) for m, d in asked])
        if answers is None or len(answers) != len(asked):
            raise LinkassayError(f"it gave {'no' if answers is None else len(answers)} answers for {len(asked)} "
                                 "mentions; it must give one for each, an empty list for none")  # fmt: skip
        return [self._prediction(mention, *answer) for (mention, _), answer in zip(asked, answers, strict=True)]

    def _answers(self, queries: list[Query]) -> Sequence[tuple[Answer] | tuple[Answer, Answer]] | None:
        """The answers of a linker that links, with what each was chosen from where it says that."""
        if self.capabilities.pools:
            return list(self.linker.pooled(queries, self.asked.top))
        answers = self.linker.link(queries, self.asked.top)
        return answers if answers is None else [(answer,) for answer in answers]

    def _annotated(self, documents: Sequence[Document]) -> list[Prediction]:
        """The mentions that the linker found, each held to what one must be, and joined with gold at its span."""
        linker: Annotator = self.linker
        with self._in_time():
            found = linker.annotate([_shown(document, self.asked.give) for document in documents], self.asked.top)
        if found is None or len(found) != len(documents):
            raise LinkassayError(f"it gave {'nothing' if found is None else f'{len(found)} lists of mentions'} for "
                                 f"{len(documents)} documents; it must give one list for each")  # fmt: skip
        placed = [m if isinstance(m, LinkassayError) else self._placed(d, m) for d, m in zip(documents, found)]
        return [
            prediction
            for document, part in zip(documents, placed, strict=True)
            for prediction in (self._failed(document, part) if isinstance(part, LinkassayError) else part)
        ]

    def _placed(self, document: Document, marks: Iterable[FoundMention]) -> list[Prediction]:
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

    def _prediction(self, mention: Mention, answer: Answer, pool: Answer | None = None) -> Prediction:
        """The first ranks of an answer."""
        at = repr(mention.id) if mention.id else f"at {mention.spans}"
        groups, scores = first_ranks(answer, self.asked.top, at)
        candidates = None if pool is None else first_ranks(pool, len(pool), at)[0]
        return Prediction(
            mention.document, mention.spans, groups, scores, mention.id, mention.type, candidates=candidates
        )

    def _in_time(self) -> AbstractContextManager[None]:
        return _at_most(0 if self.capabilities.keeps_time else self.asked.timeout)


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
