"""The kill harness: run a command, kill it at each of its changes to the file system, run it again.

As a program it sweeps all kill points of one command and prints what it found as JSON. A kill leaves
behind what is in the data home at that moment: one run is copied at each point but the last, where it
is killed indeed; what was copied is run again when it is dead. Runs are forked from a process that has
imported what the first run did. In the arguments `{home}` stands for the data home of each run. A
*change* is anything that Python's audit hooks report of the home and of the current folder (files opened
for writing, renames, new folders, removals) and each row group written to a Parquet file.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from endure.commands import call
from linkassay import store

_EVENTS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.utime"}
#: Files that record what the work cost: they must be the same but for that.
_COSTED = {"run.json", "costs.json"}
_COSTS = re.compile(r"finished|\w*seconds|\w*_per_second|peak_memory_bytes")


def sweep(arguments: list[str], folder: Path, start: Path | None = None, limit: int = 60) -> dict[str, object]:
    """Run the sweep in a process of its own; `start` is a data home to begin each run with."""
    command = [sys.executable, "-m", "endure.killing", str(folder), str(start or ""), str(limit), *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    result: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return result


class Ended(NamedTuple):
    """How a command ended that was sent a signal."""

    code: int
    seconds: float  # from the signal to its end
    said: str  # on standard error
    alive: list[int]  # processes that it had started, two seconds later


def signalled(
    arguments: list[str], number: int, ready: Callable[[], object], *, folder: Path, home: Path, wait: float = 60,
    program: Sequence[str] = ("-m", "linkassay"),
) -> Ended:  # fmt: skip
    """Start a command in a session of its own and send it a signal as soon as `ready` says so.

    Ctrl-C is told to all its processes, as a terminal does; any other signal to the command alone.
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "LINKASSAY_HOME": str(home)}
    with (folder / "said").open("w+", encoding="utf-8") as said:
        begun = subprocess.Popen([sys.executable, *program, *arguments], cwd=folder, env=environment, stdout=said,
                                 stderr=said, start_new_session=True)  # fmt: skip
        started = {begun.pid}
        try:
            give_up = time.monotonic() + wait
            while not ready():
                started |= set(_below_process(begun.pid))
                assert begun.poll() is None, f"it ended before it was ready: {(folder / 'said').read_text()}"
                assert time.monotonic() < give_up, f"it was never ready: {(folder / 'said').read_text()}"
                time.sleep(0.005)
            started |= set(_below_process(begun.pid))
            at = time.monotonic()
            (os.killpg if number == signal.SIGINT else os.kill)(begun.pid, number)
            code = begun.wait(30)
            seconds = time.monotonic() - at
            give_up = time.monotonic() + 2
            while time.monotonic() < give_up and any(map(is_running, started)):
                time.sleep(0.02)
            alive = [pid for pid in started if is_running(pid)]
        finally:
            for pid in started:
                with contextlib.suppress(ProcessLookupError):
                    if is_running(pid):
                        os.kill(pid, signal.SIGKILL)
            begun.wait()
        said.seek(0)
        return Ended(code, seconds, said.read(), alive)


def is_running(process: int) -> bool:
    """Whether there is such a process that is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _below_process(process: int) -> list[int]:
    """What a process has started, and what these have."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [process]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def temporaries(home: Path) -> list[str]:
    """What is temporary below a data home, but shards that are done and parts of downloads: those are gone on with."""
    return sorted(str(path.relative_to(home)) for path in home.rglob(".*") if path.suffix.startswith(".linkassay-"))


def _main(folder: Path, start: Path | None, limit: int, arguments: list[str]) -> None:
    whole = _fresh(folder / "whole", start)
    changes, code = _child(arguments, whole)
    assert code == 0, f"the command fails without being killed: exit status {code}"
    expected = tree(whole)
    _import((folder / "modules").read_text().split())
    points = list(range(1, changes + 1))
    if changes > limit:  # spread evenly up to the last; before the first nothing is there that could be wrong
        points = [round(n * changes / limit) for n in range(1, limit + 1)]
    home = _fresh(folder / "killed", start)
    _, code = _child(arguments, home, points)
    assert code == -signal.SIGKILL, f"the command ends before its last change: exit status {code}"
    different = []
    for point in reversed(points):
        if point != points[-1]:  # there it was killed
            _fresh(home, folder / str(point))
        _, code = _child(arguments, home)
        if code != 0 or tree(home) != expected:
            different.append({"point": point, "code": code, "tree": sorted(set(tree(home)) ^ set(expected))})
    print(json.dumps({"changes": changes, "points": len(points), "different": different}))


def _fresh(home: Path, start: Path | None) -> Path:
    shutil.rmtree(home, ignore_errors=True)
    if start is not None:
        shutil.copytree(start, home)
    else:
        home.mkdir(parents=True)
    return home


def _child(arguments: list[str], home: Path, points: Sequence[int] = ()) -> tuple[int, int]:
    """Run the command in a forked child; returns the number of changes seen and the exit status.

    Before each change of a number in `points` the home is copied beside itself; before the last the child is killed.
    """
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
            status = _run(arguments, home, counter, points)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, wait_status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(wait_status)
    return int(counter.read_text()) if counter.exists() else 0, code


def _run(arguments: list[str], home: Path, counter: Path, points: Sequence[int]) -> int:
    changes = 0

    def change(number: int) -> None:
        nonlocal changes
        changes = number
        if number in points:
            if number == points[-1]:
                os.kill(os.getpid(), signal.SIGKILL)
            shutil.copytree(home, home.parent / str(number))

    with watched(home.parent, change):
        status = call([argument.replace("{home}", str(home)) for argument in arguments])
    counter.write_text(str(changes))
    counter.with_name("modules").write_text("\n".join(sys.modules))
    return status


@contextlib.contextmanager
def watched(folder: Path, change: Callable[[int], None]) -> Iterator[None]:
    """Call `change` with its number before each change to the file system below a folder; its own do not count."""
    changes = 0
    counting = True

    def changed() -> None:
        nonlocal changes, counting
        changes += 1
        counting = False
        change(changes)
        counting = True

    def hook(event: str, details: tuple[object, ...]) -> None:
        writing = event == "open" and isinstance(details[2], int) and details[2] & (os.O_WRONLY | os.O_RDWR)
        if counting and (writing or event in _EVENTS) and _below(details[0], folder):
            changed()

    flush = store.Table._flush
    store.Table._flush = lambda table: (changed(), flush(table))[1]  # type: ignore[method-assign, func-returns-value]
    sys.addaudithook(hook)
    try:
        yield
    finally:
        counting = False  # a hook cannot be taken away
        store.Table._flush = flush  # type: ignore[method-assign]


def _below(path: object, folder: Path) -> bool:
    """Home and current folder; what Python caches beside its modules, and temporary files elsewhere, do not matter."""
    return not isinstance(path, str | bytes | os.PathLike) or Path(os.fsdecode(path)).absolute().is_relative_to(folder)


def _import(modules: list[str]) -> None:
    """As many of these as can be named: what a module keeps under a name of its own comes with it or not at all."""
    for module in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(module)


def tree(home: Path) -> dict[str, str]:
    """Every file below the home with its checksum, without what it cost; temporary leftovers would show."""
    return {
        str(path.relative_to(home)): hashlib.sha256(_lasting(path)).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file()
    }


def _lasting(path: Path) -> bytes:
    """What a file holds, but for costs."""
    data = path.read_bytes()
    if path.name not in _COSTED:
        return data
    about = json.loads(data)
    return json.dumps({key: value for key, value in about.items() if not _COSTS.fullmatch(key)}).encode()


if __name__ == "__main__":
    _main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]) if sys.argv[2] else None, int(sys.argv[3]), sys.argv[4:])
