"""One form for all that is measured: a row of work, our figure, a yardstick, their ratio, the target, held or not."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

Row = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
#: Real data, beside the project.
SHARED = ROOT.parent / "shared" / "data"
COLUMNS = ("work", "ours", "yardstick", "ratio", "target", "held")
_PACKAGES = ("linkassay", "numpy", "pyarrow", "duckdb", "rapidfuzz", "numba")


class NotAtHandError(Exception):
    """Data that a part needs are not there; the message says where to get them."""


def row(
    work: str,
    ours: float,
    unit: str,
    target: float | None = None,
    at_least: bool = False,
    *,
    yardstick: float | None = None,
    against: str = "",
    rate: bool = False,
) -> Row:
    """One line of the table.

    With a `yardstick` the target is of the ratio, how many times better we are: of two durations (or sizes) the
    yardstick's over ours, of two rates ours over the yardstick's.
    """
    ratio = None if yardstick is None else (ours / yardstick if rate else yardstick / ours)
    judged = ours if ratio is None else ratio
    bound = "" if target is None else f"{'≥' if at_least else '≤'} {target:g} {'×' if ratio is not None else unit}"
    return {
        "work": work, "ours": ours, "unit": unit, "yardstick": yardstick, "against": against, "ratio": ratio,
        "target": bound.strip(), "held": None if target is None else judged >= target if at_least else judged <= target,
    }  # fmt: skip


def not_measured(work: str, why: str) -> Row:
    """A line that says why there is no figure."""
    return {"work": work, "ours": None, "unit": "", "yardstick": None, "against": "", "ratio": None, "target": "",
            "held": None, "note": why}  # fmt: skip


def cells(line: Row) -> list[str]:
    """A row as texts, in the order of `COLUMNS`."""
    if line["ours"] is None:
        return [f"{line['work']}: not measured: {line['note']}", "", "", "", "", ""]
    theirs = _number(line["yardstick"], line["unit"])
    return [
        line["work"], _number(line["ours"], line["unit"]),
        f"{theirs} ({line['against']})" if theirs and line["against"] else theirs,
        _number(line["ratio"], "×"), line["target"], {True: "yes", False: "NO", None: ""}[line["held"]],
    ]  # fmt: skip


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    shown = f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
    return f"{shown.replace(',', ' ')} {unit}".rstrip()


WIDTHS = (74, 12, 28, 9, 12, 4)


def plain(texts: Sequence[str]) -> str:
    """A line for the terminal: work to the left, figures to the right."""
    first, *rest = zip(texts, WIDTHS, strict=True)
    return f"{first[0]:{first[1]}} " + " ".join(f"{text:>{width}}" for text, width in rest).rstrip()


def markdown(lines: Sequence[Row]) -> str:
    """The table for a page."""
    head = [f"| {' | '.join(COLUMNS)} |", "|---|---:|---:|---:|---:|---|"]
    return "\n".join(head + ["| " + " | ".join(c.replace("|", "\\|") for c in cells(line)) + " |" for line in lines])


def machine() -> dict[str, Any]:
    """What a reader must know of the machine: no names, no paths."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return {
        "system": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count(),
        "memory_gb": round(memory / 2**30), "python": platform.python_version(),
        "packages": {name: version(name) for name in _PACKAGES},
    }  # fmt: skip


def measured(code: str, *arguments: str, said: int = 0) -> tuple[float, ...]:
    """Seconds and peak memory (MB, the largest process) of a piece of code in a process of its own.

    Then the first so many numbers that it printed.
    """
    script = (
        "import resource, sys, time\nbegin = time.perf_counter()\n" + code + "\nprint(time.perf_counter() - begin, max("
        "resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024)"
    )
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"LINKASSAY_HOME": home}
        command = [sys.executable, "-c", script, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    numbers = done.stdout.split()
    return tuple(map(float, [*numbers[-2:], *numbers[:said]]))


def real(folder: str) -> Path:
    """A folder of the real data, or an error that says what is missing."""
    path = SHARED / folder
    if not path.exists():
        raise NotAtHandError(f"needs {folder} of the real data, in ../shared/data beside the project")
    return path


@contextmanager
def home_with(wanted: Mapping[str, str]) -> Iterator[None]:
    """A data home of the benchmarks' own (`build/bench/home`) with some data (name → folder of the real data)."""
    import linkassay

    folders = {name: real(folder) for name, folder in wanted.items()}
    before = os.environ.get("LINKASSAY_HOME")
    os.environ["LINKASSAY_HOME"] = str(ROOT / "build" / "bench" / "home")
    try:
        for name, folder in folders.items():
            linkassay.get(name, folder)
        yield
    finally:
        os.environ.pop("LINKASSAY_HOME")
        if before is not None:
            os.environ["LINKASSAY_HOME"] = before
