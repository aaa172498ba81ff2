"""The kill harness: run a command, kill it at each of its changes to the file system, run it again.

As a program it sweeps all kill points of one command and prints what it found as JSON. It forks a
child per run from a process that has imported everything, so that a sweep of dozens of kills takes
seconds. In the arguments `{home}` stands for the data home of each run. A *change* is anything
Python's audit hooks report (files opened for writing, renames, new folders, removals) and each row
group written to a Parquet file.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import traceback
from pathlib import Path

_EVENTS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.utime"}
_VOLATILE = "run.json"  # records times: must be there, its bytes may differ


def sweep(arguments: list[str], folder: Path, start: Path | None = None, limit: int = 60) -> dict[str, object]:
    """Run the sweep in a process of its own; `start` is a data home to begin each run with."""
    command = [sys.executable, __file__, str(folder), str(start or ""), str(limit), *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    result: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return result


def _main(folder: Path, start: Path | None, limit: int, arguments: list[str]) -> None:
    import linkassay.checks
    import linkassay.cli
    import linkassay.corpora.get
    import linkassay.kbs.build
    import linkassay.linkers.cosines
    import linkassay.listing
    import linkassay.reporting.page
    import linkassay.runs
    import linkassay.scoring.score  # noqa: F401

    whole = _fresh(folder / "whole", start)
    changes, code = _child(arguments, whole, None)
    assert code == 0, f"the command fails without being killed: exit status {code}"
    expected = _tree(whole)
    points = range(1, changes + 1)
    if changes > limit:  # spread evenly, always with the first and the last
        points = sorted({1 + round(i * (changes - 1) / (limit - 1)) for i in range(limit)})  # type: ignore[assignment]
    killed, different = 0, []
    for point in points:
        home = _fresh(folder / "killed", start)
        _, code = _child(arguments, home, point)
        killed += code == -signal.SIGKILL
        _, code = _child(arguments, home, None)
        if code != 0 or _tree(home) != expected:
            different.append({"point": point, "code": code, "tree": sorted(set(_tree(home)) ^ set(expected))})
    print(json.dumps({"changes": changes, "killed": killed, "points": len(points), "different": different}))


def _fresh(home: Path, start: Path | None) -> Path:
    shutil.rmtree(home, ignore_errors=True)
    if start is not None:
        shutil.copytree(start, home)
    else:
        home.mkdir(parents=True)
    return home


def _child(arguments: list[str], home: Path, kill_at: int | None) -> tuple[int, int]:
    """Run the command in a forked child; returns the number of changes seen and the exit status."""
    counter = home.parent / "changes"
    counter.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            os.environ["LINKASSAY_HOME"] = str(home)
            os.chdir(home.parent)
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            status = _run(arguments, counter, kill_at)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, wait_status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(wait_status)
    return int(counter.read_text()) if counter.exists() else 0, code


def _run(arguments: list[str], counter: Path, kill_at: int | None) -> int:
    from linkassay import cli, store

    changes = 0
    counting = True

    def change() -> None:
        nonlocal changes
        changes += 1
        if changes == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, details: tuple[object, ...]) -> None:
        writing = event == "open" and isinstance(details[2], int) and details[2] & (os.O_WRONLY | os.O_RDWR)
        if counting and (writing or event in _EVENTS):
            change()

    flush = store.Table._flush
    store.Table._flush = lambda table: (change(), flush(table))[1]  # type: ignore[method-assign, func-returns-value]
    sys.addaudithook(hook)
    sys.argv = ["linkassay", *(a.replace("{home}", os.environ["LINKASSAY_HOME"]) for a in arguments)]
    try:
        cli.main()
        status = 0
    except SystemExit as stop:
        status = int(stop.code or 0)
    counting = False
    counter.write_text(str(changes))
    return status


def _tree(home: Path) -> dict[str, str]:
    """Every file below the home with its checksum; temporary leftovers would show."""
    return {
        str(path.relative_to(home)): "" if path.name == _VOLATILE else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Path(sys.argv[2]) if sys.argv[2] else None, int(sys.argv[3]), sys.argv[4:])
