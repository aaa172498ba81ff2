"""Where pairs of nodes of a hierarchy meet: who is above whom, and how far apart they are, for millions of pairs.

Nodes of one parent make trees, which hang together only where a node has several parents. All ways up from a
node are a few ways inside of trees, so that two nodes are compared tree by tree, by their lowest common ancestor in
it, and no set of ancestors is ever written out. What an ancestor means for scoring is not said here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.kbs.hierarchy import Hierarchy, NodeLists, NodeNumbers

#: Pairs that are compared at once, and ways that may be held for that; a block with more of these is halved.
BLOCK, WAYS = 1 << 14, 1 << 22


@dataclass(frozen=True)
class Relation:
    """Of each pair of nodes (first, second), how they are related."""

    above: NDArray[np.bool_]  # the second is an ancestor of the first
    below: NDArray[np.bool_]  # the second is a descendant of the first
    #: Steps between ancestor and descendant, else the least sum of both ways to a common ancestor; where there is
    #: none, both ways to a virtual root above all roots.
    distance: NodeNumbers
    #: Depth of that ancestor, the deepest if several are as near; -1 is the virtual root.
    depth: NodeNumbers


class CommonAncestors:
    """The arrays of one hierarchy that answer for all pairs; inside, a node is its place in preorder of the trees."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        size = len(hierarchy)
        many = np.diff(hierarchy.parents.starts)
        parent = np.full(size, -1, dtype=np.int32)  # inside of the tree
        parent[many == 1] = hierarchy.parents.members[hierarchy.parents.starts[:-1][many == 1]]
        layers = _layers(parent, hierarchy.longest_depths)
        self._place = place = _preorder(parent, layers)
        node = np.empty(size, dtype=np.int32)
        node[place] = np.arange(size, dtype=np.int32)
        above = np.where(parent[node] >= 0, place[parent[node]], -1).astype(np.int32)
        self._lowest_table = _running_minima(above)
        self._depth = hierarchy.depths[node].astype(np.int32)
        #: The top of each node's tree, and the steps to it.
        self._head = np.maximum.accumulate(np.where(above < 0, np.arange(size, dtype=np.int32), -1))
        below = np.zeros(size, dtype=np.int32)
        for layer in layers:
            below[layer] = below[parent[layer]] + 1
        self._below = below[node]
        owner, over = hierarchy.parents.of(np.flatnonzero(many > 1))
        self._several = (many > 1)[node]
        self._over = NodeLists(place[owner], place[over], size)
        self._bits = (
            2 * int(hierarchy.longest_depths.max(initial=0)) + 2
        ).bit_length()  # enough for any number of steps
        self._size = size

    def of(self, first: NodeNumbers, second: NodeNumbers) -> Relation:
        """How each `second` is related to its `first`; both are numbers of nodes."""
        size = len(first)
        found = Relation(np.zeros(size, bool), np.zeros(size, bool), np.zeros(size, np.int64), np.zeros(size, np.int64))
        for begin in range(0, size, BLOCK):
            part = slice(begin, begin + BLOCK)
            self._block(self._place[first[part]], self._place[second[part]], found, begin)
        return found

    def _block(self, first: Any, second: Any, found: Relation, begin: int) -> None:
        depth, bits = self._depth, self._bits
        a_owner, a_entry, a_steps = self._ways(first)
        b_owner, b_entry, b_steps = self._ways(second)
        met_by = self._same_tree(a_owner, self._head[a_entry], b_owner, self._head[b_entry])
        if met_by is None:
            half = len(first) // 2
            del a_owner, a_entry, a_steps, b_owner, b_entry, b_steps
            self._block(first[:half], second[:half], found, begin)
            self._block(first[half:], second[half:], found, begin + half)
            return
        a, b = met_by
        owner, meet = a_owner[a], self._lowest(a_entry[a], b_entry[b])
        to_head = (a_steps + self._below[a_entry])[a] + (b_steps + self._below[b_entry])[b]
        distance = to_head - 2 * self._below[meet]
        above, below = meet == second[owner], meet == first[owner]
        # The least of: not on one line, distance, height; as one number.
        apart = (~(above | below)).astype(np.int64)
        key = (((apart << bits) + distance) << bits) + (1 << bits) - 1 - depth[meet]
        nowhere = np.iinfo(np.int64).max
        best = np.full(len(first), nowhere)
        np.minimum.at(best, owner, key)
        met, place, low = best < nowhere, slice(begin, begin + len(first)), (1 << bits) - 1
        found.above[begin + owner[above & ~below]] = True
        found.below[begin + owner[below & ~above]] = True
        found.distance[place] = np.where(met, (best >> bits) & low, depth[first] + depth[second] + 2)
        found.depth[place] = np.where(met, low - (best & low), -1)

    def _ways(self, nodes: Any) -> tuple[Any, Any, Any]:
        """The trees that lie above each node: whose way it is, where it enters the tree, and after how many steps."""
        owner, entry, steps = np.arange(len(nodes)), nodes, np.zeros(len(nodes), dtype=np.int64)
        parts = [(owner, entry, steps)]
        while True:
            head = self._head[entry]
            on = np.flatnonzero(self._several[head])
            if not len(on):
                break
            owner, head, steps = self._least(owner[on], head[on], (steps + self._below[entry])[on])
            row, over = self._over.rows(head)
            owner, entry, steps = self._least(owner[row], over, steps[row] + 1)
            parts.append((owner, entry, steps))
        if len(parts) == 1:
            return parts[0]
        owner, entry, steps = (np.concatenate(column) for column in zip(*parts, strict=True))
        return owner, entry, steps

    def _least(self, owner: Any, node: Any, steps: Any) -> tuple[Any, Any, Any]:
        """Of several ways to one node the shortest."""
        packed = np.sort(((owner * self._size + node) << self._bits) + steps)
        way = packed >> self._bits
        first = np.flatnonzero(np.diff(way, prepend=-1))
        way, steps = way[first], packed[first] & ((1 << self._bits) - 1)
        return way // self._size, way % self._size, steps

    def _same_tree(self, a_owner: Any, a_head: Any, b_owner: Any, b_head: Any) -> tuple[Any, Any] | None:
        """Rows of both sides that are of one pair and one tree; None if there are too many for several pairs."""
        a_key, b_key = a_owner * self._size + a_head, b_owner * self._size + b_head
        a_order, b_order = np.argsort(a_key, kind="stable"), np.argsort(b_key, kind="stable")
        sorted_key, asked = a_key[a_order], b_key[b_order]
        low, high = np.searchsorted(sorted_key, asked), np.searchsorted(sorted_key, asked, side="right")
        times = high - low
        if len(a_owner) + len(b_owner) + times.sum() > WAYS and b_owner.max() > 0:
            return None
        b = np.repeat(b_order, times)
        within = np.arange(len(b)) - np.repeat(np.cumsum(times) - times, times)
        return a_order[np.repeat(low, times) + within], b

    def _lowest(self, first: Any, second: Any) -> Any:
        """The lowest common ancestor inside of the tree that both are in.

        It is the least of the parents of the nodes after the one and up to the other, in preorder.
        """
        low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second).astype(np.int64)
        level = np.maximum(np.frexp(high - low)[1].astype(np.int64) - 1, 0)
        begin, end = level * self._size + low + 1, level * self._size + high + 1 - (1 << level)
        table = self._lowest_table
        found = np.minimum(table[np.minimum(begin, len(table) - 1)], table[end])
        return np.where(low == high, low, found)


def _layers(parent: Any, levels: NodeNumbers) -> list[Any]:
    """The nodes that have a parent in their tree, from the top down."""
    small = levels.astype(np.uint16) if levels.max(initial=0) < 1 << 16 else levels  # of so few bits, sorted far faster
    order = np.argsort(small, kind="stable")
    order = order[parent[order] >= 0]
    return np.split(order, np.flatnonzero(np.diff(levels[order])) + 1) if len(order) else []


def _preorder(parent: Any, layers: list[Any]) -> Any:
    """The place of each node when trees stand one after the other, and in each a node before all that is below it."""
    sizes = np.ones(len(parent), dtype=np.int32)
    for layer in reversed(layers):
        np.add.at(sizes, parent[layer], sizes[layer])
    order = np.argsort(parent, kind="stable")  # tops first, then siblings beside each other
    before = np.cumsum(sizes[order]) - sizes[order]
    first = np.flatnonzero(np.diff(parent[order], prepend=-2))
    before -= np.repeat(before[first], np.diff(first, append=len(order)))
    place = np.empty(len(parent), dtype=np.int64)
    place[order] = before
    for layer in layers:
        place[layer] += place[parent[layer]] + 1
    return place


def _running_minima(values: Any) -> Any:
    """Row k holds the least of the 2**k values from each place on; all rows one after the other."""
    size = len(values)
    table = np.empty((max(1, size.bit_length()), size), dtype=values.dtype)
    table[0] = values
    for row in range(1, len(table)):
        half = 1 << (row - 1)
        np.minimum(table[row - 1, : size - half], table[row - 1, half:], out=table[row, : size - half])
        table[row, size - half :] = table[row - 1, size - half :]
    return table.ravel()
