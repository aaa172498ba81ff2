"""Progress bars on the terminal, for whatever reports (description, done, total)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkassay.fetch import Progress as Report

__all__ = ["bars"]


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
