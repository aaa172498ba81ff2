"""How far long work is: bars on the terminal, or a file for the process that waits for this one."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkassay.fetch import Progress as Report

__all__ = ["PROGRESS_FILE", "bars", "told"]

#: Where the process that started this one looks for how far it is.
PROGRESS_FILE = "LINKASSAY_PROGRESS"
#: Seconds between two looks at most.
_OFTEN = 0.1


@contextmanager
def bars(quiet: bool) -> Iterator[Report]:
    """A callback that moves one bar per description (total 0: not known); silent when quiet or not on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda description, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.completed:,.0f}"),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        tasks: dict[str, TaskID] = {}

        def report(description: str, done: int, total: int) -> None:
            if description not in tasks:
                tasks[description] = progress.add_task(description, total=total or None)
            progress.update(tasks[description], completed=done, total=total or None)

        yield report


def told() -> Report:
    """A callback that writes `[description, done, total]` for a process that waits; it does nothing if none does."""
    path = os.environ.get(PROGRESS_FILE)
    if not path:
        return lambda description, done, total: None
    last = ("", -1.0)

    def report(description: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if description == last[0] and now - last[1] < _OFTEN:
            return
        last = (description, now)
        with suppress(OSError), open(f"{path}.new", "w", encoding="utf-8") as out:
            json.dump([description, done, total], out)
        with suppress(OSError):
            os.replace(f"{path}.new", path)

    return report
