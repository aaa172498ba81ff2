"""History followed to its ends (KB-4): ids that were moved to ids that were moved themselves.

Few of them are walked one by one; many are followed all at once by DuckDB.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from linkassay.kbs.schema import SCHEMAS

#: Moves that are walked one by one, and how many ids each may lead through.
FEW = 20_000
#: Steps of following history all at once; longer chains are followed one by one.
LONGEST_CHAIN = 50

#: Moves by where they lead.
LATER = pa.schema([("new", pa.string()), ("old", pa.string())])


@dataclass
class Again:
    """Moves to ids that were moved themselves, and ids that were both moved and removed: few, all held in memory."""

    moves: pa.Table = field(default_factory=LATER.empty_table)
    removed: pa.Array = field(default_factory=lambda: pa.array([], pa.string()))

    def __bool__(self) -> bool:
        return bool(len(self.moves) or len(self.removed))

    @classmethod
    def of(cls, parts: list[Again]) -> Again:
        """Those of all ranges."""
        return cls(pa.concat_tables([p.moves for p in parts]), pa.concat_arrays([p.removed for p in parts]))


class Ends(NamedTuple):
    """Where the moves of the ids `affected` end, as rows of `history`; circles that were met, and ends on them."""

    affected: pa.Array | pa.ChunkedArray
    moved: pa.Table
    circles: list[str]  # ids whose history is a circle
    nowhere: list[str]  # those of them that others end at and that are no entity


def walked(again: Again, history: Path) -> Ends | None:
    """The ends of few moves; nothing if they are many, or one of them is long or runs into a circle."""
    if len(again.moves) + len(again.removed) > FEW:
        return None
    moves: dict[str, list[str]] = {}
    gone: set[str] = set()
    if again:
        asked = pc.unique(pa.chunked_array([*again.moves["new"].chunks, *again.moves["old"].chunks, again.removed]))
        with pq.ParquetFile(history) as file:
            for batch in file.iter_batches():
                some = batch.filter(pc.is_in(batch["old"], asked))
                for old, new in zip(some["old"].to_pylist(), some["new"].to_pylist(), strict=True):
                    if new:
                        moves.setdefault(old, []).append(new)
                    else:
                        gone.add(old)
    chained = {old for old, news in moves.items() if any(new in moves for new in news)}
    affected = sorted(chained.union(again.removed.to_pylist()))
    found: list[tuple[str, str]] = []
    for old in affected:
        reached = _reached(moves, old, set()) if old in moves else set()
        if len(reached) > LONGEST_CHAIN or old in reached:
            return None
        found += [(old, end) for end in reached if end not in moves] or ([(old, "")] if old in gone else [])
    columns = [pa.array(column, pa.string()) for column in zip(*found, strict=True)] or [pa.nulls(0, pa.string())] * 2
    return Ends(pa.array(affected, pa.string()), pa.Table.from_arrays(columns, schema=SCHEMAS["history"]), [], [])


def resolved(connection: Any, again: Again) -> Ends:
    """The ends of many moves, by the tables `history` and `entities` of DuckDB.

    Every step is taken for all at once. What has no end after many steps is in a long chain or runs into a circle;
    these few are followed one by one.
    """
    connection.register("again", again.moves)
    connection.register("removed", pa.table({"old": again.removed}))
    connection.execute("create table chained as select distinct old, new from again semi join history using (old, new)")
    connection.execute("create table affected as select old from chained union select old from removed")
    connection.execute("create table moved as select old, new from history semi join affected using (old) "
                       "anti join chained using (old, new) where new <> ''")  # fmt: skip
    connection.execute(
        "create table steps as select old, new from history where new <> '' and old in (select new from chained)"
    )
    moved_again = "join (select old as new from steps) using (new)"
    for _ in range(LONGEST_CHAIN):
        if not _rows(connection, "select 1 from chained limit 1"):
            break
        connection.execute(
            "create or replace table further as "
            "select distinct c.old, s.new from chained c join steps s on c.new = s.old"
        )
        connection.execute(f"insert into moved select old, new from further anti {moved_again}")
        connection.execute(f"create or replace table chained as select old, new from further semi {moved_again}")
    circles: set[str] = set()
    nowhere: list[str] = []
    if endless := {row[0] for row in _rows(connection, "select distinct old from chained")}:
        ends, circles = _around_circles(connection, endless)
        connection.execute("delete from moved where old in (select old from chained)")
        if ends:
            connection.executemany("insert into moved values (?, ?)", ends)
        stops = sorted({end for _, end in ends if end in circles})
        known = connection.execute("select id from entities where list_contains(?, id)", [stops]).fetchall()
        nowhere = [end for end in stops if (end,) not in known]
    connection.execute("insert into moved select old, '' from affected anti join moved using (old) "
                       "semi join (select old from history where new = '') using (old)")  # fmt: skip
    affected = connection.sql("select old from affected").to_arrow_table()["old"].cast(pa.string())
    moved = connection.sql("select distinct old, new from moved").to_arrow_table().cast(SCHEMAS["history"])
    return Ends(affected, moved, sorted(circles), nowhere)


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
