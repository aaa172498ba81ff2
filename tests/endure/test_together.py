"""Two commands at once; two that are in each other's way are seen."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from endure import commands, together, verbs
from tests.endure.helpers import tried


def test_a_few_pairs(tmp_path: Path) -> None:
    assert sum(tried("together", 5, tmp_path)["tried"].values()) == 5


def test_two_in_each_others_way_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def call(arguments: object) -> int:
        path = Path("out", "count")
        count = int(path.read_text()) if path.exists() else 0
        time.sleep(0.1)
        path.write_text(str(count + 1))
        return 0

    monkeypatch.setattr(commands, "call", call)
    monkeypatch.setattr(verbs, "_START", ())
    monkeypatch.setattr(verbs, "VERBS", {"careless": ("careless",)})
    monkeypatch.setattr(verbs, "FROM_NOTHING", ("careless",))
    cases = [f"careless+careless/{n}" for n in range(6)]
    together.prepare(cases, tmp_path)
    failures = [what for case in cases for _, what in together.attempt(case, 1, tmp_path).failures]
    assert any("different: out/count" in what for what in failures)
