"""Small things that many tests use."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from linkassay.engine import Engine
from linkassay.files import RawFile, from_bytes
from linkassay.formats.reading import Reading
from linkassay.ids import IdRule
from linkassay.problems import Problems


def raw(name: str, text: str | bytes) -> RawFile:
    """A raw file in memory."""
    return from_bytes(name, text.encode("utf-8") if isinstance(text, str) else text)


def reading(*, skip: bool = False, prefix: str = "", composite: str = "", **options: object) -> Reading:
    """A reading with one id rule for all types."""
    rule = IdRule(prefix=prefix, composite=composite)
    return Reading(rules={"": rule}, problems=Problems(skip=skip), **options)  # type: ignore[arg-type]


def delay() -> float:
    """How many times longer work takes now than alone on the machine, as others take turns with it; at least 1."""
    begun, worked = time.perf_counter(), time.thread_time()
    while (spent := time.thread_time() - worked) < 0.05:
        pass
    return max(1.0, (time.perf_counter() - begun) / spent)


def overtaking(other: threading.Thread) -> Engine:
    """An engine that, its shards done, starts the same work elsewhere and sees that this waits."""

    class Overtaken(Engine):
        def run(self, *arguments: Any, **options: Any) -> list[Path]:
            done = super().run(*arguments, **options)
            other.start()
            other.join(0.5)
            assert other.is_alive()
            return done

    return Overtaken(workers=1)
