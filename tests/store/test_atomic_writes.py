"""Folders are there whole or not at all, whoever else writes or dies."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from linkassay import store
from linkassay.errors import LinkassayError


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


AT_WORK = """
import sys, time
from pathlib import Path
from linkassay import store

with getattr(store, sys.argv[1])(Path(sys.argv[2])) as temporary:
    (temporary / "half" if temporary.is_dir() else temporary).write_text("half")
    print(temporary, flush=True)
    time.sleep(60)
"""


@contextmanager
def at_work(what: str, target: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that is writing `target`, and where it does."""
    with subprocess.Popen(
        [sys.executable, "-c", AT_WORK, what, str(target)], stdout=subprocess.PIPE, text=True
    ) as other:
        try:
            assert other.stdout is not None
            yield other, Path(other.stdout.readline().strip())
        finally:
            other.kill()


@pytest.mark.parametrize("what", ["new_folder", "new_file", "scratch_folder"])
@pytest.mark.parametrize("alive", [True, False])
def test_what_dead_processes_left_is_removed_and_what_living_ones_have_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, alive: bool
) -> None:
    """Whatever their numbers, which may be those of others by now, and the name of the host, which may have changed."""
    target = tmp_path / ("" if what == "scratch_folder" else "x")
    with at_work(what, target) as (other, temporary):
        assert temporary.parent == tmp_path
        if not alive:
            other.kill()
            other.wait()
        monkeypatch.setattr(socket, "gethostname", lambda: "renamed")
        monkeypatch.setattr(os, "kill", lambda *_: None)  # there is a process of each number
        store.write_text(tmp_path / "y", "another")
        left = {path.name for path in tmp_path.iterdir()} - {"y"}
        assert (temporary.name in left) == alive
        assert bool(left) == alive
        monkeypatch.undo()


def no_locks(_: int, __: int) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


def test_without_locks_nothing_is_taken_for_a_leftover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with at_work("new_folder", tmp_path / "x") as (other, temporary):
        other.kill()
        other.wait()
        monkeypatch.setattr(fcntl, "flock", no_locks)
        with store.lock(tmp_path), store.new_folder(tmp_path / "x") as mine:
            (mine / "a").touch()
        assert temporary.is_dir()
        assert (tmp_path / "x" / "a").exists()
        monkeypatch.undo()
        store.write_text(tmp_path / "y", "")
        assert {path.name for path in tmp_path.iterdir()} == {"x", "y"}


LOCKED = """
import fcntl, errno, os, shutil, stat, sys, time
from pathlib import Path
from linkassay import store

flock = fcntl.flock
def over_nfs(handle, how):
    if stat.S_ISDIR(os.fstat(handle).st_mode):
        raise OSError(errno.EBADF, "Bad file descriptor")  # not open for writing
    return flock(handle, how)
if sys.argv[1] == "nfs":
    fcntl.flock = over_nfs
work, log = Path(sys.argv[2]), open(sys.argv[3], "a", buffering=1)
for _ in range(20):
    with store.lock(work):
        log.write("in\\n")
        time.sleep(0.002)
        log.write("out\\n")
        shutil.rmtree(work)
"""


@pytest.mark.parametrize("where", ["here", "nfs"])
def test_only_one_is_inside_even_if_the_folder_is_removed(tmp_path: Path, where: str) -> None:
    """Who waits for a folder that is then removed waits for the next one of that name."""
    log = tmp_path / "log"
    command = [sys.executable, "-c", LOCKED, where, str(tmp_path / "work"), str(log)]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert log.read_text().split() == ["in", "out"] * 80


def test_a_folder_that_was_to_be_replaced_gets_its_name_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by the next process, if this one ends between both renamings."""
    target = tmp_path / "x"
    with store.new_folder(target) as temporary:
        (temporary / "a").write_text("old")
    rename = Path.rename

    def stop_at_the_second(path: Path, to: Path) -> Path:
        if path.suffix == ".linkassay-new":
            os._exit(7)
        return rename(path, to)

    child = os.fork()
    if not child:
        monkeypatch.setattr(Path, "rename", stop_at_the_second)
        with store.new_folder(target, replace=True) as temporary:
            (temporary / "a").write_text("new")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert not target.exists()
    store.write_text(tmp_path / "y", "")
    assert (target / "a").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"x", "y"}


def test_what_somebody_else_removed_does_not_become_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a disk is shared by machines which do not see each other's locks."""
    with pytest.raises(LinkassayError, match="removed by another process"), store.new_folder(tmp_path / "x") as mine:
        (mine / "a").touch()
        monkeypatch.setattr(fcntl, "flock", lambda *_: None)
        store.write_text(tmp_path / "y", "")
    assert [path.name for path in tmp_path.iterdir()] == ["y"]
