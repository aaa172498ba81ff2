"""Measures and prints one row per piece of work: ours, target, held or not; JSON with `--json FILE`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench import bootstrap, endtoend, hierarchy, kb, scoring, wic
from bench.kb import Row, row


def seconds(command: list[str], times: int = 7) -> float:
    """Median wall time of a command."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def start_up() -> list[Row]:
    """How long a person waits before anything happens, and for the demo."""
    program = str(Path(sys.executable).with_name("linkassay"))
    bare = seconds([sys.executable, "-c", "pass"])
    ours = seconds([sys.executable, "-c", "import linkassay"])
    found = [
        row("import linkassay, beyond bare Python", ours - bare, "s", 0.3),
        row("linkassay --help", seconds([program, "--help"]), "s", 0.6),
    ]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LINKASSAY_HOME"] = f"{folder}/home"
        demo = seconds([program, "demo", "-o", f"{folder}/report.html"], times=1)
    return [*found, row("linkassay demo, from nothing", demo, "s", 60)]


#: Part → its rows; the flag asks for the large ones too.
PARTS: dict[str, Callable[[bool], list[Row]]] = {
    "start": lambda _: start_up(),
    "bootstrap": lambda _: bootstrap.rows(),
    "scoring": lambda _: scoring.rows(),
    "endtoend": lambda _: endtoend.rows(),
    "hierarchy": lambda _: hierarchy.rows(),
    "kb": kb.rows,
    "wic": lambda _: wic.rows(),
}


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    parser.add_argument("--large", action="store_true", help="also 20 M names and 5 M dbSNP records (half an hour)")
    parser.add_argument("parts", nargs="*", help=f"only some of: {', '.join(PARTS)}")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    rows: list[Row] = []
    print(f"{'work':78} {'ours':>12}  {'target':>10}  held", flush=True)
    for name in options.parts or PARTS:
        for r in PARTS[name](options.large):
            held = {True: "yes", False: "NO", None: ""}[r["held"]]  # type: ignore[index]
            print(f"{r['work']:78} {r['ours']:>9} {r['unit']:>2}  {r['target']:>10}  {held}", flush=True)
            rows.append(r)
    if options.json:
        machine = {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}
        options.json.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
