"""The last step of a build: joins what the shards read, sorts it, repairs and reports what is odd.

The shards leave sorted runs (`Staging`). All that is known of the ids of one range is brought together at once, so
memory is bounded by the size of a range; only the circles of a hierarchy are sought over numbers of all its edges,
and the few ids that were moved more than once are followed together. Every order is total, so the result is the same
bytes whatever the number of shards or threads.
"""

from __future__ import annotations

import os
import shutil
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from linkassay import store
from linkassay.kbs.building.external_sort import (
    GROUP,
    RUN,
    ColumnTexts,
    SortedPieces,
    TableWriter,
    append_sorted,
    firsts,
    in_order,
    marked,
    ordered,
    splitters,
)
from linkassay.kbs.building.moves import LATER, Again, Ends, resolved, walked
from linkassay.kbs.hierarchy import NodeNumbers, circle_edges, has_circle
from linkassay.kbs.schema import SCHEMAS

#: What DuckDB may hold in memory while it follows history.
MEMORY = "400MB"
#: How many examples of each oddity the manifest keeps.
EXAMPLES = 5

#: How each table is sorted; `-`: descending. Equal input gives equal bytes (KB-15).
_ORDERS = {
    "entities": ("id",),
    "names": ("id", "-primary", "name", "kind"),
    "parents": ("child", "parent", "relation"),
    "history": ("old", "new"),
    "xrefs": ("id", "other"),
    "foreign": ("id", "name"),
    "lookup": ("key", "id"),
}
#: Tables of pairs, in which a row that comes twice, or leads from an id to itself, says nothing.
_PAIRS = ("parents", "history", "xrefs")
#: What is staged beside the tables: keys with their ids, the edges of each run of `parents` by parent, and moves by
#: where they lead.
_LOOKUP = pa.schema([("key", pa.string()), ("id", pa.string())])
_ABOVE = pa.schema([("parent", pa.string()), ("row", pa.int64()), ("is_a", pa.bool_())])
_STAGED = SCHEMAS | {"lookup": _LOOKUP, "above": _ABOVE, "later": LATER, "current": SCHEMAS["history"]}
#: What is found together, range by range of ids.
_BY_ID = ("entities", "names", "parents", "above", "history", "later", "xrefs")
#: Columns of few different values.
_DICTIONARIES = {"entities": ("type", "category", "foreign_id"), "names": ("kind",), "parents": ("relation",)}

#: Rows of one id from several files become one.
_JOINED_ENTITIES = """
select id, max(type) as type,
       coalesce(array_to_string(list_sort(list(distinct category) filter (category <> '')), '|'), '') as category,
       max(definition) as definition, max(foreign_id) as foreign_id, bool_or(obsolete) as obsolete
from several group by id order by id
"""

#: What is repaired or reported of names (KB-2) and of history (KB-4).
_PRIMARY = "entities without exactly one primary name (the first name is taken)"
_NAMELESS = "entities without a name (left out)"
_UNKNOWN = "names of ids that are no entity"
_ORPHANS = "parents that are no entity"
_STILL = "history of ids that are entities still (left out)"
_NOWHERE = "history to ids that are no entity"
_CIRCLES = "ids whose history is a circle (they stay as they are)"


class Staging:
    """Writes the rows of one shard as sorted runs; at most `RUN` rows of a table wait in memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: dict[str, list[pa.Table]] = {}
        self._writers: dict[str, Any] = {}

    def add(self, table: str, rows: pa.Table) -> None:
        """Rows of a table, in any order."""
        waiting = self._waiting.setdefault(table, [])
        waiting.append(rows)
        if sum(map(len, waiting)) >= RUN:
            self._sort(table)

    def close(self) -> None:
        """Write what waits."""
        for table in list(self._waiting):
            self._sort(table)
        self.abandon()

    def abandon(self) -> None:
        """Close the files as they are."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def _sort(self, table: str) -> None:
        rows = pa.concat_tables(self._waiting.pop(table))
        if table in _PAIRS:
            one, other = _ORDERS[table][:2]
            rows = marked(rows, pc.not_equal(rows[one], rows[other]))
        rows = ordered(rows, _ORDERS[table][:1])  # all that is asked of a run; ranges are sorted again
        self._write(table, rows)
        if table == "names":
            self._write("lookup", ordered(rows.select(["key", "id"]), ("key",)))
        if table == "parents":
            row, is_a = np.arange(len(rows)), pc.equal(rows["relation"], "is_a")
            self._write("above", ordered(pa.table([rows["parent"], row, is_a], schema=_ABOVE), ("parent",)))
        if table == "history":
            moves = marked(rows.select(["new", "old"]), pc.not_equal(rows["new"], ""))
            self._write("later", ordered(moves, ("new",)))

    def _write(self, name: str, rows: pa.Table) -> None:
        append_sorted(self._writers, self._folder, name, rows)


def merge(
    shards: list[Path], target: Path, spill: Path, workers: int = 0, names: Path | None = None
) -> tuple[dict[str, int], dict[str, Any]]:
    """Write the tables (KB-1) into `target`; returns their row counts and what was odd.

    `names` is a shard whose names stand in place of those of the `shards`.
    """
    workers = workers or os.cpu_count() or 1
    spill.mkdir(parents=True, exist_ok=True)
    report = _Report()
    name_shards = shards if names is None else [names]
    edges, again, foreign = _by_id(shards, name_shards, target, report, workers)
    _sorted(name_shards, "lookup", target, workers)
    foreign |= bool(_sorted(shards, "foreign", spill, workers))
    pa.default_memory_pool().release_unused()
    circular = edges.circular()
    del edges
    ends = walked(again, target / "history.parquet")
    if circular or foreign or ends is None:  # else DuckDB need not be loaded
        with _database(target, spill) as connection:
            if circular:
                _report_circles(connection, report)
            ends = ends or resolved(connection, again)
            report.add(_CIRCLES, len(ends.circles), ends.circles[:EXAMPLES])
            report.add(_NOWHERE, len(ends.nowhere), ends.nowhere)
            if foreign:
                _write_foreign(connection, target)
    _write_current(ends, target)
    if not foreign:
        _writer("foreign", target).close()
    return {name: pq.read_metadata(target / f"{name}.parquet").num_rows for name in SCHEMAS}, report.found


@contextmanager
def _database(target: Path, spill: Path) -> Iterator[Any]:
    """A connection to the tables that are written, with a bound on its memory."""
    views = {name: [target / f"{name}.parquet"] for name in ("entities", "names", "parents", "history", "xrefs")}
    with store.connect(views | {"staged_foreign": [spill / "foreign.parquet"]}, alone=True) as connection:
        connection.execute(f"set memory_limit = '{MEMORY}'")
        connection.execute("set preserve_insertion_order = true")
        connection.execute(f"set temp_directory = '{_quoted(spill)}'")
        yield connection


class _Report:
    """Counts oddities, with the first few examples of each."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def add(self, what: str, count: int, examples: list[str]) -> None:
        """More of an oddity; the first in order are kept as examples."""
        if count:
            found = self.found.setdefault(what, {"count": 0, "examples": []})
            found["count"] += count
            found["examples"] = sorted([*found["examples"], *examples])[:EXAMPLES]


@dataclass
class _Range:
    """What came of one range of ids: rows to store, oddities, and the `is_a` edges as numbers."""

    tables: dict[str, pa.Table] = field(default_factory=dict)
    odd: dict[str, pa.Array] = field(default_factory=dict)
    nodes: int = 0
    again: Again = field(default_factory=lambda: Again())
    #: The edges that begin here and the nodes where they do; those that end here, ordered by where.
    out_of: tuple[NodeNumbers, NodeNumbers] | None = None
    into: tuple[NodeNumbers, NodeNumbers] | None = None


class _Edges:
    """Edges of the hierarchy, numbered as they lie in the runs, between nodes that are numbers as well."""

    def __init__(self, count: int) -> None:
        small = np.int32 if count < 1 << 30 else np.int64
        self._nodes = 0
        self._child: NodeNumbers = np.zeros(count, dtype=small)
        self._parent, self._order = [np.zeros(0, small)], [np.zeros(0, small)]

    def add(self, found: _Range) -> None:
        """The two ends of an edge are found in the ranges of their ids."""
        if found.out_of and found.into:
            edges, nodes = found.out_of
            self._child[edges] = nodes + self._nodes
            edges, nodes = found.into
            self._parent.append((nodes + self._nodes).astype(self._child.dtype))
            self._order.append(edges.astype(self._child.dtype))
            self._nodes += found.nodes

    def circular(self) -> bool:
        """Whether a path of edges leads back to where it began."""
        order = np.concatenate(self._order)
        child: NodeNumbers = self._child[order]
        parent: NodeNumbers = np.concatenate(self._parent)
        del order, self._child, self._order, self._parent  # a few bytes for each edge
        return has_circle(child, parent, self._nodes)


def _by_id(
    shards: list[Path], name_shards: list[Path], target: Path, report: _Report, workers: int
) -> tuple[_Edges, Again, bool]:
    """The tables whose rows belong to an id, range by range of ids; also whether some have a foreign id."""
    runs = {name: SortedPieces(name_shards if name == "names" else shards, name, _STAGED[name]) for name in _BY_ID}
    between = splitters(runs.values())
    for found in runs.values():
        found.cut(between)
    edges = _Edges(runs["parents"].starts[-1])
    stored = ("entities", "names", "parents", "history", "xrefs")
    writers = {name: _writer(name, target) for name in stored}
    again, foreign = [Again()], False
    try:
        for part in in_order(lambda at: _range(runs, at), len(between) + 1, workers):
            for name, table in part.tables.items():
                writers[name].add(table)
            for what, ids in part.odd.items():
                report.add(what, len(ids), ids[:EXAMPLES].to_pylist())
            edges.add(part)
            again.append(part.again)
            foreign |= pc.any(pc.not_equal(part.tables["entities"]["foreign_id"], "")).as_py() is True
            del part
    finally:
        for writer in writers.values():
            writer.close()
    return edges, Again.of(again), foreign


def _range(runs: dict[str, SortedPieces], at: int) -> _Range:
    """Join, repair and check what is known of the ids of one range."""
    found = _Range()
    names = ordered(runs["names"].rows(at), _ORDERS["names"])
    names, found.odd[_PRIMARY] = _one_primary(names)
    named = names["id"].filter(pa.array(firsts(names, ("id",)))).combine_chunks()
    entities = _joined(ordered(runs["entities"].rows(at), _ORDERS["entities"]))
    ids = entities["id"].combine_chunks()
    if not ids.equals(named):
        has_name = pc.is_in(ids, named)
        found.odd[_NAMELESS] = ids.filter(pc.invert(has_name))
        entities, ids = entities.filter(has_name), ids.filter(has_name)
        found.odd[_UNKNOWN] = _without(named, ids)
    found.tables = {"names": names, "entities": entities}
    for table in _PAIRS:
        rows = ordered(runs[table].rows(at), _ORDERS[table])
        found.tables[table] = marked(rows, pa.array(firsts(rows, rows.schema.names)))
    above = [(runs["parents"].starts[run], batch) for run, _, batch in runs["above"].slices(at)]
    below = [(runs["parents"].starts[run] + begin, batch) for run, begin, batch in runs["parents"].slices(at)]
    later, history = runs["later"].rows(at), found.tables["history"]
    asked = [history["old"], later["new"], *(b["parent"] for _, b in above), *(b["child"] for _, b in below)]
    places = _places(asked, ids)
    _moves(found, later, entities, *places[:2])
    _number(found, above, below, places[2:], len(ids))
    return found


def _places(asked: list[pa.Array | pa.ChunkedArray], ids: pa.Array) -> list[NodeNumbers]:
    """For each of some columns where its values are among sorted ids; -1: nowhere. One table of the ids serves all."""
    chunks = [c for column in asked for c in (column.chunks if isinstance(column, pa.ChunkedArray) else [column])]
    everything = pa.chunked_array(chunks, pa.string())
    found = pc.fill_null(pc.index_in(everything, value_set=ids), -1).to_numpy()
    return np.split(found, np.cumsum([len(column) for column in asked])[:-1])


def _moves(found: _Range, later: pa.Table, entities: pa.Table, of_old: NodeNumbers, of_new: NodeNumbers) -> None:
    """History without that of ids which are entities still; which moves to ids of this range lead on, which nowhere."""
    history = found.tables["history"]
    current = np.append(pc.invert(entities["obsolete"]).to_numpy(), False)  # at the end what is no entity
    still = current[of_old]
    if still.any():
        found.odd[_STILL] = pc.unique(history["old"].filter(pa.array(still)))
        history = found.tables["history"] = history.filter(pa.array(~still))
    moved = pc.not_equal(history["new"], "")
    old = marked(history.select(["old"]), moved)["old"].combine_chunks()
    # Few lead to what is no entity of today: only these can lead on, and only what they name is sought.
    open_ended = later["new"].filter(pa.array(~current[of_new]))
    again = pc.is_in(later["new"], old.filter(pc.is_in(old, open_ended.combine_chunks())))
    removed = history["old"].filter(pc.invert(moved)).combine_chunks()
    found.again = Again(later.filter(again), removed.filter(pc.is_in(removed, old)))
    found.odd[_NOWHERE] = _sorted_ids(later["new"].filter(pc.and_(pc.invert(again), pa.array(of_new < 0))))


def _sorted_ids(ids: pa.ChunkedArray) -> pa.Array:
    """Each once."""
    found = pc.unique(ids)
    return found.take(pc.sort_indices(found))


def _one_primary(names: pa.Table) -> tuple[pa.Table, pa.Array]:
    """Of the primary names of an entity the first stays one; an entity without any gets its first name.

    Also the ids where that was needed.
    """
    begins = np.flatnonzero(firsts(names, ("id",)))
    if not len(begins):
        return names, pa.array([], pa.string())
    primary = names["primary"].to_numpy().astype(np.int64)
    odd = np.add.reduceat(primary, begins) != 1
    if not odd.any():
        return names, pa.array([], pa.string())
    owner = np.cumsum(firsts(names, ("id",))) - 1
    first = names.take(pa.array(begins[owner]))
    same = pc.and_(pc.equal(names["name"], first["name"]), pc.equal(names["kind"], first["kind"]))
    repaired = np.where(odd[owner], same.to_numpy(), primary.astype(bool))
    names = names.set_column(names.schema.get_field_index("primary"), "primary", pa.array(repaired))
    return ordered(names, _ORDERS["names"]), names["id"].take(pa.array(begins[odd])).combine_chunks()


def _joined(entities: pa.Table) -> pa.Table:
    if firsts(entities, ("id",)).all():
        return entities
    with store.connect(alone=True) as connection:
        connection.execute("set threads = 1")
        connection.register("several", entities)
        return connection.sql(_JOINED_ENTITIES).to_arrow_table().cast(SCHEMAS["entities"])


def _number(
    found: _Range,
    above: list[tuple[int, pa.RecordBatch]],
    below: list[tuple[int, pa.RecordBatch]],
    places: list[NodeNumbers],
    size: int,
) -> None:
    """Number the ids of this range that are ends of `is_a` edges, those that are no entity after the others.

    Pieces are given with the number of the edge from which theirs count; `places`: where their ids are among entities.
    """
    orphans = [b["parent"].filter(pa.array(at < 0)) for (_, b), at in zip(above, places, strict=False)]
    found.odd[_ORPHANS] = _sorted_ids(pa.chunked_array(orphans, pa.string()))
    ends: list[pa.Array] = []  # those that are no entity
    nodes: list[NodeNumbers] = [np.zeros(0, np.int64)]
    edges: list[NodeNumbers] = [np.zeros(0, np.int64)]
    children = 0
    for number, ((first, batch), at) in enumerate(zip([*above, *below], places, strict=True)):
        upper = number < len(above)
        chosen = batch["is_a"] if upper else pc.equal(batch["relation"], "is_a")
        is_a = np.flatnonzero(chosen)
        nodes.append(at[is_a])
        ends.append(batch["parent" if upper else "child"].filter(pc.and_(chosen, pa.array(at < 0))))
        edges.append(first + (batch["row"].to_numpy()[is_a] if upper else is_a))
        children += 0 if upper else len(is_a)
    numbers = np.concatenate(nodes)
    if not len(numbers):
        return
    strange = pa.chunked_array(ends, pa.string()).combine_chunks().dictionary_encode()
    numbers[numbers < 0] = size + strange.indices.to_numpy()
    used = np.zeros(size + len(strange.dictionary), dtype=bool)
    used[numbers] = True
    numbers = (np.cumsum(used) - 1)[numbers]
    every = np.concatenate(edges)
    parents = len(numbers) - children
    found.nodes = int(used.sum())
    found.out_of = every[parents:], numbers[parents:]
    by_parent = np.argsort(numbers[:parents])
    found.into = every[:parents][by_parent], numbers[:parents][by_parent]


def _sorted(shards: list[Path], name: str, target: Path, workers: int) -> int:
    """A table that needs nothing but its order; returns how many rows it has."""
    runs = SortedPieces(shards, name, _STAGED[name])
    between = splitters([runs])
    runs.cut(between)
    writer = _writer(name, target)
    try:
        for table in in_order(lambda at: ordered(runs.rows(at), _ORDERS[name]), len(between) + 1, workers):
            writer.add(table)
    finally:
        writer.close()
    return writer.rows


def _writer(name: str, target: Path) -> TableWriter:
    return TableWriter(target / f"{name}.parquet", _STAGED[name], _DICTIONARIES.get(name, ()))


def _without(ids: pa.Array, others: pa.Array) -> pa.Array:
    return ids.filter(pc.invert(pc.is_in(ids, others)))


def _write_current(ends: Ends, target: Path) -> None:
    """The table `current`: history, with the rows of the ids `affected` replaced by where they end."""
    if not len(ends.affected):
        shutil.copyfile(target / "history.parquet", target / "current.parquet")
        return
    moved = ordered(ends.moved, _ORDERS["history"])
    writer, begin = _writer("current", target), 0
    file = pq.ParquetFile(target / "history.parquet")
    try:
        for batch in file.iter_batches(GROUP):
            kept = pa.Table.from_batches([batch.filter(pc.invert(pc.is_in(batch["old"], ends.affected)))])
            # Rows of the last id may go on in the next batch; where it ends is written here.
            end = begin + bisect_right(ColumnTexts(moved["old"][begin:]), batch["old"][len(batch) - 1].as_py())
            if begin < end:
                kept = ordered(pa.concat_tables([kept, moved.slice(begin, end - begin)]), _ORDERS["history"])
            writer.add(kept)
            begin = end
    finally:
        writer.close()
        file.close()


def _write_foreign(connection: Any, target: Path) -> None:
    """The table `foreign`: the names of all foreign ids, "" where nothing names them."""
    query = """
        select id, max(name) as name
        from (select id, name from staged_foreign union all select foreign_id, '' from entities where foreign_id <> '')
        group by id order by id
    """
    path = _quoted(target / "foreign.parquet")
    connection.execute(f"copy ({query}) to '{path}' (format parquet, compression lz4_raw)")


def _report_circles(connection: Any, report: _Report) -> None:
    """Circles of `is_a`; the hierarchy leaves out the edges that close them. Other relations may go round."""
    query = "select child, parent from parents where relation = 'is_a'"
    broken = sorted(circle_edges(connection, query))
    examples = [f"{child} → {parent}" for child, parent in broken[:EXAMPLES]]
    report.add("is_a edges that close a circle (left out of the hierarchy)", len(broken), examples)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
