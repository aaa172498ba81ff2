"""SIGKILL at random moments of every verb that writes; the same command again ends as if nothing had been."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

from endure import verbs
from endure.cases import Result, drawn, spread
from endure.striking import again, strike

PROMISE = (
    "A command that is killed at any moment and run again leaves the same files as if it had not been killed, byte for "
    "byte, or by value where costs are recorded; nothing is left over, no process stays behind."
)
COUNT, UNIT = 240, "kills, each followed by the same command again"
LANES = 2


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
    said = ""
    for _ in range(2 if random.random() < 0.2 else 1):
        blow = strike(verb, place, folder, whole, random, signal.SIGKILL, group=random.random() < 0.5)
        if blow is None:
            result.notes["over before the kill"] += 1
            break
        said = blow.said
        if blow.left:
            result.failed(case, f"killed {said}: {len(blow.left)} of its processes stayed behind")
        result.tried[verb] += 1
    if wrong := again(verb, place, folder, whole, result):
        result.failed(case, f"killed {said}, then: {wrong}")
    shutil.rmtree(place)
    return result
