"""ELEVANT benchmarks: JSON lines, one article a line, Wikidata labels with trees of alternatives.

Reads the gold labels of benchmark files (and of linked articles, which repeat them), not the
predictions. Labels on the same span stay apart, since each has its own place in a tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.base import Annotation, Reading
from linkassay.formats.jsonvalue import Value, parse
from linkassay.model import Document, Gold, Hyperlink

__all__ = ["read"]

#: Label types, or ids, that stand for a kind of value and not for an entity.
_KINDS = {"QUANTITY": "quantity", "DATETIME": "datetime"}
_UNKNOWN = re.compile(r"<NIL>|<NO_MAPPING>|Unknown.*", re.DOTALL)
_WIKIDATA = re.compile(r"Q[0-9]+")


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the articles of benchmark files."""
    reading = replace(reading, merge=False)
    for file in files:
        for number, line in file.lines(reading.encoding):
            if line.strip():
                yield _article(parse(line, file.name, number), reading)


def _article(value: Value, reading: Reading) -> Document:
    document = value["id"].identifier()
    labels = list(value.get("labels").items())
    _check_trees(document, labels)
    span = value.get("evaluation_span")
    return reading.document(
        document,
        [("", 0, value["text"].string())],
        [_annotation(document, label, reading) for label in labels],
        file=value.file,
        line=value.line,
        title=value.get("title").string(""),
        evaluation_spans=None if span.missing else (span.span(),),
        hyperlinks=tuple(Hyperlink(h[0].span(), h[1].string()) for h in value.get("hyperlinks").items()),
    )


def _annotation(document: str, label: Value, reading: Reading) -> Annotation:
    key, parent = label["id"].identifier(), label.get("parent")
    entity, type_ = label.get("entity_id").string(""), label.get("type").string("")
    kind = _KINDS.get(type_) or _KINDS.get(entity, "")
    return Annotation(
        spans=(label["span"].span(),),
        text=None,
        type=type_,
        raw=entity,
        gold=() if kind else _gold(entity, type_, reading),
        id=f"{document}:{key}",
        key=key,
        parent="" if parent.missing else parent.identifier(),
        role="" if parent.missing else "alternative",
        optional=label.get("optional").boolean(False) or label.get("desc").boolean(False),
        coreference=label.get("coref").boolean(None),
        kind=kind,
        line=label.line,
    )


def _gold(entity: str, type_: str, reading: Reading) -> Gold:
    if _UNKNOWN.fullmatch(entity):
        return ()
    if _WIKIDATA.fullmatch(entity):
        return (frozenset({f"wikidata:{entity}"}),)
    return reading.source_rule(type_).gold(entity)


def _check_trees(document: str, labels: list[Value]) -> None:
    """Refuse labels whose `parent` and `children` do not make trees.

    Published files list some children under two siblings; the child's own `parent` decides, if
    that parent lists it too.
    """
    parents: dict[str, str | None] = {}
    children: dict[str, set[str] | None] = {}
    for label in labels:
        key, parent, below = label["id"].identifier(), label.get("parent"), label.get("children")
        if key in parents:
            raise _error(document, label, f"label id {key} occurs twice")
        parents[key] = None if parent.missing else parent.identifier()
        children[key] = None if below.missing else {c.identifier() for c in below.items()}
    for label, (key, parent_key) in zip(labels, parents.items()):
        if parent_key is not None:
            if parent_key not in parents:
                raise _error(document, label, f"label {key} has the parent {parent_key}, which does not exist")
            listed = children[parent_key]
            if listed is not None and key not in listed:
                raise _error(document, label, f"label {key} has the parent {parent_key}, which does not list it "
                                              "among its children")  # fmt: skip
        for child in sorted(children[key] or ()):
            if child not in parents:
                raise _error(document, label, f"label {key} has the child {child}, which does not exist")
            if parents[child] is None:
                raise _error(document, label, f"label {key} has the child {child}, which has no parent")
    _check_circles(document, labels, parents)


def _check_circles(document: str, labels: list[Value], parents: dict[str, str | None]) -> None:
    done: set[str] = set()
    for label, key in zip(labels, parents):
        path: set[str] = set()
        here: str | None = key
        while here is not None and here not in done:
            if here in path:
                raise _error(document, label, f"the parents of label {key} form a circle")
            path.add(here)
            here = parents[here]
        done |= path


def _error(document: str, label: Value, message: str) -> DataError:
    return DataError(f"document {document}: {message}", file=label.file, line=label.line)
