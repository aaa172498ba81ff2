"""Being told to stop: Ctrl-C, SIGTERM or a closed terminal end a process soon, and nothing temporary is left (SAFE-10).

Python heeds a signal between two of its own steps: a compiled loop or a query keeps it waiting. So a thread hears of
signals too. The work has some time to come to an end by itself; then its temporary files are removed as it stands.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

__all__ = ["Stopped", "at_the_end", "check", "heeded"]

#: Seconds that the work has to come to an end by itself.
GRACE = 1.0
_SIGNALS = {
    getattr(signal, name): said
    for name, said in (("SIGINT", "Ctrl-C"), ("SIGTERM", "SIGTERM"), ("SIGHUP", "SIGHUP: the terminal was closed"))
    if hasattr(signal, name)
}
#: Functions whose errors are written and not raised: finalisers, and what llvmlite lets LLVM call through ctypes.
_UNTIMELY = ("__del__", "_raw_object_cache_notify", "_raw_object_cache_getbuffer")


class Stopped(BaseException):
    """Raised where the main thread is. No `Exception`: who catches all errors of a linker does not catch this."""


class _Told:
    """What was told to this process so far."""

    def __init__(self) -> None:
        self.signal = 0
        self.raised = False
        self.heeding = False
        self.ending = threading.Lock()
        self.last_steps: list[Callable[[], None]] = []


_told = _Told()


def at_the_end(step: Callable[[], None]) -> None:
    """What is to be done before a process that was told to stop ends, wherever its work stands."""
    _told.last_steps.append(step)


def check() -> None:
    """Raises `Stopped` if this process was told to stop: before something is stored, whoever has caught it before."""
    if _told.signal:
        raise Stopped


@contextmanager
def heeded(grace: float = GRACE, *, quiet: bool = False) -> Iterator[None]:
    """Within the block signals are heeded; in the end the process is gone, with 128 and the signal's number (130, 143).

    What is ignored, as after `nohup` or in the background of a script, stays so. With `quiet` nothing is said of it.
    """
    if _told.heeding or threading.current_thread() is not threading.main_thread() or os.name != "posix":
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    watched = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    _told.heeding = True
    former = -1
    try:
        for number in watched:
            signal.signal(number, _stop)
        former = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        threading.Thread(target=_watch, args=(reading, grace, quiet), daemon=True).start()
        yield
    finally:
        if _told.signal:
            _end(quiet)
        signal.set_wakeup_fd(former)
        for number in watched:
            signal.signal(number, before[number])
        os.close(writing)  # ends the thread
        _told.heeding = False


def _stop(number: int, frame: FrameType | None) -> None:
    """Once: whoever cleans up because of the first signal is left to it.

    Not while a module is being loaded, an object is finalised or a compiler calls back: a traceback would be written.
    The thread ends the process.
    """
    _told.signal = _told.signal or number
    if not _told.raised and not _untimely(frame):
        _told.raised = True
        raise Stopped


def _untimely(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>" or frame.f_code.co_name in _UNTIMELY:
            return True
        frame = frame.f_back
    return False


def _watch(reading: int, grace: float, quiet: bool) -> None:
    with os.fdopen(reading, "rb", buffering=0) as heard:
        while said := heard.read(64):
            for number in said:
                if number in _SIGNALS and signal.getsignal(number) is _stop:
                    _told.signal = _told.signal or number
            if _told.signal:
                time.sleep(grace)
                _end(quiet)


def _end(quiet: bool) -> NoReturn:
    """Whichever thread comes first ends the process; not by way of its other threads, which may take long."""
    if not _told.ending.acquire(blocking=False):
        threading.Event().wait()
    for step in _told.last_steps:
        with suppress(Exception):
            step()
    if not quiet:
        with suppress(OSError, ValueError):
            shown = "\x1b[?25h" if os.isatty(2) else ""  # a bar hides the cursor
            if select.select([], [2], [], 0.2)[1]:  # nobody may be reading
                os.write(2, f"{shown}stopped ({_SIGNALS[signal.Signals(_told.signal)]})\n".encode())
    os._exit(128 + _told.signal)
