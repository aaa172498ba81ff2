"""An index of names by character 3-grams: the names nearest to a text by TF-IDF cosine, exactly.

For candidates and for the `tfidf` linker. It knows names by number and nothing of entities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ngrams"]

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]

#: Entries of the index that are looked at before there is a floor.
_FIRST_LOOK = 2_000

#: A 3-gram as one number: three characters, each below 2^21.
_SHIFT = 21


class Ngrams:
    """Names as unit vectors of weighted 3-grams: `1 + ln((1 + n) / (1 + names with it))` times its count."""

    def __init__(self, names: Sequence[str]) -> None:
        self.size = len(names)
        owner, gram = _grams(names)
        self._grams, column = np.unique(gram, return_inverse=True)
        pairs, counts = np.unique(owner * np.int64(len(self._grams)) + column, return_counts=True)
        self._of = (pairs % max(1, len(self._grams))).astype(np.int32)  # 3-grams of each name, one name after another
        owner = pairs // max(1, len(self._grams))
        spread = np.bincount(self._of, minlength=len(self._grams))
        self._idf = np.log((1 + self.size) / (1 + spread)) + 1
        weights = counts * self._idf[self._of]
        lengths = np.sqrt(np.bincount(owner, weights * weights, minlength=self.size))
        self._weights = (weights / lengths[owner]).astype(np.float32)
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=self.size))])
        order = np.argsort(self._of, kind="stable")  # the same, one 3-gram after another
        self._names, self._values = owner[order].astype(np.int32), self._weights[order]
        self._lists = np.concatenate([[0], np.cumsum(spread)])
        self._scores = np.zeros(self.size, dtype=np.float32)
        self._query = np.zeros(len(self._grams) + 1, dtype=np.float32)

    def nearest(self, text: str, top: int, allowed: NDArray[np.bool_] | None = None) -> tuple[Integers, Floats]:
        """The `top` nearest names (all those tied with the last included) and their cosines, best first.

        Rare 3-grams are looked at first; what they find gives a floor, a score that `top` names reach. A name with none
        of the 3-grams looked at cannot be nearer than the rest of the query is long (Cauchy-Schwarz): once that is
        below the floor, no other name can win, and those that still may are scored in full.
        """
        found, weights = self._vector(text)
        if not len(found):
            return np.empty(0, dtype=np.int64), np.empty(0)
        rest = np.sqrt(np.maximum(0.0, np.concatenate([np.cumsum((weights * weights)[::-1])[::-1], [0.0]])))
        sizes = self._lists[found + 1] - self._lists[found]
        self._query[found] = weights
        seen, done, budget, floor = np.empty(0, dtype=np.int32), 0, _FIRST_LOOK, -1.0
        while done < len(found) and rest[done] >= floor:
            step = max(done + 1, int(np.searchsorted(np.cumsum(sizes), budget)))
            seen = np.concatenate([seen, self._look(found[done:step], weights[done:step], allowed)])
            floor = max(floor, self._floor(seen, self._scores[seen], top))
            done, budget = min(step, len(found)), 4 * budget
        near = np.unique(seen[self._scores[seen] + rest[done] >= floor - 1e-5])
        scores = self._full(near).round(6)  # equal names must tie whatever the order of summation
        self._scores[seen] = 0.0
        self._query[found] = 0.0
        if len(near) > top:
            least = np.partition(scores, len(scores) - top)[len(scores) - top]
            near, scores = near[scores >= least], scores[scores >= least]
        order = np.lexsort((near, -scores))
        return near[order], scores[order]

    def _look(self, grams: Integers, weights: Floats, allowed: NDArray[np.bool_] | None = None) -> Integers:
        """Add the weights of names with these 3-grams to their scores; returns these names, some of them repeatedly."""
        seen: list[Integers] = [np.empty(0, dtype=np.int32)]
        for gram, weight in zip(grams, weights, strict=False):
            names, values = (
                column[self._lists[gram] : self._lists[gram + 1]] for column in (self._names, self._values)
            )
            if allowed is not None:
                kept = allowed[names]
                names, values = names[kept], values[kept]
            self._scores[names] += np.float32(weight) * values
            seen.append(names)
        return np.concatenate(seen)

    def near(self, text: str, top: int, postings: int = 20_000) -> tuple[Integers, Floats]:
        """Names near to the text, found by its rarest 3-grams only: not always the nearest, but quickly."""
        found, weights = self._vector(text)
        if not len(found):
            return np.empty(0, dtype=np.int64), np.empty(0)
        sizes = self._lists[found + 1] - self._lists[found]
        used = max(1, int(np.searchsorted(np.cumsum(sizes), postings, side="right")))
        seen = self._look(found[:used], weights)
        partial = self._scores[seen]
        if len(seen) > 4 * top * used:
            seen, all_seen = seen[np.argpartition(partial, len(seen) - 4 * top * used)[-4 * top * used :]], seen
        else:
            all_seen = seen
        ahead = np.unique(seen)
        self._query[found] = weights
        scores = self._full(ahead).round(6)
        self._query[found] = 0.0
        self._scores[all_seen] = 0.0
        order = np.lexsort((ahead, -scores))[:top]
        return ahead[order], scores[order]

    def _floor(self, seen: Integers, partial: Floats, top: int) -> float:
        """A score that `top` names reach: the least full score of those that are ahead now."""
        ahead = seen
        if len(seen) > 8 * top:
            ahead = seen[np.argpartition(partial, len(seen) - 8 * top)[len(seen) - 8 * top :]]
        full = self._full(np.unique(ahead))
        return float(np.partition(full, len(full) - top)[len(full) - top]) if len(full) >= top else -1.0

    def _full(self, names: Integers) -> Floats:
        begin = self._starts[names]
        lengths = self._starts[names + 1] - begin
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - (ends - lengths), lengths)
        products = self._query[self._of[places]] * self._weights[places]
        return np.add.reduceat(products, ends - lengths, dtype=np.float64) if len(names) else np.empty(0)

    def _vector(self, text: str) -> tuple[Integers, Floats]:
        """The known 3-grams of a text, rarest first, with weights; unknown ones count in the text's length."""
        _, gram = _grams([text])
        distinct, counts = np.unique(gram, return_counts=True)
        if not len(self._grams):
            return distinct[:0], np.empty(0)
        place = np.minimum(np.searchsorted(self._grams, distinct), len(self._grams) - 1)
        known = self._grams[place] == distinct
        weights = counts * np.where(known, self._idf[place], np.log(1 + self.size) + 1)
        weights = weights / np.sqrt((weights * weights).sum())
        order = np.argsort(-self._idf[place[known]], kind="stable")
        return place[known][order], weights[known][order]


def _grams(names: Sequence[str]) -> tuple[Integers, Integers]:
    """Number of the name and code of the 3-gram, for all 3-grams of all names, two spaces before and one after."""
    text = "".join(f"  {name} " for name in names)
    characters = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    lengths = np.fromiter((len(name) + 3 for name in names), dtype=np.int64, count=len(names))
    owner = np.repeat(np.arange(len(names)), lengths)
    codes = np.zeros(len(characters), dtype=np.int64)
    codes[:-2] = (characters[:-2] << 2 * _SHIFT) | (characters[1:-1] << _SHIFT) | characters[2:]
    inside = np.ones(len(characters), dtype=bool)
    ends = np.cumsum(lengths)
    inside[ends - 1] = inside[ends - 2] = False
    return owner[inside], codes[inside]
