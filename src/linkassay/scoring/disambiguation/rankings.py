"""How a ranking is prepared (RANK-1 to RANK-3), once for all that look at rankings; many rankings at once are columns.

Ids are brought to the KB's current ids: one that was split stands for all of its successors, one that was removed keeps
its rank unless it is to be excluded. An id is kept at its first rank only, and groups without ids vanish. That an
explicit NIL ranks nothing is for those who read predictions: they leave it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

#: What became of ids: old → what it is called now, () if it was removed. Ids that are current are not in it.
Moved = Mapping[str, tuple[str, ...]]


def stands_for(identifier: str, became: tuple[str, ...], *, exclude: bool = False) -> tuple[str, ...]:
    """The ids that a predicted id counts as, given what became of it.

    >>> stands_for("old", ("a", "b")), stands_for("gone", ()), stands_for("gone", (), exclude=True)
    (('a', 'b'), ('gone',), ())
    """
    return became or (() if exclude else (identifier,))


class Group(NamedTuple):
    """Tied ids in the order written, and the score they were given."""

    ids: list[str]
    score: float | None


@dataclass(frozen=True)
class Rankings:
    """Some rankings, one a row; candidates are numbered as they are written, groups over all rows.

    Ids that came before, and groups that have no others, are still here: `keep` and `sizes` tell them apart.
    """

    rows: int
    group_row: Any  # of each group its row; ascending
    group: Any  # of each candidate its group; ascending
    code: Any  # of each candidate the place of its id in `known`
    known: Any  # Arrow strings: ids, each once

    @classmethod
    def of(cls, groups: Any, moved: Moved | None = None, *, exclude: bool = False) -> Rankings:
        """From an Arrow column of lists of groups, each a list of ids: texts, or a dictionary that has each once."""
        groups = one_chunk(groups)
        inner = pc.list_flatten(groups)
        group_row = pc.list_parent_indices(groups).to_numpy(zero_copy_only=False)
        group = pc.list_parent_indices(inner).to_numpy(zero_copy_only=False)
        ids = pc.list_flatten(inner)
        encoded = ids if pa.types.is_dictionary(ids.type) else ids.dictionary_encode()
        code = encoded.indices.to_numpy(zero_copy_only=False)
        known = encoded.dictionary
        if moved:
            known, code, repeats = _current(known, code, moved, exclude)
            group = np.repeat(group, repeats)
        return cls(len(groups), group_row, group, code, known)

    def __len__(self) -> int:
        """How many candidates there are."""
        return len(self.group)

    @cached_property
    def row(self) -> Any:
        """Of each candidate its row."""
        return self.group_row[self.group]

    @cached_property
    def _by_id(self) -> tuple[Any, Any]:
        """Row and id of the candidates as one number, in order, and which candidate each is; repeats as written."""
        return in_order(self.row * self._width + self.code, self.rows * self._width)

    @property
    def _width(self) -> int:
        return len(self.known) + 1  # one more for ids that are not among them

    @cached_property
    def _again(self) -> Any:
        """Candidates whose ids their rows had before."""
        key, candidate = self._by_id
        return candidate[1:][key[1:] == key[:-1]]

    @cached_property
    def keep(self) -> Any:
        """Of each candidate whether it is the first of its id in its row (RANK-2)."""
        found = np.ones(len(self), dtype=bool)
        found[self._again] = False
        return found

    @cached_property
    def given(self) -> Any:
        """Of each group how many candidates it has, those that came before included."""
        return np.bincount(self.group, minlength=len(self.group_row))

    @cached_property
    def sizes(self) -> Any:
        """Of each group how many ids it ranks: 0 where it vanishes."""
        return self.given - np.bincount(self.group[self._again], minlength=len(self.group_row))

    def find(self, row: Any, ids: Any) -> tuple[Any, Any]:
        """Which of these (row, id) are ranked, and by which candidate, the first of its id."""
        if not len(self):
            return np.zeros(len(row), dtype=bool), np.zeros(0, dtype=np.int64)
        key, candidate = self._by_id
        code = pc.index_in(ids, value_set=self.known).fill_null(len(self.known))
        wanted = row * self._width + code.to_numpy(zero_copy_only=False)
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        hit = key[at] == wanted
        return hit, candidate[at[hit]]

    def tops(self) -> tuple[Any, Any]:
        """The ids tied at the first rank, by row and as written: the row of each, and the id as an Arrow string."""
        ranked = np.flatnonzero(self.sizes)
        first = ranked[np.diff(self.group_row[ranked], prepend=-1) != 0]
        top = np.zeros(len(self.group_row), dtype=bool)
        top[first] = True
        chosen = np.flatnonzero(self.keep & top[self.group])
        return self.row[chosen], self.known.take(pa.array(self.code[chosen]))

    def lists(self, scores: Any = None) -> list[list[Group]]:
        """The rankings one by one; `scores` is an Arrow column with a list of a number for each group, or empty ones.

        >>> rankings = Rankings.of(pa.array([[["a", "a"], ["a", "b"], []], []]), {"b": ("c", "d")})
        >>> rankings.lists(pa.array([[0.9, 0.5, 0.1], []]))
        [[Group(ids=['a'], score=0.9), Group(ids=['c', 'd'], score=0.5)], []]
        """
        found: list[list[Group]] = [[] for _ in range(self.rows)]
        ids = self.known.take(pa.array(self.code[self.keep])).to_pylist()
        numbers = scores.to_pylist() if scores is not None else [[]] * self.rows
        rank = np.arange(len(self.group_row)) - np.searchsorted(self.group_row, self.group_row)
        end = 0
        ranked = np.flatnonzero(self.sizes)
        for row, at, size in zip(*(column[ranked].tolist() for column in (self.group_row, rank, self.sizes))):
            begin, end = end, end + size
            found[row].append(Group(ids[begin:end], numbers[row][at] if at < len(numbers[row]) else None))
        return found


def _current(known: Any, code: Any, moved: Moved, exclude: bool) -> tuple[Any, Any, Any]:
    """Ids with all that they stand for, the codes of what candidates stand for, and how many that are of each."""
    changed = pc.is_in(known, value_set=pa.array(list(moved), pa.string())).to_numpy(zero_copy_only=False)
    if not changed.any():
        return known, code, np.ones(len(code), dtype=np.int64)
    ids = known.to_pylist()
    number = {identifier: n for n, identifier in enumerate(ids)}
    become: list[list[int]] = [[n] for n in range(len(ids))]
    for n in np.flatnonzero(changed).tolist():
        now = stands_for(ids[n], moved[ids[n]], exclude=exclude)
        become[n] = [number.setdefault(i, len(number)) for i in now]
    counts = np.array([len(b) for b in become])
    flat = np.array([n for b in become for n in b], dtype=np.int64)
    offset = np.cumsum(counts) - counts
    repeats = counts[code]
    ends = np.cumsum(repeats)
    within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - repeats, repeats)
    return pa.array(list(number), pa.string()), flat[np.repeat(offset[code], repeats) + within], repeats


def in_order(keys: Any, limit: int) -> tuple[Any, Any]:
    """Keys from 0 to below `limit` in order, and where each stood; equal ones as they stood."""
    bits = len(keys).bit_length()
    if limit >> (63 - bits):
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    packed = np.sort(keys << bits | np.arange(len(keys)))  # one number each: several times faster than argsort
    return packed >> bits, packed & (1 << bits) - 1


def most_ids(groups: Any) -> int:
    """The largest number of ids of a ranking, repeats included, in an Arrow array of lists of groups.

    >>> most_ids(pa.array([[["a", "b"], ["a"]], [], [["c"]]]))
    3
    """
    ids, many = (
        np.concatenate([[0], np.cumsum(pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False))])
        for lists in (groups.flatten(), groups)
    )
    return int(np.diff(ids[many]).max(initial=0))


def one_chunk(column: Any) -> Any:
    """An Arrow column as one array."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
