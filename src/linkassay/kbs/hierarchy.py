"""The hierarchy of a knowledge base as integer arrays: ready for millions of nodes and questions.

Nodes are the entities that have a parent or a child, numbered in the order of their ids. Edges that
would close a circle are left out and listed (KB-7). What the numbers mean for scoring is not said here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from linkassay.errors import UsageError
from linkassay.store import MappedFolder

if TYPE_CHECKING:
    from linkassay.kbs.stored_kb import Kb

NodeNumbers = NDArray[np.integer[Any]]


class NodeLists:
    """One list of numbers per node, end to end in one array."""

    def __init__(self, owner: NodeNumbers, member: NodeNumbers, size: int, *, ordered: bool = False) -> None:
        span = int(member.max(initial=0)) + 1  # members need not be nodes themselves
        packed = member if ordered else np.sort(owner.astype(np.int64) * span + member) % span
        self.members: NodeNumbers = packed.astype(member.dtype, copy=False)
        small = np.int32 if len(owner) < 1 << 31 else np.int64
        self.starts: NodeNumbers = np.zeros(size + 1, dtype=small)
        np.cumsum(np.bincount(owner, minlength=size), dtype=small, out=self.starts[1:])

    @classmethod
    def joined(cls, starts: NodeNumbers, members: NodeNumbers) -> NodeLists:
        """Lists that are end to end already: where each begins (and the last ends), and their numbers."""
        found = cls.__new__(cls)
        found.starts, found.members = starts, members
        return found

    def store(self, files: MappedFolder) -> None:
        """Write the lists."""
        files.put_array("starts", self.starts)
        files.put_array("members", self.members)

    @classmethod
    def opened(cls, files: MappedFolder) -> NodeLists:
        """The lists that were written."""
        return cls.joined(files.array("starts"), files.array("members"))

    def __getitem__(self, node: int) -> NodeNumbers:
        return self.members[self.starts[node] : self.starts[node + 1]]

    def of(self, nodes: NodeNumbers) -> tuple[NodeNumbers, NodeNumbers]:
        """Owners and members of the lists of all `nodes`, one after the other."""
        rows, members = self.rows(nodes)
        return nodes[rows], members

    def rows(self, nodes: NodeNumbers) -> tuple[NodeNumbers, NodeNumbers]:
        """The same, an owner being its place in `nodes`; a node may be asked for more than once."""
        begin = self.starts[nodes]
        lengths = self.starts[nodes + 1] - begin
        rows = np.repeat(np.arange(len(nodes)), lengths)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return rows, self.members[np.repeat(begin, lengths) + within]


class Hierarchy:
    """A directed acyclic graph of entities; nodes are numbers, `ids` are what they stand for."""

    def __init__(self, ids: pa.Array, child: NodeNumbers, parent: NodeNumbers) -> None:
        self.ids = ids
        keep = _acyclic(child, parent, len(self.ids))
        #: Edges (child, parent) that were left out because they close a circle.
        self.broken = [
            (self.ids[int(c)].as_py(), self.ids[int(p)].as_py())
            for c, p in zip(child[~keep], parent[~keep], strict=True)
        ]
        self._edges = child[keep], parent[keep]

    @cached_property
    def parents(self) -> NodeLists:
        """The nodes directly above each node."""
        child, parent = self._edges
        return NodeLists(child, parent, len(self))

    @cached_property
    def children(self) -> NodeLists:
        """The nodes directly below each node."""
        child, parent = self._edges
        return NodeLists(parent, child, len(self))

    @classmethod
    def of(cls, kb: Kb, relations: Iterable[str] = ()) -> Hierarchy:
        """By the `parents` of these relations: `is_a` if the KB has any such, else all."""
        known = [row[0] for row in kb.sql("select distinct relation from parents order by relation")]
        chosen = list(relations) or (["is_a"] if "is_a" in known else known)
        if not set(chosen) & set(known):
            raise UsageError(
                f"knowledge base {kb.name!r} has no parents"
                + (f" by {', '.join(chosen)}" if known else "")
                + "; take those of another one that has its ids with --hierarchy KB"
            )
        listed = ", ".join("'" + relation.replace("'", "''") + "'" for relation in chosen)
        query = f"select distinct child, parent from parents where relation in ({listed})"
        return cls.of_query(kb.connect(), query)

    @classmethod
    def of_query(cls, connection: Any, query: str) -> Hierarchy:
        """From a query that yields distinct edges as `child` and `parent`."""
        child, parent = _numbered(connection, query)
        ids = connection.sql("select id from nodes order by n").to_arrow_table().column(0).combine_chunks()
        return cls(ids, child, parent)

    def __len__(self) -> int:
        return len(self.ids)

    def number(self, identifier: str) -> int:
        """The node of an id, -1 if it is not in the hierarchy."""
        return int(self.numbers([identifier])[0])

    def numbers(self, ids: Any) -> NodeNumbers:
        """The nodes of many ids, -1 for those not in the hierarchy."""
        found = pc.fill_null(pc.index_in(pa.array(ids, pa.string()), self.ids), -1)
        numbers: NodeNumbers = found.to_numpy(zero_copy_only=False).astype(np.int64)
        return numbers

    @cached_property
    def roots(self) -> NodeNumbers:
        """Nodes without a parent."""
        return np.flatnonzero(np.diff(self.parents.starts) == 0)

    @cached_property
    def leaves(self) -> NodeNumbers:
        """Nodes without a child."""
        return np.flatnonzero(np.diff(self.children.starts) == 0)

    @cached_property
    def depths(self) -> NodeNumbers:
        """Shortest distance of each node to a root."""
        return _shortest(self.roots, self.children, len(self))

    @cached_property
    def heights(self) -> NodeNumbers:
        """Shortest distance of each node to a leaf below it."""
        return _shortest(self.leaves, self.parents, len(self))

    @cached_property
    def longest_depths(self) -> NodeNumbers:
        """Longest distance of each node to a root: one more than the largest of its parents'."""
        return _longest(self.roots, self.children, np.diff(self.parents.starts))

    @cached_property
    def longest_heights(self) -> NodeNumbers:
        """Longest distance of each node to a leaf below it."""
        return _longest(self.leaves, self.parents, np.diff(self.children.starts))

    @property
    def depth(self) -> int:
        """The largest depth of a node."""
        return int(self.depths.max(initial=0))

    def ancestors(self, identifier: str) -> set[str]:
        """Ids above one; empty if it is not in the hierarchy."""
        return self._reached(identifier, self.parents)

    def descendants(self, identifier: str) -> set[str]:
        """Ids below one; empty if it is not in the hierarchy."""
        return self._reached(identifier, self.children)

    def branch(self, identifier: str) -> NDArray[np.bool_]:
        """Of each node, whether it is this one or below it."""
        start = self.number(identifier)
        if start < 0:
            raise UsageError(f"{identifier!r} is not in the hierarchy: it has neither parents nor children there")
        return _shortest(np.array([start]), self.children, len(self)) >= 0

    def common_ancestors(self, first: str, second: str) -> set[str]:
        """Ids above both; each of the two counts as above itself."""
        return (self.ancestors(first) | {first}) & (self.ancestors(second) | {second})

    def _reached(self, identifier: str, lists: NodeLists) -> set[str]:
        start = self.number(identifier)
        if start < 0:
            return set()
        seen = {start}
        frontier = np.array([start])
        while len(frontier):
            fresh = [int(n) for n in np.unique(lists.of(frontier)[1]) if int(n) not in seen]
            seen.update(fresh)
            frontier = np.array(fresh, dtype=np.int64)
        return set(pc.take(self.ids, pa.array(sorted(seen - {start}), pa.int64())).to_pylist())


def _shortest(start: NodeNumbers, lists: NodeLists, size: int) -> NodeNumbers:
    """Steps from the nearest of `start` to each node along the lists; -1 where none leads."""
    steps = np.full(size, -1, dtype=np.int64)
    frontier, step = start, 0
    while len(frontier):
        steps[frontier] = step
        reached = lists.of(frontier)[1]
        reached = np.sort(reached[steps[reached] < 0])
        frontier, step = reached[np.diff(reached, prepend=-1) != 0], step + 1
    return steps


def _longest(start: NodeNumbers, lists: NodeLists, waiting: NodeNumbers) -> NodeNumbers:
    """Steps on the longest way from `start`: a node is due when all the nodes that it waits for are done."""
    waiting, steps = waiting.copy(), np.zeros(len(waiting), dtype=np.int64)
    frontier, step = start, 0
    while len(frontier):
        steps[frontier] = step
        reached, times = np.unique(lists.of(frontier)[1], return_counts=True)
        waiting[reached] -= times
        frontier, step = reached[waiting[reached] == 0], step + 1
    return steps


def circle_edges(connection: Any, query: str) -> list[tuple[str, str]]:
    """Those of the edges of a query that a `Hierarchy` of it leaves out; holds numbers in memory, no ids."""
    child, parent = _numbered(connection, query)
    keep = _acyclic(child, parent, int(max(child.max(initial=-1), parent.max(initial=-1))) + 1)
    name = "select id from nodes where n = ?"
    edges = zip(child[~keep], parent[~keep], strict=True)
    ids = ([connection.execute(name, [int(n)]).fetchall()[0][0] for n in edge] for edge in edges)
    return [(below, above) for below, above in ids]


def has_circle(child: NodeNumbers, parent: NodeNumbers, size: int) -> bool:
    """Whether edges, ordered by their parent, form a circle. An edge may come twice."""
    open_parents = np.bincount(child, minlength=size).astype(child.dtype)
    below = NodeLists(parent, child, size, ordered=True)
    settled = np.zeros(size, dtype=bool)
    _settle(np.flatnonzero(open_parents == 0), below, open_parents, settled)
    return not settled.all()


def _numbered(connection: Any, query: str) -> tuple[NodeNumbers, NodeNumbers]:
    """Child and parent of each edge as numbers, ordered by parent; the table `nodes` says whose they are."""
    connection.execute(f"create or replace temp table edges as {query}")
    connection.execute(
        "create or replace temp table nodes as select id, (row_number() over (order by id) - 1)::integer as n "
        "from (select child as id from edges union select parent from edges)"
    )
    found = connection.execute(
        "select c.n as child, p.n as parent from edges join nodes c on child = c.id join nodes p on parent = p.id "
        "order by p.n, c.n"
    ).fetchnumpy()
    return np.asarray(found["child"]), np.asarray(found["parent"])


def _acyclic(child: NodeNumbers, parent: NodeNumbers, size: int) -> NDArray[np.bool_]:
    """Which edges to keep so that no circle is left: take away nodes without open parents, again and again.

    When none is left to take there is a circle: its first node by id loses its parent on the circle.
    Edges must be distinct.
    """
    keep = np.ones(len(child), dtype=bool)
    ordered = bool((parent[1:] >= parent[:-1]).all())
    below = NodeLists(parent, child, size, ordered=ordered)
    open_parents = np.bincount(child, minlength=size)
    settled = np.zeros(size, dtype=bool)
    _settle(np.flatnonzero(open_parents == 0), below, open_parents, settled)
    if settled.all():
        return keep
    above = NodeLists(child, parent, size)
    edge_of = np.lexsort((parent, child))  # position in `above.members` → edge
    while not settled.all():
        node, over = _on_circle(int(np.argmin(settled)), above, settled)
        edges = edge_of[above.starts[node] : above.starts[node + 1]]
        keep[edges[parent[edges] == over]] = False
        above.members[above.starts[node] : above.starts[node + 1]] = np.where(above[node] == over, -1, above[node])
        open_parents[node] -= 1
        if open_parents[node] == 0:
            _settle(np.array([node]), below, open_parents, settled)
    return keep


def _settle(frontier: NodeNumbers, below: NodeLists, open_parents: NodeNumbers, settled: NDArray[np.bool_]) -> None:
    """Settle the frontier and whatever has no open parent left once that is done."""
    while len(frontier):
        settled[frontier] = True
        touched, times = np.unique(below.of(frontier)[1], return_counts=True)
        open_parents[touched] -= times
        frontier = touched[(open_parents[touched] == 0) & ~settled[touched]]


def _on_circle(start: int, above: NodeLists, settled: NDArray[np.bool_]) -> tuple[int, int]:
    """From a node that is on or below a circle up to one; the edge above the circle's smallest node."""
    path: list[int] = []
    node = start
    while node not in path:
        path.append(node)
        node = int(next(p for p in above[node] if p >= 0 and not settled[p]))
    circle = path[path.index(node) :]
    smallest = min(circle)
    return smallest, circle[(circle.index(smallest) + 1) % len(circle)]
