"""Aho–Corasick over sequences of numbers, as arrays: where any of many patterns occurs in a text, in one pass.

It knows numbers only: which words they stand for (`word_tokens`), and what a pattern means, is the caller's.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.machine_code import compiled
from linkassay.store import MappedFolder

Integers = NDArray[np.integer[Any]]

#: What an automaton is made of, in the order in which the search takes it: the edges, and of each node its failure
#: link, its longest proper suffix that is a pattern (0 if there is none), its depth, and whether a pattern ends there.
_ARRAYS = ("edges", "fail", "shorter", "depth", "final")


class Automaton:
    """A trie with failure links (Aho and Corasick 1975), built breadth first, one level of all patterns at a time.

    The edges from a node are found in one sorted array of `node * symbols + symbol`: as nodes are numbered level by
    level, the levels' sorted edges follow one another, and each leads to a node of its own, numbered in the same order.
    """

    def __init__(self, arrays: dict[str, NDArray[Any]], count: int) -> None:
        """By what `of` made, or what was stored of that; symbols are below `count`."""
        self._arrays, self._count = arrays, count
        #: How many nodes there are; the root is 0.
        self.size = len(arrays["fail"])

    @classmethod
    def of(cls, lengths: Integers, symbols: Integers, count: int) -> tuple[Automaton, Integers]:
        """The automaton, and the node where each pattern ends: what `find` calls it; 0 for one of no symbols.

        `symbols` of all patterns, one after another, each below `count`; a pattern may occur several times.
        """
        edges, levels, ends = _trie(lengths, symbols, count)
        fail = _failures(edges, levels, count)
        final = np.zeros(len(fail), dtype=bool)
        final[ends] = True
        final[0] = False
        depth = np.repeat(np.arange(len(levels), dtype=np.int32), [last - first for first, last in levels])
        shorter = np.zeros_like(fail)
        for first, last in levels:
            at = fail[first:last]
            shorter[first:last] = np.where(final[at], at, shorter[at])
        return cls(dict(zip(_ARRAYS, (edges, fail, shorter, depth, final), strict=True)), count), ends

    def store(self, files: MappedFolder) -> None:
        """Write the automaton."""
        files.put_arrays(self._arrays)
        files.put_record("symbols", self._count)

    @classmethod
    def opened(cls, files: MappedFolder) -> Automaton:
        """The automaton that was written."""
        found = cls(files.arrays(_ARRAYS), files.record("symbols"))
        found.find([-1])  # the loop is loaded now, so that the first text takes no longer than others
        return found

    def node(self, symbols: Sequence[int]) -> int:
        """The node of the pattern of just these symbols; 0 if it is none."""
        edges = self._arrays["edges"].data
        node = 0
        for symbol in symbols:
            wanted = node * self._count + symbol
            at = bisect_left(edges, wanted)
            if symbol < 0 or at == len(edges) or edges[at] != wanted:
                return 0
            node = at + 1
        return node if self._arrays["final"][node] else 0

    def find(self, symbols: Sequence[int]) -> list[tuple[int, int, int]]:
        """(first symbol, one after the last, node) of all occurrences, by their ends, the longest first.

        A negative symbol is none of any pattern.
        """
        if self.size == 1:
            return []
        found = _scan(np.asarray(symbols, dtype=np.int64), np.int64(self._count), *self._arrays.values())
        return [(first, last, node) for first, last, node in found.tolist()]


def _trie(lengths: Integers, symbols: Integers, count: int) -> tuple[Integers, list[tuple[int, int]], Integers]:
    """Edges, the nodes (from, to) of each level, and the node where each pattern ends."""
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    node = np.zeros(len(lengths), dtype=np.int64)
    edges = [np.empty(0, dtype=np.int64)]
    levels = [(0, 1)]
    alive: Integers = np.arange(len(lengths))
    for depth in range(int(lengths.max(initial=0))):
        alive = alive[lengths[alive] > depth]
        step = node[alive] * count + symbols[starts[alive] + depth]
        level, reached = np.unique(step, return_inverse=True)
        first = levels[-1][1]
        node[alive] = first + reached
        edges.append(level)
        levels.append((first, first + len(level)))
    return np.concatenate(edges), levels, node


def _failures(edges: Integers, levels: list[tuple[int, int]], count: int) -> Integers:
    """Of each node the longest proper suffix that is a node, too."""
    fail = np.zeros(len(edges) + 1, dtype=np.int32)
    for first, last in levels[2:]:  # the first symbol of a pattern fails to the root
        parent, symbol = np.divmod(edges[first - 1 : last - 1], count)
        at = fail[parent]
        waiting = np.arange(last - first)
        while len(waiting):
            found = _steps(edges, at[waiting], symbol[waiting], count)
            done = (found > 0) | (at[waiting] == 0)
            fail[first + waiting[done]] = found[done]
            waiting = waiting[~done]
            at[waiting] = fail[at[waiting]]
    return fail


def _steps(edges: Integers, nodes: Integers, symbols: Integers, count: int) -> Integers:
    """Where edges of these symbols lead from nodes; 0 where there are none."""
    wanted = nodes.astype(np.int64) * count + symbols
    at = np.searchsorted(edges, wanted)
    there = edges[np.minimum(at, len(edges) - 1)] == wanted
    return np.where(there, at + 1, 0)


@compiled
def _scan(text: Any, count: Any, edges: Any, fail: Any, shorter: Any, depth: Any, final: Any) -> Any:
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
