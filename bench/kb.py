"""Knowledge bases: building against `sqlite3.executemany`, growth, real sources, looking up many names."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import synthetic

Row = dict[str, object]

_SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "kbs"


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


def measured(code: str, *arguments: str) -> tuple[float, float]:
    """Seconds and peak memory (MB, the largest process) of a piece of code in a process of its own."""
    script = (
        "import resource, sys, time\nbegin = time.perf_counter()\n" + code + "\nprint(time.perf_counter() - begin, max("
        "resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024)"
    )
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"LINKASSAY_HOME": home}
        command = [sys.executable, "-c", script, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    seconds, memory = done.stdout.split()[-2:]
    return float(seconds), float(memory)


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
        found.append(row("build KB, 2 M names + 0.4 M history: times faster than sqlite3", theirs / ours, "x", 3, True))
        found.append(row(f"  seconds (sqlite3: {theirs:.1f})", ours, "s"))
        found.append(row("  peak memory", memory, "MB", 1000))
        lookup, _ = measured(_LOOKUP, str(raw))
        found.append(row("look up 100 k names among 2 M", lookup, "s", 3))
        if large:
            found += _growth(Path(folder), ours, memory)
            found += _dbsnp(Path(folder))
    for name, sub in (("ncbi_taxonomy", "ncbi_taxonomy_2013"), ("ncbi_gene", "ncbi_gene"), ("mesh", "mesh")):
        if (_SHARED / sub).is_dir():
            seconds, memory = measured(_BUILD, name, str(_SHARED / sub))
            found.append(row(f"build {name} from the real files", seconds, "s"))
            found.append(row("  peak memory", memory, "MB", 1000))
    return found


def _growth(folder: Path, seconds: float, memory: float) -> list[Row]:
    raw = folder / "20m"
    synthetic.taxonomy(raw, names=20_000_000, merged=4_000_000)
    ours, peak = measured(_BUILD, "ncbi_taxonomy", str(raw))
    return [
        row(f"20 M names: times the seconds of 2 M ({ours:.0f} s)", ours / seconds, "x", 11),
        row(f"20 M names: times the peak memory of 2 M ({peak:.0f} MB)", peak / memory, "x", 1.5),
    ]


def _dbsnp(folder: Path, records: int = 5_000_000) -> list[Row]:
    raw = folder / "dbsnp"
    begin = time.perf_counter()
    synthetic.dbsnp(raw, records=records, files=4)
    made = time.perf_counter() - begin
    ours, peak = measured(_BUILD, "dbsnp", str(raw))
    return [
        row(f"dbSNP, {records:,} records in 4 bz2 files: records/s (made in {made:.0f} s)", records / ours, "/s"),
        row("  peak memory of the largest process", peak, "MB", 2000),
    ]


def row(work: str, ours: float, unit: str, target: float | None = None, at_least: bool = False) -> Row:
    """One line of the table: what was done, our figure, and the target if there is one."""
    held = None if target is None else (ours >= target if at_least else ours <= target)
    bound = "" if target is None else f"{'≥' if at_least else '≤'} {target:g} {unit}"
    return {"work": work, "ours": round(ours, 2), "unit": unit, "target": bound, "held": held}
