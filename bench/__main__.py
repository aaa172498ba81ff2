"""Measures SPEED-1 to SPEED-18: whole commands beside their peers, in turns; prints a table, held or not.

python -m bench [PART …]                  measure all parts, or some; the figures are kept in build/benchmarks.json
python -m bench --write docs/benchmarks.md          also write all that is kept there as a page
python -m bench --no-parts --write FILE             write the page without measuring
python -m bench --calibrate                         the constant that ELEVANT's figures are scaled by
python -m bench.quick                               the guard: small versions, against the figures in bench/quick.json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import endtoend, explorer, hierarchy, intervals, kb, linkers, measure, neural, scoring, serve, start, wic
from bench.measure import NotAtHandError, Row

#: Part → its rows; the flag asks for the large ones too.
PARTS: dict[str, Callable[[bool], list[Row]]] = {
    "start": lambda _: start.rows(),
    "endtoend": lambda _: endtoend.rows(),
    "scoring": lambda _: scoring.rows(),
    "intervals": lambda _: intervals.rows(),
    "report": lambda _: scoring.report_rows(),
    "explorer": lambda _: explorer.rows(),
    "kb": kb.rows,
    "dbsnp": lambda large: kb.dbsnp_rows() if large else [],
    "linkers": lambda _: linkers.rows(),
    "neural": lambda _: neural.rows(),
    "umls": lambda large: neural.umls_rows() if large else [],
    "hierarchy": lambda _: hierarchy.rows(),
    "wic": lambda _: wic.rows(),
    "serve": lambda _: serve.rows(),
}

_ABOUT = """# Benchmarks

Targets are [SPEED-1 to SPEED-18](definitions/speed.md); this is written by `python -m bench --write
docs/benchmarks.md`, `make bench` only prints it.

- A row is a whole command, from Enter to its end, if it does not say *inner function*. CPU seconds and memory are of
  all its processes (MB: 2²⁰ bytes; what processes share counts once).
- Ours and the peer run in turns on one machine. Figures are the best of each; the ratio is the peer's CPU seconds over
  ours, with the least and the largest of a round beside it. Below 1 × the peer is faster.
- ELEVANT cannot be installed by pip. Its CPU seconds were measured once (5.8 for the 24 files, 43 for 218 k labels; for
  more, the rate that its yardstick says), and are scaled by a fixed piece of Python that runs in turns with ours.
- Rows of `serve` are what a client of it waits for, over one connection or as many as they say; memory is the server's.
- Seconds on another machine, or on one with other work, differ.
"""


def run_parts(parts: Sequence[str], kept: dict[str, Any], keep: Callable[[], None], large: bool = False) -> None:
    """Print the rows of these parts as they come, and keep them after each."""
    print(measure.plain(measure.COLUMNS), flush=True)
    for name in parts:
        try:
            rows = PARTS[name](large)
        except NotAtHandError as error:
            rows = [measure.not_measured(name, str(error))]
        for each in rows:
            print(measure.plain(measure.cells(each)), flush=True)
        if not rows:
            continue
        now = datetime.now(UTC).date().isoformat()
        kept["parts"][name] = {"date": now, "machine": measure.machine(), "rows": rows}
        keep()


def page(kept: dict[str, Any]) -> str:
    """The kept figures as a page; parts of one day and machine share a table."""
    groups: dict[str, list[Row]] = {}
    for name in PARTS:
        if name in kept["parts"]:
            part = kept["parts"][name]
            about = part["machine"]
            versions = ", ".join(f"{package} {number}" for package, number in about["packages"].items())
            title = (f"{part['date']}: {about['cores']} cores, {about['memory_gb']} GB, {about['system']}, "
                     f"Python {about['python']}, {versions}")  # fmt: skip
            groups.setdefault(title, []).extend(part["rows"])
    return _ABOUT + "".join(f"\n{title}\n\n{measure.markdown(rows)}\n" for title, rows in groups.items())


def main() -> None:
    """Measure, keep, print, and write the page if asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json", type=Path, default=measure.ROOT / "build" / "benchmarks.json", help="where figures are kept"
    )
    parser.add_argument("--write", type=Path, metavar="FILE.md", help="write all figures that are kept as a page")
    parser.add_argument(
        "--large", action="store_true", help="also 20 M names, 5 M dbSNP records and a UMLS of 4 M concepts (an hour)"
    )
    parser.add_argument("--no-parts", action="store_true", help="measure nothing")
    parser.add_argument(
        "--calibrate", action="store_true", help="only print what REFERENCE in bench/measure.py would be"
    )
    parser.add_argument("parts", nargs="*", help=f"only some of: {', '.join(PARTS)}")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if options.calibrate:
        print(f"{min(measure.loop_seconds() for _ in range(10)):.4f}")
        return
    kept = json.loads(options.json.read_text(encoding="utf-8")) if options.json.exists() else {"parts": {}}

    def keep() -> None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    if not options.no_parts:
        run_parts(options.parts or list(PARTS), kept, keep, options.large)
    if options.write:
        options.write.write_text(page(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
