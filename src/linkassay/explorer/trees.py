"""The small tree of a mention: gold and wrong answers in the hierarchy, up to where they meet.

Gold are the ids of the mention's gold that are in the hierarchy, in their order. Wrong answers are, system by system,
the ids of the first group shown that are no gold of that system. For each of them that is in the hierarchy:

- it meets the gold id and the ancestor (each counts as its own) for which the two ways up are shortest together; among
  equals the way from gold is to be the shortest, then the gold id is the first, then the ancestor's id the least;
- the two ways are added to the tree, each a shortest one; among equals each step goes to the least id;
- where nothing is common to any gold id, the ways are those from the first gold id and from the answer to their
  nearest roots, of equally near ones that of the least id;
- if the tree would have more than `MOST_NODES` nodes, it stays as it was.

A tree without nodes is none. Nodes are ordered by depth, which is the longest way from a top of the tree, then by id;
edges by child, then parent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

MOST_NODES = 24


def mention_tree(
    gold: Sequence[str], said: Mapping[int, Sequence[str]], parents: Callable[[str], Sequence[str] | None]
) -> dict[str, Any] | None:
    """The tree of a mention; `said`: wrong answers by system; `parents`: None for what is not in the hierarchy."""
    placed = [each for each in dict.fromkeys(gold) if parents(each) is not None]
    if not placed:
        return None
    above = _Above(parents)
    nodes: set[str] = set()
    edges: set[tuple[str, str]] = set()
    wrong: dict[str, list[int]] = {}
    for system, ids in said.items():
        for each in dict.fromkeys(ids):
            if parents(each) is None:
                continue
            ways = above.ways(placed, each)
            fresh = nodes.union(*ways)
            if len(fresh) <= MOST_NODES:
                nodes = fresh
                edges.update(step for way in ways for step in pairwise(way))
                wrong.setdefault(each, []).append(system)
    if not nodes:
        return None
    depth = _depths(nodes, edges)
    return {
        "nodes": [
            {"id": each, "depth_from_top": depth[each], "gold": each in placed, "said": wrong.get(each, [])}
            for each in sorted(nodes, key=lambda each: (depth[each], each))
        ],
        "edges": [list(edge) for edge in sorted(edges)],
    }


class _Above:
    """How far the ancestors of a node are, each being its own at 0."""

    def __init__(self, parents: Callable[[str], Sequence[str] | None]) -> None:
        self._parents = cache(lambda node: tuple(parents(node) or ()))
        self._known: dict[str, dict[str, int]] = {}

    def __getitem__(self, node: str) -> dict[str, int]:
        if node not in self._known:
            found, layer = {node: 0}, [node]
            while layer:
                fresh = dict.fromkeys(p for each in layer for p in self._parents(each) if p not in found)
                found |= dict.fromkeys(fresh, found[layer[0]] + 1)
                layer = list(fresh)
            self._known[node] = found
        return self._known[node]

    def ways(self, gold: Sequence[str], said: str) -> tuple[list[str], list[str]]:
        """From a gold id and from an answer up to where they meet, or to their roots."""
        mine = self[said]
        met = [
            (far + mine[node], far, place, node)
            for place, each in enumerate(gold)
            for node, far in self[each].items()
            if node in mine
        ]
        if met:
            *_, place, node = min(met)
            return self._way(gold[place], node), self._way(said, node)
        return self._way(gold[0], self._root(gold[0])), self._way(said, self._root(said))

    def _root(self, node: str) -> str:
        return min((far, each) for each, far in self[node].items() if not self._parents(each))[1]

    def _way(self, node: str, top: str) -> list[str]:
        way = [node]
        while way[-1] != top:
            left = self[way[-1]][top]
            way.append(min(p for p in self._parents(way[-1]) if self[p].get(top) == left - 1))
        return way


def _depths(nodes: set[str], edges: set[tuple[str, str]]) -> dict[str, int]:
    above: dict[str, list[str]] = {node: [] for node in nodes}
    for child, parent in edges:
        above[child].append(parent)

    @cache
    def depth(node: str) -> int:
        return 1 + max(map(depth, above[node])) if above[node] else 0

    return {node: depth(node) for node in nodes}
