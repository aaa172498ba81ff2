"""Aho–Corasick over sequences of numbers, as arrays: where any of many patterns occurs in a text, in one pass.

It knows numbers only: which words they stand for (`word_tokens`), and what a pattern means, is the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.machine_code import compiled

Integers = NDArray[np.integer[Any]]


class Automaton:
    """A trie with failure links (Aho and Corasick 1975), built breadth first, one level of all patterns at a time.

    The edges from a node are found in one sorted array of `node * symbols + symbol`: as nodes are numbered level by
    level, the levels' sorted edges follow one another.
    """

    def __init__(self, lengths: Integers, symbols: Integers, count: int) -> None:
        """`symbols` of all patterns, one after another, each below `count`; a pattern may occur several times."""
        self._count = np.int64(count + 1)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        node = np.zeros(len(lengths), dtype=np.int64)
        edges, parents, tokens = [], [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)]
        levels = [(0, 1)]
        for depth in range(int(lengths.max(initial=0))):
            alive = np.flatnonzero(lengths > depth)
            step = node[alive] * self._count + symbols[starts[alive] + depth]
            level, reached = np.unique(step, return_inverse=True)
            first = levels[-1][1]
            node[alive] = first + reached
            edges.append(level)
            parents.append(level // self._count)
            tokens.append(level % self._count)
            levels.append((first, first + len(level)))
        self._edges = np.concatenate(edges) if edges else np.empty(0, dtype=np.int64)
        parent, token = np.concatenate(parents), np.concatenate(tokens)
        #: The node where each pattern ends: what `find` calls it.
        self.ends = node
        self._fail = np.zeros(len(parent), dtype=np.int64)
        for first, last in levels[2:]:  # the first symbol of a pattern fails to the root
            at = self._fail[parent[first:last]]
            waiting = np.arange(last - first)
            while len(waiting):
                found = self._step(at[waiting], token[first:last][waiting])
                done = (found > 0) | (at[waiting] == 0)
                self._fail[first + waiting[done]] = found[done]
                waiting = waiting[~done]
                at[waiting] = self._fail[at[waiting]]
        final = np.zeros(len(parent), dtype=bool)
        final[node[lengths > 0]] = True
        self._depth = np.zeros(len(parent), dtype=np.int64)
        #: The longest proper suffix of each node that is a pattern, 0 if there is none.
        self._shorter = np.zeros(len(parent), dtype=np.int64)
        for depth, (first, last) in enumerate(levels):
            fail = self._fail[first:last]
            self._depth[first:last] = depth
            self._shorter[first:last] = np.where(final[fail], fail, self._shorter[fail])
        self._final = final

    def _step(self, nodes: Integers, tokens: Integers) -> Integers:
        wanted = nodes * self._count + tokens
        at = np.searchsorted(self._edges, wanted)
        there = (at < len(self._edges)) & (self._edges[np.minimum(at, len(self._edges) - 1)] == wanted)
        return np.where(there, at + 1, 0)  # each edge leads to a node of its own, numbered in the same order

    def find(self, symbols: Sequence[int]) -> tuple[Integers, Integers, Integers]:
        """(first symbol, one after the last, node) of all occurrences; a negative symbol is none of any pattern."""
        text = np.asarray(symbols, dtype=np.int64)
        found: Integers = _scan(text, self._edges, self._fail, self._shorter, self._depth, self._final, self._count)
        return found[:, 0], found[:, 1], found[:, 2]


@compiled
def _scan(text: Any, edges: Any, fail: Any, shorter: Any, depth: Any, final: Any, count: Any) -> Any:
    found = np.empty((64, 3), dtype=np.int64)
    size = 0
    node = 0
    for place in range(len(text)):
        token = text[place]
        if token < 0:
            node = 0
            continue
        while True:
            wanted = node * count + token
            at = np.searchsorted(edges, wanted)
            if at < len(edges) and edges[at] == wanted:
                node = at + 1
                break
            if node == 0:
                break
            node = fail[node]
        hit = node if final[node] else shorter[node]
        while hit > 0:
            if size == len(found):
                grown = np.empty((2 * size, 3), dtype=np.int64)
                grown[:size] = found
                found = grown
            found[size, 0] = place + 1 - depth[hit]
            found[size, 1] = place + 1
            found[size, 2] = hit
            size += 1
            hit = shorter[hit]
    return found[:size]
