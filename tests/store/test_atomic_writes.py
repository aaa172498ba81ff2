"""Folders are there whole or not at all, whoever else writes or dies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from linkassay import store


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "x"
    with pytest.raises(RuntimeError), store.new_folder(target) as temporary:
        (temporary / "a").write_text("half")
        raise RuntimeError("stop")
    assert list(tmp_path.iterdir()) == []
    with store.new_folder(target) as temporary:
        (temporary / "a").write_text("whole")
        assert not target.exists()
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
    assert (target / "a").read_text() == "whole"


def test_the_first_of_two_writers_wins(tmp_path: Path) -> None:
    target = tmp_path / "x"
    with store.new_folder(target) as first, store.new_folder(target) as second:
        (first / "a").write_text("first")
        (second / "a").write_text("second")
    assert (target / "a").read_text() == "second"  # the inner block ended first
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_leftovers_of_dead_processes_are_removed_and_of_living_ones_kept(tmp_path: Path) -> None:
    target = tmp_path / "x"
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    host = os.uname().nodename
    gone = tmp_path / f".x.{host}.{int(dead.stdout)}.00000000"
    alive = tmp_path / f".x.{host}.{os.getppid()}.00000000"
    gone.mkdir()
    alive.mkdir()
    with store.new_folder(target):
        pass
    assert not gone.exists()
    assert alive.exists()
