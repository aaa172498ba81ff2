"""The entities of a knowledge base as arrays: what it says of each, and which are above it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from linkassay.errors import UsageError
from linkassay.kbs import Hierarchy, Kb, NodeLists
from linkassay.linkers.entity_types import TYPED
from linkassay.store import MappedFolder, TextNumbers, Texts

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

#: What is a number of a list of texts, of which the first is empty.
_CODED = ("type", "category", "foreign")
#: The further columns.
_PLAIN = ("name_count", "depth", "children", "below", "serial", "age")


class EntityTable:
    """Entities by number, in the order of their ids; obsolete ones and those without a name are left out."""

    def __init__(
        self, number: TextNumbers, codes: dict[str, list[str]], columns: dict[str, NDArray[Any]], parents: NodeLists,
        above: NodeLists,
    ) -> None:  # fmt: skip
        """By what `of` made, or what was stored of that."""
        self.number, self.parents, self._codes = number, parents, codes
        self.types, self.categories, self.foreigns = (codes[name] for name in _CODED)
        #: Parents of any relation, e.g. the headings that a supplementary concept is mapped to.
        self.above = above
        self._listed = len(number)
        self._take(columns)

    def _take(self, columns: dict[str, NDArray[Any]]) -> None:
        self._columns = columns
        self.type, self.category, self.foreign = (columns[name] for name in _CODED)
        #: `below`: how many there are by any relation; `depth` and `children` are of the hierarchy.
        self.name_count, self.depth, self.children, self.below, self._serial, self.age = (
            columns[name] for name in _PLAIN
        )
        self.ids = self.number.texts

    @classmethod
    def of(cls, kb: Kb) -> EntityTable:
        """Those of a knowledge base."""
        connection = kb.connect()
        rows = connection.sql(
            "select id, any_value(typed.type) as type, any_value(category) as category, any_value(foreign_id) as "
            f'"foreign", count(*) as name_count from entities join {TYPED} typed using (id) join names using (id) '
            "group by id order by id"
        ).to_arrow_table()
        number = TextNumbers.of(Texts.of_arrow(rows.column("id")))
        ids, size = number.texts, len(rows)
        edges = connection.sql("select distinct child, parent from parents").to_arrow_table()
        child, parent = _both_known(*(_numbers(edges.column(name), ids) for name in ("child", "parent")))
        depth, children, parents = _hierarchy(kb, ids)
        serial = np.array([_serial(identifier) for identifier in ids], dtype=np.float64)
        codes = {name: coded_column(rows.column(name)) for name in _CODED}
        columns = {name: numbers for name, (_, numbers) in codes.items()} | {
            "name_count": rows.column("name_count").to_numpy().astype(np.int32),
            "depth": depth,
            "children": children,
            "below": np.bincount(parent, minlength=size).astype(np.int32),
            "serial": serial,
            "age": _ages(serial),
        }
        texts = {name: texts for name, (texts, _) in codes.items()}
        return cls(number, texts, columns, parents, NodeLists(child, parent, size))

    def store(self, files: MappedFolder) -> None:
        """Write the table."""
        files.put_numbers("ids", self.number)
        files.put_record("codes", self._codes)
        files.put_arrays(self._columns)
        self.parents.store(files.part("parents"))
        self.above.store(files.part("above"))

    @classmethod
    def opened(cls, files: MappedFolder) -> EntityTable:
        """The table that was written."""
        columns = {name: files.array(name) for name in (*_CODED, *_PLAIN)}
        parents, above = (NodeLists.opened(files.part(name)) for name in ("parents", "above"))
        return cls(files.numbers("ids"), files.record("codes"), columns, parents, above)

    def numbers(self, column: Any) -> Integers:
        """The number of each id of an Arrow column, all of which are entities."""
        return _numbers(column, self.ids)

    @property
    def added(self) -> list[str]:
        """The ids that were added."""
        return self.ids[self._listed :]

    def add(self, ids: Iterable[str]) -> None:
        """Further entities, of which nothing but the id is known."""
        new = sorted({identifier for identifier in ids if identifier not in self.number})
        if not new:
            return
        self.number = self.number.with_further(Texts.of(new))
        columns = {
            name: np.pad(values, (0, len(new)), constant_values=-1 if name == "depth" else 0)
            for name, values in self._columns.items()
        }
        columns["serial"][-len(new) :] = [_serial(identifier) for identifier in new]
        columns["age"] = _ages(columns["serial"])
        self._take(columns)
        self.parents, self.above = (
            NodeLists.joined(np.pad(lists.starts, (0, len(new)), mode="edge"), lists.members)
            for lists in (self.parents, self.above)
        )


def _numbers(column: Any, ids: Texts) -> Integers:
    """The number of each id of a column; -1 for those that are no entity."""
    found: Integers = pc.index_in(column.cast(pa.large_string()), value_set=ids.to_arrow()).fill_null(-1).to_numpy()
    return found


def _both_known(child: Integers, parent: Integers) -> tuple[Integers, Integers]:
    kept = (child >= 0) & (parent >= 0)
    return child[kept], parent[kept]


def _hierarchy(kb: Kb, ids: Texts) -> tuple[Integers, Integers, NodeLists]:
    """Depth, number of children and parents of each entity; nothing where the KB has no hierarchy."""
    size = len(ids)
    depth, children = np.full(size, -1, dtype=np.int32), np.zeros(size, dtype=np.int32)
    try:
        graph = Hierarchy.of(kb)
    except UsageError:
        none = np.empty(0, dtype=np.int32)
        return depth, children, NodeLists(none, none, size)
    own = _numbers(graph.ids, ids)
    there = own >= 0
    depth[own[there]] = graph.depths[there]
    children[own[there]] = np.diff(graph.children.starts)[there]
    child, parent = graph.parents.of(np.arange(len(graph)))
    return depth, children, NodeLists(*_both_known(own[child], own[parent]), size)


def coded_column(column: Any) -> tuple[list[str], Integers]:
    """The distinct texts of a column after the empty one, and the number of each row's; what is missing is empty."""
    found = pa.concat_arrays([pa.array([""]), *pc.fill_null(column, "").chunks]).dictionary_encode()
    return found.dictionary.to_pylist(), np.asarray(found.indices)[1:]


def _serial(identifier: str) -> float:
    """The number in an id."""
    local = identifier.partition(":")[2]
    return float((local if local.isdigit() else "".join(filter(str.isdigit, local)))[:15] or 0)


def _ages(serial: Floats) -> Floats:
    """From 0 to 1 by the number in an id, which grows with time in most knowledge bases."""
    ages: Floats = np.linspace(0.0, 1.0, max(1, len(serial)))[np.argsort(np.argsort(serial, kind="stable"))]
    return ages
