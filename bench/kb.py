"""Knowledge bases: building against `sqlite3.executemany`, growth, real sources, looking up many names."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

from bench import synthetic
from bench.table import SHARED, Row, measured, not_measured, row

__all__ = ["Row", "measured", "row", "rows"]


def sqlite_build(raw: Path, target: Path) -> None:
    """What a straightforward loader does: read, split, insert; names indexed by id and by name."""
    connection = sqlite3.connect(target)
    connection.executescript(
        "create table names(id text, name text, kind text); create index by_id on names(id);"
        "create index by_name on names(name); create table nodes(id text, parent text, rank text);"
        "create table history(old text, new text);"
    )
    for file, table, columns in (("names.dmp", "names", (0, 1, 3)), ("nodes.dmp", "nodes", (0, 1, 2)),
                                 ("merged.dmp", "history", (0, 1))):  # fmt: skip
        marks = ", ".join("?" * len(columns))
        with (raw / file).open(encoding="utf-8") as lines:
            rows = (line.rstrip("\t|\n").split("\t|\t") for line in lines)
            connection.executemany(f"insert into {table} values ({marks})", ([r[i] for i in columns] for r in rows))
    connection.commit()
    connection.close()


ROUNDS = 3

_BUILD = """
from pathlib import Path
from linkassay.kbs import KBS, build_kb
print(build_kb(KBS.load(sys.argv[1]), Path(sys.argv[2])).manifest["counts"]["names"])
"""
_SQLITE = """
from pathlib import Path
from bench.kb import sqlite_build
import tempfile
with tempfile.TemporaryDirectory() as folder:
    sqlite_build(Path(sys.argv[1]), Path(folder) / "kb.sqlite")
"""
_LOOKUP = """
from pathlib import Path
from linkassay.kbs import KBS, Kb, build_kb
build_kb(KBS.load("ncbi_taxonomy"), Path(sys.argv[1]))
kb = Kb.open("ncbi_taxonomy")
names = [r[0] for r in kb.sql("select name from names using sample reservoir(100000 rows) repeatable (7)")]
begin = time.perf_counter()
assert all(kb.lookup_many(names))
"""


def rows(large: bool = False) -> list[Row]:
    """The rows about knowledge bases (SPEED-1); `large` also measures growth to 20 M names."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "2m"
        synthetic.taxonomy(raw)
        # In turn, and the best of each, so that what else the machine does weighs on both alike.
        turns = [(measured(_BUILD, "ncbi_taxonomy", str(raw)), measured(_SQLITE, str(raw))) for _ in range(ROUNDS)]
        ours, theirs = (min(seconds for seconds, _ in side) for side in zip(*turns))
        memory = max(built[1] for built, _ in turns)
        found.append(row("build a KB, 2 M names + 0.4 M history", ours, "s", 3, True, yardstick=theirs,
                         against="sqlite3"))  # fmt: skip
        found.append(row("build a KB, 2 M names: peak memory", memory, "MB", 1000))
        lookup, _ = measured(_LOOKUP, str(raw))
        found.append(row("look up 100 k names among 2 M", lookup, "s", 3))
        if large:
            found += _growth(Path(folder))
    for name, sub in (("ncbi_taxonomy", "ncbi_taxonomy_2013"), ("ncbi_gene", "ncbi_gene"), ("mesh", "mesh")):
        if (SHARED / "kbs" / sub).is_dir():
            seconds, memory, names = measured(_BUILD, name, str(SHARED / "kbs" / sub), said=1)
            found.append(row(f"build {name} from the real files, {names:,.0f} names in {seconds:.1f} s",
                             names / seconds, "names/s"))  # fmt: skip
            found.append(row(f"build {name}: peak memory", memory, "MB", 1000))
        else:
            found.append(not_measured(f"build {name} from the real files", f"needs kbs/{sub} in ../shared/data"))
    return found


def _growth(folder: Path) -> list[Row]:
    large = folder / "20m"
    synthetic.taxonomy(large, names=20_000_000, merged=4_000_000)
    turns = [[measured(_BUILD, "ncbi_taxonomy", str(raw)) for raw in (large, folder / "2m")] for _ in range(ROUNDS - 1)]
    (seconds, fewer_seconds), (memory, less_memory) = (
        [best(run[what] for run in side) for side in zip(*turns)] for what, best in ((0, min), (1, max))
    )
    return [
        row("build a KB, 20 M names: seconds over those of 2 M", seconds, "s", 11, yardstick=fewer_seconds,
            against="2 M", rate=True),
        row("build a KB, 20 M names: memory over that of 2 M", memory, "MB", 1.5, yardstick=less_memory,
            against="2 M", rate=True),
    ]  # fmt: skip


def dbsnp_rows(records: int = 5_000_000) -> list[Row]:
    """Made-up RefSNP records in the true format; making them takes longer than building."""
    with tempfile.TemporaryDirectory() as folder:
        synthetic.dbsnp(Path(folder), records=records, files=4)
        ours, peak = measured(_BUILD, "dbsnp", folder)
    return [
        row(f"build dbSNP, {records:,} records in 4 bz2 files", records / ours, "records/s"),
        row("build dbSNP: peak memory of the largest process", peak, "MB", 2000),
    ]
