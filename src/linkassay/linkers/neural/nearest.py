"""The nearest of many vectors, exactly (NEURAL-4): by cosine, a block of vectors at a time.

Cosines are found quickly in single precision, and those that may count once more in double precision: so it makes no
difference what else is asked, and equal vectors are equally near.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]

#: Up to here two cosines are the same: what vectors of equal texts are apart that were not computed side by side.
SAME = 1e-6
#: What single precision may be wrong by, many times over.
_UNSURE = 1e-5
#: Vectors of a block, and questions that are asked of it at once.
_BLOCK, _ASKED = 1 << 14, 64


class Nearest:
    """Vectors of length 1 by number, in several arrays, which may lie in files."""

    def __init__(self, parts: Sequence[Vectors]) -> None:
        self._parts = [part for part in parts if len(part)]
        self._starts = np.cumsum([0, *map(len, self._parts)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    @property
    def width(self) -> int:
        """How many numbers a vector has; 0 if there is none."""
        return self._parts[0].shape[1] if self._parts else 0

    def rows(self, numbers: Numbers) -> Vectors:
        """The vectors of some numbers."""
        part = np.searchsorted(self._starts, numbers, side="right") - 1
        rows = [self._parts[p][n] for p, n in zip(part, numbers - self._starts[part], strict=True)]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.width)

    def with_further(self, rows: Vectors) -> Nearest:
        """These and further ones, numbered after them."""
        return Nearest([*self._parts, rows])

    def beyond(self, count: int) -> Nearest:
        """Those after the first `count`, numbered from 0."""
        pairs = zip(self._starts.tolist(), self._parts)
        return Nearest([part[max(0, count - start) :] for start, part in pairs])

    def search(
        self, asked: Vectors, top: int, allowed: NDArray[np.bool_] | None = None
    ) -> list[tuple[Numbers, Scores]]:
        """For each vector the `top` nearest that are allowed and those tied with the last, best first, then by number.

        A cosine within `SAME` of the one before that it is measured by is given as that one: they are tied.
        """
        found: list[tuple[Numbers, Scores]] = []
        for at in range(0, len(asked), _ASKED):
            found += self._search(np.ascontiguousarray(asked[at : at + _ASKED]), top, allowed)
        return found

    def _search(self, asked: Vectors, top: int, allowed: NDArray[np.bool_] | None) -> list[tuple[Numbers, Scores]]:
        numbers: list[NDArray[Any]] = [np.empty(0, dtype=np.int64)] * len(asked)
        scores: list[NDArray[Any]] = [np.empty(0, dtype=np.float32)] * len(asked)
        for start, block in self.blocks():
            cosines = self._block_scores(asked, start, block)
            if allowed is not None:
                cosines[:, ~allowed[start : start + len(block)]] = -np.inf
            for n, row in enumerate(cosines):
                likely = np.flatnonzero(row >= _least(scores[n], top))
                if len(likely) > 4 * top:  # mostly of the first block
                    likely = likely[row[likely] >= _least(row[likely], top)]
                numbers[n] = np.concatenate([numbers[n], likely + start])
                scores[n] = np.concatenate([scores[n], row[likely]])
                kept = scores[n] >= _least(scores[n], top)
                numbers[n], scores[n] = numbers[n][kept], scores[n][kept]
        return [self.exactly(vector, each, top) for vector, each in zip(asked, numbers, strict=True)]

    def blocks(self) -> Iterator[tuple[int, Vectors]]:
        """All vectors, a block at a time, and the number of its first."""
        for start, part in zip(self._starts.tolist(), self._parts):
            for at in range(0, len(part), _BLOCK):
                yield start + at, part[at : at + _BLOCK]

    def exactly(self, vector: Vectors, numbers: Numbers, top: int) -> tuple[Numbers, Scores]:
        """The same for one vector among some numbers only."""
        scores = self._scores(vector, numbers)
        order = np.lexsort((numbers, -scores))
        return _tied(numbers[order], scores[order], top)

    def _block_scores(self, asked: Vectors, start: int, block: Vectors) -> Vectors:
        """Of each question with each vector of a block, which begins at `start`; nearly right."""
        return asked @ block.T

    def _scores(self, vector: Vectors, numbers: Numbers) -> Scores:
        """Of one question with the vectors of these numbers, in double precision."""
        rows = self.rows(numbers).reshape(len(numbers), len(vector)).astype(np.float64)
        scores: Scores = np.einsum("ij,j->i", rows, vector.astype(np.float64))
        return scores


def _least(scores: NDArray[Any], top: int) -> float:
    """What a cosine must come to, to be among the `top` of these or tied with the last of them."""
    if len(scores) < top:
        return float(np.finfo(np.float32).min)  # what is not allowed is below
    return float(np.partition(scores, len(scores) - top)[len(scores) - top]) - _UNSURE


def _tied(numbers: Numbers, scores: Scores, top: int) -> tuple[Numbers, Scores]:
    """Ordered cosines, each as the first that it is tied with: the first `top`, and what ties with the last."""
    even = scores.copy()
    for n in range(1, len(even)):
        if even[n - 1] - even[n] <= SAME:
            even[n] = even[n - 1]
        elif n >= top:
            even, numbers = even[:n], numbers[:n]
            break
    order = np.lexsort((numbers, -even))
    return numbers[order], even[order]
