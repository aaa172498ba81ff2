"""ELEVANT benchmarks: JSON lines, one article a line, Wikidata labels with trees of alternatives.

`read` takes the gold labels of benchmark files (and of linked articles, which repeat them), `read_linked` the
predictions of linked articles. Labels on the same span stay apart, since each has its own place in a tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import msgspec

from linkassay.decoding import Place, SpanPair, decoded
from linkassay.files import RawFile
from linkassay.formats.documents.label_trees import LabelTrees, Listed, label_trees
from linkassay.formats.predictions.claims import Claim
from linkassay.formats.reading import Annotation, Reading
from linkassay.ids import is_formed
from linkassay.model import EMPTY_ID, NO_MAPPING, STRAY, Document, Gold, Hyperlink, Prediction
from linkassay.problems import Problem

#: Label types, or ids, that stand for a kind of value and not for an entity.
_KINDS = {"QUANTITY": "quantity", "DATETIME": "datetime"}
_UNKNOWN = re.compile(r"<NIL>|<NO_MAPPING>|Unknown.*", re.DOTALL)
#: Answers that are NIL, however they are written (MATRIX-3); the empty one is so on both sides (ID-5).
_NIL = frozenset({"<NIL>", NO_MAPPING, ""})
_WIKIDATA = re.compile(r"Q[0-9]+")
#: So many different ids are remembered with what they mean.
_REMEMBERED = 1 << 16

_Key: TypeAlias = str | int


# What has no circles need not be looked through for them: `gc=False`.


class _Label(msgspec.Struct, gc=False):
    id: _Key
    span: SpanPair
    entity_id: str | None = None
    type: str | None = None
    parent: _Key | None = None
    children: list[_Key] | None = None
    optional: bool | None = None
    desc: bool | None = None
    coref: bool | None = None


class _Link(msgspec.Struct, array_like=True, gc=False):
    span: SpanPair
    target: str


class _Article(msgspec.Struct, gc=False):
    id: _Key
    text: str
    labels: list[_Label] | None = None
    title: str | None = None
    evaluation_span: SpanPair | None = None
    hyperlinks: list[_Link] | None = None


class _Answer(msgspec.Struct, gc=False):
    span: SpanPair
    id: str | None = None
    candidates: list[str] | None = None


class _Linked(msgspec.Struct, gc=False):
    id: _Key
    text: str
    entity_mentions: list[_Answer] | None = None


class _Meaning(NamedTuple):
    """What the id and the type of a label stand for."""

    raw: str
    gold: Gold
    kind: str
    wrong: str  # what is to be said of the id


_MeaningOf: TypeAlias = Callable[[str | None, str], _Meaning]


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the articles of benchmark files."""
    reading = replace(reading, merge=False)
    meaning = lru_cache(maxsize=_REMEMBERED)(lambda entity, type_: _meaning(entity, type_, reading))
    for file in files:
        for number, line in file.lines(reading.encoding):
            if line.strip():
                place = Place(file.name, number)
                yield _article(decoded(_Article, line, place), place, reading, meaning)


def read_linked(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """Yield what a system said in linked articles: its answer first, then all other candidates as one tied group.

    Ids stay as they are written, also malformed ones, so that they are equal only if the source's are; an empty one is
    NIL, as of gold (ID-5). A mention without an id is no answer. `reading` learns which articles there are.
    """
    curie = lru_cache(maxsize=_REMEMBERED)("wikidata:{}".format)  # each is held once
    for file in files:
        for number, line in file.lines():
            if line.strip():
                place = Place(file.name, number)
                yield from _claims(decoded(_Linked, line, place), place, reading, curie)


def _claims(article: _Linked, place: Place, reading: Reading, curie: Callable[[str], str]) -> Iterator[Claim]:
    document, text = str(article.id), article.text
    reading.documents[document] = None
    file, line, _ = place
    for mention in article.entity_mentions or ():
        start, end = span = mention.span
        if not 0 <= start < end <= len(text):
            raise place.error(f"document {document}: the span {start}-{end} lies outside the text of {len(text)} "
                              "characters")  # fmt: skip
        answer = mention.id
        nil = answer in _NIL
        groups: tuple[tuple[str, ...], ...] = ()
        if answer is not None:
            others = set(mention.candidates or ()) - _NIL
            others.discard(answer)
            groups = () if nil else ((curie(answer),),)
            if others:
                groups += (tuple(map(curie, sorted(others))),)
        prediction = Prediction(document, (span,), groups, (), "", "", nil, (answer or EMPTY_ID) if nil else "")
        yield Claim(file, line, prediction, text[start:end])


def _article(article: _Article, place: Place, reading: Reading, meaning: _MeaningOf) -> Document:
    document = str(article.id)
    labels = _distinct(document, sorted(article.labels or (), key=_order), place, reading)
    trees = _trees(document, labels, place, reading)
    span = article.evaluation_span
    return reading.document(
        document,
        [("", 0, article.text)],
        [_annotation(document, key, label, place, reading, trees, meaning) for key, label in labels.items()],
        file=place.file,
        line=place.line,
        title=article.title or "",
        evaluation_spans=None if span is None else (span,),
        hyperlinks=tuple(Hyperlink(link.span, link.target) for link in article.hyperlinks or ()),
    )


def _order(label: _Label) -> tuple[bool, int]:
    """Labels are in the order of their numbers; other ids come after them as they stand."""
    return (False, label.id) if isinstance(label.id, int) else (True, 0)


def _annotation(
    document: str, key: str, label: _Label, place: Place, reading: Reading, trees: LabelTrees, meaning: _MeaningOf
) -> Annotation:
    type_, parent = label.type or "", label.parent
    raw, gold, kind, wrong = meaning(label.entity_id, type_)
    if wrong:
        reading.problems.note(_problem("malformed id", wrong, document, label, place))
    return Annotation(
        spans=(label.span,),
        text=None,
        type=type_,
        raw=raw,
        gold=gold,
        id=f"{document}:{key}",
        key=key,
        parent="" if parent is None else str(parent),
        role=STRAY if key in trees.stray else "" if parent is None else "alternative",
        optional=bool(label.optional or label.desc),
        coreference=label.coref,
        kind=kind,
        line=place.line,
        further_parents=trees.further.get(key, ()),
    )


def _meaning(entity: str | None, type_: str, reading: Reading) -> _Meaning:
    """What a label stands for; the entity is None where it says none."""
    kind = _KINDS.get(type_) or _KINDS.get(entity or "", "")
    wrong = ""
    if entity is not None and not _is_formed(entity, reading.source_rule(type_).prefix):
        wrong = f"{entity!r} is no id of Wikidata: it equals only itself" if entity else "the id is empty: NIL"
    raw = EMPTY_ID if entity == "" else entity or ""
    return _Meaning(raw, () if kind else _gold(entity or "", type_, reading), kind, wrong)


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


def _trees(document: str, labels: dict[str, _Label], place: Place, reading: Reading) -> LabelTrees:
    """The trees of an article's labels; what does not make one is noted, with what became of it."""
    if all(label.parent is None and label.children is None for label in labels.values()):
        return _NO_TREES
    trees = label_trees({
        key: Listed(
            None if label.parent is None else str(label.parent),
            None if label.children is None else frozenset(map(str, label.children)),
        )
        for key, label in labels.items()
    })  # fmt: skip
    for key, why in trees.stray.items():
        message = f"label {key} {why}: it counts for nothing"
        reading.problems.note(_problem("stray label", message, document, labels[key], place))
    for key, why in trees.entries:
        message = f"label {key} {why}: left out"
        reading.problems.note(_problem("child entry", message, document, labels[key], place))
    return trees


_NO_TREES = label_trees({})


def _distinct(document: str, labels: list[_Label], place: Place, reading: Reading) -> dict[str, _Label]:
    """The labels by their ids, the first of those with the same id."""
    found: dict[str, _Label] = {}
    for label in labels:
        if found.setdefault(key := str(label.id), label) is not label:
            reading.problems.add(_problem("label", f"label id {key} occurs twice", document, label, place))
    return found


def _problem(kind: str, message: str, document: str, label: _Label, place: Place) -> Problem:
    return Problem(kind, message, place.file, place.line, document, (label.span,), type=label.type or "")
