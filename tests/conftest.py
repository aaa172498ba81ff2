"""Fixtures for all tests. Real data lies beside the project; without it those tests skip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# CI tries the same examples each time, so that what lands is not a matter of luck; elsewhere they are new each time.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "new")

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("LINKASSAY_SHARED", ROOT.parent / "shared")) / "data"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of the real data; the only reason for a real-data test to skip is its absence."""
    if not SHARED.is_dir():
        pytest.skip(f"no real data at {SHARED}")
    return SHARED


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data home."""
    path = tmp_path / "home"
    monkeypatch.setenv("LINKASSAY_HOME", str(path))
    return path


_skipped: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped:
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With LINKASSAY_FAIL_ON_SKIP a skipped test is a failure: everything it needs is said to be there."""
    if os.environ.get("LINKASSAY_FAIL_ON_SKIP") and _skipped and not hasattr(session.config, "workerinput"):
        print("\nskipped although nothing may skip here:", *sorted(set(_skipped)), sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
