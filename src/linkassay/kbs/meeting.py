"""Where pairs of nodes of a hierarchy meet: who is above whom, and how far apart they are, for millions of pairs.

Nodes of one parent make trees, which hang together only where a node has several parents. All ways up from a
node are a few ways inside of trees, so that two nodes are compared tree by tree, by their lowest common ancestor in
it, and no set of ancestors is ever written out. What a meeting means for scoring is not said here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.kbs.hierarchy import Hierarchy, Numbers

__all__ = ["Meeting", "Meetings"]

#: Pairs that are compared at once.
BLOCK = 1 << 15


@dataclass(frozen=True)
class Meeting:
    """Of each pair of nodes (first, second), how they are related."""

    above: NDArray[np.bool_]  # the second is an ancestor of the first
    below: NDArray[np.bool_]  # the second is a descendant of the first
    #: Steps between ancestor and descendant, else the least sum of both ways to a common ancestor; where there is
    #: none, both ways to a virtual root above all roots.
    distance: Numbers
    #: Depth of that ancestor, the deepest if several are as near; -1 is the virtual root.
    depth: Numbers


class Meetings:
    """The arrays of one hierarchy that answer for all pairs."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._h = hierarchy
        size = len(hierarchy)
        many = np.diff(hierarchy.parents.starts)
        node = np.arange(size, dtype=np.int32)
        self._parent = np.full(size, -1, dtype=np.int32)  # inside of the tree
        self._parent[many == 1] = hierarchy.parents.members[hierarchy.parents.starts[:-1][many == 1]]
        self._several = many > 1
        self._head = node.copy()  # the top of the tree
        self._below = np.zeros(size, dtype=np.int32)  # steps to it
        self._top = node.copy()  # the top of the heavy path: of every node, the way on to its largest child
        sizes = np.ones(size, dtype=np.int32)
        levels = hierarchy.longest_depths
        order = np.argsort(levels, kind="stable")
        order = order[self._parent[order] >= 0]
        cuts = np.flatnonzero(np.diff(levels[order])) + 1
        layers = np.split(order, cuts) if len(order) else []
        for layer in reversed(layers):
            np.add.at(sizes, self._parent[layer], sizes[layer])
        heavy = np.full(size, -1, dtype=np.int32)
        by_size = order[np.argsort(sizes[order], kind="stable")]
        heavy[self._parent[by_size]] = by_size  # the last one written is the largest
        for layer in layers:
            above = self._parent[layer]
            self._head[layer] = self._head[above]
            self._below[layer] = self._below[above] + 1
            self._top[layer] = np.where(heavy[above] == layer, self._top[above], layer)

    def of(self, first: Numbers, second: Numbers) -> Meeting:
        """How each `second` is related to its `first`; both are numbers of nodes."""
        size = len(first)
        found = Meeting(np.zeros(size, bool), np.zeros(size, bool), np.zeros(size, np.int64), np.zeros(size, np.int64))
        for begin in range(0, size, BLOCK):
            part = slice(begin, begin + BLOCK)
            self._block(first[part], second[part], found, begin)
        return found

    def _block(self, first: Numbers, second: Numbers, found: Meeting, begin: int) -> None:
        depths, shift = self._h.depths, (2 * len(self._h)).bit_length()
        a_owner, a_entry, a_steps = self._ways(first)
        b_owner, b_entry, b_steps = self._ways(second)
        a, b = self._same_tree(a_owner, self._head[a_entry], b_owner, self._head[b_entry])
        owner, meet = a_owner[a], self._lowest(a_entry[a], b_entry[b])
        distance = a_steps[a] + b_steps[b] + self._below[a_entry[a]] + self._below[b_entry[b]] - 2 * self._below[meet]
        above, below = meet == second[owner], meet == first[owner]
        # The least of: not on one line, distance, height; as one number.
        apart = (~(above | below)).astype(np.int64)
        key = (((apart << shift) + distance) << shift) + len(self._h) - depths[meet]
        nowhere = np.iinfo(np.int64).max
        best = np.full(len(first), nowhere)
        np.minimum.at(best, owner, key)
        met, place, low = best < nowhere, slice(begin, begin + len(first)), (1 << shift) - 1
        found.above[begin + owner[above & ~below]] = True
        found.below[begin + owner[below & ~above]] = True
        found.distance[place] = np.where(met, (best >> shift) & low, depths[first] + depths[second] + 2)
        found.depth[place] = np.where(met, len(self._h) - (best & low), -1)

    def _ways(self, nodes: Numbers) -> tuple[Any, Any, Any]:
        """The trees that lie above each node: whose way it is, where it enters the tree, and after how many steps."""
        size = len(self._h)
        owner, entry, steps = np.arange(len(nodes)), np.asarray(nodes), np.zeros(len(nodes), dtype=np.int64)
        parts = [(owner, entry, steps)]
        while len(owner):
            head = self._head[entry]
            on = np.flatnonzero(self._several[head])
            if not len(on):
                break
            row, over = self._h.parents.rows(head[on])
            owner, steps = owner[on][row], (steps[on] + self._below[entry[on]] + 1)[row]
            order = np.lexsort((steps, key := owner * size + over))
            first = order[np.diff(key[order], prepend=-1) != 0]  # several ways to one node: the shortest
            owner, entry, steps = owner[first], over[first], steps[first]
            parts.append((owner, entry, steps))
        if len(parts) == 1:
            return parts[0]
        owner, entry, steps = (np.concatenate(column) for column in zip(*parts, strict=True))
        return owner, entry, steps

    def _same_tree(self, a_owner: Any, a_head: Any, b_owner: Any, b_head: Any) -> tuple[Any, Any]:
        """Rows of both sides that are of one pair and one tree."""
        size = len(self._h)
        a_key, b_key = a_owner * size + a_head, b_owner * size + b_head
        a_order, b_order = np.argsort(a_key, kind="stable"), np.argsort(b_key, kind="stable")
        sorted_key, asked = a_key[a_order], b_key[b_order]
        low, high = np.searchsorted(sorted_key, asked), np.searchsorted(sorted_key, asked, side="right")
        times = high - low
        b = np.repeat(b_order, times)
        within = np.arange(len(b)) - np.repeat(np.cumsum(times) - times, times)
        return a_order[np.repeat(low, times) + within], b

    def _lowest(self, first: Any, second: Any) -> Any:
        """The lowest common ancestor inside of the tree that both are in: the path with the lower top is left."""
        a, b = np.array(first), np.array(second)
        rest = np.flatnonzero(self._top[a] != self._top[b])
        while len(rest):
            top_a, top_b = self._top[a[rest]], self._top[b[rest]]
            left = self._below[top_a] >= self._below[top_b]
            a[rest] = np.where(left, self._parent[top_a], a[rest])
            b[rest] = np.where(left, b[rest], self._parent[top_b])
            rest = rest[self._top[a[rest]] != self._top[b[rest]]]
        return np.where(self._below[a] < self._below[b], a, b)
