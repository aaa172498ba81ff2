"""Gradient-boosted trees that rank the candidates of a mention: softmax over each group, in NumPy. Deterministic."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ranker"]

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

_BINS = 64
#: Rows whose gradient is smaller tell a tree nothing: most candidates are soon known to be wrong.
_LEAST_GRADIENT = 0.004


class Ranker:
    """`fit` on rows of features in groups, one right row or more in each; `scores` of further rows."""

    def __init__(
        self, trees: int = 150, depth: int = 5, rate: float = 0.1, smoothing: float = 2.0, least: float = 2.0,
        columns: float = 0.5, sample: float = 0.7, seed: int = 0,
    ) -> None:  # fmt: skip
        self._count, self._depth, self._rate, self._smoothing, self._least = trees, depth, rate, smoothing, least
        self._columns, self._sample, self._seed = columns, sample, seed

    def fit(self, rows: Floats, groups: Integers, right: NDArray[np.bool_]) -> Ranker:
        """`groups` numbers the group of each row, in order from 0; every group needs a right row."""
        self._edges = [_edges(column) for column in rows.T]
        binned = self._binned(rows)
        share = right / np.bincount(groups, right)[groups]
        self._trees: list[tuple[Integers, Integers, Floats]] = []
        scores = np.zeros(len(rows))
        dice = np.random.default_rng(self._seed)
        for _ in range(self._count):
            chance = _softmax(scores, groups)
            gradient = share - chance
            curvature = np.maximum(chance * (1 - chance), 1e-6)
            picked = dice.random(int(groups[-1]) + 1) < self._sample
            used = np.flatnonzero((np.abs(gradient) > _LEAST_GRADIENT) & picked[groups])
            columns = np.sort(dice.permutation(rows.shape[1])[: max(1, round(self._columns * rows.shape[1]))])
            feature, limit, values = self._grow(binned[np.ix_(used, columns)], gradient[used], curvature[used])
            tree = (columns[feature], limit, values)
            self._trees.append(tree)
            scores += tree[2][self._leaf(tree, binned)]
        return self

    def scores(self, rows: Floats) -> Floats:
        """Higher is better; to be compared within a group."""
        binned = self._binned(rows)
        total = np.zeros(len(rows))
        for tree in self._trees:
            total += tree[2][self._leaf(tree, binned)]
        return total

    def _binned(self, rows: Floats) -> Integers:
        binned = np.empty(rows.shape, dtype=np.int64)
        for number, edges in enumerate(self._edges):
            binned[:, number] = np.searchsorted(edges, rows[:, number], side="left")
        return binned

    def _grow(self, binned: Integers, gradient: Floats, curvature: Floats) -> tuple[Integers, Integers, Floats]:
        """A complete binary tree, level by level: feature and bin of each split, values of the leaves."""
        width = binned.shape[1]
        inner = 2**self._depth - 1
        feature, limit = np.zeros(inner, dtype=np.int64), np.full(inner, _BINS, dtype=np.int64)
        node = np.zeros(len(binned), dtype=np.int64)
        cells = binned + np.arange(width) * _BINS
        for level in range(self._depth):
            nodes, first = 2**level, 2**level - 1
            flat = (cells + (node * width * _BINS)[:, None]).ravel()
            shape = (nodes, width, _BINS)
            size = nodes * width * _BINS
            left_g = np.bincount(flat, np.repeat(gradient, width), size).reshape(shape).cumsum(axis=2)
            left_h = np.bincount(flat, np.repeat(curvature, width), size).reshape(shape).cumsum(axis=2)
            all_g, all_h = left_g[:, :, -1:], left_h[:, :, -1:]
            right_g, right_h = all_g - left_g, all_h - left_h
            gain = (
                left_g**2 / (left_h + self._smoothing)
                + right_g**2 / (right_h + self._smoothing)
                - all_g**2 / (all_h + self._smoothing)
            )
            gain[(left_h < self._least) | (right_h < self._least)] = 0.0
            best = gain.round(9).reshape(nodes, -1).argmax(axis=1)
            good = gain.reshape(nodes, -1)[np.arange(nodes), best] > 1e-9
            feature[first : first + nodes] = best // _BINS
            limit[first : first + nodes] = np.where(good, best % _BINS, _BINS)
            at = first + node
            node = 2 * node + (binned[np.arange(len(binned)), feature[at]] > limit[at])
        leaves = 2**self._depth
        total_g = np.bincount(node, gradient, leaves)
        total_h = np.bincount(node, curvature, leaves)
        return feature, limit, self._rate * total_g / (total_h + self._smoothing)

    def _leaf(self, tree: tuple[Integers, Integers, Floats], binned: Integers) -> Integers:
        feature, limit, _ = tree
        node = np.zeros(len(binned), dtype=np.int64)
        rows = np.arange(len(binned))
        for level in range(self._depth):
            at = 2**level - 1 + node
            node = 2 * node + (binned[rows, feature[at]] > limit[at])
        return node


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
