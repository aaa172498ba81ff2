"""The last step of a build: joins what the shards read, sorts it, repairs and reports what is odd.

Everything is SQL over Parquet with a bound on memory; what does not fit is spilled to disk. Every
order is total, so the result is the same bytes whatever the number of shards, threads or spills.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from linkassay.kbs.base import SCHEMAS
from linkassay.kbs.hierarchy import circle_edges

__all__ = ["merge"]

MEMORY = "600MB"
#: How many examples of each oddity the manifest keeps.
EXAMPLES = 5
#: Steps of following history all at once; longer chains are followed one by one.
LONGEST_CHAIN = 50

_ENTITIES = """
select id, type, category, definition, foreign_id, obsolete
from staged_entities {named} order by id
"""
#: The same where rows of one id come from several files.
_JOINED_ENTITIES = """
select id, max(type) as type,
       coalesce(array_to_string(list_sort(list(distinct category) filter (category <> '')), '|'), '') as category,
       max(definition) as definition, max(foreign_id) as foreign_id, bool_or(obsolete) as obsolete
from staged_entities {named} group by id order by id
"""

_NAMES = """
select id, name, kind, "primary", key from staged_names order by id, "primary" desc, name, kind
"""
#: Of the primary names of an entity the first stays one; an entity without any gets its first name.
_REPAIRED_NAMES = """
select n.id, n.name, n.kind,
       case when f.id is null then n."primary" else n.name = f.name and n.kind = f.kind end as "primary", n.key
from staged_names n left join first_names f using (id)
order by n.id, 4 desc, n.name, n.kind
"""
_FIRST_NAMES = """
create table first_names as
with odd as (select id from staged_names group by id having count(*) filter ("primary") <> 1)
select id, arg_min(name, (not "primary", name, kind)) as name, arg_min(kind, (not "primary", name, kind)) as kind
from staged_names where id in (select id from odd) group by id
"""


def merge(shards: list[Path], target: Path, spill: Path) -> tuple[dict[str, int], dict[str, Any]]:
    """Write the tables of SPEC §4 into `target`; returns their row counts and what was odd."""
    import duckdb

    spill.mkdir(parents=True, exist_ok=True)
    connection: Any = duckdb.connect()
    connection.execute(f"set memory_limit = '{MEMORY}'")
    connection.execute("set preserve_insertion_order = true")
    connection.execute(f"set temp_directory = '{_quoted(spill)}'")
    for table, schema in SCHEMAS.items():
        # DuckDB encodes the rows of a single file in another way than those of several (it knows
        # its statistics), so there are always several: an empty one is among them.
        empty = spill / f"empty-{table}.parquet"
        pq.write_table(schema.empty_table(), empty)
        paths = [path for shard in shards if (path := shard / f"{table}.parquet").exists()]
        listed = ", ".join(f"'{_quoted(p)}'" for p in (empty, empty, *paths))
        connection.execute(f"create view staged_{table} as select * from read_parquet([{listed}])")

    def write(name: str, query: str) -> int:
        path = target / f"{name}.parquet"
        connection.execute(f"copy ({query}) to '{_quoted(path)}' (format parquet, compression lz4_raw)")
        connection.execute(f"create view \"{name}\" as select * from read_parquet('{_quoted(path)}')")
        return int(connection.execute(f'select count(*) from "{name}"').fetchall()[0][0])

    report = _Report(connection)
    connection.execute(_FIRST_NAMES)
    report.add("entities without exactly one primary name (the first name is taken)", "select id from first_names")
    counts = {"names": write("names", _REPAIRED_NAMES if report.found else _NAMES)}
    nameless = "entities without a name (left out)"
    report.add(nameless, "select distinct id from staged_entities anti join names using (id)")
    several = _rows(connection, "select id from staged_entities group by id having count(*) > 1 limit 1")
    query = _JOINED_ENTITIES if several else _ENTITIES
    named = "semi join names using (id)" if nameless in report.found else ""
    counts["entities"] = write("entities", query.format(named=named))
    report.add("names of ids that are no entity", "select distinct id from names anti join entities using (id)")
    write("lookup", "select key, id from names order by key, id")
    counts["parents"] = write("parents", "select distinct child, parent, relation from staged_parents "
                                         "where child <> parent order by child, parent, relation")  # fmt: skip
    report.add("parents that are no entity",
               "select distinct parent from parents where parent not in (select id from entities)")  # fmt: skip
    _report_circles(connection, report)
    counts["history"] = write("history", "select distinct old, new from staged_history "
                                         "where old <> new order by old, new")  # fmt: skip
    _resolve(connection, write, report)
    counts["xrefs"] = write("xrefs", "select distinct id, other from staged_xrefs order by id, other")
    counts["foreign"] = write("foreign", 'select id, max(name) as name from (select id, name from staged_foreign union '
                                         "all select foreign_id, '' from entities where foreign_id <> '') "
                                         "group by id order by id")  # fmt: skip
    connection.close()
    return counts, report.found


class _Report:
    """Counts oddities, with the first few examples of each."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.found: dict[str, Any] = {}

    def add(self, what: str, query: str) -> None:
        """`query` yields one column: the ids concerned."""
        count = self._connection.execute(f"select count(*) from ({query})").fetchall()[0][0]
        if count:
            rows = self._connection.execute(f"select * from ({query}) order by 1 limit {EXAMPLES}").fetchall()
            self.found[what] = {"count": count, "examples": [row[0] for row in rows]}


def _resolve(connection: Any, write: Any, report: _Report) -> None:
    """Follow chains of merges to their ends: table `current(old, new)`, no `new` being moved itself.

    Only rows whose target was moved itself are followed, step by step. What has no end after many
    steps is in a long chain or runs into a circle; these few are followed one by one.
    """
    connection.execute("create table steps as select old, new from history where new <> ''")
    moved_again = "join (select old as new from steps) using (new)"
    connection.execute(f"create table moved as select old, new from steps anti {moved_again}")
    connection.execute(f"create table chained as select old, new from steps semi {moved_again}")
    for _ in range(LONGEST_CHAIN):
        if not _rows(connection, "select 1 from chained limit 1"):
            break
        connection.execute(
            "create or replace table further as "
            "select distinct c.old, s.new from chained c join steps s on c.new = s.old"
        )
        connection.execute(f"insert into moved select old, new from further anti {moved_again}")
        connection.execute(f"create or replace table chained as select old, new from further semi {moved_again}")
    if endless := {row[0] for row in _rows(connection, "select distinct old from chained")}:
        ends, circles = _around_circles(connection, endless)
        connection.execute("delete from moved where old in (select old from chained)")
        connection.executemany("insert into moved values (?, ?)", ends or [("", "")])
        if circles:
            what = "ids whose history is a circle (they stay as they are)"
            report.found[what] = {"count": len(circles), "examples": sorted(circles)[:EXAMPLES]}
    connection.execute(
        "create table gone as select old from history where new = '' and old not in (select old from moved)"
    )
    report.add("history to ids that are no entity",
               "select distinct new from moved where new not in (select id from entities)")  # fmt: skip
    still = "select distinct old from history where old in (select id from entities where not obsolete)"
    report.add("history of ids that are entities still", still)
    write("current", "select distinct old, new from (select old, new from moved union all select old, '' from gone) "
                     "where old <> '' order by old, new")  # fmt: skip


def _around_circles(connection: Any, endless: set[str]) -> tuple[list[tuple[str, str]], set[str]]:
    """Where ids end that run into circles: at ids without history or at ids of a circle."""
    moves: dict[str, list[str]] = {}
    waiting, asked = set(endless), set(endless)
    while waiting:
        for old, new in connection.execute(
            "select old, new from history where new <> '' and list_contains(?, old)", [sorted(waiting)]
        ).fetchall():
            moves.setdefault(old, []).append(new)
        waiting = {new for news in moves.values() for new in news} - asked
        asked |= waiting
    circles = {old for old in moves if old in _reached(moves, old, set())}
    ends = [
        (old, end)
        for old in endless - circles
        for end in _reached(moves, old, circles)
        if end in circles or end not in moves
    ]
    return ends, circles


def _reached(moves: dict[str, list[str]], start: str, stops: set[str]) -> set[str]:
    """Every id that moves lead to, not going on from `stops`."""
    found: set[str] = set()
    waiting = list(moves[start])
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            waiting += moves.get(at, []) if at not in stops else []
    return found


def _rows(connection: Any, query: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = connection.execute(query).fetchall()
    return rows


def _report_circles(connection: Any, report: _Report) -> None:
    """Circles of `is_a`; the hierarchy leaves out the edges that close them. Other relations may go round."""
    query = "select child, parent from parents where relation = 'is_a'"
    broken = sorted(circle_edges(connection, query))
    if broken:
        examples = [f"{child} → {parent}" for child, parent in broken[:EXAMPLES]]
        found = {"count": len(broken), "examples": examples}
        report.found["is_a edges that close a circle (left out of the hierarchy)"] = found


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
