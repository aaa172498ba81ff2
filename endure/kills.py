"""SIGKILL at random moments of every verb that writes; the same command again ends as if nothing had been."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from endure import commands, verbs
from endure.cases import Result, drawn, spread
from endure.killing import watched
from endure.verbs import Undisturbed

PROMISE = (
    "A command that is killed at any moment and run again leaves the same files as if it had not been killed, byte for "
    "byte, or by value where costs are recorded; nothing is left over, no process stays behind."
)
COUNT, UNIT = 240, "kills, each followed by the same command again"
LANES = 2

#: A moment that is over before it comes is taken earlier, so often.
_TRIES = 6


def cases(count: int, seed: int) -> list[str]:
    """Each verb in turn."""
    return spread(list(verbs.VERBS), count)


def prepare(cases: Sequence[str], folder: Path) -> None:
    """The verbs undisturbed."""
    verbs.prepare([case.partition("/")[0] for case in cases], folder)


def attempt(case: str, seed: int, folder: Path) -> Result:
    """Kill a verb, sometimes twice, and run it to its end."""
    verb, random, result = case.partition("/")[0], drawn(seed, case), Result()
    whole = verbs.undisturbed(verb, folder)
    place = verbs.fresh(verb, folder, f"kill-{os.getpid()}")
    for _ in range(2 if random.random() < 0.2 else 1):
        said, left = _killed(verb, place, folder, whole, random)
        if not said:
            result.notes["over before the kill"] += 1
            break
        if left:
            result.failed(case, f"killed {said}: {left} of its processes stayed behind")
        result.tried[verb] += 1
    ended = commands.Running(commands.command(verbs.filled(verbs.VERBS[verb], place, folder), place), place).wait()
    result.used(ended.seconds, ended.memory)
    codes = (0, 2) if verb == "wic-sheet" else (0,)  # sheets that are there, maybe filled in, are never replaced
    wrong = ended.wrong(codes) or verbs.differences(verbs.files_of(place), whole.files)
    if wrong:
        result.failed(case, f"killed {said}, then: {wrong}")
    shutil.rmtree(place)
    return result


def _killed(verb: str, place: Path, folder: Path, whole: Undisturbed, random: Random) -> tuple[str, int]:
    """Kill it at a random moment, after a change to the file system or its start; says when, and how many stay."""
    group = random.random() < 0.5
    whom = "with all that it started" if group else "alone"
    by_change = random.random() < 0.6 and whole.changes
    point, delay = random.randint(1, max(1, whole.changes)), random.choice((0.0, 0.0, random.random() * 0.01))
    after = whole.first + random.random() * (whole.seconds - whole.first)
    for _ in range(_TRIES):
        if by_change:
            running = commands.Running(_dying(verb, place, folder, point, delay, group), place)
            said = f"{whom} at change {point} of {whole.changes} + {delay * 1000:.1f} ms"
        else:
            running = commands.Running(commands.command(verbs.filled(verbs.VERBS[verb], place, folder), place), place)
            said = f"{whom} after {after:.3f} s of {whole.seconds:.3f}"
            limit = time.monotonic() + after
            while time.monotonic() < limit and not running.over():
                time.sleep(0.001)
            running.kill(group=group)
        ended = running.wait()
        left = running.left_behind()
        if ended.code == -signal.SIGKILL:
            return said, len(left)
        point, after = max(1, point // 2), after / 2
        shutil.rmtree(place)
        verbs.fresh(verb, folder, place.name)
    return "", 0


def _dying(verb: str, place: Path, folder: Path, point: int, delay: float, group: bool) -> Callable[[], int]:
    def die() -> None:
        time.sleep(delay)
        (os.killpg if group else os.kill)(os.getpid(), signal.SIGKILL)

    def change(number: int) -> None:
        if number == point:
            threading.Thread(target=die, daemon=True).start() if delay else die()

    def work() -> int:
        commands.enter(place)
        with watched(place, change):
            return commands.call(verbs.filled(verbs.VERBS[verb], place, folder))

    return work
