"""Work for jobs of a server, as tests need it: each function is called in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from linkassay.errors import UsageError
from linkassay.progress import told


def write(path: str, text: str = "done") -> None:
    """Add to a file, so that it shows how often."""
    with Path(path).open("a", encoding="utf-8") as out:
        out.write(text)


def sleep(seconds: float, path: str = "", moment: float = 0) -> None:
    """Take long, and say how far it is; what is begun is removed when told to stop, after a moment."""
    tell = told()
    if path:
        Path(path).write_text(str(os.getpid()), encoding="utf-8")
    try:
        for step in range(int(seconds * 20)):
            tell("sleeping", step, int(seconds * 20))
            time.sleep(0.05)
    finally:
        time.sleep(moment)
        if path:
            Path(path).unlink()


def with_child(path: str) -> None:
    """Start a process, say its number, and wait for it."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    Path(path).write_text(str(child.pid), encoding="utf-8")
    child.wait()


def crash() -> None:
    """Die as C code does."""
    os.kill(os.getpid(), signal.SIGSEGV)


def raise_() -> None:
    """A bug."""
    raise ZeroDivisionError("secret of the machine")


def refuse() -> None:
    """What cannot be."""
    raise UsageError("there is no such measure")


def eat() -> None:
    """Take memory, more and more."""
    held = []
    for _ in range(60):
        held.append(bytearray(os.urandom(1) * (20 << 20)))
        time.sleep(0.05)
