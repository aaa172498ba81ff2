"""Tries what is promised about bad input, interruptions and hostile input, and prints what does not hold.

python -m endure [PART …]                        all parts, or some: kills, stops, fuzz, servers, disk, store, together
python -m endure --count N | --seconds N         so many tries, or at most so long, for each part
python -m endure PART --seed S --case CASE       one case again
python -m endure --write docs/reliability.md     also write what was tried as a page
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from endure import commands, disk, fuzz, kills, report, servers, stops, store, together
from endure.cases import Part, Result, run_part

#: In the order in which they are run.
PARTS: dict[str, Part] = {
    "servers": servers, "together": together, "disk": disk, "store": store, "kills": kills, "stops": stops,
    "fuzz": fuzz,
}  # fmt: skip
KEPT = Path(__file__).resolve().parent.parent / "build" / "endure.json"
_SHOWN = 40  # failures of one part; there may be a million


def workshop() -> Path:
    """A folder for all that is made: in memory where there is such a place, since stores wait for disks."""
    shared = Path("/dev/shm")
    large = shared.is_dir() and shutil.disk_usage(shared).free > 2 << 30
    return Path(tempfile.mkdtemp(prefix="endure-", dir=shared if large else None))


def try_part(name: str, *, count: int = 0, seconds: float = 0, seed: int = 0, lanes: int = 2,
             only: Sequence[str] = ()) -> Result:  # fmt: skip
    """Try a part: some cases of it, or as many as are asked for; failures are printed as they come."""
    part = PARTS[name]
    folder = workshop()
    shown = 0

    def tell(result: Result) -> None:
        nonlocal shown
        for case, what in result.failures:
            shown += 1
            if shown <= _SHOWN:
                print(f"FAILED {name} {case}: {what}\n  again: python -m endure {name} --seed {seed} --case '{case}'",
                      flush=True)  # fmt: skip

    try:
        cases = only or part.cases(count or part.COUNT, seed)
        return run_part(part, cases, seed, folder, lanes=max(lanes, part.LANES), seconds=seconds, tell=tell)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Try, keep, print, and write the page if asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=0, help="how often each part tries; its own number if not given")
    parser.add_argument("--seconds", type=float, default=0, help="how long each part goes on at most; 0: to its end")
    parser.add_argument("--seed", type=int, default=1, help="the same seed tries the same")
    parser.add_argument("--lanes", type=int, default=2, help="how many cases at once")
    parser.add_argument("--case", action="append", default=[], help="only this one, as a failure names it (repeatable)")
    parser.add_argument("--json", type=Path, default=KEPT, help="where it is kept what was tried")
    parser.add_argument("--write", type=Path, metavar="FILE.md", help="write all that is kept as a page")
    parser.add_argument("--no-parts", action="store_true", help="try nothing")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of: {', '.join(PARTS)}")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if options.case and len(options.parts) != 1:
        parser.error("--case needs the part that it is of")
    kept = json.loads(options.json.read_text(encoding="utf-8")) if options.json.exists() else {}
    failed = 0
    if not options.no_parts:
        commands.import_all()
    for name in () if options.no_parts else options.parts or PARTS:
        begin = time.monotonic()
        result = try_part(name, count=options.count, seconds=options.seconds, seed=options.seed, lanes=options.lanes,
                          only=options.case)  # fmt: skip
        failed += len(result.failures)
        print(report.line(name, PARTS[name], result, time.monotonic() - begin), flush=True)
        if not options.case:
            kept[name] = report.record(result, options.seed, time.monotonic() - begin)
            options.json.parent.mkdir(parents=True, exist_ok=True)
            options.json.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if options.write:
        options.write.write_text(report.page(kept, PARTS), encoding="utf-8")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
