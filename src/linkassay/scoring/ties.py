"""Tie policies: what a ranked list of tied groups is worth at cut-off k (SPEC §5.2).

`expected`, the default, is the probability that one of the first k ids of a uniformly random order
consistent with the groups is gold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import comb

__all__ = ["expected_hit", "prepare_groups"]


def prepare_groups(
    groups: Iterable[Iterable[str]], current: Callable[[str], tuple[str, ...]] = lambda identifier: (identifier,)
) -> list[list[str]]:
    """Ids brought to their current form, each kept at its first rank only; empty groups vanish (§5.1).

    >>> prepare_groups([["a", "a"], ["a", "b"], []])
    [['a'], ['b']]
    """
    seen: set[str] = set()
    prepared = []
    for group in groups:
        kept = []
        for identifier in group:
            for now in current(identifier):
                if now not in seen:
                    seen.add(now)
                    kept.append(now)
        if kept:
            prepared.append(kept)
    return prepared


def expected_hit(groups: list[list[str]], gold: frozenset[str], k: int) -> float:
    """Chance that gold is among the first k ids, ties in random order.

    >>> expected_hit([["a", "b", "c", "d", "e"]], frozenset("a"), 1)
    0.2
    >>> expected_hit([["x"], ["a", "b"]], frozenset("a"), 2)
    0.5
    """
    before = 0
    for group in groups:
        right = sum(identifier in gold for identifier in group)
        if right:
            size, left = len(group), k - before
            if left <= 0:
                return 0.0
            orders = comb(size, left)
            return 1.0 if left >= size else (orders - comb(size - right, left)) / orders
        before += len(group)
    return 0.0
