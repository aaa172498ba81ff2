"""Claims and gold in the same documents at nearly the same places: how many are how far apart (IMPORT-6)."""

from __future__ import annotations

import numpy as np

#: Documents, starts and ends.
_Places = tuple[np.ndarray, np.ndarray, np.ndarray]
#: Lengths and starts below this fit into numbers together.
_BOUND = 1 << 31


def near(claimed: np.ndarray | _Places, gold: _Places, furthest: int) -> list[int]:
    """For each shift from -furthest to furthest how many claims, moved by it, are at a place of gold.

    >>> places = [np.array(column) for column in ((0, 0, 1), (5, 9, 5), (8, 10, 8))]
    >>> near([column[:1] - by for column, by in zip(places, (0, 1, 1))], places, 2)
    [0, 0, 0, 1, 0]
    """
    gold = _sound(*gold)
    document, start, end = _sound(*claimed)
    if not len(document) or not len(gold[0]):
        return [0] * (2 * furthest + 1)
    lengths = np.unique((gold[0] << 32) | (gold[2] - gold[1]))  # of each document
    mine = (document << 32) | (end - start)
    at = np.searchsorted(lengths, mine)
    kept = lengths[np.minimum(at, len(lengths) - 1)] == mine
    theirs = np.searchsorted(lengths, (gold[0] << 32) | (gold[2] - gold[1]))
    places = np.unique((theirs << 32) + gold[1] + furthest + 1)
    asked = (at[kept] << 32) + start[kept] + furthest + 1
    first = np.searchsorted(places, asked - furthest, side="left")
    counts = np.searchsorted(places, asked + furthest, side="right") - first
    ends = np.cumsum(counts)
    pairs = np.repeat(first - (ends - counts), counts) + np.arange(ends[-1] if len(ends) else 0)
    apart = places[pairs] - np.repeat(asked, counts)
    found: list[int] = np.bincount(apart + furthest, minlength=2 * furthest + 1).tolist()
    return found


def _sound(document: np.ndarray, start: np.ndarray, end: np.ndarray) -> _Places:
    """Without places that no text has: they are no gold, or of a corpus without texts."""
    kept = (start > -_BOUND) & (start < _BOUND) & (end > start) & (end - start < _BOUND)
    return document[kept], start[kept], end[kept]
