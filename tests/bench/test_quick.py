"""The guard fails where a ratio fell by more than it may, after another go, and nowhere else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from bench.measure import Row, Taken, Target, not_measured, row

from bench import measure, quick


def rows(*cpu: float) -> list[Row]:
    off = Target("off", 1e-9, value=cpu[0] * 1e-12)  # what a row also says is not what it is kept under
    return [row(f"w{at}", [Taken(each, 1, 1)], off, peer=[Taken(10, 1, 1)], against="p") for at, each in enumerate(cpu)]


def test_only_what_fell_too_far_is_told() -> None:
    now = quick.ratios([*rows(1, 2), not_measured("w2", "why")])
    assert now == {"w0 / p": 10.0, "w1 / p": 5.0}
    assert quick.slower(now, {"w0 / p": 14.0, "w1 / p": 7.0, "gone / p": 3.0}) == []
    assert quick.slower(now, {"w0 / p": 14.0, "w1 / p": 7.5}) == ["w1 / p: 5 ×, was 7.5 ×"]


def program(monkeypatch: pytest.MonkeyPatch, turns: list[list[Row]], *arguments: str) -> int:
    monkeypatch.setattr(quick, "PARTS", {"only": lambda: turns.pop(0)})
    monkeypatch.setattr(sys, "argv", ["quick", *arguments])
    return quick.main()


def test_the_exit_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(quick, "KEPT", tmp_path / "quick.json")
    assert program(monkeypatch, [rows(1, 1)], "--update") == 0
    assert json.loads(quick.KEPT.read_text()) == {"w0 / p": 10.0, "w1 / p": 10.0}
    assert program(monkeypatch, [rows(1.2, 1)]) == 0
    assert program(monkeypatch, [rows(2, 1), rows(1.1, 2)]) == 0  # another go, and the better of each
    assert program(monkeypatch, [rows(2, 1), rows(1.8, 1)]) == 1
    assert "slower by more than 30%: w0 / p: 5.56 ×, was 10 ×" in capsys.readouterr().out


def test_a_part_without_its_data_is_named_and_not_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing() -> list[Row]:
        raise measure.NotAtHandError("needs e2e")

    monkeypatch.setattr(quick, "PARTS", {"only": nothing})
    assert quick.guard({"w0 / p": 10.0}) == ({}, [])
    assert "only: not measured: needs e2e" in capsys.readouterr().out


def test_what_is_kept_are_ratios() -> None:
    kept = json.loads(quick.KEPT.read_text(encoding="utf-8"))
    assert len(kept) >= 6
    assert all(isinstance(ratio, float) and ratio > 0 for ratio in kept.values())
