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
from linkassay.formats.documents.label_trees import LabelTrees, Listed, label_trees
from linkassay.formats.predictions.claims import Claim
from linkassay.formats.reading import Annotation, Reading
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.ids import is_formed
from linkassay.model import EMPTY_ID, NO_MAPPING, STRAY, Document, Gold, Hyperlink, Prediction
from linkassay.problems import Problem

#: Label types, or ids, that stand for a kind of value and not for an entity.
_KINDS = {"QUANTITY": "quantity", "DATETIME": "datetime"}
_UNKNOWN = re.compile(r"<NIL>|<NO_MAPPING>|Unknown.*", re.DOTALL)
#: Answers that are NIL, however they are written (MATRIX-3); the empty one is so on both sides (ID-5).
_NIL = ("<NIL>", NO_MAPPING, "")
_WIKIDATA = re.compile(r"Q[0-9]+")


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the articles of benchmark files."""
    reading = replace(reading, merge=False)
    for file in files:
        for number, line in file.lines(reading.encoding):
            if line.strip():
                yield _article(parse_json(line, file.name, number), reading)


def read_linked(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """Yield what a system said in linked articles: its answer first, then all other candidates as one tied group.

    Ids stay as they are written, also malformed ones, so that they are equal only if the source's are; an empty one is
    NIL, as of gold (ID-5). A mention without an id is no answer. `reading` learns which articles there are.
    """
    for file in files:
        for number, line in file.lines():
            if line.strip():
                yield from _claims(parse_json(line, file.name, number), reading)


def _claims(article: JsonValue, reading: Reading) -> Iterator[Claim]:
    document, text = article["id"].identifier(), article["text"].string()
    reading.documents[document] = None
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
        prediction = Prediction(document, ((start, end),), groups + tied, nil=nil,
                                nil_as=(answer or EMPTY_ID) if nil else "")  # fmt: skip
        yield Claim(article.file, article.line, prediction, text[start:end])


def _article(value: JsonValue, reading: Reading) -> Document:
    document = value["id"].identifier()
    labels = _distinct(document, sorted(value.get("labels").items(), key=_order), reading)
    trees = _trees(document, labels, reading)
    span = value.get("evaluation_span")
    return reading.document(
        document,
        [("", 0, value["text"].string())],
        [_annotation(document, label, reading, trees) for label in labels],
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


def _annotation(document: str, label: JsonValue, reading: Reading, trees: LabelTrees) -> Annotation:
    key, parent = label["id"].identifier(), label.get("parent")
    entity, type_ = label.get("entity_id").string(""), label.get("type").string("")
    kind = _KINDS.get(type_) or _KINDS.get(entity, "")
    if not label.get("entity_id").missing and not _is_formed(entity, reading.source_rule(type_).prefix):
        message = f"{entity!r} is no id of Wikidata: it equals only itself" if entity else "the id is empty: NIL"
        reading.problems.note(_problem("malformed id", message, document, label))
    return Annotation(
        spans=(label["span"].span(),),
        text=None,
        type=type_,
        raw=EMPTY_ID if entity == "" and not label.get("entity_id").missing else entity,
        gold=() if kind else _gold(entity, type_, reading),
        id=f"{document}:{key}",
        key=key,
        parent="" if parent.missing else parent.identifier(),
        role=STRAY if key in trees.stray else "" if parent.missing else "alternative",
        optional=label.get("optional").boolean(False) or label.get("desc").boolean(False),
        coreference=label.get("coref").boolean(None),
        kind=kind,
        line=label.line,
        further_parents=trees.further.get(key, ()),
    )


def _is_formed(entity: str, prefix: str) -> bool:
    """Whether an id of a label is one of Wikidata, or says what kind of thing has none; others are not judged."""
    said = entity in _KINDS or (entity and _UNKNOWN.fullmatch(entity))
    return bool(said) or prefix not in ("", "wikidata") or is_formed(f"wikidata:{entity}")


def _gold(entity: str, type_: str, reading: Reading) -> Gold:
    if _UNKNOWN.fullmatch(entity):
        return ()
    if _WIKIDATA.fullmatch(entity):
        return (frozenset({f"wikidata:{entity}"}),)
    if entity and reading.source_rule(type_).prefix == "wikidata":
        return (frozenset({f"wikidata:{entity}"}),)  # malformed, but equal to what is malformed in the same way
    return reading.source_rule(type_).gold(entity)


def _trees(document: str, labels: list[JsonValue], reading: Reading) -> LabelTrees:
    """The trees of an article's labels; what does not make one is noted, with what became of it."""
    listed = {
        label["id"].identifier(): Listed(
            None if label.get("parent").missing else label["parent"].identifier(),
            None if label.get("children").missing else frozenset(c.identifier() for c in label["children"].items()),
        )
        for label in labels
    }
    trees = label_trees(listed)
    at = {label["id"].identifier(): label for label in labels}
    for key, why in trees.stray.items():
        note = _problem("stray label", f"label {key} {why}: it counts for nothing", document, at[key])
        reading.problems.note(note)
    for key, why in trees.entries:
        reading.problems.note(_problem("child entry", f"label {key} {why}: left out", document, at[key]))
    return trees


def _distinct(document: str, labels: list[JsonValue], reading: Reading) -> list[JsonValue]:
    """The labels, the first of those with the same id."""
    found: dict[str, JsonValue] = {}
    for label in labels:
        if found.setdefault(key := label["id"].identifier(), label) is not label:
            reading.problems.add(_problem("label", f"label id {key} occurs twice", document, label))
    return list(found.values())


def _problem(kind: str, message: str, document: str, label: JsonValue) -> Problem:
    return Problem(kind, message, label.file, label.line, document, (label["span"].span(),),
                   type=label.get("type").string(""))  # fmt: skip
