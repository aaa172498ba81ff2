"""Predictions held as columns of numbers, however many there are, until they are stored in the corpus's order."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from linkassay import store
from linkassay.model import Prediction, Span
from linkassay.runs.importing.gold_places import GoldPlaces
from linkassay.runs.prediction_rows import prediction_of

#: Rows of a batch, which are those of a row group.
_TOGETHER = 50_000
_Group = tuple[str, ...]


class Numbers(dict[str, int]):
    """Texts by number, in the order in which they were met."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


class PredictionColumns:
    """Predictions of known documents, each of a gold mention by its row, or of none (-1)."""

    def __init__(self, gold: GoldPlaces) -> None:
        self._documents, self._mentions = gold.documents, gold.ids
        self.ids, self._types, self._nil_as = Numbers(), Numbers(), Numbers()
        self._document, self._gold, self._type, self._nil, self._said = (array("q") for _ in range(5))
        self._pieces, self._starts, self._ends = array("q"), array("q"), array("q")  # of each, and all of them
        self._groups, self._sizes, self._codes = array("q"), array("q"), array("q")
        self._scored, self._scores = array("q"), array("d")

    def __len__(self) -> int:
        return len(self._document)

    def add(self, prediction: Prediction, document: int, spans: tuple[Span, ...], gold: int = -1) -> None:
        """Append what is said of a place in a document."""
        self._document.append(document)
        self._gold.append(gold)
        self._type.append(self._types[prediction.type])
        self._nil.append(prediction.nil)
        self._said.append(self._nil_as[prediction.nil_as])
        self._pieces.append(len(spans))
        for start, end in spans:
            self._starts.append(start)
            self._ends.append(end)
        self._groups.append(len(prediction.groups))
        for group in prediction.groups:
            self._sizes.append(len(group))
            self._codes.extend(map(self.ids.__getitem__, group))
        self._scored.append(len(prediction.scores))
        self._scores.extend(prediction.scores)

    def rewrite(self, rewritten: Callable[[_Group], _Group]) -> None:
        """Replace every group of ids."""
        before, sizes, codes = list(self.ids), self._sizes, self._codes
        self.ids, self._sizes, self._codes = Numbers(), array("q"), array("q")
        at = 0
        for size in sizes:
            group = rewritten(tuple(before[code] for code in codes[at : at + size]))
            at += size
            self._sizes.append(len(group))
            self._codes.extend(map(self.ids.__getitem__, group))

    def having(self, ids: set[str]) -> int:
        """How many predictions have one of these ids."""
        met = np.fromiter((text in ids for text in self.ids), dtype=bool, count=len(self.ids))
        places = np.flatnonzero(met[_numbers(self._codes)]) if len(self._codes) else np.zeros(0, dtype=np.int64)
        groups = np.searchsorted(_ends(self._sizes), places, side="right")
        return len(np.unique(np.searchsorted(_ends(self._groups), groups, side="right")))

    def said_nil_as(self, written: str) -> int:
        """How many predictions are NIL that is written so."""
        return int(np.count_nonzero(_numbers(self._said) == self._nil_as.get(written, -1)))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The predictions in the corpus's order: in each document those of gold mentions first, then by their places."""
        order = self._order()
        for begin in range(0, len(order), _TOGETHER):
            yield self._batch(order[begin : begin + _TOGETHER])

    def predictions(self) -> list[Prediction]:
        """The predictions one by one, in the same order."""
        return [prediction_of(row) for batch in self.batches() for row in batch.to_pylist()]

    def _order(self) -> np.ndarray:
        gold, pieces = _numbers(self._gold), _numbers(self._pieces)
        types = np.argsort(np.argsort(np.array(list(self._types), dtype=object), kind="stable"), kind="stable")
        type_ = np.where(gold < 0, types[_numbers(self._type)] if len(self) else 0, 0)
        first = _ends(self._pieces) - pieces
        starts, ends = (np.append(_numbers(column), -1) for column in (self._starts, self._ends))
        start, end = (np.where((gold < 0) & (pieces > 0), column[first], -1) for column in (starts, ends))
        order = np.lexsort((type_, end, start, gold, gold < 0, _numbers(self._document)))
        return self._further_pieces(order) if (pieces[gold < 0] > 1).any() else order

    def _further_pieces(self, order: np.ndarray) -> np.ndarray:
        """Sorted once more, where some predictions on no gold mention are of several pieces, which decide, too."""
        document, gold, pieces = (_numbers(column) for column in (self._document, self._gold, self._pieces))
        bounds, types = np.append(0, _ends(self._pieces)).tolist(), list(self._types)
        spans = list(zip(self._starts, self._ends))

        def key(at: int) -> Any:
            mine = () if gold[at] >= 0 else (tuple(spans[bounds[at] : bounds[at + 1]]), types[self._type[at]])
            return document[at], gold[at] < 0, gold[at], mine

        return np.array(sorted(order.tolist(), key=key), dtype=np.int64)

    def _batch(self, rows: np.ndarray) -> pa.RecordBatch:
        pieces, span_at = _gathered(self._pieces, rows)
        spans = pa.StructArray.from_arrays(
            [pa.array(_numbers(column)[span_at]) for column in (self._starts, self._ends)],
            fields=list(store.PREDICTIONS.field("spans").type.value_type),
        )
        groups, group_at = _gathered(self._groups, rows)
        sizes, id_at = _gathered(self._sizes, group_at)
        scored, score_at = _gathered(self._scored, rows)
        gold = _numbers(self._gold)[rows]
        mention = self._mentions.take(pa.array(np.where(gold < 0, 0, gold), mask=gold < 0)).combine_chunks()
        columns = [
            _taken(self._documents, _numbers(self._document)[rows]),
            mention.fill_null(""),
            pa.ListArray.from_arrays(pieces, spans),
            _taken(self._types, _numbers(self._type)[rows]),
            pa.ListArray.from_arrays(groups, pa.ListArray.from_arrays(sizes, _taken(self.ids, _numbers(self._codes)[id_at]))),
            pa.ListArray.from_arrays(scored, pa.array(_numbers(self._scores, np.float64)[score_at])),
            pa.array(_numbers(self._nil)[rows].astype(bool)),
            _taken(self._nil_as, _numbers(self._said)[rows]),
        ]  # fmt: skip
        return pa.RecordBatch.from_arrays(columns, schema=store.PREDICTIONS)


def _numbers(column: array[Any], dtype: Any = np.int64) -> np.ndarray:
    return np.frombuffer(column, dtype=dtype) if len(column) else np.zeros(0, dtype=dtype)


def _ends(lengths: array[int]) -> np.ndarray:
    """Where the elements of each list end among all."""
    return np.cumsum(_numbers(lengths))


def _gathered(lengths: array[int], rows: np.ndarray) -> tuple[pa.Array, np.ndarray]:
    """Where the lists of some rows begin and end when they follow each other, and which elements they then are."""
    counts = _numbers(lengths)[rows]
    offsets = np.append(0, np.cumsum(counts))
    begins = (_ends(lengths) - _numbers(lengths))[rows]
    return pa.array(offsets.astype(np.int32)), np.repeat(begins - offsets[:-1], counts) + np.arange(offsets[-1])


def _taken(texts: dict[str, int], numbers: np.ndarray) -> pa.Array:
    """Texts by their numbers."""
    return pa.array(list(texts), pa.string()).take(pa.array(numbers))
