"""What benchmarks share: what a command took, ratios and targets, and what is said where something is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from bench.measure import Taken, Target, cells, faster, memory, row, wall

from bench import __main__ as program
from bench import measure


def took(cpu: float, wall: float = 1.0, memory: float = 10.0) -> Taken:
    return Taken(cpu, wall, memory)


def test_the_ratio_is_of_the_best_and_the_spread_of_the_rounds() -> None:
    line = row("work", [took(2), took(4)], faster(3), peer=[took(10), took(8)], against="theirs")
    assert (line["ratio"], line["spread"], line["held"]) == (4.0, [2.0, 5.0], True)
    assert cells(line) == ["work", "2", "8 (theirs)", "4 × (2–5)", "1", "10", "≥ 3 ×", "yes"]


def test_what_is_not_held_says_what_is_broken() -> None:
    line = row("work", [took(2, 9.5, 800)], faster(3), memory(700), wall(10), peer=[took(4)], against="theirs")
    assert cells(line)[-2:] == ["≥ 3 ×, ≤ 700 MB, ≤ 10 s", "no: 2 ×, 800 MB"]
    grown = row("growth", [took(1)], Target("page", 10, unit="MB", value=12.0))
    assert cells(grown)[0] == "growth; page 12 MB"
    assert cells(grown)[-2:] == ["page ≤ 10 MB", "no: page 12"]
    assert cells(row("free", [took(0.25)]))[-2:] == ["", ""]


def test_a_command_in_a_process_of_its_own() -> None:
    code = "x = bytearray(200_000_000); import time; t = time.process_time()\nwhile time.process_time() < t + 0.2: pass"
    taken = measure.run([sys.executable, "-c", code])
    assert 0.2 <= taken.cpu < 5
    assert taken.wall >= 0.2
    assert 190 < taken.memory < 300
    assert measure.run([sys.executable, "-c", "print('a'); print('[1]')"]).said == [1]
    with pytest.raises(RuntimeError, match="exit code 3"):
        measure.run([sys.executable, "-c", "raise SystemExit(3)"])


def test_an_inner_function_is_measured_from_where_it_says() -> None:
    code = "import time\nsum(range(20_000_000))\nbegin()\ntime.sleep(0.1)\nsaid = sys.argv[1:]"
    taken = measure.inside(code, "a", "b")
    assert taken.said == ["a", "b"]
    assert taken.cpu < 0.1 <= taken.wall < 5


def test_sides_take_turns(capsys: pytest.CaptureFixture[str]) -> None:
    order: list[str] = []

    def side(name: str) -> Taken:
        order.append(name)
        return took(len(order))

    found = measure.alternate("race", 2, {"a": lambda: side("a"), "b": lambda: side("b")})
    assert order == ["a", "b", "a", "b"]
    assert [t.cpu for t in found["b"]] == [2, 4]
    assert capsys.readouterr().err.count("race: ") == 4
    assert (took(1, 2, 30) + took(3, 4, 20)) == took(4, 6, 30)


def test_the_calibration_loop_scales_what_was_measured_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "loop_seconds", lambda: 3 * measure.REFERENCE)
    assert measure.elevant(5.8).cpu == pytest.approx(17.4)
    assert 0.1 * measure.REFERENCE < measure.calibration() < 20 * measure.REFERENCE


def test_a_peer_that_is_not_there_is_named() -> None:
    assert measure.missing("json") == ""
    assert "no_such_package cannot be imported" in measure.missing("json", "no_such_package")


def test_a_part_without_its_data_says_so_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "SHARED", tmp_path)
    monkeypatch.setitem(program.PARTS, "start", lambda _: [row("quick | work", [took(0.5)], wall(1))])
    kept: dict[str, Any] = {"parts": {}}
    times = []
    program.run_parts(["linkers", "start"], kept, lambda: times.append(len(kept["parts"])))
    assert times == [1, 2]  # kept after each part
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[0] == "work"
    assert "linkers: not measured: needs kbs/mesh of the real data" in lines[1]
    assert lines[2].split()[-1] == "yes"
    page = program.page(kept)
    assert page.count("\n| work | CPU s |") == 1  # of one day and machine: one table
    assert "| quick \\| work | 0.5 |  |  | 1 | 10 | ≤ 1 s | yes |" in page
    assert str(tmp_path) not in page
