"""Shards (SAFE-3, SAFE-4): done once, resumed, given out again when a worker dies, errors that reach the caller."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from linkassay.engine import Engine, Task, call_in_process, keep_freed_memory
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


def half_an_answer(target: Path | None = None, marker: str = "") -> None:
    """Die in the middle of the line that says that the shard is done; only the first time if there is a marker."""
    if marker and target and Path(marker).exists():
        (target / "out").write_text("second try")
        return
    if marker:
        Path(marker).touch()
    frame = sys._getframe()
    while "out" not in frame.f_locals:  # where the worker answers
        assert frame.f_back is not None
        frame = frame.f_back
    frame.f_locals["out"].write('["half", "')
    frame.f_locals["out"].flush()
    os._exit(1)


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


@pytest.mark.timeout(30)
def test_half_an_answer_is_that_of_a_dead_worker(tmp_path: Path) -> None:
    task = Task("half", f"{HERE}:half_an_answer", {"marker": str(tmp_path / "marker")})
    Engine(workers=2).run([task, *tasks(1)], tmp_path / "shards")
    assert (tmp_path / "shards" / "half" / "out").read_text() == "second try"
    with pytest.raises(LinkassayError, match="the worker died 3 times on shard half: it crashed"):
        Engine(workers=2).run([Task("half", f"{HERE}:half_an_answer"), *tasks(1)], tmp_path / "more")
    with pytest.raises(LinkassayError, match="its process died"):
        call_in_process(f"{HERE}:half_an_answer", {})


@pytest.mark.timeout(30)
@pytest.mark.parametrize("started", [0, 1, 2])
def test_a_worker_that_cannot_be_started_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    """Also when it is the one that follows a dead one."""
    real, asked = subprocess.Popen, []

    def popen(*arguments: Any, **options: Any) -> Any:
        asked.append(arguments)
        if len(asked) > started:
            raise OSError(12, "Cannot allocate memory")
        return real(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(LinkassayError, match=r"no worker process could be started .*Cannot allocate memory"):
        Engine(workers=2).run([Task("deadly", f"{HERE}:die"), Task("deadly2", f"{HERE}:die")], tmp_path)
    with pytest.raises(LinkassayError, match="no worker process could be started"):
        call_in_process(f"{HERE}:half_an_answer", {})


@pytest.mark.timeout(30)
def test_arguments_that_are_no_plain_data_are_an_error_not_a_wait(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="not JSON serializable"):
        Engine(workers=2).run([*tasks(1), Task("odd", f"{HERE}:write", {"text": object()})], tmp_path)


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


def test_a_c_library_without_the_option_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    libraries = iter([SimpleNamespace(mallopt=lambda *option: asked.append(option))] * 3 + [SimpleNamespace()])
    monkeypatch.setattr("ctypes.CDLL", lambda name: next(libraries))
    keep_freed_memory()
    assert [option for option, _ in asked] == [-8, -3, -1]
    keep_freed_memory()
    assert len(asked) == 3
