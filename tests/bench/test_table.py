"""The table of benchmarks: what a ratio means, and what is said where data are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bench.table import NotAtHandError, row

from bench import __main__ as program
from bench import table


def test_the_target_of_a_yardstick_is_of_the_ratio() -> None:
    faster = row("work", 2.0, "s", 3, True, yardstick=8.0, against="theirs")
    assert (faster["ratio"], faster["target"], faster["held"]) == (4.0, "≥ 3 ×", True)
    rate = row("work", 100.0, "/s", 8, True, yardstick=50.0, rate=True)
    assert (rate["ratio"], rate["held"]) == (2.0, False)
    assert row("growth", 24.0, "s", 11, yardstick=2.0, rate=True)["held"] is False
    assert table.cells(faster) == ["work", "2 s", "8 s (theirs)", "4 ×", "≥ 3 ×", "yes"]


def test_without_one_it_is_of_the_figure() -> None:
    memory = row("memory", 1_234.5, "MB", 2000)
    assert (memory["ratio"], memory["target"], memory["held"]) == (None, "≤ 2000 MB", True)
    assert table.cells(memory) == ["memory", "1 234 MB", "", "", "≤ 2000 MB", "yes"]
    assert table.cells(row("free", 0.25, "s"))[-1] == ""
    assert table.cells(row("slow", 9.0, "s", 1))[-1] == "NO"


def test_a_part_without_its_data_says_so_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(table, "SHARED", tmp_path)
    with pytest.raises(NotAtHandError, match="shared/data"):
        program.PARTS["linkers"](False)
    monkeypatch.setitem(program.PARTS, "start", lambda _: [row("quick | work", 0.5, "s", 1)])
    kept: dict[str, Any] = {"parts": {}}
    times = []
    program.measure(["abbreviations", "start"], kept, lambda: times.append(len(kept["parts"])))
    assert times == [1, 2]  # kept after each part
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == list(table.COLUMNS)
    assert "abbreviations: not measured: needs corpora/abbreviations" in lines[1]
    assert lines[2].split()[-1] == "yes"
    page = program.page(kept)
    assert page.count("\n| work | ours |") == 1  # of one day and machine: one table
    assert "| quick \\| work | 0.5 s |  |  | ≤ 1 s | yes |" in page
    assert str(tmp_path) not in page
