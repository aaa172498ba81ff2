"""The columns of stored corpora and runs, taken from their Parquet files whole and not row by row.

Gives what `columns` gives of documents and predictions one by one; tests hold the two to each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.corpora import Split
from linkassay.model import EMPTY_ID, NO_MAPPING, STRAY, Document, Mention, Span
from linkassay.scoring.endtoend.columns import (
    NO_ANSWER,
    NO_PARENT,
    NO_TREE,
    NOT_IN_KB,
    PREDICTED,
    Codes,
    Labels,
    PredictedColumns,
    alike,
    bad_spans,
    meant,
    meant_by_nil,
    no_span,
)
from linkassay.scoring.endtoend.text_ruler import Ruler

_COLUMNS = ["document", "id", "spans", "text", "type", "gold", "raw", "source_type", "optional", "parent",
            "role", "coreference", "kind", "further_parents"]  # fmt: skip


#: Rows that are looked at together: more would need more memory, and would not be faster.
_TOGETHER = 20_000


def documents(path: Path) -> Iterator[Document]:
    """The documents of a Parquet file, without their annotations."""
    for batch in store.batches(path, ["id", "text", "evaluation_spans"], 2_000):
        for row in batch.to_pylist():
            spans = row["evaluation_spans"]
            scored = None if spans is None else tuple((s["start"], s["end"]) for s in spans)
            yield Document(row["id"], row["text"], evaluation_spans=scored)


def texts_and_ids(mentions: Path) -> tuple[set[str], set[str]]:
    """The different texts of the annotations of a Parquet file, and their gold ids."""
    texts: set[str] = set()
    ids: set[str] = set()
    for batch in store.batches(mentions, ["text", "gold"], _TOGETHER):
        texts.update(pc.unique(batch["text"]).to_pylist())
        ids.update(pc.unique(batch["gold"].flatten().flatten()).to_pylist())
    return texts, ids


def answered_ids(predictions: Path) -> set[str]:
    """The different ids of the first groups of a run's Parquet file that hold any."""
    found: set[str] = set()
    for batch in store.batches(predictions, ["groups"], _TOGETHER):
        outer, groups = _offsets(batch["groups"]), batch["groups"].flatten()
        inner, ids = _offsets(groups), groups.flatten()
        full = np.flatnonzero(np.diff(inner))  # empty groups vanish
        outer = np.searchsorted(full, outer)
        first = full[outer[:-1][np.diff(outer) > 0]]
        edges = np.zeros(len(ids) + 1, dtype=np.int64)
        np.add.at(edges, inner[first], 1)
        np.add.at(edges, inner[first + 1], -1)
        found.update(pc.unique(ids.filter(pa.array(np.cumsum(edges)[:-1] > 0))).to_pylist())
    return found


class GoldColumns:
    """The annotations of a split, from which those of some documents are taken."""

    def __init__(self, split: Split) -> None:
        batches = list(store.batches(split.mentions_path, _COLUMNS, _TOGETHER))
        self._table = pa.Table.from_batches(batches) if batches else None
        self._ranges: dict[str, tuple[int, int]] = {}
        if self._table is not None and self._table.num_rows:
            names: dict[str, int] = {}
            numbers = np.concatenate([_numbers(chunk, names) for chunk in self._table["document"].chunks])
            cuts = np.flatnonzero(np.diff(numbers)) + 1
            known = list(names)
            for first, last in zip([0, *cuts.tolist()], [*cuts.tolist(), len(numbers)]):
                self._ranges[known[numbers[first]]] = (first, last)

    def take(
        self, documents: list[Document], ruler: Ruler, codes: Codes, shapes: dict[tuple[Span, ...], int], literal: bool
    ) -> Labels:
        """The annotations of these documents."""
        ranges = [self._ranges.get(d.id, (0, 0)) for d in documents]
        counts = np.array([last - first for first, last in ranges], dtype=np.int64)
        if self._table is None or not counts.sum():
            none = np.zeros(0, dtype=np.int64)
            no = none.astype(bool)
            return Labels(none, none, none, none, none, no, none, none, none, {}, no, [], [], [])
        table = self._rows(np.concatenate([np.arange(first, last) for first, last in ranges]))
        column = {name: _one(table[name]) for name in table.column_names}
        document = np.repeat(np.arange(len(documents)), counts)
        begin, end, start_of, end_of = _pieces(column["spans"])
        if (bad := np.flatnonzero(begin == end)).size:
            raise no_span(documents[document[bad[0]]].id, column["id"][int(bad[0])].as_py())
        offsets = ruler.offsets[document]
        entity, kind, unmapped = _meant(column, codes, literal)
        parent, further = _parents(column, document, column["id"])
        return Labels(
            document, start_of[begin] + offsets, end_of[end - 1] + offsets, entity, kind,
            column["optional"].to_numpy(zero_copy_only=False).astype(bool),
            pc.fill_null(column["coreference"].cast(pa.int8()), -1).to_numpy(zero_copy_only=False).astype(np.int64),
            _shapes(begin, end, start_of, end_of, shapes), parent, further, unmapped,
            column["text"].to_pylist(), column["type"].to_pylist(), column["id"].to_pylist(),
        )  # fmt: skip

    def _rows(self, rows: np.ndarray) -> pa.Table:
        assert self._table is not None
        if rows[-1] - rows[0] + 1 == len(rows) and (np.diff(rows) == 1).all():  # as documents and mentions are stored
            return self._table.slice(rows[0], len(rows))
        return self._table.take(pa.array(rows))


def _meant(column: dict[str, pa.Array], codes: Codes, literal: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes of the gold ids, kinds of value, what is unmapped; row by row only what is not one plain id."""
    outer, groups = _offsets(column["gold"]), column["gold"].flatten()
    inner, encoded = _offsets(groups), groups.flatten().dictionary_encode()
    known = np.array([codes[text] for text in encoded.dictionary.to_pylist()], dtype=np.int64)
    every = known[encoded.indices.to_numpy(zero_copy_only=False)] if len(encoded) else np.zeros(0, dtype=np.int64)
    begin, end = inner[outer[:-1]], inner[outer[1:]]
    plain = (end - begin == 1) & (pc.equal(column["kind"], "").to_numpy(zero_copy_only=False))
    entity = np.full(len(begin), NOT_IN_KB, dtype=np.int64)
    kind = np.zeros(len(begin), dtype=np.int64)
    unmapped = np.zeros(len(begin), dtype=bool)
    entity[plain] = every[begin[plain]]
    others = np.flatnonzero(~plain)
    described = [column[name].take(pa.array(others)) for name in ("raw", "source_type", "kind")]
    numbers = [text.dictionary_encode().indices.to_numpy(zero_copy_only=False) for text in described]
    several = np.where(end[others] > begin[others], np.arange(len(others)), -1)  # gold of several ids: each by itself
    first, which = alike(*numbers, several)
    rows = pa.array(first)
    meanings = []
    for raw, source, value, gold in zip(*(text.take(rows).to_pylist() for text in described),
                                        column["gold"].take(pa.array(others[first])).to_pylist()):  # fmt: skip
        stub = Mention("", "", (), "", "", tuple(map(frozenset, gold)), raw, source, kind=value)
        meanings.append(meant(stub, codes, literal))
    if meanings:
        entity[others], kind[others], unmapped[others] = np.array(meanings, dtype=np.int64)[which].T
    return entity, kind, unmapped


def _parents(
    column: dict[str, pa.Array], document: np.ndarray, ids: pa.Array
) -> tuple[np.ndarray, dict[int, list[int]]]:
    """The row of each label's parent, NO_PARENT or NO_TREE, and the rows of further parents where there are any."""
    stray = pc.equal(column["role"], STRAY).to_numpy(zero_copy_only=False)
    found = np.where(stray, NO_TREE, NO_PARENT).astype(np.int64)
    below = np.flatnonzero(pc.not_equal(column["parent"], "").to_numpy(zero_copy_only=False) & ~stray)
    further: dict[int, list[int]] = {}
    if not len(below):
        return found, further
    encoded = ids.dictionary_encode()
    keys = (document << np.int64(32)) | encoded.indices.to_numpy(zero_copy_only=False)
    order = np.argsort(keys, kind="stable")

    def rows(of: np.ndarray, names: pa.Array) -> np.ndarray:
        asked = (document[of] << np.int64(32)) | pc.index_in(names, encoded.dictionary).to_numpy(zero_copy_only=False)
        place: np.ndarray = order[np.searchsorted(keys, asked, sorter=order)]
        return place

    found[below] = rows(below, column["parent"].take(pa.array(below)))
    if "further_parents" not in column:  # of a corpus obtained by an older version
        return found, further
    others = column["further_parents"].take(pa.array(below))
    counts = np.diff(_offsets(others))
    for row, other in zip(np.repeat(below, counts).tolist(), rows(np.repeat(below, counts), others.flatten()).tolist()):
        further.setdefault(row, []).append(other)
    return found, further


def _shapes(
    begin: np.ndarray, end: np.ndarray, start_of: np.ndarray, end_of: np.ndarray, shapes: dict[tuple[Span, ...], int]
) -> np.ndarray:
    """Numbers for the pieces of discontinuous spans, 0 for others."""
    found = np.zeros(len(begin), dtype=np.int64)
    for row in np.flatnonzero(end - begin > 1).tolist():
        here = slice(begin[row], end[row])
        spans = tuple(zip(start_of[here].tolist(), end_of[here].tolist()))
        found[row] = shapes.setdefault(spans, len(shapes) + 1)
    return found


def predicted_columns(path: Path, codes: Codes, literal: bool = False) -> PredictedColumns:
    """The predictions of a run's Parquet file, whole columns at a time."""
    documents: dict[str, int] = {}
    types: dict[str, int] = {}
    shapes: dict[tuple[Span, ...], int] = {}
    rows = [[np.zeros(0, dtype=kind) for kind in PREDICTED]]
    candidates = [np.zeros(0, dtype=np.int32)]
    before = 0
    for batch in store.batches(path, ["document", "type", "spans", "groups", "nil", "nil_as"], _TOGETHER):
        begin, end, start_of, end_of = _pieces(batch["spans"])
        if (bad := np.flatnonzero((begin == end) | (start_of[begin] < 0))).size:
            raise bad_spans(batch["document"][int(bad[0])].as_py(), batch["spans"][int(bad[0])].as_py())
        if (reversed_ := np.flatnonzero(start_of[: end[-1]] >= end_of[: end[-1]])).size:
            at = int(np.searchsorted(end, reversed_[0], side="right"))
            raise bad_spans(batch["document"][at].as_py(), batch["spans"][at].as_py())
        shape = np.zeros(len(begin), dtype=np.int64)
        for row in np.flatnonzero(end - begin > 1).tolist():
            here = slice(begin[row], end[row])
            spans = tuple(zip(start_of[here].tolist(), end_of[here].tolist()))
            shape[row] = shapes.setdefault(spans, len(shapes) + 1)
        entity, first, last, found = _first_groups(batch["groups"], batch["nil"], codes)
        unmapped = np.zeros(len(begin), dtype=np.int64)
        if literal and "nil_as" in batch.schema.names:  # runs of older versions do not have it
            told_apart = pc.is_in(batch["nil_as"], pa.array([NO_MAPPING, EMPTY_ID]))
            for row in np.flatnonzero(told_apart.to_numpy(zero_copy_only=False)).tolist():
                entity[row], unmapped[row] = meant_by_nil(batch["nil_as"][row].as_py(), codes, literal)
        columns = (_numbers(batch["document"], documents), start_of[begin], end_of[end - 1], entity, shape,
                   _numbers(batch["type"], types), first + before, last + before, unmapped)  # fmt: skip
        rows.append([column.astype(kind) for column, kind in zip(columns, PREDICTED, strict=True)])
        candidates.append(found.astype(np.int32))
        before += len(found)
    columns_ = [np.concatenate(parts) for parts in zip(*rows, strict=True)]
    del rows
    return PredictedColumns(documents, types, shapes, columns_, np.concatenate(candidates))


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _numbers(column: pa.Array, known: dict[str, int]) -> np.ndarray:
    """Texts as numbers, those met before having the numbers that they had."""
    encoded = column.dictionary_encode()
    new = np.array([known.setdefault(text, len(known)) for text in encoded.dictionary.to_pylist()], dtype=np.int64)
    found: np.ndarray = new[encoded.indices.to_numpy(zero_copy_only=False)]
    return found


def _pieces(column: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Where the pieces of each span begin and end among all, and where all pieces start and end in their texts."""
    offsets = _offsets(column)
    inner = column.flatten()
    starts, ends = (inner.field(name).to_numpy(zero_copy_only=False).astype(np.int64) for name in ("start", "end"))
    # One more, so that a place after the last can be asked for rows that have no piece.
    return offsets[:-1], offsets[1:], np.append(starts, 0), np.append(ends, 1)


def _offsets(column: pa.Array) -> np.ndarray:
    """Where the lists of a column begin among all their elements, and where the last one ends."""
    offsets = column.offsets.to_numpy().astype(np.int64)
    found: np.ndarray = offsets - offsets[0]
    return found


def _first_groups(
    groups: pa.Array, nil: pa.Array, codes: Codes
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Code of the answer, where its further candidates begin and end, and all candidates."""
    outer, groups = _offsets(groups), groups.flatten()
    inner, encoded = _offsets(groups), groups.flatten().dictionary_encode()
    known = np.array([codes[text] for text in encoded.dictionary.to_pylist()], dtype=np.int64)
    all_ = known[encoded.indices.to_numpy(zero_copy_only=False)] if len(encoded) else np.zeros(0, dtype=np.int64)
    if len(full := np.flatnonzero(np.diff(inner))) < len(groups):  # empty groups vanish
        outer, inner = np.searchsorted(full, outer), np.append(inner[full], inner[-1])
    unknown = nil.to_numpy(zero_copy_only=False).astype(bool)
    begin, end = inner[outer[:-1]], inner[outer[1:]]
    after = inner[np.minimum(outer[:-1] + 1, outer[1:])]  # the end of the first group
    entity = np.where(unknown, NOT_IN_KB, NO_ANSWER)
    one = np.flatnonzero(~unknown & (after - begin == 1))
    entity[one] = all_[begin[one]]
    for row in np.flatnonzero(~unknown & (after - begin > 1)).tolist():
        sets = (codes.sets[code] for code in all_[begin[row] : after[row]].tolist())
        entity[row] = codes.of(frozenset().union(*sets))
    begin = begin.copy()
    begin[one] += 1
    return entity, begin, end, all_
