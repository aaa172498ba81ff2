"""What a predicted entity is to the gold one: type and distance of the match, location of the gold (HIER-1 to HIER-4).

Pairs of ids in, arrays out. How pairs are weighed and summed up is said in `profile` and `measures`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from linkassay.errors import UsageError
from linkassay.kbs import CommonAncestors, Hierarchy, NodeNumbers
from linkassay.registry import near_miss

Floats = NDArray[np.float64]

#: Match type → what the prediction is to the gold; its place is its number. The first four partition the pairs that
#: are equal or both in the hierarchy.
TYPES = {
    "exact": "the gold entity itself",
    "overspecific": "a descendant of it",
    "underspecific": "an ancestor of it",
    "orthogonal": "neither: another branch",
    "no answer": "nothing was predicted",
    "outside": "another entity, and one of the two is not in the hierarchy",
}
EXACT, OVER, UNDER, ORTHOGONAL, NO_ANSWER, OUTSIDE = range(len(TYPES))

#: Readings of the paper's formula of location (HIER-4), depth being a distance to a real root.
LOCATIONS = {
    "branch": "depth / (depth + distance to the nearest leaf below); a leaf is 1",
    "nearest-leaf-of-root": "as printed: depth / distance from the nearest root to its nearest leaf; may pass 1",
    "longest": "as branch, both distances being the longest",
}


@dataclass(frozen=True)
class Related:
    """Pairs of gold and predicted id, related."""

    type: NodeNumbers  # number of a type of `TYPES`
    distance: NodeNumbers  # HIER-2; -1 where there is none: no answer, outside
    virtual: NDArray[np.bool_]  # the two meet only in the virtual root (HIER-3)
    depth: NodeNumbers  # of where they meet; -1 where nowhere real
    placed: NDArray[np.bool_]  # both are in the hierarchy
    gold: NodeNumbers  # node of the gold id, -1 if it is not in the hierarchy
    predicted: NodeNumbers  # node of the predicted id, likewise


class Relations:
    """A hierarchy that relates pairs of ids."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self._known: dict[int, frozenset[int]] = {}

    @cached_property
    def _meetings(self) -> CommonAncestors:
        return CommonAncestors(self.hierarchy)

    def of(self, gold: Any, predicted: Any) -> Related:
        """Relate ids pair by pair (lists or Arrow strings); a prediction that is null is no answer."""
        gold, predicted = pa.array(gold, pa.string()), pa.array(predicted, pa.string())
        node, said = self.hierarchy.numbers(gold), self.hierarchy.numbers(predicted)
        answered = predicted.is_valid().to_numpy(zero_copy_only=False)
        said = np.where(answered, said, -1)
        equal = pc.fill_null(pc.equal(gold, predicted), False).to_numpy(zero_copy_only=False)
        placed = (node >= 0) & (said >= 0)
        at = np.flatnonzero(placed)
        size = max(1, len(self.hierarchy))  # mentions repeat, and with them the pairs
        different, back = np.unique(node[at] * size + said[at], return_inverse=True)
        met = self._meetings.of(different // size, different % size)
        kind = np.full(len(gold), OUTSIDE)
        kind[~answered] = NO_ANSWER
        kind[at] = np.where(met.below, OVER, np.where(met.above, UNDER, ORTHOGONAL))[back]
        kind[equal] = EXACT
        distance, depth = np.full(len(gold), -1), np.full(len(gold), -1)
        distance[at], depth[at] = met.distance[back], met.depth[back]
        distance[equal] = 0
        virtual = np.zeros(len(gold), dtype=bool)
        virtual[at] = met.depth[back] < 0
        return Related(kind, distance, virtual, depth, placed, node, said)

    def locations(self, reading: str = "branch") -> Floats:
        """The location of each node under one of the readings of `LOCATIONS`."""
        if reading not in LOCATIONS:
            raise UsageError(f"unknown reading of location {reading!r}; {near_miss(reading, list(LOCATIONS))}")
        h = self.hierarchy
        if reading == "nearest-leaf-of-root":
            up, whole = h.depths, self._branch_lengths
        else:
            up, down = (h.longest_depths, h.longest_heights) if reading == "longest" else (h.depths, h.heights)
            whole = np.where(down == 0, up, up + down)
        return np.divide(up, whole, out=np.ones(len(h)), where=whole > 0)

    @cached_property
    def _branch_lengths(self) -> NodeNumbers:
        """Of each node, how far from its nearest root the nearest leaf is; the least if several roots are as near."""
        h = self.hierarchy
        found = np.where(h.depths == 0, h.heights, np.iinfo(np.int64).max)
        order = np.argsort(h.depths, kind="stable")
        for layer in np.split(order, np.flatnonzero(np.diff(h.depths[order])) + 1)[1:]:
            child, parent = h.parents.of(layer)
            shortest = h.depths[parent] < h.depths[child]
            np.minimum.at(found, child[shortest], found[parent[shortest]])
        return found

    def ancestor_counts(self, nodes: NodeNumbers) -> NodeNumbers:
        """How many ancestors each node has, itself counted."""
        different, back = np.unique(nodes, return_inverse=True)
        counts: NodeNumbers = np.array([len(self._ancestors(int(node))) for node in different], dtype=np.int64)[back]
        return counts

    def common_ancestor_counts(self, first: NodeNumbers, second: NodeNumbers) -> NodeNumbers:
        """How many ancestors two nodes have in common, each counted as its own."""
        size = len(self.hierarchy)
        different, back = np.unique(first * size + second, return_inverse=True)
        pairs = zip((different // size).tolist(), (different % size).tolist(), strict=True)
        counts = [len(self._ancestors(a) & self._ancestors(b)) for a, b in pairs]
        return np.array(counts, dtype=np.int64)[back]

    def _ancestors(self, node: int) -> frozenset[int]:
        """A node and all above it; kept, for the nodes of a corpus are few and share theirs."""
        if node not in self._known:
            found, waiting = {node}, [node]
            while waiting:
                fresh = [p for p in self.hierarchy.parents[waiting.pop()].tolist() if p not in found]
                found.update(fresh)
                waiting += fresh
            self._known[node] = frozenset(found)
        return self._known[node]
