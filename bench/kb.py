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


_BUILD = """
from pathlib import Path
from linkassay.kbs import KBS
from linkassay.kbs.build import build
build(KBS.load(sys.argv[1]), Path(sys.argv[2]))
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
from linkassay.kbs import KBS
from linkassay.kbs.build import build
from linkassay.kbs.stored import Kb
build(KBS.load("ncbi_taxonomy"), Path(sys.argv[1]))
kb = Kb.open("ncbi_taxonomy")
names = [r[0] for r in kb.sql("select name from names using sample reservoir(100000 rows) repeatable (7)")]
begin = time.perf_counter()
assert all(kb.lookup_many(names))
"""


def rows(large: bool = False) -> list[Row]:
    """The rows of SPEC §12 about knowledge bases; `large` also measures growth to 20 M names and dbSNP."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "2m"
        synthetic.taxonomy(raw)
        theirs, _ = measured(_SQLITE, str(raw))
        ours, memory = measured(_BUILD, "ncbi_taxonomy", str(raw))
        found.append(row("build a KB, 2 M names + 0.4 M history", ours, "s", 3, True, yardstick=theirs,
                         against="sqlite3"))  # fmt: skip
        found.append(row("build a KB, 2 M names: peak memory", memory, "MB", 1000))
        lookup, _ = measured(_LOOKUP, str(raw))
        found.append(row("look up 100 k names among 2 M", lookup, "s", 3))
        if large:
            found += _growth(Path(folder), ours, memory)
            found += _dbsnp(Path(folder))
    for name, sub in (("ncbi_taxonomy", "ncbi_taxonomy_2013"), ("ncbi_gene", "ncbi_gene"), ("mesh", "mesh")):
        if (SHARED / "kbs" / sub).is_dir():
            seconds, memory = measured(_BUILD, name, str(SHARED / "kbs" / sub))
            found.append(row(f"build {name} from the real files", seconds, "s"))
            found.append(row(f"build {name}: peak memory", memory, "MB", 1000))
        else:
            found.append(not_measured(f"build {name} from the real files", f"needs kbs/{sub} in ../shared/data"))
    return found


def _growth(folder: Path, seconds: float, memory: float) -> list[Row]:
    raw = folder / "20m"
    synthetic.taxonomy(raw, names=20_000_000, merged=4_000_000)
    ours, peak = measured(_BUILD, "ncbi_taxonomy", str(raw))
    return [
        row(
            "build a KB, 20 M names: seconds over those of 2 M",
            ours,
            "s",
            11,
            yardstick=seconds,
            against="2 M",
            rate=True,
        ),
        row(
            "build a KB, 20 M names: memory over that of 2 M",
            peak,
            "MB",
            1.5,
            yardstick=memory,
            against="2 M",
            rate=True,
        ),
    ]


def _dbsnp(folder: Path, records: int = 5_000_000) -> list[Row]:
    raw = folder / "dbsnp"
    synthetic.dbsnp(raw, records=records, files=4)
    ours, peak = measured(_BUILD, "dbsnp", str(raw))
    return [
        row(f"build dbSNP, {records:,} records in 4 bz2 files", records / ours, "records/s"),
        row("build dbSNP: peak memory of the largest process", peak, "MB", 2000),
    ]
