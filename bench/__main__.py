"""Measures and prints one row per piece of work: ours, target, held or not; JSON with `--json FILE`."""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

Row = dict[str, object]


def seconds(command: list[str], times: int = 7) -> float:
    """Median wall time of a command."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def import_time() -> Row:
    bare = seconds([sys.executable, "-c", "pass"])
    ours = seconds([sys.executable, "-c", "import linkassay"])
    return row("import linkassay, beyond bare Python", ours - bare, "s", 0.3)


def help_time() -> Row:
    program = str(Path(sys.executable).with_name("linkassay"))
    return row("linkassay --help", seconds([program, "--help"]), "s", 0.6)


def demo_time() -> Row:
    program = str(Path(sys.executable).with_name("linkassay"))
    with tempfile.TemporaryDirectory() as folder:
        import os

        os.environ["LINKASSAY_HOME"] = f"{folder}/home"
        ours = seconds([program, "demo", "-o", f"{folder}/report.html"], times=1)
    return row("linkassay demo, from nothing", ours, "s", 60)


def row(work: str, ours: float, unit: str, at_most: float) -> Row:
    return {"work": work, "ours": round(ours, 3), "unit": unit, "at most": at_most, "held": ours <= at_most}


WORK: tuple[Callable[[], Row], ...] = (import_time, help_time, demo_time)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    rows = [work() for work in WORK]
    print(f"{'work':45} {'ours':>9} {'at most':>9}  held")
    for r in rows:
        held = "yes" if r["held"] else "NO"
        print(f"{r['work']:45} {r['ours']:>7} {r['unit']} {r['at most']:>7} {r['unit']}  {held}")
    if options.json:
        machine = {"python": platform.python_version(), "system": platform.platform()}
        options.json.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
