"""Parts of an index: each made by itself and kept until all are there, so that a kill costs one of them (LINKER-17)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.engine import Engine, Task
from linkassay.errors import LinkassayError
from linkassay.runs.costs import Clock, Memory
from linkassay.runs.ready_linker import ReadyLinker
from linkassay.runs.request import LinkRequest

#: What making a part cost, beside what it holds.
_COSTS = "costs.json"


def make_parts(
    request: LinkRequest, folder: Path, progress: Callable[[int, int], None] | None, engine: Engine | None
) -> list[Path]:
    """Make those that are missing; the folders of all."""
    said = json.dumps(request.as_data())
    try:
        number = _ready(said)[1]
        tasks = [Task(f"{n:06d}", f"{__name__}:make_part", {"request": said, "part": n}) for n in range(number)]
        return (engine or Engine(workers=1)).run(tasks, folder, progress or (lambda done, total: None))
    finally:
        _ready.cache_clear()


def make_part(target: Path, request: str, part: int) -> None:
    """Make one, and note what it cost."""
    memory, clock = Memory(), Clock()
    ready, _ = _ready(request)
    try:
        ready.linker.make_part(part, store.MappedFolder(target))
    except LinkassayError:
        raise
    except (Exception, SystemExit) as error:
        if store.unwritable(error):
            raise
        raise ready.error(error) from error
    clock.lap("part")
    (target / _COSTS).write_text(json.dumps({**clock.laps, "peak_memory_bytes": memory.peak()}), encoding="utf-8")


def with_parts(costs: dict[str, Any], parts: Iterable[Path]) -> dict[str, Any]:
    """What an index cost, with what its parts did: times are added up, as those of several workers are."""
    notes = [store.read_json(part / _COSTS) for part in parts]
    added = {f"index_{clock}": sum(note[f"part_{clock}"] for note in notes) for clock in ("seconds", "cpu_seconds")}
    most = max((note["peak_memory_bytes"] or 0 for note in (*notes, costs)), default=0) or None
    return {**costs, **{name: costs.get(name, 0.0) + more for name, more in added.items() if notes},
            "peak_memory_bytes": most}  # fmt: skip


@lru_cache(maxsize=1)
def _ready(request: str) -> tuple[ReadyLinker, int]:
    """The linker that makes the parts, and how many there are; a process makes many of them with one."""
    ready = ReadyLinker.made(LinkRequest.of_data(json.loads(request)))
    return ready, ready.linker.parts(ready.knowledge())
