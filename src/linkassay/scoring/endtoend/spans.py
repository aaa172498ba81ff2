"""Spans of many documents at once: widening to words, and which spans overlap, on one common ruler.

The texts of some documents are laid end to end with a gap between them, so that spans of different
documents never meet and a span is two numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

import numpy as np

__all__ = ["Covers", "Ruler", "keys", "overlapping"]

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
    def _words(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each place the beginning of the word before it, the end of the word from it on, and quotes before it."""
        codes = self._characters
        used = np.flatnonzero(np.bincount(codes, minlength=1))
        is_word = np.zeros(_BEYOND, dtype=bool)
        is_word[[c for c in used.tolist() if chr(c).isalnum() or chr(c) in "'\"_"]] = True
        word = is_word[codes]
        places = np.arange(len(codes), dtype=np.int64)
        before = np.concatenate([[0], np.maximum.accumulate(np.where(word, 0, places + 1))])
        after = np.minimum.accumulate(np.where(word, len(codes), places)[::-1])[::-1]
        quotes = np.concatenate([[0], np.cumsum(codes == ord('"'))])
        return before, after, quotes

    def widened(self, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Spans of the ruler widened to whole words (ELEVANT.md §1).

        The end never moves onto the last character of a text. A quotation mark at the start that is not closed
        inside is left out.
        """
        if not len(start):
            return start, end
        before, after, quotes = self._words
        left = np.maximum(before[start], self.offsets[document])
        last = self.ends[document] - 1
        right = np.where(end < last, np.minimum(after[end], last), end)
        opens = self._characters[left] == ord('"')
        lonely = opens & (quotes[np.maximum(right, left + 1)] - quotes[left + 1] == 0)
        return left + lonely, right


def keys(document: np.ndarray, start: np.ndarray, end: np.ndarray, shape: np.ndarray) -> list[int]:
    """One number for each span of a ruler; those of discontinuous spans tell their pieces apart."""
    whole = (start << np.int64(32)) | end
    found: list[int] = np.where(shape > 0, -((shape << np.int64(32)) | document) - 1, whole).tolist()
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
