"""Ctrl-C and SIGTERM end every long verb soon, with one line, and nothing temporary stays (SAFE-10)."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from endure.killing import Ended, is_running, signalled, temporaries

import linkassay
from bench import synthetic
from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from linkassay.stopping import check, heeded
from tests import disks
from tests.helpers import delay

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
BOTH = pytest.mark.parametrize(("number", "line"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")])


def assert_stopped(ended: Ended, number: int, line: str, home: Path) -> None:
    assert ended.code == 128 + number, ended.said
    assert ended.said == f"stopped ({line})\n"
    assert ended.seconds < 2 * delay()
    assert ended.alive == []
    assert temporaries(home) == []


def written(home: Path, pattern: str, size: int = 1) -> Callable[[], bool]:
    """Whether so many files of such names are there."""
    return lambda: len(list(home.glob(pattern))) >= size


@pytest.fixture(scope="module")
def taxa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Raw files of a knowledge base that takes seconds to build."""
    folder = tmp_path_factory.mktemp("taxa")
    synthetic.taxonomy(folder, names=600_000, merged=50_000)
    return folder


@BOTH
@pytest.mark.parametrize("at", ["work/kb-*/shards/.*-new/*", "kbs/ncbi_taxonomy/.*-new/*"])
def test_a_knowledge_base(tmp_path: Path, taxa: Path, at: str, number: int, line: str) -> None:
    """While its threads read, and while they merge."""
    home = tmp_path / "home"
    arguments = ["get", "ncbi_taxonomy", "--raw", str(taxa), "--workers", "2"]
    ended = signalled(arguments, number, written(home, at), folder=tmp_path, home=home)
    assert_stopped(ended, number, line, home)


def test_a_knowledge_base_read_by_processes(tmp_path: Path) -> None:
    synthetic.dbsnp(tmp_path / "raw", records=20_000, files=2, processes=1)
    home = tmp_path / "home"
    arguments = ["get", "dbsnp", "--raw", str(tmp_path / "raw"), "--workers", "2"]
    ready = written(home, "work/kb-*/shards/.*-new")
    ended = signalled(arguments, signal.SIGINT, ready, folder=tmp_path, home=home)
    assert_stopped(ended, signal.SIGINT, "Ctrl-C", home)


#: A linker that takes its time where Python hears no signal: in a compiled loop, or in a query.
SLOW = """
import os, sys, time
from pathlib import Path
import numpy as np
from linkassay.linkers import Capabilities
from linkassay.machine_code import compiled


@compiled
def forever(values):
    found = 0
    while values[0] == 0:
        found += 1
    return found


class Slow:
    summary = "no answer"
    capabilities = Capabilities(links=True)

    def prepare(self, kb, train):
        self.kb = kb

    def link(self, queries, top):
        how = os.environ["HOW"]
        Path(os.environ["READY"]).joinpath(str(os.getpid())).touch()
        try:
            if how == "compiled":
                forever(np.zeros(2, np.int64))
            elif how == "query":
                list(self.kb.sql("select sum(a.range * b.range) from range(10000000) a, range(10000000) b"))
            else:
                time.sleep(60)
        except BaseException:
            if how != "deaf":
                raise
            while True:
                time.sleep(0.1)
        return [[] for _ in queries]
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a slow linker, and a home with documents for five shards."""
    folder = tmp_path_factory.mktemp("many")
    mention = {"spans": [[0, 4]], "type": "disease", "gold": [["mesh:D003920"]]}
    lines = (json.dumps({"id": f"{n:03}", "text": "Gout.", "mentions": [mention]}) for n in range(130))
    (folder / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "slow.py").write_text(SLOW, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder / "home"))
        linkassay.kb("mini")
        linkassay.link("exact", "mini")
        get_own_corpus(OwnCorpus("many", "jsonl", (folder / "many.jsonl",), kb="mini"))
    return folder


@pytest.mark.parametrize(
    ("how", "workers", "number", "line"),
    [
        ("compiled", 1, signal.SIGINT, "Ctrl-C"),
        ("query", 1, signal.SIGTERM, "SIGTERM"),
        ("deaf", 1, signal.SIGTERM, "SIGTERM"),
        ("compiled", 2, signal.SIGTERM, "SIGTERM"),
        ("sleep", 2, signal.SIGINT, "Ctrl-C"),
    ],
)
def test_a_linker(
    tmp_path: Path, many: Path, monkeypatch: pytest.MonkeyPatch, how: str, workers: int, number: int, line: str
) -> None:
    shutil.copytree(many / "home", tmp_path / "home")
    (tmp_path / "ready").mkdir()
    monkeypatch.setenv("HOW", how)
    monkeypatch.setenv("READY", str(tmp_path / "ready"))
    arguments = ["link", str(many / "slow.py:Slow"), "many", "--workers", str(workers)]
    ready = written(tmp_path / "ready", "*", workers)
    ended = signalled(arguments, number, ready, folder=tmp_path, home=tmp_path / "home")
    assert_stopped(ended, number, line, tmp_path / "home")
    assert list((tmp_path / "home").glob("work/run-*/0*")) == []  # no answer is no answer, not a failure


@pytest.mark.parametrize(("workers", "number", "line"), [(1, signal.SIGINT, "Ctrl-C"), (2, signal.SIGTERM, "SIGTERM")])
def test_a_command_and_all_that_it_started(tmp_path: Path, many: Path, workers: int, number: int, line: str) -> None:
    """Also what has left its process group."""
    shutil.copytree(many / "home", tmp_path / "home")
    (tmp_path / "ready").mkdir()
    ready = shlex.quote(str(tmp_path / "ready"))
    shell = f"sleep 600 & setsid sh -c 'trap \"\" INT TERM HUP; touch {ready}/$$; sleep 600' & wait"
    arguments = ["link", "command", "many", "--cmd", shlex.join(["sh", "-c", shell]), "--exchange", "jsonl",
                 "--workers", str(workers)]  # fmt: skip
    ended = signalled(arguments, number, written(tmp_path / "ready", "*", workers), folder=tmp_path,
                      home=tmp_path / "home")  # fmt: skip
    assert_stopped(ended, number, line, tmp_path / "home")
    assert not any(is_running(int(path.name)) for path in (tmp_path / "ready").iterdir())


@BOTH
def test_a_signal_that_is_ignored_stays_so(many: Path, tmp_path: Path, number: int, line: str) -> None:
    """As after `nohup`, or for what a script runs in the background."""
    shutil.copytree(many / "home", tmp_path / "home")
    code = ("import signal, sys, os, pathlib; number = int(sys.argv.pop(1)); signal.signal(number, signal.SIG_IGN); "
            "from linkassay import cli, listing; lines = listing.describe; "
            "listing.describe = lambda *a, **k: (os.kill(os.getpid(), number), lines(*a, **k))[1]; "
            "cli.main()")  # fmt: skip
    program = [sys.executable, "-c", code, str(int(number))]
    done = disks.run(["info", "mini"], tmp_path / "home", folder=tmp_path, program=program)
    assert (done.returncode, done.stderr) == (0, "")
    assert "mini" in done.stdout


#: The program, told to stop by itself when it comes to import a module, or by others some time after it has begun.
EARLY = """
import os, sys, threading
at = sys.argv[1]
def stop():
    global at
    at = ""
    os.kill(os.getpid(), 2)
class Told:
    def find_spec(self, name, path=None, target=None):
        if name == at:
            stop()
sys.meta_path.insert(0, Told())
start = threading.Thread.start
threading.Thread.start = lambda thread: (start(thread), stop() if at == "the thread" else None)
sys.argv[:] = ["/somewhere/bin/linkassay", "ls"]
print("begun", flush=True)
from linkassay.__main__ import main
main()
"""


@pytest.mark.parametrize(
    "at",
    ["linkassay.defaults", "linkassay.moved", "linkassay.stopping", "linkassay.cli", "typer", "numpy", "the thread"],
)
def test_ctrl_c_while_it_is_being_loaded(at: str, tmp_path: Path) -> None:
    """Whatever it is about to import, and between its signals and the thread that hears them."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "LINKASSAY_HOME": str(tmp_path)}
    command = [sys.executable, "-c", EARLY, at]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (130, "stopped (Ctrl-C)\n")


@pytest.mark.parametrize("after", [0.02, 0.04, 0.06, 0.08, 0.1, 0.15])
def test_ctrl_c_soon_after_enter(after: float, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "LINKASSAY_HOME": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", EARLY, ""], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment) as begun:  # fmt: skip
        assert begun.stdout is not None
        begun.stdout.readline()
        time.sleep(after)
        begun.send_signal(signal.SIGINT)
        _, said = begun.communicate(timeout=30)
    assert (begun.returncode, said) == (130, "stopped (Ctrl-C)\n")


def test_who_imports_the_package_sees_to_ctrl_c_himself() -> None:
    code = "import signal, linkassay.__main__; assert signal.getsignal(2) is signal.default_int_handler"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_afterwards_signals_are_as_they_were() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    threads = threading.active_count()
    with heeded(), heeded():
        assert signal.getsignal(signal.SIGTERM) not in before
        check()  # nobody has told us to stop
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before
    assert signal.set_wakeup_fd(-1) == -1
    give_up = time.monotonic() + 5
    while threading.active_count() > threads and time.monotonic() < give_up:
        time.sleep(0.01)
    assert threading.active_count() == threads


def test_a_module_is_loaded_to_its_end(tmp_path: Path) -> None:
    """What is compiled in it would write of a stop in its midst."""
    module = (
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(0.1)\nprint('loaded', flush=True)\n"
    )
    (tmp_path / "odd_module.py").write_text(module, encoding="utf-8")
    code = "import time\nfrom linkassay.stopping import heeded\nwith heeded(0.3):\n import odd_module\n time.sleep(60)"
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (143, "loaded\n", "stopped (SIGTERM)\n")
    assert time.monotonic() - begun < 5 * delay()


def test_nothing_is_raised_where_it_would_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a callback of the compiler, whose errors ctypes writes: the thread ends the process."""
    from linkassay import stopping

    def _raw_object_cache_notify() -> None:
        stopping._stop(signal.SIGTERM, sys._getframe())

    monkeypatch.setattr(stopping, "_told", stopping._Told())
    _raw_object_cache_notify()
    assert stopping._told.signal == signal.SIGTERM
    with pytest.raises(stopping.Stopped):
        stopping._stop(signal.SIGTERM, sys._getframe())
