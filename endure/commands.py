"""Runs commands of linkassay in forked processes of their own, within limits, and says how they ended.

A fork has all modules imported already: that takes most of the time of a short command.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

#: No command of a case takes longer (seconds) or more memory (bytes): they work on the embedded benchmark.
LONGEST = 240.0
MOST_MEMORY = 1_500_000_000


def import_all() -> None:
    """Import the whole package, so that forks need not."""
    import linkassay

    for module in pkgutil.walk_packages(linkassay.__path__, "linkassay."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(Exception):
                importlib.import_module(module.name)


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit status (negative: a signal), what it said, and what it took."""

    code: int
    out: str
    err: str
    seconds: float
    memory: int
    hung: bool = False

    def wrong(self, codes: Sequence[int] = (0, 1, 2)) -> str:
        """What is not as promised of every end of a command; nothing if all is."""
        if self.hung:
            return f"did not end within {LONGEST:g} s"
        if "Traceback (most recent call last)" in self.err + self.out:
            return f"a traceback: {_last_lines(self.err or self.out)}"
        if self.code not in codes:
            return f"exit status {self.code}: {_last_lines(self.err)}"
        if self.code == 2 and "error:" not in self.err.lower() and "Error" not in self.err:
            return f"exit status 2 without a message: {_last_lines(self.err)}"
        if self.memory > MOST_MEMORY:
            return f"{self.memory:,} bytes of memory"
        return ""


def _last_lines(text: str) -> str:
    return " / ".join(line.strip() for line in text.strip().splitlines()[-3:])[-300:]


class Running:
    """A function in a forked process with a group of its own; its output goes to files beside `folder`'s others."""

    def __init__(self, work: Callable[[], int], folder: Path, name: str = "said") -> None:
        self._files = folder / f".{name}.out", folder / f".{name}.err"
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        self._begin = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            _become(work, self._files)
        with contextlib.suppress(OSError):
            os.setpgid(self.pid, self.pid)  # whoever comes first
        self._status: tuple[int, resource.struct_rusage] | None = None

    def over(self) -> bool:
        """Whether it has ended."""
        if self._status is None:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self._status = status, usage
                self._seconds = time.monotonic() - self._begin
        return self._status is not None

    def wait(self, longest: float = LONGEST) -> Ended:
        """Its end, or that it did not come in time; then it is ended with all that it started."""
        pause, hung = 0.002, False
        while not self.over():
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
            if time.monotonic() - self._begin > longest:
                hung = True
                self.kill(group=True)
        assert self._status is not None
        status, usage = self._status
        out, err = (path.read_text(encoding="utf-8", errors="replace") if path.exists() else "" for path in self._files)
        for path in self._files:
            path.unlink(missing_ok=True)
        return Ended(os.waitstatus_to_exitcode(status), out, err, self._seconds, usage.ru_maxrss * 1024, hung)

    def send(self, number: int, *, group: bool) -> None:
        """A signal, for it alone or for all that it started too."""
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.pid, number)

    def kill(self, *, group: bool) -> None:
        """SIGKILL."""
        self.send(signal.SIGKILL, group=group)

    def left_behind(self, patience: float = 15) -> list[int]:
        """Processes of its group that still run, some seconds after its end; they are ended."""
        limit = time.monotonic() + patience
        while (left := _group(self.pid)) and time.monotonic() < limit:
            time.sleep(0.05)
        if left:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        return left


def _group(group: int) -> list[int]:
    """Those of a process group that are alive."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            state, _, of, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(of) == group and state not in "ZX":
                found.append(int(folder.name))
    return found


def _become(work: Callable[[], int], files: tuple[Path, Path]) -> None:
    """What the fork does; it never returns."""
    status = 70
    try:
        os.setpgid(0, 0)
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: not without who looks after it
        for number, path in enumerate(files, start=1):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(handle, number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout, sys.stderr = (open(n, "w", encoding="utf-8", closefd=False) for n in (1, 2))  # whoever caught them
        status = work()
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(status)


def command(arguments: Sequence[str], folder: Path, home: Path | None = None) -> Callable[[], int]:
    """The work of a process: this command of linkassay, in a folder, with a data home (`home` in it)."""

    def work() -> int:
        enter(folder, home)
        return call(arguments)

    return work


def enter(folder: Path, home: Path | None = None) -> None:
    """Be in a folder, with a data home."""
    os.environ["LINKASSAY_HOME"] = str(home or folder / "home")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))  # of workers
    os.environ["no_proxy"] = "*"
    os.chdir(folder)


def call(arguments: Sequence[str]) -> int:
    """Run a command here; its exit status."""
    from linkassay import cli
    from linkassay.charts import without_charts

    sys.argv = ["linkassay", *arguments]
    try:
        with without_charts():  # pictures change no file, and starting what draws them takes longer than all else
            cli.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def run(arguments: Sequence[str], folder: Path, home: Path | None = None) -> Ended:
    """Run a command to its end."""
    return Running(command(arguments, folder, home), folder).wait()
