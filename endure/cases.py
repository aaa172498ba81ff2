"""What a part is, how its cases are run side by side, and what is kept of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Protocol


@dataclass
class Result:
    """What came of one case, or of many together."""

    tried: Counter[str] = field(default_factory=Counter)  # what was tried → how often
    failures: list[tuple[str, str]] = field(default_factory=list)  # case, what was wrong
    notes: Counter[str] = field(default_factory=Counter)  # what is worth saying, and is no failure
    seconds: float = 0.0  # the longest that anything took
    memory: int = 0  # the most bytes that a process held

    def failed(self, case: str, what: str) -> None:
        """Note that something is not as promised."""
        self.failures.append((case, what))

    def used(self, seconds: float, memory: int = 0) -> None:
        """Note what something took."""
        self.seconds, self.memory = max(self.seconds, seconds), max(self.memory, memory)

    def add(self, other: Result) -> None:
        """Those of another case too."""
        self.tried.update(other.tried)
        self.notes.update(other.notes)
        self.failures += other.failures
        self.used(other.seconds, other.memory)


class Part(Protocol):
    """One kind of trouble, a module: its cases are texts, which with a seed say all that is done."""

    PROMISE: str
    COUNT: int  # how many are tried where nobody says otherwise
    UNIT: str  # what is counted
    LANES: int  # how many cases at once

    @staticmethod
    def cases(count: int, seed: int) -> Sequence[str]:
        """Cases that together try so many."""
        ...

    @staticmethod
    def prepare(cases: Sequence[str], folder: Path) -> None:
        """Make what all of them begin with."""
        ...

    @staticmethod
    def attempt(case: str, seed: int, folder: Path) -> Result:
        """Try one of them."""
        ...


def drawn(seed: int, case: str) -> Random:
    """The chance of one case, whatever was tried before it."""
    return Random(f"{seed}:{case}")


def spread(kinds: Sequence[str], count: int) -> list[str]:
    """So many cases, each kind as often as any other: `kind/number`."""
    return [f"{kinds[n % len(kinds)]}/{n // len(kinds)}" for n in range(count)]


def run_part(
    part: Part, cases: Sequence[str], seed: int, folder: Path, *, lanes: int = 2, seconds: float = 0,
    tell: Callable[[Result], None] = lambda _: None,
) -> Result:  # fmt: skip
    """Try cases side by side until all are done or the time is over; `tell` hears of each."""
    part.prepare(cases, folder)
    begin = time.monotonic()
    found = Result()
    with ProcessPoolExecutor(lanes, mp_context=get_context("fork")) as pool:
        waiting: set[Future[Result]] = set()
        for case in _while(cases, lambda: not seconds or time.monotonic() - begin < seconds):
            waiting.add(pool.submit(part.attempt, case, seed, folder))
            if len(waiting) > lanes:
                waiting = _ended(waiting, found, tell)
        while waiting:
            waiting = _ended(waiting, found, tell)
    return found


def _while(cases: Sequence[str], go_on: Callable[[], bool]) -> Iterator[str]:
    for case in cases:
        if not go_on():
            return
        yield case


def _ended(waiting: set[Future[Result]], found: Result, tell: Callable[[Result], None]) -> set[Future[Result]]:
    done, others = wait(waiting, return_when=FIRST_COMPLETED)
    for each in done:
        result = each.result()
        found.add(result)
        tell(result)
    return others
