"""Gold annotations and predictions of some documents as columns on one ruler. Reads nothing, judges nothing."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkassay.errors import DataError
from linkassay.model import EMPTY_ID, NO_MAPPING, STRAY, Document, Mention, Prediction, Span
from linkassay.scoring.disambiguation.rankings import stands_for
from linkassay.scoring.endtoend.text_ruler import Ruler

#: Codes of what is no entity.
NOT_IN_KB, NO_ANSWER = -1, -2
#: In place of a parent: a label that has none, and one that belongs to no tree (TREE-6).
NO_PARENT, NO_TREE = -1, -2
KINDS = {"": 0, "quantity": 1, "datetime": 2}
#: Gold that the reader of ELEVANT files takes as NIL or as a value by its id alone, and that ELEVANT itself takes as an
#: entity: to it only `<NIL>` and `<NO_MAPPING>` are unknown, and only the type makes a value (ELEVANT-5).
_ENTITY_TO_ELEVANT = re.compile(r"Unknown.*|QUANTITY|DATETIME", re.DOTALL)


class Codes(dict[str, int]):
    """Sets of ids as numbers; `codes[identifier]` is the number of the set of one id, a new one if it is new.

    With `current` ids are brought to what they are called now, which may be several; one that was removed stays, and
    equals nothing but itself.
    """

    def __init__(self, current: Callable[[str], tuple[str, ...]] | None = None) -> None:
        super().__init__()
        self._current = current
        self._several: dict[frozenset[str], int] = {}
        self.sets: list[frozenset[str]] = []
        self.several: set[int] = set()  # the numbers of sets with more than one id

    def __missing__(self, identifier: str) -> int:
        now = self._now(identifier)
        if now != (identifier,):
            code = self.of(frozenset(now))
        else:
            code = len(self.sets)
            self.sets.append(frozenset(now))
        self[identifier] = code
        return code

    def _now(self, identifier: str) -> tuple[str, ...]:
        return stands_for(identifier, self._current(identifier) if self._current else ())

    def of(self, ids: frozenset[str]) -> int:
        """The number of a set of ids; equal sets have equal numbers."""
        if len(ids) == 1:
            return self[next(iter(ids))]
        if self._current:
            ids = frozenset(now for identifier in ids for now in self._now(identifier))
            if len(ids) == 1:
                return self[next(iter(ids))]
        code = self._several.get(ids)
        if code is None:
            code = self._several[ids] = len(self.sets)
            self.sets.append(ids)
            self.several.add(code)
        return code

    def same(self, gold: np.ndarray, answer: np.ndarray) -> np.ndarray:
        """Where both share an id (MATRIX-5, as GOLD-1)."""
        found: np.ndarray = (gold == answer) & (gold >= 0)
        if self.several:
            many = np.fromiter(self.several, dtype=np.int64)
            rows = np.flatnonzero((np.isin(gold, many) | np.isin(answer, many)) & (gold >= 0) & (answer >= 0))
            for row in rows.tolist():
                found[row] = not self.sets[gold[row]].isdisjoint(self.sets[answer[row]])
        return found


@dataclass(frozen=True)
class Labels:
    """Gold annotations, those of a document together and in its order; `parent` is a row, NO_PARENT or NO_TREE."""

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    entity: np.ndarray  # code, also of a value that the source gives an id; or NOT_IN_KB
    kind: np.ndarray  # see KINDS
    optional: np.ndarray
    coreference: np.ndarray  # -1: the source does not say
    shape: np.ndarray  # 0, or a number for the pieces of a discontinuous span
    parent: np.ndarray
    further: dict[int, list[int]]  # further parents of some rows
    unmapped: np.ndarray  # NIL that its source writes as `<NO_MAPPING>`, where ids are taken literally
    texts: list[str]
    types: list[str]
    ids: list[str]

    @property
    def root(self) -> np.ndarray:
        """Which labels are mentions of their own."""
        found: np.ndarray = self.parent == NO_PARENT
        return found

    @property
    def stray(self) -> np.ndarray:
        """Which labels belong to no tree, and count for nothing (TREE-6)."""
        found: np.ndarray = self.parent == NO_TREE
        return found


@dataclass(frozen=True)
class Answers:
    """Predictions, those of a document together and in the order given."""

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    entity: np.ndarray  # code of the first group, NOT_IN_KB or NO_ANSWER
    shape: np.ndarray
    first: np.ndarray  # where the candidates of each begin among all, an answer of one id not being repeated
    last: np.ndarray  # and end
    candidates: np.ndarray  # codes of single ids
    unmapped: np.ndarray  # as of labels
    type: np.ndarray  # row of `types`
    types: list[str]
    texts: Sequence[str]
    offsets: np.ndarray

    def text(self, row: int) -> str:
        """What the prediction covers."""
        document = int(self.document[row])
        begin = int(self.offsets[document])
        return self.texts[document][int(self.start[row]) - begin : int(self.end[row]) - begin]


def _length(span: Span) -> int:
    return span[1] - span[0]


#: Columns of predictions: document, start, end, entity, shape, type, where candidates begin and end, unmapped.
PREDICTED = (np.int32, np.int64, np.int64, np.int32, np.int32, np.int32, np.int32, np.int32, np.bool_)


class PredictedColumns:
    """All predictions as columns (`PREDICTED`), sorted by document, whatever order they come in."""

    def __init__(
        self, documents: dict[str, int], types: dict[str, int], shapes: dict[tuple[Span, ...], int],
        columns: Sequence[np.ndarray], candidates: np.ndarray,
    ) -> None:  # fmt: skip
        self.shapes, self.candidates = shapes, candidates
        self._documents, self._types = documents, list(types)
        order = np.argsort(columns[0], kind="stable")
        self._bounds = np.searchsorted(columns[0][order], np.arange(len(documents) + 1))
        self._columns = [column[order] for column in columns[1:]]

    @classmethod
    def of(cls, predictions: Iterable[Prediction], codes: Codes, literal: bool = False) -> PredictedColumns:
        """Predictions one by one."""
        documents: dict[str, int] = {}
        types: dict[str, int] = {}
        shapes: dict[tuple[Span, ...], int] = {}
        rows, candidates = array("q"), array("q")
        of_one = codes.__getitem__
        for p in predictions:
            spans, groups = p.spans, tuple(filter(None, p.groups))  # empty groups vanish
            if not spans or spans[0][0] < 0 or min(map(_length, spans)) <= 0:
                raise bad_spans(p.document, spans)
            unmapped = False
            if p.nil:
                entity, unmapped = meant_by_nil(p.nil_as, codes, literal)
            elif not groups:
                entity = NO_ANSWER
            elif len(groups[0]) == 1:
                entity = of_one(groups[0][0])
                groups = groups[1:]
            else:
                entity = codes.of(frozenset(groups[0]))
            first = len(candidates)
            for group in groups:
                candidates.extend(map(of_one, group))
            rows.extend((
                documents.setdefault(p.document, len(documents)), spans[0][0], spans[-1][1], entity,
                shapes.setdefault(spans, len(shapes) + 1) if len(spans) > 1 else 0,
                types.setdefault(p.type, len(types)), first, len(candidates), unmapped,
            ))  # fmt: skip
        table = np.array(rows, dtype=np.int64).reshape(-1, 9)
        return cls(documents, types, shapes, list(table.T), np.array(candidates, dtype=np.int64))

    def take(self, documents: list[Document], ruler: Ruler) -> Answers:
        """The predictions for these documents, which are then done with."""
        places, numbers = [], []
        for number, document in enumerate(documents):
            code = self._documents.pop(document.id, None)
            if code is not None:
                here = np.arange(self._bounds[code], self._bounds[code + 1])
                places.append(here)
                numbers.append(np.full(len(here), number))
        rows = np.concatenate(places) if places else np.zeros(0, dtype=np.int64)
        document_ = np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)
        start, end, entity, shape, type_, first, last, unmapped = (
            column[rows].astype(np.int64) for column in self._columns
        )
        lengths = (ruler.ends - ruler.offsets)[document_]
        if (bad := np.flatnonzero(end > lengths)).size:
            at = bad[0]
            raise DataError(f"document {documents[document_[at]].id}: a prediction has the span {start[at]}-{end[at]}, "
                            f"which does not lie inside its text of {lengths[at]} characters")  # fmt: skip
        offsets = ruler.offsets[document_]
        return Answers(document_, start + offsets, end + offsets, entity, shape, first, last, self.candidates,
                       unmapped.astype(bool), type_, self._types, [d.text for d in documents],
                       ruler.offsets)  # fmt: skip

    def finish(self) -> None:
        """All documents are known now: nothing may be left."""
        if self._documents:
            unknown = next(iter(self._documents))
            raise DataError(f"prediction for the unknown document {unknown!r}"
                            f" ({len(self._documents)} such documents)")  # fmt: skip


def alike(*columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Equal rows together: where each different one is found first, and which of these every row is.

    >>> [x.tolist() for x in alike(np.array([3, 1, 3, 1]), np.array([0, 0, 0, 2]))]
    [[1, 3, 0], [2, 0, 2, 1]]
    """
    order = np.lexsort(columns[::-1])
    begins = np.zeros(len(order), dtype=bool)
    begins[:1] = True
    for column in columns:
        begins[1:] |= np.diff(column[order]) != 0
    which = np.empty(len(order), dtype=np.int64)
    which[order] = np.cumsum(begins) - 1
    return order[begins], which


def bad_spans(document: str, spans: object) -> DataError:
    """What is wrong with the spans of a prediction."""
    return DataError(f"document {document}: a prediction has the spans {spans}, of which one is negative, empty or "
                     "reversed, or there is none")  # fmt: skip


@dataclass(frozen=True)
class DocumentBatch:
    """Some documents with all that was annotated and predicted in them."""

    documents: list[Document]
    ruler: Ruler
    labels: Labels
    answers: Answers
    codes: Codes
    shapes: Mapping[tuple[Span, ...], int]  # pieces of discontinuous spans → their number


def no_span(document: str, mention: str) -> DataError:
    """A mention without spans, as mention tables may have them."""
    return DataError(f"document {document}: mention {mention!r} has no span, so that predicted spans cannot be "
                     "compared with it")  # fmt: skip


def labels_of(
    documents: list[Document], ruler: Ruler, codes: Codes, shapes: dict[tuple[Span, ...], int], literal: bool
) -> Labels:
    """The annotations of these documents."""
    rows = array("q")
    mentions: list[Mention] = []
    parent = array("q")
    further: dict[int, list[int]] = {}
    for number, document in enumerate(documents):
        offset = int(ruler.offsets[number])
        first = len(mentions)
        place: dict[str, int] | None = None
        for m in document.annotations:
            if m.parent and m.role != STRAY and place is None:
                place = {other.id: first + row for row, other in enumerate(document.annotations)}
            entity, kind, unmapped = meant(m, codes, literal)
            coreference = -1 if m.coreference is None else int(m.coreference)
            shape = shapes.setdefault(m.spans, len(shapes) + 1) if len(m.spans) > 1 else 0
            if not m.spans:
                raise no_span(document.id, m.id)
            rows.extend((number, offset + m.spans[0][0], offset + m.spans[-1][1], entity, kind, m.optional,
                         coreference, shape, unmapped))  # fmt: skip
            if m.further_parents and place is not None:
                further[len(parent)] = [place[other] for other in m.further_parents]
            parent.append(NO_TREE if m.role == STRAY else place[m.parent] if m.parent and place else NO_PARENT)
        mentions.extend(document.annotations)
    table = np.array(rows, dtype=np.int64).reshape(-1, 9)
    document_, start, end, entity_, kind_, optional, coreference_, shape_, unmapped_ = np.ascontiguousarray(table.T)
    return Labels(
        document_, start, end, entity_, kind_, optional.astype(bool), coreference_, shape_,
        np.array(parent, dtype=np.int64), further, unmapped_.astype(bool),
        [m.text for m in mentions], [m.type for m in mentions], [m.id for m in mentions],
    )  # fmt: skip


def meant(mention: Mention, codes: Codes, literal: bool) -> tuple[int, int, bool]:
    """Code of the gold ids, kind of value, and whether it is NIL that the source writes as `<NO_MAPPING>`."""
    kind = KINDS.get(mention.kind, 0)
    if mention.gold and not kind:
        return codes.of(mention.gold[0] if len(mention.gold) == 1 else mention.ids), 0, False
    if literal and _ENTITY_TO_ELEVANT.fullmatch(mention.raw) and not (
        kind and mention.source_type in ("QUANTITY", "DATETIME")
    ):  # fmt: skip
        return codes[f"wikidata:{mention.raw}"], 0, False
    if kind:
        return (codes[f"wikidata:{mention.raw}"] if mention.raw else NOT_IN_KB), kind, False
    entity, unmapped = meant_by_nil(mention.raw, codes, literal)
    return entity, 0, unmapped


def meant_by_nil(written: str, codes: Codes, literal: bool) -> tuple[int, bool]:
    """Code of NIL as its source writes it, and whether it is `<NO_MAPPING>`; an empty id is an entity to ELEVANT."""
    if literal and written == EMPTY_ID:  # else NIL (ID-5)
        return codes[f"wikidata:{EMPTY_ID}"], False
    return NOT_IN_KB, literal and written == NO_MAPPING
