"""Ctrl-C, SIGTERM and SIGHUP at random moments of every verb that writes: one line, soon, nothing temporary stays."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

from endure import verbs
from endure.cases import Result, drawn, spread
from endure.killing import temporaries
from endure.striking import Blow, again, strike

PROMISE = (
    "A command that is told to stop, by Ctrl-C, SIGTERM or SIGHUP, ends soon, with one line and 128 and the signal's "
    "number; nothing temporary is left, no process stays behind, and run again it leaves what it always does."
)
COUNT, UNIT = 132, "signals, each followed by the same command again"
LANES = 2

#: Seconds that it may take beyond what the whole command takes here: two are promised where the machine is free.
_LONGEST = 5.0


def cases(count: int, seed: int) -> list[str]:
    """Each verb in turn."""
    return spread(list(verbs.VERBS), count)


def prepare(cases: Sequence[str], folder: Path) -> None:
    """The verbs undisturbed."""
    verbs.prepare([case.partition("/")[0] for case in cases], folder)


def attempt(case: str, seed: int, folder: Path) -> Result:
    """Stop a verb, and run it to its end."""
    verb, random, result = case.partition("/")[0], drawn(seed, case), Result()
    whole = verbs.undisturbed(verb, folder)
    place = verbs.fresh(verb, folder, f"stop-{os.getpid()}")
    number = random.choice((signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    group = number == signal.SIGINT  # as a terminal tells it
    blow = strike(verb, place, folder, whole, random, number, group=group)
    if blow is None:
        result.notes["over before the signal"] += 1
    else:
        result.tried[verb] += 1
        result.used(blow.seconds, blow.ended.memory)
        if wrong := _wrong(blow, number, place, _LONGEST + whole.seconds):
            result.failed(case, f"{number.name} {blow.said}: {wrong}")
    if wrong := again(verb, place, folder, whole, result):
        result.failed(case, f"{number.name} {blow.said if blow else 'too late'}, then: {wrong}")
    shutil.rmtree(place)
    return result


def _wrong(blow: Blow, number: int, place: Path, longest: float) -> str:
    """What is not as promised of an end that was asked for; nothing if all is."""
    if wrong := blow.ended.wrong((128 + number,)):
        return wrong
    if not blow.ended.err.rpartition("stopped (")[2].endswith(")\n") or "stopped (" not in blow.ended.err:
        return f"it said {blow.ended.err[-200:]!r}"
    if blow.seconds > longest:
        return f"it took {blow.seconds:.1f} s"
    if blow.left:
        return f"{len(blow.left)} of its processes stayed behind"
    left = temporaries(place)
    return f"left over: {', '.join(left[:5])}" if left else ""
