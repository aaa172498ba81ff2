"""What all readers share: the one place where offsets are verified and mentions are made.

A reader turns its file into passages and `Annotation`s; `Reading.document` joins the passages,
converts offsets, applies declared fixes, checks `text == document[start:end]`, merges annotations
on the same span, and gives each mention its stable id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.ids import IdRule
from linkassay.model import Document, Gold, Hyperlink, Mention, Passage, Span, join_text
from linkassay.problems import Fix, Problem, Problems

__all__ = ["Annotation", "Format", "Reading", "Units"]

#: What the offsets of a source count.
Units: TypeAlias = Literal["codepoint", "byte", "utf16"]


class Format(Protocol):
    """What a module in this folder offers; `write` only where outside tools need it."""

    def read(self, files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
        """Yield the documents of `files`."""
        ...


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotation as the source has it, before verification.

    `text` None means that the source does not repeat the text. `gold` None means that the ids are
    in `raw` and the reading's id rule applies. `id` is adopted as it is where the source has stable
    ones. `parent` names the `key` of another annotation of the same document.
    """

    spans: tuple[Span, ...]
    text: str | None
    type: str
    raw: str = ""
    gold: Gold | None = None
    id: str = ""
    key: str = ""
    parent: str = ""
    role: str = ""
    optional: bool = False
    coreference: bool | None = None
    kind: str = ""
    line: int = 0


@dataclass
class Reading:
    """How one source is to be read, and what was met on the way.

    `rules` maps a type to its id rule, "" being the default. `types` maps source types to ours;
    when given, annotations of any other type are left out (counted in `left_out`).
    """

    rules: Mapping[str, IdRule] = field(default_factory=lambda: {"": IdRule()})
    types: Mapping[str, str] | None = None
    problems: Problems = field(default_factory=Problems)
    fixes: tuple[Fix, ...] = ()
    units: Units = "codepoint"
    merge: bool = True
    encoding: str = "utf-8"
    left_out: dict[str, int] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)  # annotations met, by type, bad ones included

    def rule(self, type_: str) -> IdRule:
        """The id rule for mentions of `type_`."""
        return self.rules.get(type_) or self.rules.get("") or IdRule()

    def document(
        self,
        id: str,
        passages: Iterable[tuple[str, int | None, str]],
        annotations: Iterable[Annotation] = (),
        *,
        file: str,
        line: int = 0,
        title: str = "",
        evaluation_spans: tuple[Span, ...] | None = None,
        hyperlinks: tuple[Hyperlink, ...] = (),
    ) -> Document:
        """A verified document. A passage is (kind, offset, text); offset None: one after the last."""
        if not id.strip():
            raise DataError("document without an id", file=file, line=line)
        text, parts, where = self._join(id, passages, file, line)
        found: dict[object, tuple[Mention, list[str]]] = {}  # mention and the keys it goes by
        for annotation in annotations:
            mention = self._mention(id, text, where, annotation, file)
            if mention is None:
                continue
            slot = (mention.spans, mention.type) if self.merge and not mention.parent else len(found)
            if slot in found:
                earlier, keys = found[slot]
                found[slot] = _merged(earlier, mention), [*keys, annotation.key]
            else:
                found[slot] = mention, [annotation.key]
        document = Document(id, text, parts, self._named(id, list(found.values()), file), title,
                            evaluation_spans, hyperlinks)  # fmt: skip
        _refuse_surrogates(document, file, line)
        return document

    def _join(
        self, id: str, passages: Iterable[tuple[str, int | None, str]], file: str, line: int
    ) -> tuple[str, tuple[Passage, ...], _Offsets]:
        """Full text with gaps as spaces, passages in code points, and the offset converter."""
        pieces: list[str] = []
        parts: list[Passage] = []
        here = at = 0  # end of the text so far, in source units and in code points
        for kind, offset, text in passages:
            offset = (here + 1 if pieces else 0) if offset is None else offset
            gap = offset - here
            if gap < 0:
                raise DataError(f"document {id}: passage {kind!r} at offset {offset} begins before the "
                                f"last one ends ({here})", file=file, line=line)  # fmt: skip
            if gap > 10_000_000:
                raise DataError(f"document {id}: passage {kind!r} at offset {offset} is {gap:,} "
                                "characters after the last one", file=file, line=line)  # fmt: skip
            pieces += [" " * gap, text]
            parts.append(Passage(kind, at + gap, text))
            at += gap + len(text)
            here = offset + _length(text, self.units)
        whole = "".join(pieces)
        return whole, tuple(parts), _Offsets(whole, self.units)

    def _mention(self, document: str, text: str, where: _Offsets, annotation: Annotation, file: str) -> Mention | None:
        """The verified mention, or None if it is not wanted or was reported as bad."""
        source_type = annotation.type
        if self.types is not None and source_type not in self.types:
            self.left_out[source_type] = self.left_out.get(source_type, 0) + 1
            return None
        type_ = source_type if self.types is None else self.types[source_type]
        self.read[type_] = self.read.get(type_, 0) + 1
        fixed = self._fixed(document, annotation)
        if fixed is None:
            return None
        annotation = fixed
        spans = where.convert(annotation.spans)
        problem = _span_problem(spans, len(text))
        if problem is None:
            assert spans is not None
            found = join_text(text, spans)
            if annotation.text is not None and annotation.text != found:
                problem = ("offset", "the text at the span differs from the annotation's")
            elif not found.strip():
                problem = ("empty", "the mention is empty")
        if problem is not None or spans is None:
            kind, message = problem or ("span", "the span cuts a character")
            self.problems.add(Problem(
                kind, message, file, annotation.line, document, annotation.spans,
                join_text(text, spans) if spans and kind == "offset" else "", annotation.text or "", type_,
            ))  # fmt: skip
            return None
        gold = self.rule(type_).gold(annotation.raw) if annotation.gold is None else annotation.gold
        return Mention(
            annotation.id, document, spans, found, type_, gold, annotation.raw, source_type,
            annotation.optional, annotation.parent, annotation.role, annotation.coreference,
            annotation.kind,
        )  # fmt: skip

    def _fixed(self, document: str, annotation: Annotation) -> Annotation | None:
        for fix in self.fixes:
            if (fix.document, (fix.span,), fix.text) == (document, annotation.spans, annotation.text):
                self.problems.fixes.append(fix)
                if not fix.new_spans and not fix.new_text:
                    return None
                return replace(annotation, spans=fix.new_spans or annotation.spans,
                               text=fix.new_text or annotation.text)  # fmt: skip
        return annotation

    def _named(self, document: str, found: list[tuple[Mention, list[str]]], file: str) -> tuple[Mention, ...]:
        """Give ids: the source's own, else document:span:type; then resolve parents to these."""
        names: dict[str, str] = {}
        taken: dict[str, int] = {}
        named: list[Mention] = []
        for mention, keys in found:
            at = ",".join(f"{start}-{end}" for start, end in mention.spans)
            name = mention.id or f"{document}:{at}:{mention.type}"
            taken[name] = count = taken.get(name, 0) + 1
            if count > 1 and mention.id:
                raise DataError(f"document {document}: annotation id {name!r} occurs twice", file=file)
            named.append(replace(mention, id=name if count == 1 else f"{name}#{count}"))
            names.update((key, named[-1].id) for key in keys if key)
        whole = []
        for mention in named:
            if mention.parent and mention.parent not in names:
                self.problems.add(Problem("parent", f"parent annotation {mention.parent!r} is not in the document",
                                          file, 0, document, mention.spans, type=mention.type))  # fmt: skip
                continue
            whole.append(replace(mention, parent=names.get(mention.parent, "")))
        return tuple(whole)


def _refuse_surrogates(document: Document, file: str, line: int) -> None:
    """Half a UTF-16 pair is no character: it can be written in JSON but not stored or shown."""
    texts = [document.id, document.title, document.text, *(h.target for h in document.hyperlinks)]
    for mention in document.annotations:
        texts += [mention.id, mention.type, mention.raw, mention.source_type, *mention.ids]
    for text in texts:
        if not text.isascii():
            try:
                text.encode("utf-8")
            except UnicodeEncodeError as error:
                raise DataError(f"document {document.id!r}: lone surrogate U+{ord(text[error.start]):04X} "
                                "is no character", file=file, line=line) from None  # fmt: skip


def _merged(first: Mention, second: Mention) -> Mention:
    """Two annotations on one span: the ids of the second become further alternatives."""
    return replace(
        first,
        gold=tuple(dict.fromkeys((*first.gold, *second.gold))),
        raw=first.raw if first.raw == second.raw else f"{first.raw};{second.raw}".strip(";"),
        optional=first.optional and second.optional,
    )


def _span_problem(spans: tuple[Span, ...] | None, length: int) -> tuple[str, str] | None:
    if spans is None:
        return "span", "the span cuts a character or lies outside the text"
    if not spans:
        return "span", "the annotation has no span"
    last = 0
    for start, end in spans:
        if start < 0 or end > length:
            return "span", f"the span lies outside the text of {length} characters"
        if start >= end:
            return "span", "the span is empty or reversed"
        if start < last:
            return "span", "the spans overlap or are out of order"
        last = end
    return None


def _length(text: str, units: Units) -> int:
    if units == "codepoint" or text.isascii():
        return len(text)
    return len(text.encode("utf-8")) if units == "byte" else len(text.encode("utf-16-le")) // 2


class _Offsets:
    """Converts source offsets to code points; None where one falls inside a character."""

    def __init__(self, text: str, units: Units) -> None:
        self._map: dict[int, int] | None = None
        if units != "codepoint" and not text.isascii():
            self._map, at = {}, 0
            for index, character in enumerate(text):
                self._map[at] = index
                at += _length(character, units)
            self._map[at] = len(text)

    def convert(self, spans: tuple[Span, ...]) -> tuple[Span, ...] | None:
        if self._map is None:
            return spans
        try:
            return tuple((self._map[start], self._map[end]) for start, end in spans)
        except KeyError:
            return None
