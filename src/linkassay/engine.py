"""Work in shards: each a function of plain data that fills one folder, run here or on a Ray cluster.

A shard is idempotent and recorded by the folder it leaves: a killed run skips what is done when it
is started again (SAFE-3), and the shards of a lost process or node are run again elsewhere. The same code
and the same shards run on local processes and on Ray, so the results are the same bytes (SAFE-4).
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linkassay import stopping, store
from linkassay.errors import DataError, LinkassayError, UsageError

__all__ = ["Engine", "Task", "call_in_process", "do_shard", "keep_freed_memory"]

#: How often a shard may take its worker down with it before the work is given up.
ATTEMPTS = 3
#: Seconds that a worker which is at work has for coming to an end.
_MOMENT = 0.6
#: What keeps the memory small that worker processes have for themselves, unless the user says otherwise.
_LEAN = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
#: Milliseconds for which Arrow keeps memory that was freed; what the system gives again it clears page by page.
_KEPT_FOR = 10_000
#: What `mallopt` of glibc calls: how many arenas threads have, which requests are mapped apart, how much is kept.
_KEEPING = {-8: 1, -3: 32 << 20, -1: 128 << 20}


@dataclass(frozen=True)
class Task:
    """One shard: `function` ("module:name") is called with the folder to fill and the arguments."""

    name: str
    function: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Engine:
    """Where shards run: `local` (processes of this machine) or `ray` (a cluster, by its address).

    On a cluster the data home and the raw files must lie on a file system that all nodes share.
    """

    kind: str = "local"
    workers: int = 0  # 0: as many as there are cores
    address: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ("local", "ray"):
            raise UsageError(f"--engine is local or ray, not {self.kind!r}")
        if self.workers < 0:
            raise UsageError(f"--workers cannot be negative: {self.workers}")
        if self.address and self.kind != "ray":
            raise UsageError(f"--address {self.address} is that of a Ray cluster: add --engine ray")

    def run(
        self,
        tasks: Sequence[Task],
        folder: Path,
        progress: Callable[[int, int], None] = lambda done, total: None,
        *,
        threads: bool = False,
    ) -> list[Path]:
        """Fill `folder/<task name>` for every task; returns these folders in the order of the tasks.

        With `threads` local work is done by threads of this process instead of further processes:
        quicker for functions that leave their work to libraries which run without Python's lock.
        """
        targets = {task.name: folder / store.valid_name(task.name, "shard") for task in tasks}
        waiting = {t.name: (t, targets[t.name]) for t in tasks if not targets[t.name].is_dir()}
        done = len(tasks) - len(waiting)
        progress(done, len(tasks))
        for _ in self._run(waiting, threads):
            done += 1
            progress(done, len(tasks))
        return list(targets.values())

    def _run(self, waiting: dict[str, tuple[Task, Path]], threads: bool) -> Iterator[str]:
        if self.kind == "ray":
            yield from _ray(waiting, self.address)
            return
        workers = min(self.workers or os.cpu_count() or 1, len(waiting))
        if workers <= 1:
            for name, (task, path) in waiting.items():
                do_shard(task, str(path))
                yield name
        elif threads:
            with ThreadPoolExecutor(workers) as pool:
                futures = [pool.submit(do_shard, task, str(path)) for task, path in waiting.values()]
                try:
                    yield from (future.result() for future in as_completed(futures))
                finally:
                    pool.shutdown(cancel_futures=True)
        else:
            yield from _processes(waiting, workers)


def call_in_process(function: str, arguments: dict[str, Any]) -> None:
    """Call a function ("module:name") in a process of its own: its memory ends with it, its death is an error."""
    stop = threading.Event()
    worker = _Worker(stop)
    try:
        answer = worker.ask(Task("apart", function, arguments), None)
    finally:
        stop.set()
        worker.close()
    if answer is None:
        raise LinkassayError("its process died: it crashed, was killed, or there was not enough memory")
    if isinstance(answer, LinkassayError):
        raise answer


def do_shard(task: Task, target: str) -> str:
    """Do one shard, here and now; whole or not at all. Without a target the function has no folder to fill."""
    module, _, name = task.function.partition(":")
    function = getattr(importlib.import_module(module), name)
    if not target:
        function(**task.arguments)
        return task.name
    with store.new_folder(Path(target), lasting=False) as temporary:
        function(temporary, **task.arguments)
    return task.name


def _processes(waiting: dict[str, tuple[Task, Path]], workers: int) -> Iterator[str]:
    """Local processes, fed one shard at a time; the shard of one that dies is given out again."""
    todo: queue.SimpleQueue[tuple[Task, Path]] = queue.SimpleQueue()
    done: queue.SimpleQueue[str | BaseException] = queue.SimpleQueue()
    for item in waiting.values():
        todo.put(item)
    stop = threading.Event()
    threads: list[threading.Thread] = []  # those that run
    try:
        for _ in range(workers):
            thread = threading.Thread(target=_feed, args=(todo, done, stop), daemon=True)
            thread.start()
            threads.append(thread)
        for _ in waiting:
            result = done.get()
            if isinstance(result, BaseException):
                raise result
            yield result
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _feed(
    todo: queue.SimpleQueue[tuple[Task, Path]], done: queue.SimpleQueue[str | BaseException], stop: threading.Event
) -> None:
    """Feed one worker; whatever ends this is said in `done`, since nobody else would say it to those who wait there."""
    try:
        _give_out(todo, done, stop)
    except BaseException as error:
        done.put(error)


def _give_out(
    todo: queue.SimpleQueue[tuple[Task, Path]], done: queue.SimpleQueue[str | BaseException], stop: threading.Event
) -> None:
    """Give shards to one worker process, and to the next one if it dies."""
    worker = _Worker(stop)
    try:
        while not stop.is_set():
            try:
                task, path = todo.get_nowait()
            except queue.Empty:
                return
            for attempt in range(1, ATTEMPTS + 1):
                answer = worker.ask(task, path)
                if answer is not None or stop.is_set():
                    done.put(answer or LinkassayError("stopped"))
                    break
                worker.close()
                worker = _Worker(stop)
                if attempt == ATTEMPTS:
                    done.put(LinkassayError(_lost({task.name: task})))
    finally:
        worker.close()


class _Worker:
    """A Python process that does shards. Not `multiprocessing`: that would run the user's script again."""

    def __init__(self, stop: threading.Event) -> None:
        environment = _LEAN | os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, "-m", "linkassay.engine", str(os.getpid())]
        self._busy = False
        try:
            with _no_ctrl_c():
                self._process = subprocess.Popen(  # noqa: S603
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                    errors="replace", env=environment,
                )  # fmt: skip
        except OSError as error:
            raise LinkassayError(f"no worker process could be started ({error}); fewer --workers need less") from error
        try:
            threading.Thread(target=self._end_on, args=(stop,), daemon=True).start()
        except BaseException:
            self.close()
            raise

    def ask(self, task: Task, path: Path | None) -> str | LinkassayError | None:
        """The task's name when it is done, an error if it failed, None if the process died of it.

        One that died while it answered leaves part of a line, which is no JSON.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        question = json.dumps([task.name, task.function, task.arguments, str(path or "")])
        self._busy = True
        try:
            self._process.stdin.write(question + "\n")
            self._process.stdin.flush()
            name, kind, message = json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            return None
        self._busy = False
        if not kind:
            return str(name)
        return DataError(message) if kind == "DataError" else LinkassayError(message)

    def _end_on(self, stop: threading.Event) -> None:
        stop.wait()
        self._end()

    def _end(self) -> None:
        """One that is at work has a moment to remove what it has begun, and to end what it has started."""
        if self._busy:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_MOMENT)
        self._process.kill()

    def close(self) -> None:
        """End the process."""
        self._end()
        self._process.communicate()


@contextmanager
def _no_ctrl_c() -> Iterator[None]:
    """What is started here hears nothing of Ctrl-C, which a terminal tells all its processes: they are ended by us."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(parent: int) -> None:
    """What a worker process does: one shard per line of its input, one answer per line of its output."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not inherited, unlike being ignored or blocked
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _die_with(parent)
    with stopping.heeded(_MOMENT / 2, quiet=True):
        _answer()


def _answer() -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a reader prints must not be taken for an answer
    for line in sys.stdin:
        name, function, arguments, target = json.loads(line)
        kind, message = "", ""
        try:
            do_shard(Task(name, function, arguments), target)
        except LinkassayError as error:
            kind, message = type(error).__name__, str(error)
        except Exception:
            kind, message = "Exception", f"shard {name} failed:\n{traceback.format_exc()}"
        out.write(json.dumps([name, kind, message]) + "\n")
        out.flush()


def keep_freed_memory() -> None:
    """Let threads that make and drop large arrays use the same memory again, rather than ask the system each time.

    It is for good, so only for a process that is ours. By other C libraries than glibc nothing is changed.
    """
    import pyarrow as pa

    with suppress(NotImplementedError):  # a build of Arrow without it
        pa.set_memory_pool(pa.jemalloc_memory_pool())
        pa.jemalloc_set_decay_ms(_KEPT_FOR)
    try:
        import ctypes

        for option, value in _KEEPING.items():
            ctypes.CDLL(None).mallopt(option, value)
    except (OSError, AttributeError, TypeError):
        pass


def _die_with(parent: int) -> None:
    """On Linux a worker ends when the process that started it is killed, also if it has been already."""
    with suppress(OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)


def _perform_at(home: str, task: Task, target: str) -> str:
    """`do_shard` on a node, whose environment knows nothing of the data home that is meant."""
    os.environ["LINKASSAY_HOME"] = home
    return do_shard(task, target)


def _ray(waiting: dict[str, tuple[Task, Path]], address: str) -> Iterator[str]:
    """A Ray cluster; Ray itself gives the shards of a lost node to another."""
    with _cluster(address) as ray:
        remote = ray.remote(max_retries=ATTEMPTS)(_perform_at)
        home = str(store.home().resolve())
        tasks = {
            remote.options(name=name).remote(home, task, str(path)): name for name, (task, path) in waiting.items()
        }
        while tasks:
            ready, _ = ray.wait(list(tasks), num_returns=1, timeout=5)
            for reference in ready:
                name = tasks.pop(reference)
                try:
                    ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    cause = error.cause
                    raise cause if isinstance(cause, LinkassayError) else error from None
                except ray.exceptions.RayError as error:
                    raise LinkassayError(f"{_lost({name: waiting[name]})} ({type(error).__name__})") from error
                yield name


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    """The running cluster at `address`, or one of our own for as long as the work lasts."""
    try:
        import ray
    except ImportError:
        raise UsageError("--engine ray needs Ray: pip install 'linkassay[ray]'") from None
    ours = not ray.is_initialized()
    if ours:
        try:
            ray.init(**_started_or_joined(address))
        except (ConnectionError, ValueError) as error:
            raise UsageError(f"no Ray cluster at {address!r}: {error}") from error
    try:
        yield ray
    finally:
        if ours:
            ray.shutdown()


def _started_or_joined(address: str) -> dict[str, Any]:
    quiet = {"log_to_driver": False, "logging_level": "warning"}
    if address:
        return quiet | {"address": address}
    return quiet | {"address": "local", "include_dashboard": False, "_node_ip_address": "127.0.0.1"}


def _lost(waiting: dict[str, Any]) -> str:
    names = ", ".join(list(waiting)[:5])
    return (
        f"the worker died {ATTEMPTS} times on shard {names}: it crashed inside of C code, or there was not enough "
        "memory (fewer --workers leave more to each). What is done stays; run the same command again to go on"
    )


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
