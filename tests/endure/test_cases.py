"""Cases are the same for a seed, run side by side, and end in time."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from endure.__main__ import PARTS
from endure.cases import Result, drawn, run_part, spread


def _attempt(case: str, seed: int, folder: Path) -> Result:
    result = Result()
    result.tried[case[0]] += 1
    result.used(0.01, int(case[1:]))
    if case == "b3":
        result.failed(case, "three")
    time.sleep(0.01)
    return result


PART: Any = SimpleNamespace(PROMISE="", COUNT=9, UNIT="", prepare=lambda cases, folder: None, attempt=_attempt)


def test_side_by_side(tmp_path: Path) -> None:
    told: list[Result] = []
    found = run_part(PART, ["a1", "b2", "b3", "a4"], 1, tmp_path, tell=told.append)
    assert (dict(found.tried), found.failures, found.memory, len(told)) == ({"a": 2, "b": 2}, [("b3", "three")], 4, 4)


def test_time_is_over(tmp_path: Path) -> None:
    found = run_part(PART, ["a1"] * 10_000, 1, tmp_path, seconds=0.2)
    assert 0 < found.tried["a"] < 200


def test_the_same_seed_tries_the_same() -> None:
    assert spread(["a", "b"], 5) == ["a/0", "b/0", "a/1", "b/1", "a/2"]
    assert drawn(1, "a").random() == drawn(1, "a").random() != drawn(2, "a").random()
    for part in PARTS.values():
        assert list(part.cases(40, 3)) == list(part.cases(40, 3))
