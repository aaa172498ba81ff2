"""What all readers share: the one place where offsets are verified and mentions are made.

A reader turns its file into passages and `Annotation`s; `Reading.document` joins the passages,
converts offsets, applies declared fixes, checks `text == document[start:end]` (DATA-4), merges annotations
on the same span (DATA-6), and gives each mention its stable id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Protocol, TypeAlias

from linkassay.errors import DataError
from linkassay.files import RawFile, text_encoding
from linkassay.ids import IdRule
from linkassay.model import STRAY, Document, Gold, Hyperlink, Mention, Passage, Span, join_text, types_of
from linkassay.problems import Fix, Problem, Problems

#: No offset is larger, so that none overflows where documents are stored or numbers are floats.
_FURTHEST = 1 << 53

#: What the offsets of a source count.
Units: TypeAlias = Literal["codepoint", "byte", "utf16"]


class Format(Protocol):
    """What a module of `documents` offers; `write` only where outside tools need it."""

    def read(self, files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
        """Yield the documents of `files`."""
        ...


class Annotation(NamedTuple):
    """One annotation as the source has it, before verification.

    `text` None means that the source does not repeat the text. `gold` None means that the ids are
    in `raw` and the reading's id rule applies. `id` is adopted as it is where the source has stable
    ones. `parent` names the `key` of another annotation of the same document. `source_type` is for
    sources that carry both their own type and that of yet another source.
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
    source_type: str = ""
    further_parents: tuple[str, ...] = ()


@dataclass
class Reading:
    """How one source is to be read, and what was met on the way.

    `rules` maps a type to its id rule, "" being the default. `types` maps source types to ours;
    when given, annotations of any other type are left out (counted in `left_out`); `renamed` does so
    without leaving any out. A tree stays
    whole: what has a parent follows its root, whatever its own type. Where a corpus is known
    to spell the texts of annotations otherwise than its documents, `span_is_right` says for
    (document id, annotation's text, document's text) why the span stands, or "".
    """

    rules: Mapping[str, IdRule] = field(default_factory=lambda: {"": IdRule()})
    types: Mapping[str, str] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)
    fixes: tuple[Fix, ...] = ()
    units: Units = "codepoint"
    merge: bool = True
    encoding: str = "utf-8"
    left_out: dict[str, int] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)  # annotations met, by type, bad ones included
    join_blocks: bool = False  # PubTator: blocks of one article are one document
    corpus: str = ""  # what is read, or what predictions are for, by its name
    repeated: str = ""  # what helps against documents that occur again
    documents: dict[str, None] = field(default_factory=dict)  # those met, in their order
    span_is_right: Callable[[str, str, str], str] | None = None

    def __post_init__(self) -> None:
        text_encoding(self.encoding)  # refuses what is none

    def rule(self, type_: str) -> IdRule:
        """The id rule for mentions of `type_`."""
        return self.rules.get(type_) or self.rules.get("") or IdRule()

    def source_rule(self, source_type: str) -> IdRule:
        """The id rule for annotations that the source calls `source_type`."""
        return self.rule(self._our_type(source_type))

    def _our_type(self, source_type: str) -> str:
        ours = self.renamed if self.types is None else self.types
        if ours is self.renamed and not ours:
            return source_type
        if source_type in ours:
            return ours[source_type]
        return "|".join(dict.fromkeys(ours.get(type_, type_) for type_ in types_of(source_type)))

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
        textless: bool = False,
    ) -> Document:
        """A verified document. A passage is (kind, offset, text); offset None: one after the last.

        `textless` is for sources that have mentions but not their texts: there are no passages,
        a mention keeps the text its source gives and may have no spans, or a place and no text.
        """
        if not id.strip():
            raise DataError("document without an id", file=file, line=line)
        self.documents[id] = None
        _refuse_surrogates((id,), id, file, line)
        text, parts, where = self._join(id, passages, file, line)
        length = None if textless else len(text)
        if evaluation_spans is not None:
            at = "evaluation span"
            evaluation_spans = tuple(_placed(s, where, length, at, id, file, line) for s in evaluation_spans)
        hyperlinks = tuple(
            Hyperlink(_placed(h.span, where, length, "hyperlink", id, file, line), h.target) for h in hyperlinks
        )
        found: list[tuple[list[Mention], list[str]]] = []  # mentions to merge, and their keys
        at_place: dict[object, tuple[list[Mention], list[str]]] = {}
        for annotation in self._wanted(list(annotations)):
            mention = self._mention(id, None if textless else text, where, annotation, file)
            if mention is None:
                continue
            same: tuple[list[Mention], list[str]] = ([], [])
            if self.merge and mention.spans and not mention.parent and not mention.id:
                same = at_place.setdefault((mention.spans, mention.type), same)
            if not same[0]:
                found.append(same)
            same[0].append(mention)
            same[1].append(annotation.key)
        merged = [(_merged(mentions), keys) for mentions, keys in found]
        document = Document(id, text, parts, self._named(id, merged, file), title,
                            evaluation_spans, hyperlinks)  # fmt: skip
        _refuse_surrogates(_texts(document), id, file, line)
        return document

    def _join(
        self, id: str, passages: Iterable[tuple[str, int | None, str]], file: str, line: int
    ) -> tuple[str, tuple[Passage, ...], _Offsets]:
        """Full text with gaps as spaces, passages in code points, and the offset converter."""
        pieces: list[str] = []
        parts: list[Passage] = []
        here = at = 0  # end of the text so far, in source units and in code points
        padding = 0  # all gaps together, so that no file can ask for more text than it has
        for kind, offset, text in passages:
            offset = (here + 1 if pieces else 0) if offset is None else offset
            gap = offset - here
            if gap < 0:
                raise DataError(f"document {id}: passage {kind!r} at offset {offset} begins before the "
                                f"last one ends ({here})", file=file, line=line)  # fmt: skip
            padding += gap
            if padding > 10_000_000:
                raise DataError(f"document {id}: passage {kind!r} at offset {offset} is {gap:,} "
                                "characters after the last one", file=file, line=line)  # fmt: skip
            pieces += [" " * gap, text]
            parts.append(Passage(kind, at + gap, text))
            at += gap + len(text)
            here = offset + text_length(text, self.units)
        whole = "".join(pieces)
        return whole, tuple(parts), _Offsets(whole, self.units)

    def _wanted(self, annotations: list[Annotation]) -> Iterator[Annotation]:
        """Those whose root is of a wanted type; the others are counted."""
        if self.types is None:
            yield from annotations
            return
        for annotation, root in zip(annotations, _roots(annotations), strict=True):
            if any(type_ in self.types for type_ in (root.type, *types_of(root.type))):
                yield annotation
            else:
                self.left_out[annotation.type] = self.left_out.get(annotation.type, 0) + 1

    def _mention(
        self, document: str, text: str | None, where: _Offsets, annotation: Annotation, file: str
    ) -> Mention | None:
        """The verified mention, or None if a fix drops it or it was reported as bad."""
        type_ = self._our_type(annotation.type)
        self.read[type_] = self.read.get(type_, 0) + 1
        fixed = self._fixed(document, annotation)
        if fixed is None:
            return None
        annotation = fixed
        spans, kind, found = where.convert(annotation.spans), "span", ""
        if spans is None:
            message = "the span cuts a character or lies outside the text"
        elif not (message := _span_problem(spans, None if text is None else len(text))):
            found = annotation.text or "" if text is None else join_text(text, spans)
            if text is not None and not self._agrees(document, annotation, found):
                kind, message = "offset", "the text at the span differs from the annotation's"
            elif not found.strip() and not (text is None and annotation.text is None and spans):
                kind, message = "empty", "the mention is empty"
        if spans is None or message:
            if text is not None and kind != "empty":
                message += _line_break_cause(text, annotation, self.units)
            self.problems.add(Problem(
                kind, message, file, annotation.line, document, annotation.spans,
                found if kind == "offset" else "", annotation.text or "", type_,
            ))  # fmt: skip
            return None
        gold = self.rule(type_).gold(annotation.raw) if annotation.gold is None else annotation.gold
        return Mention(
            annotation.id, document, spans, found, type_, gold, annotation.raw,
            annotation.source_type or annotation.type, annotation.optional, annotation.parent, annotation.role,
            annotation.coreference, annotation.kind, annotation.further_parents,
        )  # fmt: skip

    def _agrees(self, document: str, annotation: Annotation, found: str) -> bool:
        """Whether the annotation's text is what was found, or is known to be spelled otherwise."""
        written = annotation.text
        if written is None or written == found:
            return True
        why = self.span_is_right(document, written, found) if self.span_is_right else ""
        if why:
            self.problems.fixes.append(Fix(document, annotation.spans[0], written, why, new_text=found))
        return bool(why)

    def _fixed(self, document: str, annotation: Annotation) -> Annotation | None:
        if not self.fixes:
            return annotation
        hull = (annotation.spans[0][0], annotation.spans[-1][1]) if annotation.spans else None
        for fix in self.fixes:
            if (fix.document, fix.span, fix.text) == (document, hull, annotation.text):
                self.problems.fixes.append(fix)
                if not fix.new_spans and not fix.new_text:
                    return None
                return annotation._replace(spans=fix.new_spans or annotation.spans,
                                           text=fix.new_text or annotation.text)  # fmt: skip
        return annotation

    def _named(self, document: str, found: list[tuple[Mention, list[str]]], file: str) -> tuple[Mention, ...]:
        """Give ids: the source's own, else document:span:type; then resolve parents to these."""
        names: dict[str, str] = {}  # key → id
        counts: dict[str, int] = {}
        named: dict[str, Mention] = {}
        for mention, keys in found:
            name = stem = mention.id or f"{document}:{_shown(mention.spans)}:{mention.type}"
            while name in named:
                if mention.id:
                    raise DataError(f"document {document}: annotation id {name!r} occurs twice", file=file)
                counts[stem] = counts.get(stem, 1) + 1
                name = f"{stem}#{counts[stem]}"
            named[name] = mention if mention.id else replace(mention, id=name)
            names.update((key, name) for key in keys if key)
        whole: dict[str, Mention] = {}
        rooted: dict[str, bool] = {}  # whether the parents of an annotation lead to a root
        for name, mention in named.items():
            if not mention.parent and not mention.further_parents:
                whole[name] = mention
            elif self._rooted(name, named, names, rooted, file):
                further = tuple(names[key] for key in mention.further_parents if key in names)
                # The parent of a stray annotation need not be there.
                parent = names.get(mention.parent, mention.parent if mention.role == STRAY else "")
                whole[name] = replace(mention, parent=parent, further_parents=further)
        return tuple(whole.values())

    def _rooted(
        self, name: str, named: dict[str, Mention], names: dict[str, str], known: dict[str, bool], file: str
    ) -> bool:
        """Follow the parents of `name` up to a root; a missing one is a problem of all below it."""
        path: dict[str, Mention] = {}
        parent: str | None = name
        while parent is not None and parent not in known:
            mention = path[parent] = named[parent]
            if not mention.parent or mention.role == STRAY:
                known[parent] = True
                break
            parent = names.get(mention.parent)
            if parent in path:
                raise DataError(f"document {mention.document}: the parents of annotation {parent!r} form a circle",
                                file=file)  # fmt: skip
        good = parent is not None and known[parent]
        for child, mention in reversed(path.items()):
            known[child] = good
            if not good:
                message = f"parent annotation {mention.parent!r} is not in the document"
                self.problems.add(Problem("parent", message, file, 0, mention.document, mention.spans,
                                          type=mention.type))  # fmt: skip
        return good


def _shown(spans: tuple[Span, ...]) -> str:
    return ",".join(f"{start}-{end}" for start, end in spans)


def _texts(document: Document) -> list[str]:
    """Every text of a document that its source could have spoilt."""
    found = [document.title, document.text, *(p.kind for p in document.passages)]
    found += [h.target for h in document.hyperlinks]
    for m in document.annotations:
        found += (m.id, m.text, m.type, m.raw, m.source_type, m.role, m.kind)
        for ids in m.gold:
            found += ids
    return found


def _refuse_surrogates(texts: Iterable[str], document: str, file: str, line: int) -> None:
    """Half a UTF-16 pair is no character: it can be written in JSON but not stored or shown."""
    together = "".join(texts)
    if not together.isascii():
        try:
            together.encode("utf-8")
        except UnicodeEncodeError as error:
            raise DataError(f"document {document!r}: lone surrogate U+{ord(together[error.start]):04X} "
                            "is no character", file=file, line=line) from None  # fmt: skip


def _placed(span: Span, where: _Offsets, length: int | None, what: str, id: str, file: str, line: int) -> Span:
    """`span` in code points; it has to lie inside the text, or at least be one where there is no text."""
    if length is None:
        if message := _span_problem((span,), None):
            raise DataError(f"document {id}: {what} {span[0]}-{span[1]}: {message}", file=file, line=line)
        return span
    found = where.convert((span,))
    if found is None or not 0 <= found[0][0] <= found[0][1] <= length:
        raise DataError(f"document {id}: {what} {span[0]}-{span[1]} lies outside the text of {length} characters",
                        file=file, line=line)  # fmt: skip
    return found[0]


def _roots(annotations: list[Annotation]) -> list[Annotation]:
    """For each annotation the uppermost one above it that is there; itself if it has no parent."""
    keyed = {a.key: a for a in annotations if a.key}
    roots: dict[int, Annotation] = {}
    for annotation in annotations:
        path: set[int] = set()
        top = annotation
        # Circles end here too; they are refused once mentions have names.
        while id(top) not in roots and id(top) not in path and top.parent in keyed:
            path.add(id(top))
            top = keyed[top.parent]
        roots.update(dict.fromkeys((id(annotation), *path), roots.get(id(top), top)))
    return [roots[id(annotation)] for annotation in annotations]


def _merged(same: list[Mention]) -> Mention:
    """Annotations on one span as one mention: the first, with the ids of the others as alternatives.

    Of what only some of them say, the first word counts.
    """
    if len(same) == 1:
        return same[0]
    return replace(
        same[0],
        gold=tuple(dict.fromkeys(ids for m in same for ids in m.gold)),
        raw=";".join(dict.fromkeys(m.raw for m in same if m.raw)),
        source_type=next((m.source_type for m in same if m.source_type), ""),
        optional=all(m.optional for m in same),
        coreference=next((m.coreference for m in same if m.coreference is not None), None),
        kind=next((m.kind for m in same if m.kind), ""),
    )


def _span_problem(spans: tuple[Span, ...], length: int | None) -> str:
    """What is wrong with `spans` in a text of `length`, or "". Without a text they may be missing."""
    if not spans and length is not None:
        return "the annotation has no span"
    last = 0
    for start, end in spans:
        if start < 0 or end > (_FURTHEST if length is None else length):
            return "the span lies outside " + ("any text" if length is None else f"the text of {length} characters")
        if start >= end:
            return "the span is empty or reversed"
        if start < last:
            return "the spans overlap or are out of order"
        last = end
    return ""


def _line_break_cause(text: str, annotation: Annotation, units: Units) -> str:
    """What helps where an annotation fits once line breaks are counted otherwise; "" where it does not."""
    if annotation.text is None or units != "codepoint":
        return ""
    wanted = annotation.text.replace("\r\n", "\n")
    for other, said in (
        (text.replace("\r\n", "\n"), "its line breaks are two characters (CR LF), and the offsets count one for each: "
         "write the text with LF"),
        (text.replace("\r\n", "\n").replace("\n", "\r\n"), "its line breaks are one character (LF), and the offsets "
         "count two for each (CR LF): write the text with CR LF, or count anew"),
    ):  # fmt: skip
        inside = all(0 <= start < end <= len(other) for start, end in annotation.spans)
        if other != text and inside and join_text(other, annotation.spans).replace("\r\n", "\n") == wanted:
            return f" ({said})"
    return ""


def text_length(text: str, units: Units) -> int:
    """How many `units` long `text` is.

    >>> [text_length("β🙂", units) for units in ("codepoint", "byte", "utf16")]
    [2, 6, 3]
    """
    if units == "codepoint" or text.isascii():
        return len(text)
    # Lone surrogates pass here; they are refused with a message once the document is whole.
    encoding, size = ("utf-8", 1) if units == "byte" else ("utf-16-le", 2)
    return len(text.encode(encoding, "surrogatepass")) // size


class _Offsets:
    """Converts source offsets to code points; None where one falls inside a character."""

    def __init__(self, text: str, units: Units) -> None:
        self._map: dict[int, int] | None = None
        if units != "codepoint" and not text.isascii():
            self._map, at = {}, 0
            for index, character in enumerate(text):
                self._map[at] = index
                at += text_length(character, units)
            self._map[at] = len(text)

    def convert(self, spans: tuple[Span, ...]) -> tuple[Span, ...] | None:
        if self._map is None:
            return spans
        try:
            return tuple((self._map[start], self._map[end]) for start, end in spans)
        except KeyError:
            return None
