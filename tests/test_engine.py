"""Shards: done once, resumed, given out again when a worker dies, with errors that reach the caller."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from linkassay.engine import Engine, Task
from linkassay.errors import DataError, LinkassayError, UsageError

HERE = "tests.test_engine"


def write(target: Path, text: str) -> None:
    print("noise on standard output must not disturb the talk between processes")
    (target / "out").write_text(text)


def fail(target: Path) -> None:
    raise DataError("a bad line", file="raw.txt", line=7)


def crash(target: Path) -> None:
    raise ValueError("a bug")


def die(target: Path, marker: str = "") -> None:
    """Kill the worker: always, or only the first time if there is a marker."""
    if marker and Path(marker).exists():
        (target / "out").write_text("second try")
        return
    if marker:
        Path(marker).touch()
    os.kill(os.getpid(), signal.SIGKILL)


def tasks(n: int) -> list[Task]:
    return [Task(f"{i:03d}", f"{HERE}:write", {"text": f"shard {i}"}) for i in range(n)]


@pytest.mark.parametrize("workers", [1, 2])
def test_every_shard_is_done_and_reported(tmp_path: Path, workers: int) -> None:
    seen: list[tuple[int, int]] = []
    folders = Engine(workers=workers).run(tasks(5), tmp_path, lambda done, total: seen.append((done, total)))
    assert [(f / "out").read_text() for f in folders] == [f"shard {i}" for i in range(5)]
    assert seen == [(i, 5) for i in range(6)]


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    Engine(workers=1).run(tasks(2), tmp_path)
    (tmp_path / "000" / "out").write_text("kept")
    Engine(workers=1).run(tasks(3), tmp_path)
    assert [(tmp_path / f"00{i}" / "out").read_text() for i in range(3)] == ["kept", "shard 1", "shard 2"]


@pytest.mark.parametrize("workers", [1, 2])
def test_errors_of_a_shard_reach_the_caller(tmp_path: Path, workers: int) -> None:
    with pytest.raises(DataError, match=r"^raw\.txt:7: a bad line$"):
        Engine(workers=workers).run([*tasks(3), Task("bad", f"{HERE}:fail")], tmp_path)
    assert not (tmp_path / "bad").exists()


def test_a_bug_in_a_shard_shows_its_traceback(tmp_path: Path) -> None:
    with pytest.raises(LinkassayError, match=r"shard bad failed:(.|\n)*ValueError: a bug"):
        Engine(workers=2).run([*tasks(1), Task("bad", f"{HERE}:crash")], tmp_path)


def test_the_shard_of_a_dead_worker_is_given_out_again(tmp_path: Path) -> None:
    task = Task("once", f"{HERE}:die", {"marker": str(tmp_path / "marker")})
    Engine(workers=2).run([task, *tasks(3)], tmp_path / "shards")
    assert (tmp_path / "shards" / "once" / "out").read_text() == "second try"
    assert sorted(p.name for p in (tmp_path / "shards").iterdir()) == ["000", "001", "002", "once"]


def test_a_shard_that_always_kills_its_worker_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(LinkassayError, match="the worker died 3 times on shard deadly: it crashed"):
        Engine(workers=2).run([Task("deadly", f"{HERE}:die"), *tasks(1)], tmp_path)


def test_workers_do_not_run_the_callers_script(tmp_path: Path) -> None:
    """A script without a main guard, as people write them, is run once."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
        from pathlib import Path
        from linkassay.engine import Engine, Task
        print("once")
        tasks = [Task(str(i), "{HERE}:write", {{"text": "x"}}) for i in range(3)]
        Engine(workers=2).run(tasks, Path({str(tmp_path / "out")!r}))
    """)
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "once\n"


@pytest.mark.parametrize(
    ("engine", "message"),
    [({"kind": "spark"}, "--engine is local or ray, not 'spark'"), ({"workers": -1}, "--workers cannot be negative")],
)
def test_bad_engines_are_refused(engine: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Engine(**engine)  # type: ignore[arg-type]
