"""Verbs that are killed at random moments and run again; a verb that does not survive is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from endure import commands, kills, verbs
from tests.endure.helpers import tried


def test_a_few_kills(tmp_path: Path) -> None:
    found = tried("kills", 12, tmp_path)
    assert sum(found["tried"].values()) >= 10
    assert found["megabytes"] < 1_000


def test_cases_are_spread_over_all_verbs() -> None:
    cases = kills.cases(kills.COUNT, 1)
    assert len(cases) == len(set(cases)) == kills.COUNT >= 200
    assert {case.partition("/")[0] for case in cases} == set(verbs.VERBS)


def test_a_verb_that_does_not_survive_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that goes by what it finds: the second time it does something else."""

    def call(arguments: object) -> int:
        for name in ("one", "two", "three"):
            with Path("out", name).open("a") as out:
                out.write("once\n")
        return 0

    monkeypatch.setattr(commands, "call", call)
    monkeypatch.setattr(verbs, "_START", ())
    monkeypatch.setattr(verbs, "VERBS", {"careless": ("careless",)})
    monkeypatch.setattr(verbs, "FROM_NOTHING", ("careless",))
    kills.prepare(["careless/0"], tmp_path)
    assert verbs.undisturbed("careless", tmp_path).changes == 3
    results = [kills.attempt(f"careless/{n}", 1, tmp_path) for n in range(8)]
    failures = [what for result in results for _, what in result.failures]
    assert failures
    assert all("different: out/one" in what for what in failures)
