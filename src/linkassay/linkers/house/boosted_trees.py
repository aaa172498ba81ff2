"""Gradient-boosted trees that rank the candidates of a mention: softmax over each group. Deterministic.

It is imported where it is used, since it needs Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.machine_code import compiled
from linkassay.store import MappedFolder

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

_BINS = 64
#: Rows whose gradient is smaller tell a tree nothing: most candidates are soon known to be wrong.
_LEAST_GRADIENT = 0.004
#: What trees are made of: the upper ends of the bins of all features, and where those of each end; at each split a
#: feature and the last bin of its left side, at each leaf a value.
_ARRAYS = ("edges", "ends", "feature", "limit", "value")


class Ranker:
    """`fit` on rows of features in groups, one right row or more in each; `scores` of further rows.

    Several forests, each with dice of its own, are averaged.
    """

    def __init__(
        self, trees: int = 200, depth: int = 4, rate: float = 0.1, smoothing: float = 2.0, least: float = 2.0,
        columns: float = 0.6, sample: float = 0.7, forests: int = 4,
    ) -> None:  # fmt: skip
        self._count, self._depth, self._rate, self._smoothing, self._least = trees, depth, rate, smoothing, least
        self._columns, self._sample, self._forests = columns, sample, forests

    def fit(self, rows: Floats, groups: Integers, right: NDArray[np.bool_]) -> Ranker:
        """`groups` numbers the group of each row, in order from 0; every group needs a right row."""
        edges = [_edges(column) for column in rows.T]
        self._edges, self._ends = np.concatenate(edges), np.cumsum([len(each) for each in edges])
        binned = _binned(rows, self._edges, self._ends)
        share = right / np.bincount(groups, right)[groups]
        total = self._count * self._forests
        self._feature = np.zeros((total, 2**self._depth - 1), dtype=np.int64)
        self._limit = np.full((total, 2**self._depth - 1), _BINS, dtype=np.int64)
        self._value = np.zeros((total, 2**self._depth))
        width = max(1, round(self._columns * rows.shape[1]))
        for forest in range(self._forests):
            scores = np.zeros(len(rows))
            dice = np.random.default_rng(forest)
            for n in range(forest * self._count, (forest + 1) * self._count):
                chance = _softmax(scores, groups)
                gradient = share - chance
                curvature = np.maximum(chance * (1 - chance), 1e-6)
                picked = dice.random(int(groups[-1]) + 1) < self._sample
                used = np.flatnonzero((np.abs(gradient) > _LEAST_GRADIENT) & picked[groups])
                columns = np.sort(dice.permutation(rows.shape[1])[:width])
                _grow(binned, used, columns, gradient, curvature, self._depth, self._rate, self._smoothing, self._least,
                      self._feature[n], self._limit[n], self._value[n])  # fmt: skip
                _add(binned, self._feature[n : n + 1], self._limit[n : n + 1], self._value[n : n + 1], scores)
        return self

    def store(self, files: MappedFolder) -> None:
        """Write the trees."""
        arrays = (self._edges, self._ends, self._feature, self._limit, self._value)
        for name, values in zip(_ARRAYS, arrays, strict=True):
            files.put_array(name, values)
        files.put_record("forests", self._forests)

    @classmethod
    def opened(cls, files: MappedFolder) -> Ranker:
        """The trees that were written."""
        found = cls(forests=files.record("forests"))
        found._edges, found._ends, found._feature, found._limit, found._value = (files.array(n) for n in _ARRAYS)
        return found

    def scores(self, rows: Floats) -> Floats:
        """Higher is better; to be compared within a group."""
        total = np.zeros(len(rows))
        _add(_binned(rows, self._edges, self._ends), self._feature, self._limit, self._value, total)
        return total / self._forests


@compiled
def _binned(rows: Any, edges: Any, ends: Any) -> Any:
    """The bin of each value: that of the first of its feature's edges which is not below it."""
    binned = np.empty(rows.shape, dtype=np.uint8)
    for row in range(len(rows)):
        start = 0
        for column in range(len(ends)):
            low, high = start, ends[column]
            while low < high:
                middle = (low + high) // 2
                if edges[middle] < rows[row, column]:
                    low = middle + 1
                else:
                    high = middle
            binned[row, column] = low - start
            start = ends[column]
    return binned


@compiled
def _grow(
    binned: Any, used: Any, columns: Any, gradient: Any, curvature: Any, depth: Any, rate: Any, smoothing: Any,
    least: Any, feature: Any, limit: Any, value: Any,
) -> None:  # fmt: skip
    """Fill in a complete binary tree, level by level: feature and bin of each split, values of the leaves."""
    width = len(columns)
    node = np.zeros(len(used), dtype=np.int64)
    for level in range(depth):
        nodes, first = 2**level, 2**level - 1
        sums = np.zeros((nodes, width, _BINS, 2))
        for k in range(len(used)):
            row = used[k]
            of_node = sums[node[k]]
            for c in range(width):
                cell = of_node[c, binned[row, columns[c]]]
                cell[0] += gradient[row]
                cell[1] += curvature[row]
        for n in range(nodes):
            best = 1e-9
            all_g, all_h = sums[n, 0, :, 0].sum(), sums[n, 0, :, 1].sum()
            for c in range(width):
                left_g = left_h = 0.0
                for b in range(_BINS):
                    left_g += sums[n, c, b, 0]
                    left_h += sums[n, c, b, 1]
                    right_g, right_h = all_g - left_g, all_h - left_h
                    if left_h < least or right_h < least:
                        continue
                    gain = (
                        left_g**2 / (left_h + smoothing)
                        + right_g**2 / (right_h + smoothing)
                        - all_g**2 / (all_h + smoothing)
                    )
                    if gain > best + 1e-9:
                        best = gain
                        feature[first + n] = columns[c]
                        limit[first + n] = b
        for k in range(len(used)):
            at = first + node[k]
            node[k] = 2 * node[k] + (binned[used[k], feature[at]] > limit[at])
    total = np.zeros((2**depth, 2))
    for k in range(len(used)):
        total[node[k], 0] += gradient[used[k]]
        total[node[k], 1] += curvature[used[k]]
    for leaf in range(2**depth):
        value[leaf] = rate * total[leaf, 0] / (total[leaf, 1] + smoothing)


@compiled
def _add(binned: Any, feature: Any, limit: Any, value: Any, scores: Any) -> None:
    """Add what each tree says of each row."""
    inner = feature.shape[1]
    for tree in range(len(feature)):
        for row in range(len(binned)):
            at = 0
            while at < inner:
                at = 2 * at + 1 + (binned[row, feature[tree, at]] > limit[tree, at])
            scores[row] += value[tree, at - inner]


def _edges(column: Floats) -> Floats:
    """Upper ends of the bins: the distinct values if they are few, else quantiles."""
    distinct = np.unique(column)
    if len(distinct) > _BINS - 1:
        distinct = np.unique(np.quantile(distinct, np.linspace(0, 1, _BINS)))[:-1]
    return distinct[: _BINS - 1]


def _softmax(scores: Floats, groups: Integers) -> Floats:
    most = np.full(int(groups[-1]) + 1, -np.inf)
    np.maximum.at(most, groups, scores)
    powers = np.exp(scores - most[groups])
    chances: Floats = powers / np.bincount(groups, powers)[groups]
    return chances
