"""Processes within limits: how they end is said, and what they leave behind is ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from endure import commands


def _refused() -> int:
    print("error: no", file=sys.stderr)
    return 2


def _raises() -> int:
    raise KeyError("a bug")


def _mute() -> int:
    return 2


def _waits() -> int:
    time.sleep(60)
    return 0


@pytest.mark.parametrize(
    ("work", "wrong"),
    [(_refused, ""), (lambda: 0, ""), (_raises, "a traceback"), (_mute, "without a message"), (lambda: 70, "status 70"),
     (_waits, "did not end")],
)  # fmt: skip
def test_how_it_ended(work: Callable[[], int], wrong: str, tmp_path: Path) -> None:
    said = commands.Running(work, tmp_path).wait(0.5).wrong()
    assert wrong in said
    assert bool(wrong) == bool(said)
    assert list(tmp_path.iterdir()) == []


def test_what_stays_behind_is_seen_and_ended(tmp_path: Path) -> None:
    def work() -> int:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        return 0

    running = commands.Running(work, tmp_path)
    assert running.wait().code == 0
    [left] = running.left_behind(patience=0.2)
    limit = time.monotonic() + 10
    while commands._group(running.pid) and time.monotonic() < limit:
        time.sleep(0.01)
    assert commands._group(running.pid) == []
    assert left != os.getpid()
