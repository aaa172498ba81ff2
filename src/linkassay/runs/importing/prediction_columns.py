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
#: What is held of each prediction: numbers, and how many pieces, groups and scores it has.
_ROW = ("document", "gold", "type", "nil", "nil_as", "pieces", "groups", "scores")


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
        self._rows = array("i")  # `_ROW` for each prediction
        self._starts, self._ends = array("q"), array("q")  # of all pieces
        self._sizes, self._codes = array("i"), array("i")  # of all groups, and of all their ids
        self._scores = array("d")

    def add(self, prediction: Prediction, document: int, spans: tuple[Span, ...], gold: int = -1) -> None:
        """Append what is said of a place in a document."""
        groups, scores, ids = prediction.groups, prediction.scores, self.ids
        self._rows.extend((document, gold, self._types[prediction.type], prediction.nil,
                           self._nil_as[prediction.nil_as], len(spans), len(groups), len(scores)))  # fmt: skip
        for start, end in spans:
            self._starts.append(start)
            self._ends.append(end)
        for group in groups:
            self._sizes.append(len(group))
            if len(group) == 1:
                self._codes.append(ids[group[0]])
            else:
                self._codes.extend([ids[each] for each in group])
        if scores:
            self._scores.extend(scores)

    def _column(self, name: str) -> np.ndarray:
        return np.array(self._rows[_ROW.index(name) :: len(_ROW)])

    def rewrite(self, rewritten: Callable[[_Group], _Group]) -> None:
        """Replace every group of ids."""
        before, sizes, codes = list(self.ids), self._sizes, self._codes
        self.ids, self._sizes, self._codes = Numbers(), array("i"), array("i")
        at = 0
        for size in sizes:
            group = rewritten(tuple(before[code] for code in codes[at : at + size]))
            at += size
            self._sizes.append(len(group))
            self._codes.extend(map(self.ids.__getitem__, group))

    def having(self, ids: set[str]) -> int:
        """How many predictions have one of these ids."""
        met = np.fromiter((text in ids for text in self.ids), dtype=bool, count=len(self.ids))
        places = np.flatnonzero(met[np.array(self._codes)]) if len(self._codes) else np.zeros(0, dtype=np.int64)
        groups = np.searchsorted(_ends(np.array(self._sizes)), places, side="right")
        return len(np.unique(np.searchsorted(_ends(self._column("groups")), groups, side="right")))

    def said_nil_as(self, written: str) -> int:
        """How many predictions are NIL that is written so."""
        return int(np.count_nonzero(self._column("nil_as") == self._nil_as.get(written, -1)))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The predictions in the corpus's order: in a document those of gold mentions first, then by their places."""
        order = self._order()
        for begin in range(0, len(order), _TOGETHER):
            yield self._batch(order[begin : begin + _TOGETHER])

    def predictions(self) -> list[Prediction]:
        """The predictions one by one, in the same order."""
        return [prediction_of(row) for batch in self.batches() for row in batch.to_pylist()]

    def _order(self) -> np.ndarray:
        gold, pieces = self._column("gold"), self._column("pieces")
        types = np.argsort(np.argsort(np.array(list(self._types), dtype=object), kind="stable"), kind="stable")
        type_ = np.where(gold < 0, types[self._column("type")], 0)
        first = _ends(self._column("pieces")) - pieces
        starts, ends = (np.append(np.array(column), -1) for column in (self._starts, self._ends))
        start, end = (np.where((gold < 0) & (pieces > 0), column[first], -1) for column in (starts, ends))
        order = np.lexsort((type_, end, start, gold, gold < 0, self._column("document")))
        return self._further_pieces(order) if (pieces[gold < 0] > 1).any() else order

    def _further_pieces(self, order: np.ndarray) -> np.ndarray:
        """Sorted once more, where some predictions on no gold mention are of several pieces, which decide, too."""
        document, gold, type_ = (self._column(name).tolist() for name in ("document", "gold", "type"))
        bounds, types = np.append(0, _ends(self._column("pieces"))).tolist(), list(self._types)
        spans = list(zip(self._starts, self._ends))

        def key(at: int) -> Any:
            mine = () if gold[at] >= 0 else (tuple(spans[bounds[at] : bounds[at + 1]]), types[type_[at]])
            return document[at], gold[at] < 0, gold[at], mine

        return np.array(sorted(order.tolist(), key=key), dtype=np.int64)

    def _batch(self, rows: np.ndarray) -> pa.RecordBatch:
        pieces, span_at = _gathered(self._column("pieces"), rows)
        spans = pa.StructArray.from_arrays(
            [pa.array(np.array(column)[span_at]) for column in (self._starts, self._ends)],
            fields=list(store.PREDICTIONS.field("spans").type.value_type),
        )
        groups, group_at = _gathered(self._column("groups"), rows)
        sizes, id_at = _gathered(np.array(self._sizes), group_at)
        scored, score_at = _gathered(self._column("scores"), rows)
        ids = _taken(self.ids, np.array(self._codes)[id_at])
        gold = self._column("gold")[rows]
        mention = self._mentions.take(pa.array(np.where(gold < 0, 0, gold), mask=gold < 0)).combine_chunks()
        columns = [
            _taken(self._documents, self._column("document")[rows]),
            mention.fill_null(""),
            pa.ListArray.from_arrays(pieces, spans),
            _taken(self._types, self._column("type")[rows]),
            pa.ListArray.from_arrays(groups, pa.ListArray.from_arrays(sizes, ids)),
            pa.ListArray.from_arrays(scored, pa.array(np.array(self._scores)[score_at])),
            pa.array(self._column("nil")[rows].astype(bool)),
            _taken(self._nil_as, self._column("nil_as")[rows]),
        ]  # fmt: skip
        return pa.RecordBatch.from_arrays(columns, schema=store.PREDICTIONS)


def _ends(lengths: np.ndarray) -> np.ndarray:
    """Where the elements of each list end among all."""
    return np.cumsum(lengths, dtype=np.int64)


def _gathered(lengths: np.ndarray, rows: np.ndarray) -> tuple[pa.Array, np.ndarray]:
    """Where the lists of some rows begin and end when they follow each other, and which elements they then are."""
    counts = lengths[rows]
    offsets = np.append(0, np.cumsum(counts, dtype=np.int64))
    begins = (_ends(lengths) - lengths)[rows]
    return pa.array(offsets.astype(np.int32)), np.repeat(begins - offsets[:-1], counts) + np.arange(offsets[-1])


def _taken(texts: dict[str, int], numbers: np.ndarray) -> pa.Array:
    """Texts by their numbers."""
    return pa.array(list(texts), pa.string()).take(pa.array(numbers))
