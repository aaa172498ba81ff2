"""Texts of many documents on one ruler, so that their spans are plain numbers: widened to words, overlapping.

The texts of some documents are laid end to end with a gap between them, so that spans of different
documents never meet and a span is two numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

import numpy as np

_BEYOND = 0x110000  # one more than the last code point


class Ruler:
    """Texts end to end. `offsets` is where each begins, `ends` where it ends."""

    def __init__(self, texts: Sequence[str]) -> None:
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        self.offsets = np.concatenate([[0], np.cumsum(lengths + 1)])[: len(texts)].astype(np.int64)
        self.ends = self.offsets + lengths
        self._texts = texts

    @cached_property
    def _characters(self) -> np.ndarray:
        joined = "\n".join(self._texts) + "\n"
        return np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32)

    @cached_property
    def _outside(self) -> np.ndarray:
        """Where the characters are that belong to no word."""
        codes = self._characters
        is_word = np.zeros(_BEYOND, dtype=bool)
        used = np.flatnonzero(np.bincount(codes)).tolist()
        is_word[[c for c in used if chr(c).isalnum() or chr(c) in "'\"_"]] = True
        return np.flatnonzero(~is_word[codes])

    @cached_property
    def _quotes(self) -> np.ndarray:
        return np.flatnonzero(self._characters == ord('"'))

    def widened(self, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Spans of the ruler widened to whole words (ELEVANT-1).

        The end never moves onto the last character of a text. A quotation mark at the start that is not closed
        inside is left out.
        """
        if not len(start):
            return start, end
        outside = self._outside
        before = np.searchsorted(outside, start, side="left") - 1
        left = np.where(before >= 0, outside[before] + 1, 0)  # the gap between texts is outside as well
        last = self.ends[document] - 1
        right = np.where(end < last, np.minimum(outside[np.searchsorted(outside, end, side="left")], last), end)
        opens = np.flatnonzero(self._characters[left] == ord('"'))
        begun = np.searchsorted(self._quotes, left[opens] + 1, side="left")
        lonely = np.searchsorted(self._quotes, right[opens], side="left") <= begun
        left[opens[lonely]] += 1
        return left, right


def keys(document: np.ndarray, start: np.ndarray, end: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """One number for each span of a ruler; those of discontinuous spans tell their pieces apart."""
    whole = (start << np.int64(32)) | end
    found: np.ndarray = np.where(shape > 0, -((shape << np.int64(32)) | document) - 1, whole)
    return found


def overlapping(start: np.ndarray, end: np.ndarray, others: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """How many of the other spans each span overlaps."""
    begun = np.searchsorted(np.sort(others[0]), end, side="left")
    over = np.searchsorted(np.sort(others[1]), start, side="right")
    found: np.ndarray = begun - over
    return found


class Covers:
    """Asks of some spans, ordered by start: whether one lies inside a given span without being equal to it."""

    def __init__(self, start: np.ndarray, end: np.ndarray) -> None:
        order = np.lexsort((end, start))
        self._starts: list[int] = start[order].tolist()
        self._ends: list[int] = end[order].tolist()

    def inside(self, start: int, end: int) -> bool:
        """Whether one of the spans lies inside."""
        at = bisect_left(self._starts, start)
        while at < len(self._starts) and self._starts[at] < end:
            if self._ends[at] <= end and (self._starts[at] != start or self._ends[at] != end):
                return True
            at += 1
        return False
