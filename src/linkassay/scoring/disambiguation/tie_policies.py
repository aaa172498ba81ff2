"""Tie policies: what a ranking is worth at cut-off k, in words and as arithmetic (TIE-1 to TIE-7).

All a policy needs of a ranking are its *gold groups*: the groups that contain gold, where they stand, how
large they are, and how many of their ids are gold. Arrays in, arrays out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from linkassay.registry import ValueRegistry

#: The rank of what is not there.
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class GoldGroups:
    """The groups with gold of many items, by item and rank; each field is an array with one entry per group."""

    items: int  # how many items there are, also those without such a group
    item: Any
    group: Any  # rank of the group among the item's groups, from 0
    before: Any  # ids in groups before it
    size: Any  # its ids
    right: Any  # its gold ids
    written: Any  # rank of its first gold id in the order written, from 1
    drawn: Any  # the same in one random order within groups


class Outcome(ABC):
    """What each item is worth: `at(k)` at a cut-off, `reciprocal(k)` the expected 1/rank of the first hit within k.

    Its laws are TIE-8.
    """

    @abstractmethod
    def at(self, k: int) -> Any:
        """Chance of a hit within the first k, for each item."""

    @abstractmethod
    def reciprocal(self, k: int | None) -> Any:
        """Expected reciprocal rank of the first hit, 0 if there is none within k (None: anywhere)."""

    def lost(self, k: int) -> Any:
        """Chance that it is wrong at rank 1 and gold is not among the first k candidates (STAGE-1)."""
        return 1 - self.at(k)

    def late(self, k: int) -> Any:
        """Chance that it is wrong at rank 1 and gold is among them."""
        return self.at(k) - self.at(1)


class Chosen(Outcome):
    """What was chosen from `candidates` that are known, of which `within(k)` is the chance of a hit (STAGE-5)."""

    def __init__(self, chosen: Outcome, within: Callable[[int], Any]) -> None:
        self._chosen, self._within = chosen, within

    def at(self, k: int) -> Any:
        """Of the answer."""
        return self._chosen.at(k)

    def reciprocal(self, k: int | None) -> Any:
        """Of the answer."""
        return self._chosen.reciprocal(k)

    def lost(self, k: int) -> Any:
        """Wrong, and not among the candidates: they are another order than the answer's."""
        return (1 - self.at(1)) * (1 - self._within(k))

    def late(self, k: int) -> Any:
        """Wrong, and among the candidates."""
        return (1 - self.at(1)) * self._within(k)


class First(Outcome):
    """Policies that know the rank of the first hit."""

    def __init__(self, rank: Any) -> None:
        self.rank = rank

    def at(self, k: int) -> Any:
        """1 where the first hit comes within k."""
        return (self.rank <= k).astype(np.float64)

    def reciprocal(self, k: int | None) -> Any:
        """1/rank."""
        found = self.rank < NEVER if k is None else self.rank <= k
        return np.where(found, 1.0 / np.where(found, self.rank, 1), 0.0)


class Expected(Outcome):
    """Tied ids in random order: only the first group with gold matters.

    The chance depends on three small numbers, so it is computed once for each combination that occurs.
    """

    def __init__(self, items: int, item: Any, before: Any, size: Any, right: Any) -> None:
        most = int(size.max(initial=0)) + 1
        kinds, which = _distinct((before * most + size) * most + right)
        self._kinds = [(kind // most // most, kind // most % most, kind % most) for kind in kinds.tolist()]
        self._kind = np.full(items, len(self._kinds))
        self._kind[item] = which

    def _each(self, value: Callable[[int, int, int], float]) -> Any:
        return np.array([*(value(*kind) for kind in self._kinds), 0.0])[self._kind]

    def at(self, k: int) -> Any:
        """The closed form (TIE-1)."""
        return self._each(lambda before, size, right: expected_hit(before, size, right, k))

    def reciprocal(self, k: int | None) -> Any:
        """Each rank at which the first gold id may stand, times its chance."""

        def value(before: int, size: int, right: int) -> float:
            orders = comb(size, right)
            return sum(
                comb(size - place, right - 1) / orders / (before + place)
                for place in range(1, size - right + 2)
                if k is None or before + place <= k
            )

        return self._each(value)


class OnePerGroup(Outcome):
    """One id drawn from each group."""

    def __init__(self, groups: GoldGroups) -> None:
        self._groups = groups

    def at(self, k: int) -> Any:
        """1 − Π(1 − right/size) over the first k groups (TIE-3)."""
        g = self._groups
        missed = np.ones(g.items)
        near = g.group < k
        np.multiply.at(missed, g.item[near], 1.0 - g.right[near] / g.size[near])
        return 1.0 - missed

    def reciprocal(self, k: int | None) -> Any:
        """The chance that the first gold id is drawn from a group, over the group's rank."""
        g = self._groups
        worth, missed = np.zeros(g.items), np.ones(g.items)
        ends = np.flatnonzero(np.diff(g.item, prepend=-1)) if len(g.item) else np.array([], dtype=np.int64)
        turn = np.arange(len(g.item)) - np.repeat(ends, np.diff(ends, append=len(g.item)))
        for number in range(int(turn.max()) + 1 if len(turn) else 0):  # the first gold group of each item, the second …
            rows = np.flatnonzero(turn == number)
            chance = g.right[rows] / g.size[rows]
            counted = chance if k is None else np.where(g.group[rows] < k, chance, 0.0)
            worth[g.item[rows]] += missed[g.item[rows]] * counted / (g.group[rows] + 1)
            missed[g.item[rows]] *= 1.0 - chance
        return worth


def _distinct(numbers: Any) -> tuple[Any, Any]:
    """The distinct ones of some numbers from 0, ascending, and of each its place among them."""
    if numbers.max(initial=0) > len(numbers):
        return np.unique(numbers, return_inverse=True)
    there = np.bincount(numbers) > 0  # of small numbers quicker than sorting
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]


def _expected(groups: GoldGroups) -> Outcome:
    first = np.diff(groups.item, prepend=-1) != 0  # rows lie by item and rank
    return Expected(groups.items, groups.item[first], groups.before[first], groups.size[first], groups.right[first])


def _first(groups: GoldGroups, rank: Any, keep: Any = slice(None)) -> Any:
    """The lowest rank of each item among the groups to keep."""
    found = np.full(groups.items, NEVER)
    np.minimum.at(found, groups.item[keep], rank[keep])
    return found


@dataclass(frozen=True)
class TiePolicy:
    """When tied ids are a hit: in words, and the outcome of items from their gold groups.

    Of a plug-in `gold=all` is refused, and `GoldGroups.drawn` is the order written.
    """

    summary: str
    outcome: Callable[[GoldGroups], Outcome]


#: Tie policy → what is a hit at cut-off k (TIE-1 to TIE-7). Which of them go with `gold=all` is said in `protocols`.
TIES: ValueRegistry[TiePolicy] = ValueRegistry(
    "tie policy",
    {
        "expected": TiePolicy("chance that gold is among the first k ids, tied ids in random order",
                              _expected),  # TIE-1
        "sample": TiePolicy("gold is among the first k ids of one random order (seed=…), the same each time",
                            lambda g: First(_first(g, g.drawn))),  # TIE-2
        "one-per-group": TiePolicy("chance that gold is drawn when one id is drawn from each of the first k groups",
                                   OnePerGroup),  # TIE-3
        "file-order": TiePolicy("gold is among the first k ids, in the order in which they were written",
                                lambda g: First(_first(g, g.written))),  # TIE-4
        "any": TiePolicy("one of the first k groups contains gold", lambda g: First(_first(g, g.group + 1))),  # TIE-5
        "all": TiePolicy("one of the first k groups holds gold ids only",
                         lambda g: First(_first(g, g.group + 1, g.right == g.size))),  # TIE-6
        "single": TiePolicy("one of the first k groups is a single id, and that is gold",
                            lambda g: First(_first(g, g.group + 1, g.size == 1))),  # TIE-7
    },
    TiePolicy,
)  # fmt: skip


@lru_cache(maxsize=100_000)
def expected_hit(before: int, size: int, right: int, k: int) -> float:
    """Chance that one of `right` gold ids in a tie of `size`, after `before` others, is among the first k.

    >>> expected_hit(0, 5, 1, 1), expected_hit(1, 2, 1, 2), expected_hit(3, 2, 1, 3), expected_hit(0, 5, 2, 2)
    (0.2, 0.5, 0.0, 0.7)
    """
    left = k - before
    if left <= 0:
        return 0.0
    if left >= size:
        return 1.0
    orders = comb(size, left)
    return (orders - comb(size - right, left)) / orders
