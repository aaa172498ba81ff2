"""The guard against getting slower (SPEED-16): small versions of the main rows, in under two minutes.

    python -m bench.quick                 fails (exit code 1) if a ratio fell by more than 30 %
    python -m bench.quick --update        keep today's ratios in bench/quick.json

What is compared are ratios of CPU seconds, ours and a peer's or the calibration loop's, in turns and the best of each:
so another machine, or one with other work, changes them little. What looks slower is measured once more before it
counts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from bench import endtoend, intervals, kb, linkers, measure, scoring, start
from bench.measure import Row

KEPT = Path(__file__).with_suffix(".json")
#: A ratio may be so much of what it was.
LEAST = 0.7

PARTS: dict[str, Callable[[], list[Row]]] = {
    "start": start.quick_rows,
    "endtoend": endtoend.quick_rows,
    "scoring": scoring.quick_rows,
    "intervals": intervals.quick_rows,
    "kb": kb.quick_rows,
    "linkers": linkers.quick_rows,
}


def ratios(rows: list[Row]) -> dict[str, float]:
    """Those of rows that were measured, by name and peer."""
    return {f"{row['name']} / {row['against']}": round(row["ratio"], 4) for row in rows if row.get("ratio")}


def slower(now: Mapping[str, float], kept: Mapping[str, float]) -> list[str]:
    """What fell too far, in words; what was not kept or not measured is not judged."""
    return [
        f"{work}: {measure.shown(now[work])} ×, was {measure.shown(was)} ×"
        for work, was in kept.items()
        if work in now and now[work] < LEAST * was
    ]


def measured(part: str) -> dict[str, float]:
    """The ratios of a part, or none where its data are not at hand."""
    try:
        rows = PARTS[part]()
    except measure.NotAtHandError as error:
        print(f"{part}: not measured: {error}")
        return {}
    for row in rows:
        print(measure.plain(measure.cells(row)), flush=True)
    return ratios(rows)


def guard(kept: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """All ratios, and what is slower; a part that seems so has another go, and the better one counts."""
    now: dict[str, float] = {}
    for part in PARTS:
        found = measured(part)
        if slower(found, kept):
            again = measured(part)
            found = {work: max(ratio, again.get(work, 0)) for work, ratio in found.items()}
        now |= found
    return now, slower(now, kept)


def main() -> int:
    """Measure, compare or keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="keep these ratios as those to compare with")
    options = parser.parse_args()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() and not options.update else {}
    now, lost = guard(kept)
    if options.update:
        KEPT.write_text(json.dumps(now, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    unseen = [work for work in kept if work not in now]
    if unseen:
        print(f"not measured here: {'; '.join(unseen)}")
    print(f"slower by more than {1 - LEAST:.0%}: " + "; ".join(lost) if lost else "nothing is slower")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
