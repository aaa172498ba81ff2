"""Fixtures for all tests. Real data lies beside the project; without it those tests skip."""

from __future__ import annotations

import functools
import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

# CI tries the same examples each time, so that what lands is not a matter of luck; elsewhere they are new each time.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "new")

ROOT = Path(__file__).resolve().parent.parent
# What tests compile is kept for the next ones, and not in the home of who runs them.
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / "build" / "compiled"))
# Threads of a matrix product wait for each other in a loop, which beside other tests takes ten times their work.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Stores wait for disks, many thousand times in all tests: what is temporary is in memory where there is such a place.
_MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > 6 << 30:
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)
# Whoever is started in the background ignores Ctrl-C, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # after nohup
    signal.signal(signal.SIGHUP, lambda *_: None)
#: Stand-ins for libraries: as modules of tests they would take the place of these.
collect_ignore = ["standins/site"]
SHARED = Path(os.environ.get("LINKASSAY_SHARED", ROOT.parent / "shared")) / "data"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of the real data; the only reason for a real-data test to skip is its absence."""
    if not SHARED.is_dir():
        pytest.skip(f"no real data at {SHARED}")
    return SHARED


@pytest.fixture(scope="session", autouse=True)
def _commands_built_once() -> Iterator[None]:
    """Typer builds all commands anew for each call of one, of which there are thousands here."""
    import typer.main
    import typer.testing

    build = functools.cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", build)
        patch.setattr(typer.testing, "_get_command", build)
        yield


class ReportRuns(NamedTuple):
    """A data home with runs of three systems on two tiny corpora, and the data of the page of the first corpus."""

    home: Path
    runs: list[str]  # of `own`, then of `other`
    data: dict[str, Any]
    specs: list[dict[str, Any]]  # of the charts in it
    held: Any  # what that page holds of mentions, cases and documents


@pytest.fixture(scope="session")
def report_runs(tmp_path_factory: pytest.TempPathFactory) -> ReportRuns:
    """What tests of reports begin with, made once."""
    import linkassay
    from linkassay import charts
    from linkassay.explorer import embed
    from linkassay.pages.page_data import gather_page
    from linkassay.scoring.results import Result
    from tests.report_helpers import make

    folder = tmp_path_factory.mktemp("report")
    specs: list[dict[str, Any]] = []
    draw = charts.draw

    def drawn(spec: dict[str, Any], *more: Any) -> dict[str, Any]:
        specs.append(dict(spec))
        return draw(spec, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder / "home"))
        patch.setattr(charts, "draw", drawn)
        make(folder)
        systems = ("exact", "normalised", "tfidf")
        runs = [linkassay.link(name, on, kb="tiny") for on in ("own", "other") for name in systems]
        result = Result(linkassay.score(run) for run in runs[:3])
        data, held = gather_page(result), embed(result.cohorts)
    return ReportRuns(folder / "home", [str(run.path) for run in runs], data, specs, held)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser, if there is one; it takes seconds to start, and to compile the script of the first page."""
    from tests.browser import chromium, missing

    if reason := missing():
        pytest.skip(reason)
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def driver(browser: Any) -> Any:
    """The browser with a new window, and nothing kept of what was in others."""
    from tests.browser import renew

    renew(browser)
    return browser


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data home."""
    path = tmp_path / "home"
    monkeypatch.setenv("LINKASSAY_HOME", str(path))
    return path


@pytest.fixture(scope="session")
def got_mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data home with the embedded benchmark, to be copied, not changed."""
    import linkassay

    path = tmp_path_factory.mktemp("mini") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(path))
        linkassay.get("mini")
    return path


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The worker processes that are started during the test: none if there is one shard only."""
    from linkassay import engine

    started: list[object] = []

    class Noted(engine._Worker):
        def __init__(self, stop: threading.Event) -> None:
            started.append(self)
            super().__init__(stop)

    monkeypatch.setattr(engine, "_Worker", Noted)
    return started


@pytest.fixture
def home_with_mini(home: Path, got_mini: Path) -> Path:
    """A data home with the embedded benchmark."""
    shutil.copytree(got_mini, home)
    return home


@pytest.fixture
def plug_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, dict[str, dict[str, str]]], None]]:
    """Installs a package `my_package` beside linkassay: its code, and its entry points by group and name."""
    from linkassay.registry import Registry

    def install(code: str, points: dict[str, dict[str, str]]) -> None:
        about = tmp_path / "installed" / "my_package-1.0.dist-info"
        about.mkdir(parents=True)
        (about.parent / "my_package.py").write_text(code, encoding="utf-8")
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
        lines = [
            f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in of.items()) for group, of in points.items()
        ]
        (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
        monkeypatch.syspath_prepend(about.parent)
        # What registries have found before is not what there is now; a property goes before what they keep.
        monkeypatch.setattr(Registry, "_plugins", property(Registry.__dict__["_plugins"].func))

    yield install
    sys.modules.pop("my_package", None)


@pytest.fixture
def no_pictures() -> Iterator[None]:
    """Reports without charts, which take most of the time, for tests that look at something else."""
    from linkassay.charts import without_charts

    with without_charts():
        yield


#: Real knowledge base → where its files are, if not in a folder of its own name.
_FOLDERS = {"ncbi_taxonomy": "ncbi_taxonomy_2013", "chebi": "chebi_2013"} | dict.fromkeys(
    ("doid", "mondo", "hp"), "disease_ontologies"
)


@pytest.fixture(scope="session")
def get_kb(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], None]:
    """Gets a real knowledge base into the data home: built once for all processes that test, and linked to there."""
    import linkassay

    base = tmp_path_factory.getbasetemp()
    common = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kbs-of-all"

    def get(name: str) -> None:
        link = Path(os.environ["LINKASSAY_HOME"]) / "kbs" / name
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LINKASSAY_HOME", str(common))
            linkassay.get(name, shared / "kbs" / _FOLDERS.get(name, name))
        if not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(common / "kbs" / name)

    return get


def pytest_collection_finish() -> None:
    """What is there before the first test stays: nobody need look through it for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


_skipped: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped:
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With LINKASSAY_FAIL_ON_SKIP a skipped test is a failure: everything it needs is said to be there."""
    gc.unfreeze()  # or libraries that look for what is left over at the end find it
    if os.environ.get("LINKASSAY_FAIL_ON_SKIP") and _skipped and not hasattr(session.config, "workerinput"):
        print("\nskipped although nothing may skip here:", *sorted(set(_skipped)), sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
