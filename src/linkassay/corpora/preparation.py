"""Ways to prepare a corpus while it is converted, each recorded in the revision (CORPUS-2); and text views."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from linkassay.corpora.id_spelling import id_file, read_same_as
from linkassay.ids import from_iri
from linkassay.model import Document, Mention, Passage, Span, join_text
from linkassay.sources import checksum
from linkassay.text import split_sentences
from linkassay.text.abbreviations import Abbreviations, abbreviation_source, abbreviations_record, expand

if TYPE_CHECKING:
    from linkassay.corpora.synchronise import Sync


@dataclass(frozen=True)
class Preparation:
    """What to do with the documents of a corpus; the default changes nothing.

    `composites="drop"` leaves out mentions that stand for several ids at once. `deduplicate` keeps
    the first of several documents with the same text. `sentences` makes each sentence a document.
    `sync` names a knowledge base (`name@revision`) whose current ids replace the gold ids.
    `abbreviations` (`schwartz-hearst`, `ab3p` or a file) writes out mentions in the text itself, see `expanded`;
    whole documents are looked at, also where sentences become documents. `same_as` is a file of pairs of ids that
    mean the same: gold ids of its first column become those of the second.
    """

    composites: Literal["keep", "drop"] = "keep"
    deduplicate: bool = False
    sentences: bool = False
    sync: str = ""
    abbreviations: str = ""
    same_as: str = ""
    counts: Counter[str] = field(default_factory=Counter, compare=False)

    def options(self) -> dict[str, object]:
        """What differs from the default, for the revision; a file is its contents, wherever it lies."""
        default = asdict(Preparation())
        found = {key: value for key, value in asdict(self).items() if key != "counts" and value != default[key]}
        if self.same_as:
            found["same_as"] = checksum(id_file(Path(self.same_as), "--same-as"))["sha256"]
        return found | ({"abbreviations": abbreviations_record(self.abbreviations)} if self.abbreviations else {})

    def apply(self, documents: Iterable[tuple[str, Document]], prefix: str = "") -> Iterator[tuple[str, Document]]:
        """Prepare (split, document) pairs one by one, counting what is left out; `prefix` is that of bare ids."""
        seen: set[str] = set()
        synchronise = self._synchroniser()
        source = abbreviation_source(self.abbreviations) if self.abbreviations else None
        same = read_same_as(Path(self.same_as), prefix) if self.same_as else None
        for split, document in documents:
            if same is not None:
                document = self._renamed(document, same)
            if self.deduplicate and document.text:
                if document.text in seen:
                    self.counts["documents with a text that occurred before"] += 1
                    continue
                seen.add(document.text)
            if synchronise is not None:
                document = synchronise.document(split, document)
            if self.composites == "drop":
                document = self._without_composites(document)
            if source is not None:
                document = self._written_out(document, source)
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
        from linkassay.corpora.synchronise import Sync
        from linkassay.kbs import Kb

        return Sync(Kb.open(self.sync), self.counts)

    def _renamed(self, document: Document, same: Mapping[str, tuple[str, ...]]) -> Document:
        """With gold ids as the file of pairs says; those that it lacks stay."""
        annotations = []
        for mention in document.annotations:
            known = {identifier: same.get(identifier) or same.get(from_iri(identifier)) for identifier in mention.ids}
            self.counts["gold ids that --same-as names"] += sum(bool(found) for found in known.values())
            self.counts["gold ids that --same-as does not name"] += sum(not found for found in known.values())
            gold = tuple(dict.fromkeys(
                frozenset(chosen) for ids in mention.gold
                for chosen in product(*(known[identifier] or (identifier,) for identifier in sorted(ids)))
            ))  # fmt: skip
            annotations.append(replace(mention, gold=gold))
        return replace(document, annotations=tuple(annotations))

    def _without_composites(self, document: Document) -> Document:
        gone = {m.id for m in document.annotations if any(len(ids) > 1 for ids in m.gold)}
        self.counts["composite mentions"] += len(gone)
        return without(document, gone)

    def _written_out(self, document: Document, source: Abbreviations) -> Document:
        pairs = source.of(document.id, document.text)
        found = expanded(document, pairs)
        short = [(m, new) for m, new in zip(document.annotations, found.annotations, strict=True)
                 if expand(m.text, pairs) != m.text]  # fmt: skip
        written = sum(new.text == expand(m.text, pairs) for m, new in short)
        self.counts["mentions written out"] += written
        self.counts["abbreviated mentions left as they are"] += len(short) - written
        return found


def without(document: Document, gone: set[str]) -> Document:
    """The document without these annotations and whatever hangs below them."""
    while below := {m.id for m in document.annotations if m.parent in gone} - gone:
        gone = gone | below
    return replace(document, annotations=tuple(m for m in document.annotations if m.id not in gone))


def expanded(document: Document, pairs: Mapping[str, str]) -> Document:
    """The document with mentions that are short forms written out in its text, and everything moved along (ABBR-4).

    As `expand` does, a whole mention is replaced, case-sensitive, once; short forms outside of mentions stay.
    A definition is no exception: where the short form in its brackets is a mention, "long form (long form)" is read.
    What holds a mention grows with it: "CF gene" reads "cystic fibrosis gene" if "CF" in it is a mention too.
    A mention stays as it is if it has several pieces, or if another annotation, a passage, a hyperlink or an
    evaluation span begins or ends within it, since that would have no place in the long form: of nested short forms
    the innermost is written out, of those that overlap none. Ids and gold stay. Where there is no text, the
    mentions' own texts are written out, and offsets are still those of the source.

    >>> mention = Mention("m", "d", ((14, 17),), "ALS", "disease")
    >>> found = expanded(Document("d", "Patients with ALS.", annotations=(mention,)), {"ALS": "lateral sclerosis"})
    >>> found.text, found.annotations[0].spans
    ('Patients with lateral sclerosis.', ((14, 31),))
    """
    if not document.text:
        texts = (expand(m.text, pairs) for m in document.annotations)
        annotations = tuple(replace(m, text=text) for m, text in zip(document.annotations, texts, strict=True))
        return replace(document, annotations=annotations)
    cuts = sorted({place for span in _spans(document) for place in span})
    written = {}
    for mention in document.annotations:
        long, (start, end) = expand(mention.text, pairs), mention.spans[0]
        if long != mention.text and len(mention.spans) == 1 and bisect_right(cuts, start) == bisect_left(cuts, end):
            written[start, end] = long
    if not written:
        return document
    pieces, ends, shifts, at = [], [], [0], 0
    for (start, end), long in sorted(written.items()):
        pieces += [document.text[at:start], long]
        ends.append(end)
        shifts.append(shifts[-1] + len(long) - (end - start))
        at = end
    text = "".join([*pieces, document.text[at:]])

    def moved(span: Span) -> Span:
        start, end = (place + shifts[bisect_right(ends, place)] for place in span)
        return start, end

    places = ((m, tuple(map(moved, m.spans))) for m in document.annotations)
    passages = ((p, moved((p.offset, p.offset + len(p.text)))) for p in document.passages)
    evaluated = document.evaluation_spans
    return replace(
        document, text=text,
        passages=tuple(Passage(p.kind, start, text[start:end]) for p, (start, end) in passages),
        annotations=tuple(replace(m, spans=spans, text=join_text(text, spans)) for m, spans in places),
        evaluation_spans=None if evaluated is None else tuple(map(moved, evaluated)),
        hyperlinks=tuple(replace(h, span=moved(h.span)) for h in document.hyperlinks),
    )  # fmt: skip


def _spans(document: Document) -> Iterator[Span]:
    """Every span that something of the document has."""
    for mention in document.annotations:
        yield from mention.spans
    yield from ((p.offset, p.offset + len(p.text)) for p in document.passages)
    yield from document.evaluation_spans or ()
    yield from (h.span for h in document.hyperlinks)


def sentence_documents(document: Document) -> list[Document]:
    """Each sentence as a document of its own, `id` + `#s1`, `#s2` …; what crosses sentences is left out (CORPUS-4)."""
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
    """The mention in its context, marked, with up to `window` characters on each side (CORPUS-5).

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
        spans += [(passage.offset + s, passage.offset + e) for s, e in split_sentences(passage.text)]
    return spans


def _moved(span: Span, by: int) -> Span:
    return span[0] - by, span[1] - by
