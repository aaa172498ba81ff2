"""The relations (HIER-1 to HIER-4) in the slow and obvious way: sets and breadth-first search over lists of edges."""

from __future__ import annotations

from fractions import Fraction

Edges = list[tuple[str, str]]  # child, parent

TYPES = ("exact", "overspecific", "underspecific", "orthogonal")


def nodes(edges: Edges) -> set[str]:
    return {n for edge in edges for n in edge}


def ways_up(edges: Edges, start: str) -> dict[str, int]:
    """Ancestors and itself, each with the shortest distance."""
    found, level, step = {start: 0}, {start}, 0
    while level:
        step += 1
        level = {p for c, p in edges if c in level} - set(found)
        found |= dict.fromkeys(level, step)
    return found


def ways_down(edges: Edges, start: str) -> dict[str, int]:
    return ways_up([(p, c) for c, p in edges], start)


def is_root(edges: Edges, node: str) -> bool:
    return all(c != node for c, _ in edges)


def is_leaf(edges: Edges, node: str) -> bool:
    return all(p != node for _, p in edges)


def depth(edges: Edges, node: str) -> int:
    return min(d for n, d in ways_up(edges, node).items() if is_root(edges, n))


def height(edges: Edges, node: str) -> int:
    return min(d for n, d in ways_down(edges, node).items() if is_leaf(edges, n))


def longest(edges: Edges, node: str) -> int:
    """Longest way up to a root."""
    return max((1 + longest(edges, p) for c, p in edges if c == node), default=0)


def relation(edges: Edges, gold: str, said: str) -> tuple[str, int, bool]:
    """Type, distance, and whether the two meet only in the virtual root."""
    up_gold, up_said = ways_up(edges, gold), ways_up(edges, said)
    if gold == said:
        return "exact", 0, False
    if gold in up_said:
        return "overspecific", up_said[gold], False
    if said in up_gold:
        return "underspecific", up_gold[said], False
    common = set(up_gold) & set(up_said)
    if common:
        return "orthogonal", min(up_gold[n] + up_said[n] for n in common), False
    return "orthogonal", depth(edges, gold) + 1 + depth(edges, said) + 1, True


def meeting_depth(edges: Edges, gold: str, said: str) -> int:
    """Depth of the common ancestor over which the distance goes, the deepest if several; -1 is the virtual root."""
    kind, distance, virtual = relation(edges, gold, said)
    if kind == "overspecific":
        return depth(edges, gold)
    if kind == "underspecific":
        return depth(edges, said)
    up_gold, up_said = ways_up(edges, gold), ways_up(edges, said)
    near = [n for n in set(up_gold) & set(up_said) if up_gold[n] + up_said[n] == distance]
    return -1 if virtual else max(depth(edges, n) for n in near)


def location(edges: Edges, node: str, reading: str = "branch") -> Fraction:
    down, up = height(edges, node), depth(edges, node)
    if reading == "longest":
        down, up = longest([(p, c) for c, p in edges], node), longest(edges, node)
    elif reading == "nearest-leaf-of-root":
        nearest = [r for r, d in ways_up(edges, node).items() if is_root(edges, r) and d == up]
        whole = min(height(edges, r) for r in nearest)
        return Fraction(up, whole) if whole else Fraction(1)
    return Fraction(1) if is_leaf(edges, node) else Fraction(up, up + down)
