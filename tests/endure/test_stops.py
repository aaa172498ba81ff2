"""Verbs that are told to stop at random moments; one that does not heed it as promised is seen."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from endure import commands, stops, verbs
from linkassay.stopping import heeded
from tests.endure.helpers import SEED, tried


def test_a_few_signals(tmp_path: Path) -> None:
    found = tried("stops", 6, tmp_path)
    assert sum(found["tried"].values()) >= 5


def test_a_report_and_words_in_context(tmp_path: Path) -> None:
    cases = [f"{verb}/{n}" for verb in ("report", "wic-build") for n in range(3)]
    commands.import_all()  # once, not in each fork
    stops.prepare(cases, tmp_path)
    results = [stops.attempt(case, SEED, tmp_path) for case in cases]
    assert [failure for result in results for failure in result.failures] == []
    assert sum(sum(result.tried.values()) for result in results) >= 4


def test_cases_are_spread_over_all_verbs() -> None:
    cases = stops.cases(stops.COUNT, 1)
    assert len(cases) == len(set(cases)) == stops.COUNT
    assert {case.partition("/")[0] for case in cases} == set(verbs.VERBS)


def _working() -> None:
    for name in ("one", "two", "three"):
        Path("out", name).write_text(name)
        time.sleep(0.05)


def _deaf() -> None:
    try:
        _working()
    except BaseException:
        time.sleep(0.8)
        raise


def _untidy() -> None:
    Path("home", ".kept.linkassay-new").mkdir()
    _working()
    Path("home", ".kept.linkassay-new").rmdir()


def _talkative() -> None:
    try:
        _working()
    except BaseException:
        print("Traceback (most recent call last)", file=sys.stderr, flush=True)
        raise


@pytest.mark.parametrize(
    ("work", "seen"), [(_working, ""), (_deaf, "it took"), (_untidy, "left over"), (_talkative, "a traceback")]
)
def test_what_is_not_as_promised_is_seen(
    work: Callable[[], None], seen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(arguments: object) -> int:
        with heeded():
            work()
        return 0

    monkeypatch.setattr(stops, "_LONGEST", 0.3)
    monkeypatch.setattr(commands, "call", call)
    monkeypatch.setattr(verbs, "_START", ())
    monkeypatch.setattr(verbs, "VERBS", {"careless": ("careless",)})
    monkeypatch.setattr(verbs, "FROM_NOTHING", ("careless",))
    stops.prepare(["careless/0"], tmp_path)
    results = [stops.attempt(f"careless/{n}", 1, tmp_path) for n in range(4)]
    failures = [what for result in results for _, what in result.failures]
    assert sum(result.tried["careless"] for result in results) >= 3
    assert bool(failures) == bool(seen)
    assert not seen or any(seen in what for what in failures)
