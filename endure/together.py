"""Two processes at once on the same thing; sometimes one of them is killed. Both find it whole."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from endure import commands, verbs
from endure.cases import Result, drawn, spread

PROMISE = (
    "Two commands at once on the same thing both end well and leave what one of them leaves alone; if one of them is "
    "killed, the other one is not disturbed."
)
COUNT, UNIT = 80, "pairs of commands at once"
LANES = 2

#: Different verbs at once, whose results do not depend on who comes first.
_PAIRS = (
    ("get", "demo"),
    ("link-again", "score"),
    ("link-again", "report"),
    ("link-workers", "link"),
    ("prepare", "link-prepares"),
    ("get-kb", "kb-add"),
)


def cases(count: int, seed: int) -> list[str]:
    """Each verb with itself, and the pairs, in turn."""
    kinds = [f"{verb}+{verb}" for verb in verbs.VERBS if verb != "wic-sheet"]  # a folder of sheets must be new
    kinds += [f"{one}+{two}" for one, two in _PAIRS]
    drawn(seed, "order").shuffle(kinds)
    return spread(kinds, count)


def prepare(cases: Sequence[str], folder: Path) -> None:
    """The verbs undisturbed."""
    verbs.prepare([verb for case in cases for verb in case.partition("/")[0].split("+")], folder)


def attempt(case: str, seed: int, folder: Path) -> Result:
    """Both at once, the second one after a moment; one of them may be killed, and is run again."""
    one, two = case.partition("/")[0].split("+")
    random, result = drawn(seed, case), Result()
    place = verbs.fresh(one, folder, f"two-{os.getpid()}")
    work = {
        n: commands.command(verbs.filled(verbs.VERBS[verb], place, folder), place) for n, verb in enumerate((one, two))
    }
    begun = [commands.Running(work[0], place, "first")]
    whole = verbs.undisturbed(one, folder)
    time.sleep(random.random() * whole.seconds * random.choice((0, 0, 1)))
    begun.append(commands.Running(work[1], place, "second"))
    killed = random.choice((None, None, 0, 1))
    if killed is not None:
        time.sleep(random.random() * whole.seconds)
        begun[killed].kill(group=True)
    ends = [running.wait() for running in begun]
    if killed is not None:
        ends[killed] = commands.Running(work[killed], place, "again").wait()
    wrong = ""
    for number, ended in enumerate(ends):
        result.used(ended.seconds, ended.memory)
        if said := ended.wrong((0,)):
            wrong = wrong or f"{('the first', 'the second')[number]}: {said}"
    expected = whole.files | verbs.undisturbed(two, folder).files
    # a page shows what a run cost, and whoever makes the run again has other costs
    costed = ["report.html"] if one != two and "link-again" in (one, two) else []
    found = verbs.files_of(place, costed)
    expected |= {f"out/{name}": "whole" for name in costed if f"out/{name}" in expected}
    if killed is not None:  # what it had begun stays until somebody writes into the same folder
        found = {name: digest for name, digest in found.items() if "/." not in name}
    if one != two:  # who replaces a run removes what was counted of it
        found, expected = verbs.without_counted(found), verbs.without_counted(expected)
    wrong = wrong or verbs.differences(found, expected)
    result.tried["one of them killed" if killed is not None else "both to their end"] += 1
    if wrong:
        result.failed(case, wrong)
    shutil.rmtree(place)
    return result
