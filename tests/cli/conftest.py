"""Fixtures for tests of the command line."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from linkassay.cli import main

#: A corpus of one document with one mention.
PUBTATOR = "1|t|Gout in two brothers.\n1|a|Both had gout.\n1\t0\t4\tGout\tDisease\tD006073\n"


@pytest.fixture(scope="session")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data home with two runs on the embedded benchmark."""
    import linkassay

    path = tmp_path_factory.mktemp("mini") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(path))
        linkassay.link("exact", "mini")
        linkassay.link("tfidf", "mini")
    return path


@pytest.fixture
def linkassay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Runs what the program runs, in a folder of its own; starting it each time would take longer than the work."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        code: int | str | None = 0
        with monkeypatch.context() as patch:
            patch.setenv("LINKASSAY_HOME", str(tmp_path / "home"))
            patch.setenv("COLUMNS", "200")
            patch.chdir(tmp_path)
            for name, value in (("argv", ["linkassay", *map(str, arguments)]), ("stdout", out), ("stderr", err)):
                patch.setattr(sys, name, value)
            try:
                main()
            except SystemExit as stop:
                code = stop.code or 0
        texts = []
        for stream in (out, err):
            stream.flush()
            texts.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
        return subprocess.CompletedProcess(list(map(str, arguments)), code, *texts)  # type: ignore[arg-type]

    return run
