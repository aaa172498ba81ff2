"""What all benchmarks share: running a command and seeing what it takes, in turns with its peer, and a row of that.

CPU seconds are those of all processes of a command, memory is the sum over them (what they share counts once).
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
#: Real data, beside the project.
SHARED = ROOT.parent / "shared" / "data"
_PACKAGES = ("linkassay", "numpy", "pyarrow", "duckdb", "numba")

#: CPU seconds of `calibration` on the machine where ELEVANT was measured (`python -m bench --calibrate`).
REFERENCE = 0.33


class NotAtHandError(Exception):
    """What a part needs is not there; the message says what."""


@dataclass(frozen=True)
class Taken:
    """What one run of something took: seconds, megabytes (2²⁰ bytes); and what it said."""

    cpu: float
    wall: float
    memory: float
    said: Any = None

    def times(self, factor: float) -> Taken:
        """As if so much of it had been done."""
        return replace(self, cpu=self.cpu * factor, wall=self.wall * factor)

    def __add__(self, other: Taken) -> Taken:
        """One after the other."""
        return Taken(self.cpu + other.cpu, self.wall + other.wall, max(self.memory, other.memory), other.said)


# --- running


def run(command: Sequence[str], home: Path | None = None, **environment: str) -> Taken:
    """Run a command; it must succeed. What it printed is kept, parsed if it is JSON or its last line is."""
    variables = os.environ | ({"LINKASSAY_HOME": str(home)} if home else {}) | environment
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "taken.json"
        child = [sys.executable, "-I", "-S", str(Path(__file__).with_name("child.py")), str(out), *command]
        done = subprocess.run(child, capture_output=True, text=True, env=variables, cwd=ROOT)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)[:300]}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        taken = json.loads(out.read_text())
    return Taken(**taken, said=_json(done.stdout))


def _json(text: str) -> Any:
    for part in (text, text.strip().rpartition("\n")[2]):
        with suppress(ValueError):
            return json.loads(part)
    return text


def command(*arguments: str | Path, home: Path) -> Taken:
    """`linkassay …`, from Enter to its end."""
    return run([str(Path(sys.executable).with_name("linkassay")), *map(str, arguments)], home)


_WITHOUT = "import sys; sys.modules.update(dict.fromkeys({hidden!r})); from linkassay.__main__ import main; main()"


def command_without(*packages: str) -> Callable[..., Taken]:
    """`command`, as where some packages of extras are not installed."""
    code = _WITHOUT.format(hidden=packages)

    def hidden(*arguments: str | Path, home: Path) -> Taken:
        return run([sys.executable, "-c", code, *map(str, arguments)], home)

    return hidden


_INSIDE = """
import json, resource, sys, time
said = None
def spent():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used), time.perf_counter()
def begin():
    global begun
    begun = spent()
begin()
{code}
print(json.dumps({{"cpu": spent()[0] - begun[0], "wall": spent()[1] - begun[1], "said": said}}))
"""


def inside(code: str, *arguments: str | Path, home: Path | None = None) -> Taken:
    """An inner function: Python that calls `begin()` when all is ready, and may leave something in `said`."""
    whole = run([sys.executable, "-c", _INSIDE.format(code=code), *map(str, arguments)], home)
    return Taken(whole.said["cpu"], whole.said["wall"], whole.memory, whole.said["said"])


def peer(name: str, *arguments: str | Path, python: str | Path = sys.executable) -> Taken:
    """What `bench.peers` has under a name, as a process of its own."""
    return run([str(python), "-m", "bench.peers", name, *map(str, arguments)])


def missing(*packages: str) -> str:
    """What is said in place of a figure where peers cannot be imported; "" if they can."""
    lacking = [name for name in packages if find_spec(name) is None]
    return f"{', '.join(lacking)} cannot be imported (pip install 'linkassay[bench]')" if lacking else ""


def calibration() -> float:
    """CPU seconds of a fixed piece of plain Python: dictionaries, tuples, texts cut, joined, sorted."""
    seen: dict[tuple[str, str], list[str]] = {}
    begin, total = time.process_time(), 0
    for number in range(600_000):
        word = f"word {number * 7919 % 50_021}"
        parts = word.split()
        key = (parts[0], parts[1][:3])
        seen.setdefault(key, []).append(word.upper())
        total += len(seen[key])
        if number % 1_000 == 0:
            total += len(sorted(seen, key=lambda pair: pair[1] + pair[0]))
    return time.process_time() - begin


_LOOP = "from bench.measure import calibration\nsaid = min(calibration() for _ in range(3))"


def loop_seconds() -> float:
    """CPU seconds of `calibration` in a process of its own, the best of three."""
    return float(inside(_LOOP).said)


def loop() -> Taken:
    """The same as a side to measure against."""
    return Taken(loop_seconds(), 0, 0)


def elevant(seconds: float) -> Taken:
    """What took ELEVANT so many CPU seconds on the reference machine, as this machine is now."""
    return loop().times(seconds / REFERENCE)


# --- in turns


def alternate(what: str, rounds: int, sides: Mapping[str, Callable[[], Taken]]) -> dict[str, list[Taken]]:
    """Each side once, so many times over: what else the machine does meets all alike."""
    found: dict[str, list[Taken]] = {name: [] for name in sides}
    for number in range(rounds):
        for name, work in sides.items():
            progress(f"{what}: {name}, {number + 1} of {rounds}")
            found[name].append(work())
    return found


_BEGUN = time.perf_counter()


def progress(what: str) -> None:
    """A line for whoever waits."""
    print(f"[{time.perf_counter() - _BEGUN:5.0f} s] {what}", file=sys.stderr, flush=True)


# --- rows

COLUMNS = ("work", "CPU s", "peer's CPU s", "ratio (spread)", "wall s", "peak MB", "target", "held")


@dataclass(frozen=True)
class Target:
    """A bound on the ratio, cpu, wall or memory of a row, or on a value of its own, which `of` then names."""

    of: str
    bound: float
    at_least: bool = False
    unit: str = ""
    value: float | None = None

    def __str__(self) -> str:
        """As it stands in the table."""
        name = f"{self.of} " if self.value is not None else ""
        return f"{name}{'≥' if self.at_least else '≤'} {shown(self.bound)} {self.unit}".strip()


def faster(times: float) -> Target:
    """At least so many times as fast as the peer, by CPU seconds."""
    return Target("ratio", times, True, "×")


def cpu(seconds: float) -> Target:
    """CPU seconds at most."""
    return Target("cpu", seconds, unit="s CPU")


def wall(seconds: float) -> Target:
    """Seconds at most that a person waits."""
    return Target("wall", seconds, unit="s")


def memory(megabytes: float) -> Target:
    """Peak memory at most."""
    return Target("memory", megabytes, unit="MB")


Row = dict[str, Any]


def row(work: str, ours: Sequence[Taken], *targets: Target, peer: Sequence[Taken] = (), against: str = "") -> Row:
    """A line of the table: the best of each side, and the ratio of these with the least and largest of a round."""
    best = {"cpu": min(t.cpu for t in ours), "wall": min(t.wall for t in ours), "memory": max(t.memory for t in ours)}
    found: Row = {"work": work, "against": against, **best, "peer_cpu": None, "ratio": None, "spread": None}
    if peer:
        rounds = [theirs.cpu / mine.cpu for mine, theirs in zip(ours, peer, strict=False)]
        found |= {"peer_cpu": min(t.cpu for t in peer), "spread": [min(rounds), max(rounds)]}
        found["ratio"] = found["peer_cpu"] / found["cpu"]
    values = [found[t.of] if t.value is None else t.value for t in targets]
    broken = [
        f"{t.of} {v:.4g}" if t.value is not None else f"{v:.4g} {t.unit}"
        for t, v in zip(targets, values, strict=True)
        if not (v >= t.bound if t.at_least else v <= t.bound)
    ]
    own = [f"{t.of} {shown(t.value)} {t.unit}".strip() for t in targets if t.value is not None]
    return found | {
        "name": work, "work": "; ".join([work, *own]), "target": ", ".join(map(str, targets)),
        "held": not broken if targets else None, "broken": broken,
    }  # fmt: skip


def not_measured(work: str, why: str) -> Row:
    """A line that says why there is no figure."""
    return {"work": work, "note": why}


def cells(line: Row) -> list[str]:
    """A row as texts, in the order of `COLUMNS`."""
    if "note" in line:
        return [f"{line['work']}: not measured: {line['note']}", *[""] * (len(COLUMNS) - 1)]
    theirs = "" if line["peer_cpu"] is None else f"{shown(line['peer_cpu'])} ({line['against']})"
    ratio = "" if line["ratio"] is None else f"{shown(line['ratio'])} × ({'–'.join(map(shown, line['spread']))})"
    held = {True: "yes", None: "", False: f"no: {', '.join(line['broken'])}"}[line["held"]]
    return [line["work"], shown(line["cpu"]), theirs, ratio, shown(line["wall"]), shown(line["memory"]),
            line["target"], held]  # fmt: skip


def shown(value: float) -> str:
    """Three digits, or all of a large number."""
    return (f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}").replace(",", " ")


_WIDTHS = (86, 7, 32, 24, 7, 7, 24, 4)


def plain(texts: Sequence[str]) -> str:
    """A line for the terminal: work to the left, figures to the right."""
    first, *rest = zip(texts, _WIDTHS, strict=True)
    return f"{first[0]:{first[1]}} " + " ".join(f"{text:>{width}}" for text, width in rest).rstrip()


def markdown(lines: Sequence[Row]) -> str:
    """The table for a page."""
    head = [f"| {' | '.join(COLUMNS)} |", "|---|---:|---:|---:|---:|---:|---|---|"]
    return "\n".join(head + ["| " + " | ".join(c.replace("|", "\\|") for c in cells(line)) + " |" for line in lines])


def machine() -> dict[str, Any]:
    """What a reader must know of the machine: no names, no paths."""
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return {
        "system": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count(),
        "memory_gb": round(size / 2**30), "python": platform.python_version(),
        "packages": {name: version(name) for name in _PACKAGES},
    }  # fmt: skip


# --- data


def real(folder: str) -> Path:
    """A folder of the real data, or an error that says what is missing."""
    path = SHARED / folder
    if not path.exists():
        raise NotAtHandError(f"needs {folder} of the real data, in ../shared/data beside the project")
    return path


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for a while."""
    with tempfile.TemporaryDirectory(prefix="linkassay-bench-") as folder:
        yield Path(folder)
