"""The hierarchy arrays, held to sets and breadth-first search (KB-7)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.kbs.hierarchy import Hierarchy, NodeLists


def hierarchy(edges: list[tuple[str, str]]) -> Hierarchy:
    ids = sorted({n for e in edges for n in e})
    child, parent = (np.array([ids.index(e[i]) for e in edges], dtype=np.int64) for i in (0, 1))
    return Hierarchy(pa.array(ids), child, parent)


NODES = st.sampled_from("abcdefgh")
EDGES = st.lists(st.tuples(NODES, NODES).filter(lambda e: e[0] != e[1]), min_size=1, max_size=20, unique=True)


def reference_reached(edges: list[tuple[str, str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        at = waiting.pop()
        for child, parent in edges:
            if child == at and parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found


def reference_depth(edges: list[tuple[str, str]], node: str) -> int:
    level, depth = {node}, 0
    while True:
        if any(n not in {c for c, _ in edges} for n in level):
            return depth
        level, depth = {p for c, p in edges if c in level}, depth + 1


@settings(max_examples=300)
@given(EDGES)
def test_circles_are_broken_and_the_rest_is_kept(edges: list[tuple[str, str]]) -> None:
    graph = hierarchy(edges)
    kept = [e for e in edges if e not in graph.broken]
    assert len(kept) + len(graph.broken) == len(edges)
    nodes = {n for e in edges for n in e}
    assert all(n not in reference_reached(kept, n) for n in nodes)  # no circle is left
    if all(n not in reference_reached(edges, n) for n in nodes):
        assert graph.broken == []
    for child, parent in graph.broken:  # only edges of circles are broken
        assert child in reference_reached(edges, child)
        assert child in reference_reached(edges, parent) | {parent}


@settings(max_examples=300)
@given(EDGES)
def test_ancestors_descendants_and_depth(edges: list[tuple[str, str]]) -> None:
    graph = hierarchy(edges)
    kept = [e for e in edges if e not in graph.broken]
    flipped = [(p, c) for c, p in kept]
    for node in {n for e in edges for n in e}:
        assert graph.ancestors(node) == reference_reached(kept, node)
        assert graph.descendants(node) == reference_reached(flipped, node)
        assert graph.depths[graph.number(node)] == reference_depth(kept, node)


def test_unknown_ids_are_outside() -> None:
    graph = hierarchy([("b", "a")])
    assert list(graph.numbers(["a", "x", "b"])) == [0, -1, 1]
    assert graph.ancestors("x") == set()
    assert graph.common_ancestors("b", "a") == {"a"}
    assert list(graph.roots) == [0]


def test_a_large_tree_is_quick() -> None:
    size = 300_000
    child = np.arange(1, size)
    parent = (child - 1) // 3
    names = pa.array([f"n{i:07d}" for i in range(size)])
    graph = Hierarchy(names, child, parent)
    assert graph.depth == 12  # 3**0 + … + 3**11 < size
    assert len(graph.descendants("n0000000")) == size - 1


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 40)), max_size=30, unique=True))
def test_lists_hold_members_that_are_no_nodes(pairs: list[tuple[int, int]]) -> None:
    owner, member = (np.array([pair[n] for pair in pairs], dtype=np.int64) for n in (0, 1))
    lists = NodeLists(owner, member, 5)
    for node in range(5):
        assert lists[node].tolist() == sorted(m for o, m in pairs if o == node)
