"""A reproducible choice of mentions, some of every kind that a figure may ask for, most of them missed by a system."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from linkassay.explorer.mention_columns import Combination, MentionColumns
from linkassay.scoring.hierarchy import mismatch_cells, place_of

#: This share of a sample are mentions that some system has missed.
MISSED_SHARE = 0.8
EACH = 2  # mentions of each outcome of a system in each type and slice that come first into it


def sampled(columns: MentionColumns, limit: int) -> Any:
    """The rows of a sample of at most so many mentions."""
    if len(columns) <= limit:
        return np.arange(len(columns))
    order, missed = _by_digest(columns.ids), columns.missed
    chosen = _Kinds(columns).some_of_each(order, limit)
    wanted = max(round(MISSED_SHARE * limit), limit - int(np.count_nonzero(~missed)))
    for part, more in (
        (missed, wanted - int(np.count_nonzero(chosen & missed))), (~missed, limit), (missed, limit)
    ):  # fmt: skip
        room = max(0, min(more, limit - int(np.count_nonzero(chosen))))
        chosen[order[(part & ~chosen)[order]][:room]] = True
    return np.flatnonzero(chosen)


class _Kinds:
    """What figures may ask of the mentions of a combination."""

    def __init__(self, columns: MentionColumns) -> None:
        self._columns = columns

    def some_of_each(self, order: Any, limit: int) -> Any:
        """Some of every kind of mention that a figure may ask for, as far as there is room: none opens on nothing."""
        kinds, which = self._columns.combinations
        ranked = which[order]
        alike = np.argsort(ranked, kind="stable")  # by combination, and in each as ordered
        begin = np.searchsorted(ranked[alike], np.arange(len(kinds)))
        size = np.diff(begin, append=len(alike))
        firsts = np.argsort(alike[begin])  # combinations as they first occur in the order
        chosen = np.zeros(len(self._columns), dtype=bool)
        taken: set[int] = set()
        for kinds_of, room in ((self._kinds, limit // 2), (self._cells, 3 * limit // 4)):
            kept = cache(kinds_of)
            seen = Counter(kind for row in taken for kind in kept(int(which[row])))
            for rank in range(EACH):
                for combination in firsts[size[firsts] > rank].tolist():
                    if len(taken) >= room:
                        break
                    row = int(order[alike[begin[combination] + rank]])
                    if row not in taken and any(seen[kind] < EACH for kind in kept(combination)):
                        taken.add(row)
                        seen.update(kept(combination))
        chosen[list(taken)] = True
        return chosen

    def _mine(self, combination: int) -> tuple[Combination, list[str], list[tuple[int, ...]]]:
        """A combination with the letters and the places in the hierarchy of each system."""
        found, width = self._columns.combinations[0][combination], self._columns.width
        each = [found.codes[at : at + width] for at in range(0, len(found.codes), width)]
        return found, [code[:2] for code in each], [self._columns.places[int(code[2:], 36)] for code in each]

    def _kinds(self, combination: int) -> set[tuple[Any, ...]]:
        """Each system's outcome, by itself and in the type and slices."""
        found, letters, places = self._mine(combination)
        groups = [-1 - found.type, *(bit for bit in range(len(self._columns.slices)) if found.slices >> bit & 1)]
        mismatches = {(at, place_of(number)[0]) for at, mine in enumerate(places) for number in mine}
        return {*enumerate(letters), *mismatches} | {
            (at, code[0], group) for at, code in enumerate(letters) for group in groups
        }

    def _cells(self, combination: int) -> set[tuple[Any, ...]]:
        """The cells of the hierarchy's pictures that mentions of a combination are in."""
        _, _, places = self._mine(combination)
        return {(at, *cell) for at, mine in enumerate(places) for cell in mismatch_cells(mine)}


def _by_digest(ids: Any) -> Any:
    """Mentions in the order of the hashes of their ids: no chance, the same runs give the same page."""
    digests = b"".join(hashlib.sha256(each.encode()).digest() for each in ids.to_pylist())
    words = np.frombuffer(digests, dtype=">u8").reshape(-1, 4).astype(np.uint64)
    return np.lexsort(words.T[::-1])
