"""ELEVANT benchmarks: JSON lines, one article a line, Wikidata labels with trees of alternatives.

`read` takes the gold labels of benchmark files (and of linked articles, which repeat them), `read_linked` the
predictions of linked articles. Labels on the same span stay apart, since each has its own place in a tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.predictions.claims import Claim
from linkassay.formats.reading import Annotation, Reading
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.model import Document, Gold, Hyperlink, Prediction

#: Label types, or ids, that stand for a kind of value and not for an entity.
_KINDS = {"QUANTITY": "quantity", "DATETIME": "datetime"}
_UNKNOWN = re.compile(r"<NIL>|<NO_MAPPING>|Unknown.*", re.DOTALL)
_NIL = ("<NIL>", "<NO_MAPPING>")
_WIKIDATA = re.compile(r"Q[0-9]+")


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the articles of benchmark files."""
    reading = replace(reading, merge=False)
    for file in files:
        for number, line in file.lines(reading.encoding):
            if line.strip():
                yield _article(parse_json(line, file.name, number), reading)


def read_linked(files: Iterable[RawFile]) -> Iterator[Claim]:
    """Yield what a system said in linked articles: its answer first, then all other candidates as one tied group.

    Ids stay as they are written, also malformed ones, so that they are equal only if the source's are. A mention
    without an id is no answer.
    """
    for file in files:
        for number, line in file.lines():
            if line.strip():
                yield from _claims(parse_json(line, file.name, number))


def _claims(article: JsonValue) -> Iterator[Claim]:
    document, text = article["id"].identifier(), article["text"].string()
    for mention in article.get("entity_mentions").items():
        start, end = mention["span"].span()
        if not 0 <= start < end <= len(text):
            raise DataError(f"document {document}: the span {start}-{end} lies outside the text of {len(text)} "
                            "characters", file=article.file, line=article.line)  # fmt: skip
        answer = None if mention.get("id").missing else mention["id"].string()
        others = sorted({c.string() for c in mention.get("candidates").items()} - {answer, *_NIL})
        nil = answer in _NIL
        groups = () if answer is None or nil else ((f"wikidata:{answer}",),)
        tied = (tuple(f"wikidata:{c}" for c in others),) if others and answer is not None else ()
        yield Claim(article.file, article.line, Prediction(document, ((start, end),), groups + tied, nil=nil),
                    text[start:end])  # fmt: skip


def _article(value: JsonValue, reading: Reading) -> Document:
    document = value["id"].identifier()
    labels = sorted(value.get("labels").items(), key=_order)
    further = _check_trees(document, labels)
    span = value.get("evaluation_span")
    return reading.document(
        document,
        [("", 0, value["text"].string())],
        [_annotation(document, label, reading, further) for label in labels],
        file=value.file,
        line=value.line,
        title=value.get("title").string(""),
        evaluation_spans=None if span.missing else (span.span(),),
        hyperlinks=tuple(Hyperlink(h[0].span(), h[1].string()) for h in value.get("hyperlinks").items()),
    )


def _order(label: JsonValue) -> tuple[bool, int]:
    """Labels are in the order of their numbers; other ids come after them as they stand."""
    number = label["id"].data
    return (False, number) if isinstance(number, int) else (True, 0)


def _annotation(document: str, label: JsonValue, reading: Reading, further: dict[str, tuple[str, ...]]) -> Annotation:
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
        further_parents=further.get(key, ()),
    )


def _gold(entity: str, type_: str, reading: Reading) -> Gold:
    if _UNKNOWN.fullmatch(entity):
        return ()
    if _WIKIDATA.fullmatch(entity):
        return (frozenset({f"wikidata:{entity}"}),)
    if entity.strip() and reading.source_rule(type_).prefix == "wikidata":
        return (frozenset({f"wikidata:{entity}"}),)  # malformed, but equal to what is malformed in the same way
    return reading.source_rule(type_).gold(entity)


def _check_trees(document: str, labels: list[JsonValue]) -> dict[str, tuple[str, ...]]:
    """Refuse labels whose `parent` and `children` do not make trees; returns who else lists a label as its child.

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
    roots = _check_circles(document, labels, parents)
    further: dict[str, tuple[str, ...]] = {}
    for label, (key, listed) in zip(labels, children.items()):
        for child in sorted(listed or ()):
            if parents[child] != key:
                further[child] = (*further.get(child, ()), key)
                if roots[child] != roots[key]:
                    raise _error(document, label, f"label {key} has the child {child} of another tree")
    for label, (key, above) in zip(labels, parents.items()):
        if key in further and _is_above(key, (above, *further[key]), parents, further):
            raise _error(document, label, f"the children of label {key} form a circle")
    return further


def _is_above(
    key: str, start: Iterable[str | None], parents: dict[str, str | None], further: dict[str, tuple[str, ...]]
) -> bool:
    """Whether `key` is reached from `start` by going up, over the parents that labels have and those that list them."""
    waiting, seen = list(start), set()
    while waiting:
        here = waiting.pop()
        if here == key:
            return True
        if here is not None and here not in seen:
            seen.add(here)
            waiting += (parents[here], *further.get(here, ()))
    return False


def _check_circles(document: str, labels: list[JsonValue], parents: dict[str, str | None]) -> dict[str, str]:
    """Refuse circles; the root of each label."""
    done: set[str] = set()
    roots: dict[str, str] = {}
    for label, key in zip(labels, parents):
        path: set[str] = set()
        here: str | None = key
        while here is not None and here not in done:
            if here in path:
                raise _error(document, label, f"the parents of label {key} form a circle")
            path.add(here)
            here = parents[here]
        done |= path
        top = roots[here] if here is not None else next((k for k in path if parents[k] is None), key)
        roots.update(dict.fromkeys(path, top))
    return roots


def _error(document: str, label: JsonValue, message: str) -> DataError:
    return DataError(f"document {document}: {message}", file=label.file, line=label.line)
