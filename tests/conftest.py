"""Fixtures for all tests. Real data lies beside the project; without it those tests skip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
