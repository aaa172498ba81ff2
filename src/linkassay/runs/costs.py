"""What linking costs: seconds by the clock and of the processors, most memory (LINKER-2). It changes no answer."""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path


class Clock:
    """Wall and CPU seconds of each stage, measured here, never by the linker; of commands that it ran, too."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._wall, self._cpu = time.perf_counter(), _cpu_seconds()

    def lap(self, stage: str) -> None:
        """What went by since the last stage was this one."""
        wall, cpu = time.perf_counter(), _cpu_seconds()
        self.laps[f"{stage}_seconds"], self.laps[f"{stage}_cpu_seconds"] = wall - self._wall, cpu - self._cpu
        self._wall, self._cpu = wall, cpu


def _cpu_seconds() -> float:
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


class Memory:
    """The most memory that this process, or a command that it ran, had since now; None where nobody knows."""

    def __init__(self) -> None:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak so far is forgotten
        self._before = _largest("RUSAGE_CHILDREN")

    def peak(self) -> int | None:
        """Bytes, so far."""
        children = _largest("RUSAGE_CHILDREN")
        return max(_own_peak(), children if children > self._before else 0) or None


def _own_peak() -> int:
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return _largest("RUSAGE_SELF")
    found = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else _largest("RUSAGE_SELF")


def _largest(of: str) -> int:
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    return resource.getrusage(getattr(resource, of)).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
