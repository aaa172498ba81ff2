"""Our own JSON lines: one document a line, everything the model holds, nothing lost.

{"id", "title"?, "text" | "passages": [{"kind"?, "offset", "text"}],
 "evaluation_spans"?: [[start, end]], "hyperlinks"?: [[[start, end], target]],
 "mentions": [{"spans", "type", "gold": [[id, …], …] | "ids": "raw", "text"?, "id"?, "optional"?,
               "parent"?, "role"?, "coreference"?, "kind"?, "source_type"?,
               "further_parents"?}]}
A corpus without its texts has `"text": null`; its mentions must then have theirs. Other members are
refused, so that a file of another format is never taken for documents without mentions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from linkassay.decoding import shown_json
from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.reading import Annotation, Reading
from linkassay.formats.syntax.json_objects import json_items
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.ids import curie
from linkassay.model import Document, Hyperlink, Mention

_DOCUMENT = ("id", "title", "text", "passages", "evaluation_spans", "hyperlinks", "mentions")
_MENTION = ("spans", "type", "gold", "ids", "text", "id", "optional", "parent", "role", "coreference", "kind",
            "source_type", "further_parents")  # fmt: skip


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the documents of JSON lines files, or of files that are one array of documents."""
    for file in files:
        for number, text in json_items(file, reading.encoding):
            with reading.problems.going_on():
                yield _document(parse_json(text, file.name, number), reading)


def _document(value: JsonValue, reading: Reading) -> Document:
    value.only(_DOCUMENT)
    textless = False
    passages: list[tuple[str, int | None, str]]
    if "passages" in value:
        passages = [(p.get("kind").string(""), p["offset"].integer(), p["text"].string())
                    for p in value["passages"].items()]  # fmt: skip
    elif value["text"].missing:
        textless, passages = True, []
    else:
        passages = [("", 0, value["text"].string())]
    spans = value.get("evaluation_spans")
    return reading.document(
        value["id"].identifier(),
        passages,
        [_annotation(m, reading) for m in value.get("mentions").items()],
        file=value.file,
        line=value.line,
        title=value.get("title").string(""),
        evaluation_spans=None if spans.missing else tuple(s.span() for s in spans.items()),
        hyperlinks=tuple(Hyperlink(h[0].span(), h[1].string()) for h in value.get("hyperlinks").items()),
        textless=textless,
    )


def _annotation(value: JsonValue, reading: Reading) -> Annotation:
    value.only(_MENTION)
    type_ = value.get("type").string("")
    prefix = reading.source_rule(type_).prefix
    gold = None
    if "gold" in value:
        _require_alternatives(value["gold"])
        gold = tuple(frozenset(curie(i.string(), prefix) for i in a.items()) for a in value["gold"].items())
        if not all(gold):
            raise DataError("an alternative of `gold` is empty; NIL is `[]`", file=value.file, line=value.line)
        if any("" in ids for ids in gold):
            raise DataError("an id in `gold` is empty; NIL is `[]`", file=value.file, line=value.line)
    identifier = value.get("id").string("")
    text = value.get("text")
    return Annotation(
        spans=tuple(s.span() for s in value["spans"].items()),
        text=None if text.missing else text.string(),
        type=type_,
        raw=value.get("ids").string(""),
        gold=gold,
        id=identifier,
        key=identifier,
        parent=value.get("parent").string(""),
        role=value.get("role").string(""),
        optional=value.get("optional").boolean(False),
        coreference=value.get("coreference").boolean(None),
        kind=value.get("kind").string(""),
        line=value.line,
        source_type=value.get("source_type").string(""),
        further_parents=tuple(p.string() for p in value.get("further_parents").items()),
    )


def _require_alternatives(gold: JsonValue) -> None:
    """Refuse what is no list of lists of ids, and say what is meant."""
    sets = gold.data if isinstance(gold.data, list) else [None]
    if not all(isinstance(ids, list) and all(isinstance(each, str) for each in ids) for ids in sets):
        raise DataError(f"{gold.path.lstrip('.')}: expected alternatives, each a list of the ids that are meant "
                        f'together, as in [["mesh:D1"]], found {shown_json(gold.data)}',
                        file=gold.file, line=gold.line)  # fmt: skip


def write(documents: Iterable[Document], out: TextIO) -> None:
    """Write documents so that `read`, with `merge` off, gives them back as they were."""
    for document in documents:
        out.write(json.dumps(as_dict(document), ensure_ascii=False) + "\n")


def as_dict(document: Document) -> dict[str, Any]:
    """A document as JSON-ready data; what is empty is left out."""
    value: dict[str, Any] = {"id": document.id}
    if document.title:
        value["title"] = document.title
    if document.passages:
        value["passages"] = [{"kind": p.kind, "offset": p.offset, "text": p.text} for p in document.passages]
    else:
        value["text"] = document.text or None
    if document.evaluation_spans is not None:
        value["evaluation_spans"] = document.evaluation_spans
    if document.hyperlinks:
        value["hyperlinks"] = [[h.span, h.target] for h in document.hyperlinks]
    value["mentions"] = [_mention(m) for m in document.annotations]
    return value


def _mention(mention: Mention) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": mention.id, "spans": mention.spans, "text": mention.text, "type": mention.type,
        "gold": [sorted(ids) for ids in mention.gold],
    }  # fmt: skip
    optional = {
        "ids": mention.raw, "source_type": mention.source_type if mention.source_type != mention.type else "",
        "parent": mention.parent, "role": mention.role, "kind": mention.kind,
        "further_parents": list(mention.further_parents),
    }  # fmt: skip
    value.update((key, text) for key, text in optional.items() if text)
    if mention.optional:
        value["optional"] = True
    if mention.coreference is not None:
        value["coreference"] = mention.coreference
    return value
