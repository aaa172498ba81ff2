"""What tests of bench files begin with: a small file, linkers that misbehave, the verb itself."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from linkassay.cli import app
from linkassay.linkers import LINKERS
from tests.conftest import ROOT

MINI = """
report = "out/page.html"

[score]
measures = "recall@1"
by = "zero-shot"
resamples = 100

[[corpora]]
name = "mini"

[[linkers]]
linker = "exact"
"""

#: Linkers that misbehave, as a package that is installed beside linkassay.
PLUGIN = """
import os
from linkassay.linkers import Capabilities

class Unprepared:
    summary = "cannot be prepared"
    capabilities = Capabilities(links=True)
    def prepare(self, kb, train):
        raise RuntimeError("no model at hand")
    def link(self, queries, top):
        return [[] for _ in queries]

class Dying:
    summary = "takes its process down"
    capabilities = Capabilities(links=True)
    def prepare(self, kb, train):
        os._exit(9)
    def link(self, queries, top):
        return [[] for _ in queries]

class Chosen:
    summary = "says what it is told to"
    capabilities = Capabilities(links=True)
    def __init__(self, answer="mesh:D003924"):
        self.answer = answer
    def prepare(self, kb, train):
        pass
    def link(self, queries, top):
        return [[((self.answer,), 1.0)] for _ in queries]

class Stumbling(Chosen):
    summary = "fails on some documents"
    def link(self, queries, top):
        if any(sum(map(ord, query.document)) % 4 == 0 for query in queries):
            raise ValueError("too hard")
        return super().link(queries, top)
"""


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own data home, where it is remembered what was agreed to."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    return tmp_path / "xdg"


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "installed"
    about = folder / "misbehaving-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "misbehaving.py").write_text(PLUGIN)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: misbehaving\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[linkassay.linker]\nunprepared = misbehaving:Unprepared\ndying = misbehaving:Dying\n"
        "chosen = misbehaving:Chosen\nstumbling = misbehaving:Stumbling\n"
    )
    monkeypatch.syspath_prepend(folder)
    LINKERS.__dict__.pop("_plugins", None)
    yield
    LINKERS.__dict__.pop("_plugins", None)
    sys.modules.pop("misbehaving", None)


def written(folder: Path, text: str = MINI) -> Path:
    file = folder / "b.toml"
    file.write_text(text, encoding="utf-8")
    return file


def bench(*arguments: str, code: int = 0) -> dict[str, Any]:
    result = CliRunner().invoke(app, ["bench", *arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def beside(shared: Path) -> Path:
    """The bench files of the project, if the real data lie where they say."""
    if not (ROOT.parent / "shared").is_dir():
        pytest.skip("no real data beside the project")
    return ROOT / "benchmarks"
