"""Jobs: one for the same request, so many at once; ended when cancelled, too long or too large."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from linkassay.serving.jobs import Job, Jobs, Limits
from linkassay.serving.refusals import RefusedError
from tests.helpers import delay
from tests.serving.conftest import wait_for


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    made = Jobs(tmp_path / "home", tmp_path / "work", Limits(in_line=4, seconds=20))
    yield made
    made.end()


def work(name: str, key: str = "", *, background: bool = False, **arguments: Any) -> Job:
    call = [f"tests.standins.served_work:{name}", json.dumps(arguments)]
    return Job(key or name, name, call, lambda _: None, background)


def over(job: Job, seconds: float = 30) -> Job:
    wait_for(lambda: job.state not in ("waiting", "running"), seconds)
    return job


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_job_is_done_elsewhere(jobs: Jobs, tmp_path: Path) -> None:
    finished: list[bool] = []
    job = work("write", path=str(tmp_path / "made"))
    job.finish = lambda folder: finished.append(folder.is_dir() and threading.current_thread().daemon)
    assert over(jobs.ask(job)).as_dict() == {"job": job.id, "state": "done", "done": 0, "of": 0, "what": "write"}
    assert (tmp_path / "made").read_text() == "done"
    assert finished == [True]
    assert jobs.find(job.id) is job
    assert [*(tmp_path / "work").iterdir()] == []


def test_the_same_request_is_one_job(jobs: Jobs, tmp_path: Path) -> None:
    first = jobs.ask(work("sleep", "same", seconds=0.5))
    assert jobs.ask(work("sleep", "same", seconds=0.5)) is first
    assert jobs.ask(work("write", "other", path=str(tmp_path / "made"))) is not first
    over(first)
    assert jobs.ask(work("sleep", "same", seconds=0)) is not first


def test_progress_is_told(jobs: Jobs) -> None:
    job = jobs.ask(work("sleep", seconds=10))
    wait_for(lambda: job.what == "sleeping" and 0 < job.done < job.of == 200)
    jobs.cancel(job)


def test_a_cancelled_job_has_a_moment_and_is_gone(jobs: Jobs, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    job = jobs.ask(work("sleep", seconds=60, path=str(begun)))
    process = int(wait_for(lambda: begun.exists() and begun.read_text()))
    jobs.cancel(job)
    assert over(job, 3 * delay()).as_dict()["state"] == "cancelled"
    assert not alive(process)
    assert not begun.exists(), "it could not remove what it had begun"
    assert [*(tmp_path / "work").iterdir()] == []


def test_what_is_asked_again_while_it_is_cancelled_is_done(jobs: Jobs, tmp_path: Path) -> None:
    begun, made = tmp_path / "begun", tmp_path / "made"
    job = jobs.ask(work("sleep", "same", seconds=60, path=str(begun), moment=9))
    wait_for(begun.exists)
    jobs.cancel(job)
    again = jobs.ask(work("write", "same", path=str(made)))
    assert job.state == "running", "it has ended too soon for this test"
    assert jobs.ask(work("write", "same", path=str(made))) is again
    assert jobs.find(job.id) is job
    assert over(again).state == "done"
    assert over(job).state == "cancelled"
    assert made.exists()


def test_what_a_job_started_ends_with_it(jobs: Jobs, tmp_path: Path) -> None:
    job = jobs.ask(work("with_child", path=str(tmp_path / "child")))
    child = int(wait_for(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text()))
    assert alive(child)
    jobs.cancel(job)
    over(job, 3 * delay())
    wait_for(lambda: not alive(child), 3 * delay())


def test_a_job_that_waits_is_cancelled_at_once(jobs: Jobs) -> None:
    running = [jobs.ask(work("sleep", str(n), seconds=60)) for n in range(2)]
    waiting = jobs.ask(work("sleep", "third", seconds=60))
    jobs.cancel(waiting)
    assert waiting.state == "cancelled"
    for job in running:
        jobs.cancel(job)
        over(job)


def test_only_so_many_at_once_and_in_line(jobs: Jobs) -> None:
    made = [jobs.ask(work("sleep", str(n), seconds=60)) for n in range(2)]
    wait_for(lambda: all(job.process for job in made))
    made += [jobs.ask(work("sleep", str(n), seconds=60)) for n in range(2, 6)]
    time.sleep(0.2)
    assert [job.state for job in made] == ["running"] * 2 + ["waiting"] * 4
    with pytest.raises(RefusedError) as refused:
        jobs.ask(work("sleep", "one too many", seconds=60))
    assert refused.value.status == 503
    jobs.cancel(made[0])
    wait_for(lambda: made[2].state == "running")


def test_the_background_gives_way(jobs: Jobs) -> None:
    """One at a time, after all that somebody waits for; and it comes forward when somebody does."""
    first = jobs.ask(work("sleep", "b1", seconds=60, background=True))
    second = jobs.ask(work("sleep", "b2", seconds=60, background=True))
    wait_for(lambda: first.process)
    time.sleep(0.2)
    assert second.state == "waiting"
    asked = jobs.ask(work("sleep", "asked", seconds=60))
    wait_for(lambda: asked.state == "running")
    assert second.state == "waiting"
    jobs.cancel(asked)
    over(asked)
    assert jobs.ask(work("sleep", "b2", seconds=60)) is second
    wait_for(lambda: second.state == "running")


@pytest.mark.parametrize(
    ("name", "status", "why"),
    [
        ("crash", 500, "its process died"),
        ("raise_", 500, "a reason that should not be"),
        ("refuse", 400, "there is no such measure"),
    ],
)
def test_a_failure_is_one_sentence(
    jobs: Jobs, name: str, status: int, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is remembered for a while, so that who asks again and again does not start it again and again."""
    job = over(jobs.ask(work(name)))
    told = job.as_dict()
    assert told["state"] == "failed"
    assert why in told["why"]
    assert "secret" not in json.dumps(told)
    assert ("secret of the machine" in capfd.readouterr().err) == (name == "raise_")
    with pytest.raises(RefusedError, match=why) as refused:
        jobs.ask(work(name))
    assert refused.value.status == status
    assert why in jobs.why_failed(name)


def test_a_failure_to_keep_the_answer(jobs: Jobs, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def full(_: Path) -> None:
        raise ZeroDivisionError("secret")

    job = work("write", path=str(tmp_path / "x"))
    job.finish = full
    assert over(jobs.ask(job)).state == "failed"
    assert "secret" not in job.why
    assert "secret" in capfd.readouterr().err


def test_too_long(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path, tmp_path / "work", Limits(seconds=1))
    job = over(jobs.ask(work("sleep", seconds=60)))
    assert (job.state, "1 seconds" in job.why) == ("failed", True)
    jobs.end()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what a process holds")
def test_too_large(tmp_path: Path) -> None:
    jobs = Jobs(tmp_path, tmp_path / "work", Limits(memory=200 << 20))
    job = over(jobs.ask(work("eat")))
    assert (job.state, "0.2 GB of memory" in job.why) == ("failed", True)
    jobs.end()


def test_the_end_of_the_server(jobs: Jobs, tmp_path: Path) -> None:
    begun = [tmp_path / str(n) for n in range(2)]
    made = [jobs.ask(work("sleep", str(path), seconds=60, path=str(path))) for path in begun]
    made.append(jobs.ask(work("sleep", "waiting", seconds=60)))
    processes = [int(wait_for(lambda p=path: p.exists() and p.read_text())) for path in begun]
    begin = time.monotonic()
    jobs.end()
    assert time.monotonic() - begin < 1.5 * delay()
    assert not any(map(alive, processes))
    assert [over(job).state for job in made] == ["cancelled"] * 3
    with pytest.raises(RefusedError):
        jobs.ask(work("sleep", "new", seconds=1))


def test_a_job_knows_the_home_and_reads_no_module_of_its_folder(jobs: Jobs, tmp_path: Path) -> None:
    told = work("write", path=str(tmp_path / "made"), text=os.devnull)
    assert over(jobs.ask(told)).state == "done"
    assert "-P" in (told.process.args if told.process else ())
