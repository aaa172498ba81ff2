"""BioC, as XML and as JSON: passages at their offsets, annotations of one or several locations.

Both spellings become the same plain parts first, so that meaning is decided once. Reads
collections, single documents, lists of documents and one JSON document a line; relations are
counted and left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile
from linkassay.formats.documents.pubtator import ids_text
from linkassay.formats.reading import Annotation, Reading, text_length
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.formats.syntax.xml import Element, escape, iterate
from linkassay.ids import PREFIXES, IdRule
from linkassay.model import Document, Mention, Passage, Span, join_text

#: Infons that hold the ids of an annotation, the first present being taken; then any infon that is
#: named like a prefix in `ids.PREFIXES`.
ID_KEYS = ("identifier", "MESH", "NCBI Gene", "NCBI Gene identifier")

_KIND_KEYS = ("type", "section_type", "section")  # infons that say what a passage is
_DOCUMENT_LISTS = ("documents", "PubTator3")  # members of a JSON collection
_ROLE, _COMPOSITE, _INDIVIDUAL = "CompositeRole", "CompositeMention", "IndividualMention"
_LOOK_BACK = 16  # parts follow their composite closely
_SENTENCE_GAP = 1000  # so that no file can ask for much more text than it has
_WHOLE = re.compile(r"-?[0-9]{1,15}")
_XML_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection>
<source>linkassay</source>
<date></date>
<key>linkassay.key</key>
"""


@dataclass
class _Note:
    """An annotation, as either spelling has it."""

    infons: dict[str, str]
    spans: tuple[Span, ...]
    text: str | None
    line: int = 0


@dataclass
class _Section:
    """A passage, a sentence, or (without offset and text) the document's own annotations."""

    infons: dict[str, str] = field(default_factory=dict)
    offset: int = 0
    text: str | None = None
    notes: list[_Note] = field(default_factory=list)
    sentences: list[_Section] = field(default_factory=list)


@dataclass
class _Record:
    """A document, as either spelling has it."""

    id: str
    sections: list[_Section]
    relations: int
    line: int


def read(files: Iterable[RawFile], reading: Reading, id_keys: tuple[str, ...] = ID_KEYS) -> Iterator[Document]:
    """Yield the documents of BioC files: XML if named so or beginning with `<`, else JSON.

    `id_keys` names the infons that hold ids (see `ID_KEYS`); relations are counted in
    `reading.left_out`. The parts of a composite mention (infon `CompositeRole`) get the role "part".
    """
    for file in files:
        for record in _xml_records(file) if _is_xml(file) else _json_records(file, reading.encoding):
            if record.relations:
                reading.left_out["relation"] = reading.left_out.get("relation", 0) + record.relations
            yield reading.document(
                record.id,
                _passages(record, reading, file.name),
                _annotations(record, reading, id_keys),
                file=file.name,
                line=record.line,
            )


def _is_xml(file: RawFile) -> bool:
    if file.suffix == ".xml":
        return True
    with file.open() as stream:
        return stream.read(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


# What a record means


def _passages(record: _Record, reading: Reading, file: str) -> Iterator[tuple[str, int, str]]:
    """The passages that have text; sentences make up for a passage without."""
    end = 0
    for section in record.sections:
        text = section.text
        if not text and any(sentence.text for sentence in section.sentences):
            text = _joined(section, reading, record, file)
        # A passage without text has nothing to place, and its offset is often without meaning.
        if text is None or (not text and section.offset < end):
            continue
        kind = next((section.infons[key] for key in _KIND_KEYS if section.infons.get(key)), "")
        yield kind, section.offset, text
        end = section.offset + text_length(text, reading.units)


def _joined(section: _Section, reading: Reading, record: _Record, file: str) -> str:
    """The text of a passage from its sentences, what lies between them as spaces."""
    pieces: list[str] = []
    end = section.offset
    for sentence in section.sentences:
        if sentence.text:
            gap = sentence.offset - end
            if not 0 <= gap <= _SENTENCE_GAP:
                raise DataError(f"document {record.id}: sentence at offset {sentence.offset} does not follow what "
                                f"ends at {end}", file=file, line=record.line)  # fmt: skip
            pieces += [" " * gap, sentence.text]
            end = sentence.offset + text_length(sentence.text, reading.units)
    return "".join(pieces)


def _annotations(record: _Record, reading: Reading, id_keys: tuple[str, ...]) -> Iterator[Annotation]:
    composites: deque[tuple[str, str, int, int]] = deque(maxlen=_LOOK_BACK)  # key, type, start, end
    notes = (note for section in record.sections for part in (section, *section.sentences) for note in part.notes)
    for number, note in enumerate(notes):
        type_ = note.infons.get("type", "")
        start, end = min((s for s, _ in note.spans), default=0), max((e for _, e in note.spans), default=0)
        role, key, parent = note.infons.get(_ROLE), "", ""
        if role == _COMPOSITE:
            key = str(number)
            composites.append((key, type_, start, end))
        elif role == _INDIVIDUAL:
            covering = (k for k, t, s, e in reversed(composites) if t == type_ and s <= start and end <= e)
            parent = next(covering, "")
        rule = reading.source_rule(type_)
        yield Annotation(
            note.spans,
            note.text,
            type_,
            _identifiers(note.infons, id_keys, rule),
            key=key,
            parent=parent,
            role="part" if parent else "",
            line=note.line,
        )


def _identifiers(infons: Mapping[str, str], id_keys: tuple[str, ...], rule: IdRule) -> str:
    """The ids as the source writes them, with a prefix where only the infon's name tells it."""
    named = {key.lower(): value for key, value in infons.items() if value.strip()}
    candidates = (*(key.lower() for key in id_keys), *(key for key in named if _namespace(key)))
    key = next((key for key in candidates if key in named), "")
    namespace = _namespace(key)
    if not key or namespace in ("", rule.prefix):
        return named.get(key, "")
    separators = re.escape(rule.composite + rule.alternative)
    tokens = re.split(f"([{separators}])", named[key]) if separators else [named[key]]
    for index in range(0, len(tokens), 2):  # every other one is a separator
        head, colon, _ = tokens[index].partition(":")
        prefixed = colon and head.strip().lower() in PREFIXES
        if not prefixed and not rule.is_none(tokens[index]):
            tokens[index] = f"{namespace}:{tokens[index].strip()}"
    return "".join(tokens)


def _namespace(key: str) -> str:
    """The prefix that the name of an infon stands for, or ""."""
    return PREFIXES.get(key.lower().removesuffix("identifier").strip(), "")


# XML → records


def _xml_records(file: RawFile) -> Iterator[_Record]:
    for document in iterate(file, "document", ("collection", "document")):
        passages = list(document.children("passage"))
        sections = [_xml_section(passage, file.name) for passage in passages]
        sections.append(_Section(notes=_xml_notes(document, file.name)))
        holders = [document, *passages, *(s for p in passages for s in p.children("sentence"))]
        relations = sum(1 for holder in holders for _ in holder.children("relation"))
        yield _Record(_xml_text(document, "id") or "", sections, relations, document.line)


def _xml_section(element: Element, file: str) -> _Section:
    return _Section(
        _xml_infons(element),
        _whole(_xml_text(element, "offset"), f"the offset of a <{element.tag}>", file, element.line),
        _xml_text(element, "text"),
        _xml_notes(element, file),
        [_xml_section(sentence, file) for sentence in element.children("sentence")],
    )


def _xml_notes(element: Element, file: str) -> list[_Note]:
    return [
        _Note(
            _xml_infons(annotation),
            tuple(_xml_span(location, file) for location in annotation.children("location")),
            _xml_text(annotation, "text"),
            annotation.line,
        )
        for annotation in element.children("annotation")
    ]


def _xml_span(location: Element, file: str) -> Span:
    offset, length = (
        _whole(location.attributes.get(name), f"the {name} of a <location>", file, location.line)
        for name in ("offset", "length")
    )
    return offset, offset + length


def _xml_infons(element: Element) -> dict[str, str]:
    return {infon.attributes.get("key", ""): infon.text for infon in element.children("infon")}


def _xml_text(element: Element, tag: str) -> str | None:
    found = element.first(tag)
    return None if found is None else found.text


def _whole(text: str | None, what: str, file: str, line: int) -> int:
    if text is None or not _WHOLE.fullmatch(text.strip()):
        shown = "nothing" if text is None else repr(text[:20])
        raise DataError(f"{what} must be a whole number, found {shown}", file=file, line=line)
    return int(text.strip())  # by itself it takes fewer characters for blanks


# JSON → records


def _json_records(file: RawFile, encoding: str) -> Iterator[_Record]:
    for value in _json_values(file, encoding):
        if isinstance(value.data, list):
            documents = value
        else:
            name = next((name for name in _DOCUMENT_LISTS if name in value), None)
            if name is None:
                yield _json_record(value)
                continue
            documents = value[name]
        for document in documents.items():
            yield _json_record(document)


def _json_values(file: RawFile, encoding: str) -> Iterator[JsonValue]:
    """One value for each line, or one for the whole file where the first line is not whole."""
    lines = ((number, line) for number, line in file.lines(encoding) if line.strip())
    number, line = next(lines, (1, ""))
    try:
        first = parse_json(line, file.name, number)
    except DataError:
        yield parse_json(file.text(encoding), file.name)
        return
    yield first
    for number, line in lines:
        yield parse_json(line, file.name, number)


def _json_record(value: JsonValue) -> _Record:
    passages = list(value["passages"].items())
    sections = [_json_section(passage) for passage in passages]
    sections.append(_Section(notes=_json_notes(value)))
    holders = [value, *passages, *(s for p in passages for s in p.get("sentences").items())]
    relations = sum(1 for holder in holders for _ in holder.get("relations").items())
    return _Record(value["id"].identifier(), sections, relations, value.line)


def _json_section(value: JsonValue) -> _Section:
    return _Section(
        _json_infons(value),
        _json_whole(value["offset"]),
        _json_text(value),
        _json_notes(value),
        [_json_section(sentence) for sentence in value.get("sentences").items()],
    )


def _json_notes(value: JsonValue) -> list[_Note]:
    return [
        _Note(
            _json_infons(annotation),
            tuple(_json_span(location) for location in annotation.get("locations").items()),
            _json_text(annotation),
            value.line,
        )
        for annotation in value.get("annotations").items()
    ]


def _json_span(location: JsonValue) -> Span:
    offset = _json_whole(location["offset"])
    return offset, offset + _json_whole(location["length"])


def _json_infons(value: JsonValue) -> dict[str, str]:
    """Texts and numbers; lists and objects, which some tools add, hold nothing that is read here."""
    infons = value.get("infons").members()
    return {key: str(infon.data) for key, infon in infons if isinstance(infon.data, str | int | float)}


def _json_text(value: JsonValue) -> str | None:
    text = value.get("text")
    return None if text.missing else text.string()


def _json_whole(value: JsonValue) -> int:
    """A whole number, which some tools write as a text."""
    if isinstance(value.data, str) and _WHOLE.fullmatch(value.data):
        return int(value.data)
    return value.integer()


# Writing


def write(documents: Iterable[Document], out: TextIO, rules: Mapping[str, IdRule] | None = None) -> None:
    """Write BioC XML: mentions and the parts of composites, with our types.

    The infon `identifier` holds the ids as `pubtator.ids_text` spells them. Alternatives, flags and
    links have no place in BioC and are left out; a document that would come back with another text
    or other spans is refused.
    """
    out.write(_XML_HEAD)
    for document in documents:
        try:
            out.write(_xml_document(_parts(document, rules)))
        except UsageError as error:
            raise UsageError(f"document {document.id}: {error}") from error
    out.write("</collection>\n")


def _parts(document: Document, rules: Mapping[str, IdRule] | None) -> dict[str, Any]:
    """What is written of a document, each mention in the passage where it begins."""
    passages = document.passages or (Passage("", 0, document.text),)
    _check_text(document, passages)
    parts: dict[str, list[Mention]] = {}
    for mention in document.annotations:
        if mention.role == "part":
            parts.setdefault(mention.parent, []).append(mention)
    notes: list[list[dict[str, Any]]] = [[] for _ in passages]
    offsets = [passage.offset for passage in passages]
    count = 0
    for mention in document.mentions:
        here = notes[max(bisect_right(offsets, mention.start) - 1, 0)] if mention.spans else notes[0]
        own = parts.get(mention.id, [])
        here.append(_note(document, mention, _COMPOSITE if own else "", count, rules))
        for number, part in enumerate(own, count + 1):
            if part.type != mention.type or part.start < mention.start or part.end > mention.end:
                raise UsageError(f"part {part.id} is of another type than the mention {mention.id}, or not inside it; "
                                 "write JSON lines instead")  # fmt: skip
            here.append(_note(document, part, _INDIVIDUAL, number, rules))
        count += 1 + len(own)
    return {
        "id": document.id,
        "passages": [
            {
                "offset": passage.offset,
                "infons": {"type": passage.kind} if passage.kind else {},
                "text": passage.text,
                "annotations": found,
            }
            for passage, found in zip(passages, notes)
        ],
    }


def _check_text(document: Document, passages: Iterable[Passage]) -> None:
    """Refuse a text that its passages, with spaces between them, do not make up."""
    end = 0
    for passage in passages:
        between = document.text[end : passage.offset]
        if passage.offset < end or between.strip(" "):
            raise UsageError(f"BioC cannot hold the text {between[:40]!r} between passages; write JSON lines instead")
        end = passage.offset + len(passage.text)
        if document.text[passage.offset : end] != passage.text:
            raise UsageError(f"the passage at offset {passage.offset} is not the text there")
    if end != len(document.text):
        raise UsageError("BioC cannot hold the text after the last passage; write JSON lines instead")


def _note(
    document: Document, mention: Mention, role: str, number: int, rules: Mapping[str, IdRule] | None
) -> dict[str, Any]:
    if not mention.spans or join_text(document.text, mention.spans) != mention.text:
        raise UsageError(f"mention {mention.id} is not the document's text at its spans")
    infons = {"type": mention.type, _ROLE: role, "identifier": ids_text(mention, rules)}
    return {
        "id": str(number),
        "infons": {key: value for key, value in infons.items() if value},
        "text": mention.text,
        "locations": [{"offset": start, "length": end - start} for start, end in mention.spans],
    }


def _xml_document(value: Mapping[str, Any]) -> str:
    lines = ["<document>", f"<id>{escape(value['id'])}</id>"]
    for passage in value["passages"]:
        lines += ["<passage>", *_xml_infon_lines(passage), f"<offset>{passage['offset']}</offset>"]
        lines.append(f"<text>{escape(passage['text'])}</text>")
        for note in passage["annotations"]:
            lines += [f'<annotation id="{note["id"]}">', *_xml_infon_lines(note)]
            lines += [f'<location offset="{at["offset"]}" length="{at["length"]}"/>' for at in note["locations"]]
            lines += [f"<text>{escape(note['text'])}</text>", "</annotation>"]
        lines.append("</passage>")
    return "\n".join([*lines, "</document>", ""])


def _xml_infon_lines(value: Mapping[str, Any]) -> list[str]:
    return [f'<infon key="{escape(key)}">{escape(text)}</infon>' for key, text in value["infons"].items()]
