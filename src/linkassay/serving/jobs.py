"""Long work: each job is a process of its own, so that its memory is given back, and it can be ended.

At most so many run at once, the others wait in line. The same request asked twice is one job.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.errors import LinkassayError
from linkassay.progress import PROGRESS_FILE
from linkassay.serving.refusals import RefusedError

#: Seconds that a process has for coming to an end before it is killed.
_MOMENT = 0.6
#: Jobs that are over and still told of, and for how many seconds a failure is not tried again.
_TOLD, _FAILED_FOR = 200, 60.0
#: Bytes of what a process says of its failure.
_SAID = 20_000
#: What keeps the memory small that a process has for itself, unless the user says otherwise.
_LEAN = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}


def _most_memory() -> int:
    """Half of what the machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (ValueError, OSError, AttributeError):
        return 4 << 30


@dataclass(frozen=True)
class Limits:
    """What jobs may take: how many at once and in line, seconds and bytes of memory of each."""

    at_once: int = 2
    in_line: int = 32
    seconds: float = 1_200.0
    memory: int = field(default_factory=_most_memory)


@dataclass
class Job:
    """`arguments` are those of `linkassay.serving.child`; `finish` is handed the folder where it has worked.

    A job in the `background` is one that nobody waits for: it comes after all others, and alone.
    """

    key: str
    what: str
    arguments: Sequence[str]
    finish: Callable[[Path], None]
    background: bool = False
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    state: str = "waiting"
    done: int = 0
    of: int = 0
    why: str = ""
    refused: bool = False  # the request cannot be met, as opposed to: something went wrong
    ended: float = 0.0
    process: subprocess.Popen[bytes] | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)

    def as_dict(self) -> dict[str, Any]:
        """As it is told."""
        told = {"job": self.id, "state": self.state, "done": self.done, "of": self.of, "what": self.what}
        return told | ({"why": self.why} if self.state in ("failed", "cancelled") else {})


class Jobs:
    """All jobs of a server."""

    def __init__(self, home: Path, scratch: Path, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._home, self._scratch = home, scratch
        self._changed = threading.Condition()
        self._active: OrderedDict[str, Job] = OrderedDict()  # by id: waiting or running
        self._over: OrderedDict[str, Job] = OrderedDict()  # by id
        self._failed: dict[str, Job] = {}  # by key
        self._threads: list[threading.Thread] = []
        self._ending = False

    def ask(self, job: Job) -> Job:
        """The job that does this, an older one if there is one; an error if it has just failed, or the line is full."""
        with self._changed:
            # One that is being cancelled comes to nothing: who asks again gets another.
            same = (each for each in self._active.values() if each.key == job.key and not each.cancelled.is_set())
            if found := next(same, None):
                if found.background and not job.background:
                    found.background = False  # now somebody waits for it
                    self._changed.notify_all()
                return found
            failed = self._failed.get(job.key)
            if failed and time.monotonic() - failed.ended < _FAILED_FOR:
                raise RefusedError(400 if failed.refused else 500, failed.why)
            waiting = sum(each.state == "waiting" for each in self._active.values())
            if waiting >= self.limits.in_line or self._ending:
                raise RefusedError(503, "too much is being computed already: wait until some of it is done")
            self._active[job.id] = job
            if not self._threads:
                self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self.limits.at_once)]
                for thread in self._threads:
                    thread.start()
            self._changed.notify_all()
            return job

    def find(self, identifier: str) -> Job | None:
        """A job by its id."""
        with self._changed:
            return self._over.get(identifier) or self._active.get(identifier)

    def why_failed(self, key: str) -> str:
        """Why the last job of this key came to nothing; "" if it did not."""
        with self._changed:
            failed = self._failed.get(key)
            return failed.why if failed else ""

    def cancel(self, job: Job) -> None:
        """End a job, if it is not over."""
        with self._changed:
            job.cancelled.set()
            if job.state == "waiting":
                self._close(job, "cancelled", "it was cancelled")

    def end(self) -> None:
        """End all jobs and their processes; this server has no more of them."""
        with self._changed:
            self._ending = True
            for job in list(self._active.values()):
                job.cancelled.set()
                if job.state == "waiting":
                    self._close(job, "cancelled", "the server has ended")
            running = [job.process for job in self._active.values() if job.process]
            self._changed.notify_all()
        for process in running:
            _end(process)

    def _work(self) -> None:
        while job := self._next():
            try:
                self._do(job)
            except RefusedError as refused:
                self._close(job, "cancelled" if job.cancelled.is_set() else "failed", str(refused),
                            refused=refused.status < 500)  # fmt: skip
            except LinkassayError as error:
                self._close(job, "failed", str(error))
            except Exception as error:
                print(f"error: {job.what}: {type(error).__name__}: {error}", file=sys.stderr)
                self._close(job, "failed", _UNEXPECTED)
            else:
                self._close(job, "done", "")

    def _next(self) -> Job | None:
        """The first that may run now; waits for one. None when the server ends."""
        with self._changed:
            while not self._ending:
                waiting = [job for job in self._active.values() if job.state == "waiting"]
                quiet = any(job.background and job.state == "running" for job in self._active.values())
                ready = [job for job in waiting if not job.background] or [job for job in waiting if not quiet]
                if ready:
                    ready[0].state = "running"
                    return ready[0]
                self._changed.wait()
            return None

    def _close(self, job: Job, state: str, why: str, *, refused: bool = False) -> None:
        with self._changed:
            job.state, job.why, job.refused, job.ended = state, why, refused, time.monotonic()
            self._active.pop(job.id, None)
            self._failed.pop(job.key, None)
            if state == "failed":
                self._failed[job.key] = job
                while len(self._failed) > _TOLD:
                    del self._failed[next(iter(self._failed))]
            self._over[job.id] = job
            while len(self._over) > _TOLD:
                self._over.popitem(last=False)
            self._changed.notify_all()

    def _do(self, job: Job) -> None:
        with store.scratch_folder(self._scratch) as folder:
            environment = _LEAN | os.environ | {
                "LINKASSAY_HOME": str(self._home), PROGRESS_FILE: str(folder / "progress"),
                "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in filter(None, sys.path)),
            }  # fmt: skip
            command = [sys.executable, "-P", "-m", "linkassay.serving.child", str(os.getpid()), *job.arguments]
            with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err, self._changed:
                if job.cancelled.is_set():
                    raise RefusedError(409, "it was cancelled")
                job.process = subprocess.Popen(  # noqa: S603
                    command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, env=environment,
                    start_new_session=True,
                )  # fmt: skip
            try:
                self._watch(job, job.process, folder)
            finally:
                _end(job.process)
            job.finish(folder)

    def _watch(self, job: Job, process: subprocess.Popen[bytes], folder: Path) -> None:
        """Wait for the end of a process, told of its progress; an error if it fails or takes too much."""
        begun, looks = time.monotonic(), 0
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
                break
            if job.cancelled.is_set():
                raise RefusedError(409, "it was cancelled")
            if time.monotonic() - begun > self.limits.seconds:
                raise LinkassayError(f"it was ended after {self.limits.seconds:.0f} seconds; use the command line")
            looks += 1
            if looks % 4 == 1:
                self._progress(job, folder)
                if _memory(process.pid) > self.limits.memory:
                    raise LinkassayError(f"it was ended when it needed more than {self.limits.memory / 2**30:.1f} GB "
                                         "of memory; use the command line")  # fmt: skip
        if job.cancelled.is_set():
            raise RefusedError(409, "it was cancelled")
        if process.returncode:
            raise _failure(process.returncode, folder / "err")

    def _progress(self, job: Job, folder: Path) -> None:
        with suppress(OSError, ValueError, TypeError):
            what, done, of = json.loads((folder / "progress").read_text(encoding="utf-8"))
            job.what, job.done, job.of = str(what), int(done), int(of)


_UNEXPECTED = "it failed for a reason that should not be; where the server was started more is said"


def _failure(code: int, said: Path) -> LinkassayError:
    """What a process ended with: its own error in a sentence, or that it died. Nothing else of it is for others."""
    with said.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - _SAID))
        text = file.read().decode("utf-8", "replace")
    errors = [line.removeprefix("error: ") for line in text.splitlines() if line.startswith("error: ")]
    if code == 2 and errors:
        return RefusedError(400, errors[-1])
    if code < 0:
        return LinkassayError("its process died: it crashed, was killed, or there was not enough memory")
    print(text, end="", file=sys.stderr)
    return LinkassayError(_UNEXPECTED)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started: it has a moment to remove what it has begun."""
    for number, wait in ((signal.SIGTERM, _MOMENT), (signal.SIGKILL, 5.0)):
        if process.poll() is not None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number) if hasattr(os, "killpg") else process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(wait)


def _memory(process: int) -> int:
    """Bytes that a process and those that it started hold; 0 where the system does not tell."""
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            held = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            return held + sum(_memory(int(child)) for child in file.read().split())
    except (OSError, ValueError, IndexError):
        return 0
