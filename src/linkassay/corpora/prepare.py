"""Ways to prepare a corpus while it is converted, each recorded in the revision; and text views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from linkassay.model import Document, Mention, Passage, Span
from linkassay.text.sentences import sentences

__all__ = ["Preparation", "marked", "sentence_documents"]


@dataclass(frozen=True)
class Preparation:
    """What to do with the documents of a corpus; the default changes nothing.

    `composites="drop"` leaves out mentions that stand for several ids at once. `deduplicate` keeps
    the first of several documents with the same text. `sentences` makes each sentence a document.
    """

    composites: Literal["keep", "drop"] = "keep"
    deduplicate: bool = False
    sentences: bool = False
    counts: Counter[str] = field(default_factory=Counter, compare=False)

    def options(self) -> dict[str, object]:
        """What differs from the default, for the revision."""
        default = asdict(Preparation())
        return {key: value for key, value in asdict(self).items() if key != "counts" and value != default[key]}

    def apply(self, documents: Iterable[tuple[str, Document]]) -> Iterator[tuple[str, Document]]:
        """Prepare (split, document) pairs one by one, counting what is left out."""
        seen: set[str] = set()
        for split, document in documents:
            if self.deduplicate and document.text:
                if document.text in seen:
                    self.counts["documents with a text that occurred before"] += 1
                    continue
                seen.add(document.text)
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

    def _without_composites(self, document: Document) -> Document:
        gone = {m.id for m in document.annotations if any(len(ids) > 1 for ids in m.gold)}
        self.counts["composite mentions"] += len(gone)
        kept = tuple(m for m in document.annotations if m.id not in gone and m.parent not in gone)
        return replace(document, annotations=kept)


def sentence_documents(document: Document) -> list[Document]:
    """Each sentence as a document of its own, `id` + `#s1`, `#s2` …; crossing mentions are left out."""
    parts = []
    for number, span in enumerate(_sentence_spans(document), start=1):
        start, end = span
        inside = {m.id: m for m in document.annotations if start <= m.start and m.end <= end}
        name, text = f"{document.id}#s{number}", document.text[start:end]
        moved = tuple(
            _moved(m, name, start) for m in inside.values() if not m.parent or m.parent in inside
        )  # fmt: skip
        parts.append(Document(name, text, (Passage("sentence", 0, text),), moved, document.title))
    return parts


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


def _moved(mention: Mention, document: str, by: int) -> Mention:
    spans = tuple((s - by, e - by) for s, e in mention.spans)
    at = ",".join(f"{s}-{e}" for s, e in spans)
    own = mention.id.removeprefix(f"{mention.document}:")
    return replace(mention, id=f"{document}:{own}@{at}", document=document, spans=spans,
                   parent=f"{document}:{mention.parent}" if mention.parent else "")  # fmt: skip
