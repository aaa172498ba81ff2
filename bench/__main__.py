"""Measures SPEED-1 to SPEED-9 and prints one table: work, ours, yardstick, ratio, target, held or not.

python -m bench [PART …]                  measure all parts, or some; the figures are kept in build/bench.json
python -m bench --write docs/benchmarks.md          also write all that is kept there as a page
python -m bench --no-parts --write FILE             write the page without measuring
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from os import environ
from pathlib import Path
from typing import Any

from bench import abbreviations, bootstrap, coverage, endtoend, hierarchy, kb, linkers, scoring, table, wic
from bench.table import NotAtHandError, Row, row


def seconds(command: list[str], times: int = 7, **environment: str) -> float:
    """Median wall time of a command."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environ | environment)
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def start_up() -> list[Row]:
    """How long a person waits before anything happens, and for the demo (SPEED-9)."""
    program = str(Path(sys.executable).with_name("linkassay"))
    bare = seconds([sys.executable, "-c", "pass"])
    ours = seconds([sys.executable, "-c", "import linkassay"])
    with tempfile.TemporaryDirectory() as folder:
        demo = seconds([program, "demo", "-o", f"{folder}/report.html"], times=1, LINKASSAY_HOME=f"{folder}/home")
    return [
        row("import linkassay, beyond bare Python", ours - bare, "s", 0.3),
        row("linkassay --help", seconds([program, "--help"]), "s", 0.6),
        row("linkassay demo, from nothing", demo, "s", 60),
    ]


#: Part → its rows; the flag asks for the large ones too.
PARTS: dict[str, Callable[[bool], list[Row]]] = {
    "start": lambda _: start_up(),
    "bootstrap": lambda _: bootstrap.rows(),
    "coverage": lambda _: coverage.rows(),
    "scoring": lambda _: scoring.rows(),
    "report": lambda _: scoring.report_rows(),
    "endtoend": lambda _: endtoend.rows(),
    "hierarchy": lambda _: hierarchy.rows(),
    "kb": kb.rows,
    "dbsnp": lambda large: kb.dbsnp_rows() if large else [],
    "linkers": lambda _: linkers.rows(),
    "abbreviations": lambda _: abbreviations.rows(),
    "wic": lambda _: wic.rows(),
}


def measure(parts: Sequence[str], kept: dict[str, Any], keep: Callable[[], None], large: bool = False) -> None:
    """Print the rows of these parts as they come, and keep them after each."""
    print(table.plain(table.COLUMNS), flush=True)
    for name in parts:
        try:
            rows = PARTS[name](large)
        except NotAtHandError as error:
            rows = [table.not_measured(name, str(error))]
        for each in rows:
            print(table.plain(table.cells(each)), flush=True)
        if not rows:
            continue
        now = datetime.now(UTC).date().isoformat()
        kept["parts"][name] = {"date": now, "machine": table.machine(), "rows": rows}
        keep()


def page(kept: dict[str, Any]) -> str:
    """The kept figures as a page; parts of one day and machine share a table."""
    text = (
        "# Benchmarks\n\nTargets are [SPEED-1 to SPEED-9](definitions/speed.md); this is written by\n"
        "`python -m bench --write docs/benchmarks.md`, `make bench` only prints it. A ratio says how\nmany times "
        "better ours is than the yardstick in the same run on the same machine; "
        "seconds on another machine, or on\none with other work, differ.\n"
    )
    groups: dict[str, list[Row]] = {}
    for name in PARTS:
        if name in kept["parts"]:
            part = kept["parts"][name]
            about = part["machine"]
            versions = ", ".join(f"{package} {number}" for package, number in about["packages"].items())
            title = (f"{part['date']}: {about['cores']} cores, {about['memory_gb']} GB, {about['system']}, "
                     f"Python {about['python']}, {versions}")  # fmt: skip
            groups.setdefault(title, []).extend(part["rows"])
    return text + "".join(f"\n{title}\n\n{table.markdown(rows)}\n" for title, rows in groups.items())


def main() -> None:
    """Measure, keep, print, and write the page if asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=table.ROOT / "build" / "bench.json", help="where figures are kept")
    parser.add_argument("--write", type=Path, metavar="FILE.md", help="write all figures that are kept as a page")
    parser.add_argument("--large", action="store_true", help="also 20 M names and 5 M dbSNP records (half an hour)")
    parser.add_argument("--no-parts", action="store_true", help="measure nothing")
    parser.add_argument("parts", nargs="*", help=f"only some of: {', '.join(PARTS)}")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    kept = json.loads(options.json.read_text(encoding="utf-8")) if options.json.exists() else {"parts": {}}

    def keep() -> None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    if not options.no_parts:
        measure(options.parts or list(PARTS), kept, keep, options.large)
    if options.write:
        options.write.write_text(page(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
