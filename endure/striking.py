"""Strikes a verb with a signal at a random moment, and runs it again."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from endure import commands, verbs
from endure.cases import Result
from endure.killing import watched
from endure.verbs import Undisturbed

#: A moment that is over before it comes is taken earlier, so often.
_TRIES = 6


class Blow(NamedTuple):
    """A signal that met a verb: when, how that ended and how long it took, and which processes stayed behind."""

    said: str
    ended: commands.Ended
    seconds: float
    left: list[int]


def strike(
    verb: str, place: Path, folder: Path, whole: Undisturbed, random: Random, number: int, *, group: bool
) -> Blow | None:
    """Send a signal after a change to the file system, or after some time; nothing if it is always too late."""
    whom = "with all that it started" if group else "alone"
    by_change = random.random() < 0.6 and whole.changes
    point, delay = random.randint(1, max(1, whole.changes)), random.choice((0.0, 0.0, random.random() * 0.01))
    after = whole.first + random.random() * (whole.seconds - whole.first)
    struck = folder / f"struck-{place.name}"
    for _ in range(_TRIES):
        struck.unlink(missing_ok=True)
        if by_change:
            work = _struck(verb, place, folder, point, delay, number, group, struck)
            running = commands.Running(work, place)
            said = f"{whom} at change {point} of {whole.changes} + {delay * 1000:.1f} ms"
        else:
            running = commands.Running(commands.command(verbs.filled(verbs.VERBS[verb], place, folder), place), place)
            said = f"{whom} after {after:.3f} s of {whole.seconds:.3f}"
            limit = time.monotonic() + after
            while time.monotonic() < limit and not running.over():
                time.sleep(0.001)
            struck.write_text(str(time.monotonic()))
            running.send(number, group=group)
        ended = running.wait()
        over = time.monotonic()
        left = running.left_behind()
        if ended.code in (-number, 128 + number):
            return Blow(said, ended, over - float(struck.read_text()), left)
        point, after = max(1, point // 2), after / 2
        shutil.rmtree(place)
        verbs.fresh(verb, folder, place.name)
    return None


def _struck(
    verb: str, place: Path, folder: Path, point: int, delay: float, number: int, group: bool, struck: Path
) -> Callable[[], int]:
    def send() -> None:
        time.sleep(delay)
        struck.write_text(str(time.monotonic()))
        (os.killpg if group else os.kill)(os.getpid(), number)

    def change(at: int) -> None:
        if at == point:
            threading.Thread(target=send, daemon=True).start() if delay else send()

    def work() -> int:
        commands.enter(place)
        if number != signal.SIGKILL:
            signal.signal(number, lambda *_: None)  # one that comes when all is done is too late
        with watched(place, change):
            return commands.call(verbs.filled(verbs.VERBS[verb], place, folder))

    return work


def again(verb: str, place: Path, folder: Path, whole: Undisturbed, result: Result) -> str:
    """Run a verb to its end: what is other than if it had not been disturbed before, nothing if nothing is."""
    ended = commands.Running(commands.command(verbs.filled(verbs.VERBS[verb], place, folder), place), place).wait()
    result.used(ended.seconds, ended.memory)
    codes = (0, 2) if verb == "wic-sheet" else (0,)  # sheets that are there, maybe filled in, are never replaced
    return ended.wrong(codes) or verbs.differences(verbs.files_of(place), whole.files)
