"""Ways to prepare a corpus while it is converted, each recorded in the revision; and text views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from linkassay.model import Document, Mention, Passage, Span
from linkassay.text.sentences import sentences

if TYPE_CHECKING:
    from linkassay.corpora.sync import Sync

__all__ = ["Preparation", "marked", "sentence_documents", "without"]


@dataclass(frozen=True)
class Preparation:
    """What to do with the documents of a corpus; the default changes nothing.

    `composites="drop"` leaves out mentions that stand for several ids at once. `deduplicate` keeps
    the first of several documents with the same text. `sentences` makes each sentence a document.
    `sync` names a knowledge base (`name@revision`) whose current ids replace the gold ids.
    """

    composites: Literal["keep", "drop"] = "keep"
    deduplicate: bool = False
    sentences: bool = False
    sync: str = ""
    counts: Counter[str] = field(default_factory=Counter, compare=False)

    def options(self) -> dict[str, object]:
        """What differs from the default, for the revision."""
        default = asdict(Preparation())
        return {key: value for key, value in asdict(self).items() if key != "counts" and value != default[key]}

    def apply(self, documents: Iterable[tuple[str, Document]]) -> Iterator[tuple[str, Document]]:
        """Prepare (split, document) pairs one by one, counting what is left out."""
        seen: set[str] = set()
        synchronise = self._synchroniser()
        for split, document in documents:
            if self.deduplicate and document.text:
                if document.text in seen:
                    self.counts["documents with a text that occurred before"] += 1
                    continue
                seen.add(document.text)
            if synchronise is not None:
                document = synchronise.document(split, document)
            if self.composites == "drop":
                document = self._without_composites(document)
            if self.sentences:
                parts = sentence_documents(document)
                self.counts["mentions across sentences"] += len(document.annotations) - sum(
                    len(p.annotations) for p in parts
                )
                yield from ((split, part) for part in parts)
            else:
                yield split, document

    def _synchroniser(self) -> Sync | None:
        if not self.sync:
            return None
        from linkassay.corpora.sync import Sync
        from linkassay.kbs.stored import Kb

        return Sync(Kb.open(self.sync), self.counts)

    def _without_composites(self, document: Document) -> Document:
        gone = {m.id for m in document.annotations if any(len(ids) > 1 for ids in m.gold)}
        self.counts["composite mentions"] += len(gone)
        return without(document, gone)


def without(document: Document, gone: set[str]) -> Document:
    """The document without these annotations and whatever hangs below them."""
    while below := {m.id for m in document.annotations if m.parent in gone} - gone:
        gone = gone | below
    return replace(document, annotations=tuple(m for m in document.annotations if m.id not in gone))


def sentence_documents(document: Document) -> list[Document]:
    """Each sentence as a document of its own, `id` + `#s1`, `#s2` …; what crosses sentences is left out."""
    if not document.text:
        return [document]
    parts = []
    waiting = sorted(document.annotations, key=lambda m: m.start)
    at = 0
    for number, (start, end) in enumerate(_sentence_spans(document), start=1):
        inside = []
        while at < len(waiting) and waiting[at].start < end:
            if start <= waiting[at].start and waiting[at].end <= end:
                inside.append(waiting[at])
            at += 1
        parts.append(_sentence(document, f"{document.id}#s{number}", (start, end), inside))
    return parts


def _sentence(document: Document, name: str, span: Span, inside: list[Mention]) -> Document:
    start, end = span
    text = document.text[start:end]
    evaluated = document.evaluation_spans
    if evaluated is not None:
        evaluated = tuple(_moved((max(s, start), min(e, end)), start) for s, e in evaluated if s < end and e > start)
    names = {m.id: f"{name}:{m.id.removeprefix(f'{document.id}:')}" for m in inside}
    found = Document(
        name, text, (Passage("sentence", 0, text),),
        tuple(replace(m, id=names[m.id], document=name, spans=tuple(_moved(s, start) for s in m.spans),
                      parent=names.get(m.parent, m.parent)) for m in inside),
        document.title, evaluated,
        tuple(replace(h, span=_moved(h.span, start)) for h in document.hyperlinks
              if start <= h.span[0] and h.span[1] <= end),
    )  # fmt: skip
    ids = set(names.values())
    return without(found, {m.id for m in found.annotations if m.parent and m.parent not in ids})


def marked(document: Document, mention: Mention, window: int = 256, start: str = "[START]", end: str = "[END]") -> str:
    """The mention in its context, marked, with up to `window` characters on each side.

    >>> text = "Patients with ALS were seen."
    >>> mention = Mention("m", "d", ((14, 17),), "ALS", "disease")
    >>> marked(Document("d", text), mention, window=5)
    'with [START] ALS [END] were'
    """
    left = document.text[max(0, mention.start - window) : mention.start]
    right = document.text[mention.end : mention.end + window]
    inner = document.text[mention.start : mention.end]
    return f"{left.strip()} {start} {inner} {end} {right.strip()}".strip()


def _sentence_spans(document: Document) -> list[Span]:
    spans: list[Span] = []
    for passage in document.passages or (Passage("", 0, document.text),):
        spans += [(passage.offset + s, passage.offset + e) for s, e in sentences(passage.text)]
    return spans


def _moved(span: Span, by: int) -> Span:
    return span[0] - by, span[1] - by
