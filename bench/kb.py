"""Knowledge bases: building against sqlite3 and a plain sort by DuckDB, growth, real sources, looking up many names."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench import synthetic
from bench.measure import (
    NotAtHandError,
    Row,
    Taken,
    Target,
    alternate,
    command,
    faster,
    inside,
    memory,
    not_measured,
    peer,
    progress,
    real,
    row,
    scratch,
    wall,
)  # fmt: skip

#: Asks for the first 100 000 names of the knowledge base in another order; also writes them for others.
_LOOKUP = """
from linkassay.kbs import Kb
kb = Kb.open("ncbi_taxonomy")
names = [r[0] for r in kb.sql("select name from names order by hash(name), name limit 100000")]
if len(sys.argv) > 1:
    open(sys.argv[1], "w").write(json.dumps(names))
begin()
found = kb.lookup_many(names)
said = sum(map(bool, found))
"""


def built(name: str, raw: Path, home: Path) -> Taken:
    """`linkassay get`, into an empty home."""
    shutil.rmtree(home, ignore_errors=True)
    return command("get", name, "--raw", raw, home=home)


def sqlite(raw: Path, target: Path) -> Taken:
    target.unlink(missing_ok=True)
    return peer("sqlite", raw, target)


def duckdb(raw: Path, target: Path) -> Taken:
    shutil.rmtree(target, ignore_errors=True)
    return peer("duckdb", raw, target)


def rows(large: bool = False) -> list[Row]:
    """The rows about knowledge bases (SPEED-1); `large` also measures growth to 20 M names."""
    with scratch() as folder:
        raw, home, database = folder / "2m", folder / "home", folder / "kb.sqlite"
        progress("kb: making 2 M names")
        synthetic.taxonomy(raw)
        turns = alternate("kb, 2 M names", 3, {
            "linkassay get": lambda: built("ncbi_taxonomy", raw, home), "sqlite3": lambda: sqlite(raw, database),
            "DuckDB": lambda: duckdb(raw, folder / "sorted"),
        })  # fmt: skip
        ours, work = turns["linkassay get"], "linkassay get: a KB of 2 M names + 0.4 M history from plain files"
        found = [
            row(work, ours, faster(2.5), memory(1000), peer=turns["sqlite3"], against="sqlite3, two indexes"),
            row(work, ours, faster(0.7), peer=turns["DuckDB"], against="DuckDB, sorted to Parquet, no more"),
        ]
        asked = folder / "asked.json"
        inside(_LOOKUP, asked, home=home)
        turns = alternate("kb, lookup", 3, {
            "ours": lambda: inside(_LOOKUP, home=home), "sqlite3": lambda: peer("sqlite_lookup", database, asked),
        })  # fmt: skip
        all_found = Target("found", 100_000, True, value=float(turns["ours"][0].said))
        found.append(row("Kb.lookup_many: 100 k names among 2 M (inner function)", turns["ours"], wall(3), all_found,
                         peer=turns["sqlite3"], against="sqlite3, by its index"))  # fmt: skip
        if large:
            found += _growth(folder)
        found += _real(home)
    return found


def _real(home: Path) -> list[Row]:
    found = []
    for name, sub in (("ncbi_taxonomy", "ncbi_taxonomy_2013"), ("ncbi_gene", "ncbi_gene"), ("mesh", "mesh")):
        what = f"linkassay get {name}, from the real files"
        try:
            raw = real(f"kbs/{sub}")
        except NotAtHandError as error:
            found.append(not_measured(what, str(error)))
            continue
        taken = alternate(what, 1, {"ours": lambda n=name, r=raw: built(n, r, home)})["ours"]
        found.append(row(what, taken, memory(1000)))
    return found


def _growth(folder: Path) -> list[Row]:
    larger, home = folder / "20m", folder / "growth"
    synthetic.taxonomy(larger, names=20_000_000, merged=4_000_000)
    turns = alternate("kb, growth", 2, {
        "20 M": lambda: built("ncbi_taxonomy", larger, home),
        "2 M": lambda: built("ncbi_taxonomy", folder / "2m", home),
    })  # fmt: skip
    seconds, megabytes = (
        best(getattr(t, what) for t in turns["20 M"]) / best(getattr(t, what) for t in turns["2 M"])
        for what, best in (("cpu", min), ("memory", max))
    )
    return [
        row("linkassay get: a KB of 20 M names", turns["20 M"],
            Target("CPU over that of 2 M", 11, unit="×", value=seconds),
            Target("memory over that of 2 M", 1.5, unit="×", value=megabytes)),
    ]  # fmt: skip


def dbsnp_rows(records: int = 5_000_000) -> list[Row]:
    """Made-up RefSNP records in the true format; making them takes longer than building."""
    with scratch() as folder:
        progress("dbsnp: making records")
        synthetic.dbsnp(folder / "raw", records=records, files=4)
        ours = [built("dbsnp", folder / "raw", folder / "home")]
    return [row(f"linkassay get: dbSNP, {records:,} records in 4 bz2 files", ours, memory(2000))]


def quick_rows() -> list[Row]:
    """For the guard: a tenth of it."""
    with scratch() as folder:
        synthetic.taxonomy(folder / "raw", names=200_000, merged=40_000)
        turns = alternate("kb", 3, {
            "ours": lambda: built("ncbi_taxonomy", folder / "raw", folder / "home"),
            "sqlite3": lambda: sqlite(folder / "raw", folder / "kb.sqlite"),
        })  # fmt: skip
    return [row("linkassay get: a KB of 200 k names", turns["ours"], peer=turns["sqlite3"], against="sqlite3")]
