"""The order of many rows by several columns: eight bytes of a text at a time are one number, and numbers sort quickly.

Rows that are equal so far are told apart by the bytes that follow, then by the next column. Texts are in the order of
their bytes, as Arrow has it, which is also asked where numbers do not do: for nulls, zero bytes, and the few rows that
have long beginnings in common.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

#: Steps after which rows that are equal so far are left to Arrow.
STEPS = 40
#: Rows whose words are made at once.
_BLOCK = 1 << 14

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]

#: What a word keeps of the eight bytes at its place if so many of them belong to the text.
_KEPT: Words = np.array([(1 << 64) - (1 << 64 - 8 * length) for length in range(9)], dtype=np.uint64)


def row_order(table: pa.Table, order: Sequence[str]) -> Numbers:
    """The numbers of the rows in the order of these columns; `-` in front of one turns it round.

    Rows that are equal in all of them stay as they are.

    >>> row_order(pa.table({"id": ["b", "a", "a"], "primary": [True, False, True]}), ("id", "-primary")).tolist()
    [2, 1, 0]
    """
    ties = _Ties(len(table))
    for name in order:
        if not len(ties.places):
            break
        column = _column(table[name.lstrip("-")], name[0] == "-")
        if column is None:
            return _by_arrow(table, order)
        at = 0 if ties.steps else column.common()
        while len(ties.places) and at < column.longest:
            if ties.steps == STEPS:
                ties.told_apart(table, order)
                return ties.rows
            words = column.words(at, ties.tied)
            if not words.any():
                break
            at += ties.refined(words)
    if ties.steps and len(ties.places):
        ties.settled()
    return ties.rows


class _Ties:
    """Rows in the order so far, and the places where those are that are equal so far, by groups of them."""

    def __init__(self, size: int) -> None:
        self.rows: Numbers = np.arange(size)
        self.places: Numbers = self.rows if size > 1 else self.rows[:0]
        self.steps = 0
        self._groups: Words = np.zeros(1, dtype=np.uint64)  # one of all, until they are told apart

    @property
    def tied(self) -> Numbers | None:
        """The rows that are equal to others so far, by groups; nothing if these are all, one after the other."""
        return self.rows[self.places] if self.steps else None

    def refined(self, words: Words) -> int:
        """Order the groups by the first bytes of a word for each of their rows: by how many bytes."""
        bits = int(self._groups[-1]).bit_length()
        if bits:
            words = (words >> np.uint64(bits)) | (self._groups << np.uint64(64 - bits))
        self._sort(words)
        return (64 - bits) // 8

    def settled(self) -> None:
        """Order the groups, whose rows are equal in all columns, by the numbers of the rows."""
        bits = int(self._groups[-1]).bit_length()
        words = self.rows[self.places].astype(np.uint64)
        self._sort(words | (self._groups << np.uint64(64 - bits)) if bits else words)

    def _sort(self, words: Words) -> None:
        by = np.argsort(words)
        words = words[by]
        same = words[1:] == words[:-1]
        tied = np.zeros(len(words), dtype=bool)
        tied[1:] = same
        tied[:-1] |= same
        if self.steps:
            self.rows[self.places] = self.rows[self.places[by]]
            self.places = self.places[tied]
        else:
            self.rows, self.places = by, np.flatnonzero(tied)
        left = words[tied]
        self._groups = np.zeros(max(1, len(left)), dtype=np.uint64)
        np.cumsum(left[1:] != left[:-1], out=self._groups[1:])
        self.steps += 1

    def told_apart(self, table: pa.Table, order: Sequence[str]) -> None:
        """Let Arrow order the groups."""
        rows = self.rows[self.places]
        some = table.select([name.lstrip("-") for name in order]).take(pa.array(rows))
        some = some.append_column(" group", pa.array(self._groups)).append_column(" row", pa.array(rows))
        self.rows[self.places] = rows[_by_arrow(some, (" group", *order, " row"))]


class _Texts:
    """A column of texts as words: eight of their bytes from some place on, zeros after their end."""

    def __init__(self, array: pa.Array, starts: NDArray[np.int32], letters: NDArray[np.uint8]) -> None:
        """`letters` end in eight zeros."""
        self._array, self._starts = array, starts
        self._words = np.ndarray((len(letters) - 7,), np.uint64, letters, strides=(1,))
        self.longest = int(np.diff(starts).max(initial=0))

    def common(self) -> int:
        """With how many bytes all texts begin alike: mostly as many as the first and the last of them."""
        first, last = (self._array[at].as_buffer().to_pybytes() for at in (0, -1))
        common = _alike(first, last)
        if not pc.all(pc.starts_with(self._array.cast(pa.binary()), first[:common])).as_py():
            common = _alike(*(end.as_buffer().to_pybytes() for end in pc.min_max(self._array).values()))
        return common

    def words(self, at: int, rows: Numbers | None) -> Words:
        """Those of rows from byte `at` on; few at a time, so that what is made on the way stays near the processor."""
        found = np.empty(len(self._starts) - 1 if rows is None else len(rows), dtype=np.uint64)
        for begin in range(0, len(found), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            chosen = part if rows is None else rows[part]
            places = self._starts[:-1][chosen].astype(np.int64) + at
            left = self._starts[1:][chosen] - places
            words = self._words[np.minimum(places, len(self._words) - 1)]
            if sys.byteorder == "little":
                words.byteswap(inplace=True)
            np.bitwise_and(words, _KEPT[np.clip(left, 0, 8)], out=found[part])
        return found


class _Flags:
    """A column of truth values as words."""

    longest = 1

    def __init__(self, values: NDArray[np.bool_]) -> None:
        self._words: Words = np.where(values, _KEPT[1], _KEPT[0])

    def common(self) -> int:
        """None of their bytes."""
        return 0

    def words(self, at: int, rows: Numbers | None) -> Words:
        """Those of rows."""
        return self._words if rows is None else self._words[rows]


def _column(values: pa.ChunkedArray, descending: bool) -> _Texts | _Flags | None:
    """A column as words; nothing where words do not do."""
    if values.null_count:
        return None
    array = values.chunk(0) if values.num_chunks == 1 else pa.concat_arrays(values.chunks)
    if array.type == pa.bool_():
        return _Flags(array.to_numpy(zero_copy_only=False) ^ descending)
    if array.type != pa.string() or descending:
        return None
    _, offsets, letters = array.buffers()
    starts = np.frombuffer(offsets, dtype=np.int32)[array.offset : array.offset + len(array) + 1]
    own = np.frombuffer(letters or b"", dtype=np.uint8)[starts[0] : starts[-1]]
    padded = np.zeros(len(own) + 8, dtype=np.uint8)
    padded[:-8] = own
    return _Texts(array, starts - starts[0], padded) if own.all() else None


def _alike(one: bytes, other: bytes) -> int:
    """With how many bytes both begin."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _by_arrow(table: pa.Table, order: Sequence[str]) -> Numbers:
    keys = [(name.lstrip("-"), "descending" if name[0] == "-" else "ascending") for name in order]
    return np.asarray(pc.sort_indices(table, sort_keys=keys), dtype=np.int64)
