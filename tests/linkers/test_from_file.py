"""Linkers of files (LINKER-13): loaded by name, known by what they say, run in every process; clear errors."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.bench_files import chosen_cells, read_plan, run_plan
from linkassay.cli import app
from linkassay.engine import Engine
from linkassay.errors import UsageError
from linkassay.linkers.from_file import linker_file, load_linker
from linkassay.runs import LinkRequest, RunIdentity, execute

MINE = """
from linkassay.linkers import Capabilities
from words import LOWER

class Lower:
    summary = "entities with this name in lower case"
    capabilities = Capabilities(links=True)

    def prepare(self, kb, train):
        self.ids = {}
        for name, identifier in kb.sql("select name, id from names"):
            self.ids.setdefault(LOWER(name), []).append(identifier)

    def link(self, queries, top):
        from words import LOWER as later
        found = (self.ids.get(later(query.text)) for query in queries)
        return [[(tuple(sorted(ids)), 1.0)] if ids else [] for ids in found]

class Silent:
    summary = "declares nothing"
"""


@pytest.fixture
def folder(home_with_mini: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file with a linker, and a module beside it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr("linkassay.linkers.from_file._searched", [])
    made = tmp_path / "mine"
    made.mkdir()
    (made / "mylinker.py").write_text(MINE)
    (made / "words.py").write_text("LOWER = str.lower\n")
    (made / "unrelated.py").write_text("raise SystemExit('not asked for')\n")
    monkeypatch.chdir(made)
    yield made
    sys.modules.pop("words", None)


def code(name: str) -> str:
    return RunIdentity.of(LinkRequest(name, "mini").pinned()).fingerprint


def test_a_class_of_a_file_is_a_linker(folder: Path) -> None:
    run = linkassay.link("./mylinker.py:Lower", "mini")
    assert (run.name, run.about["parameters"]) == ("mini/lower", {"top": 10})
    assert run.about["linker_file"] == f"{folder / 'mylinker.py'}:Lower"
    assert run.about["answered"] > 50
    assert run.about["failures"] == []
    again = CliRunner().invoke(app, ["link", "mylinker.py:Lower", "mini"], catch_exceptions=False)
    assert "mini/lower: " in again.output
    assert "there already" in again.output
    named = linkassay.link("mylinker.py:Lower", "mini", system="other")
    assert (named.system, named.about["parameters"]["linker"]) == ("other", "Lower")
    assert type(linkassay.linker("mylinker.py:Lower")).__name__ == "Lower"


def test_a_run_is_what_the_files_say_and_not_where_they_are(folder: Path, tmp_path: Path) -> None:
    before = code("mylinker.py:Lower")
    shutil.copytree(folder, tmp_path / "moved")
    (tmp_path / "moved" / "mylinker.py").rename(tmp_path / "moved" / "renamed.py")
    assert code(f"{tmp_path}/moved/renamed.py:Lower") == before
    (folder / "unrelated.py").write_text("raise SystemExit('still not')\n")
    assert code("mylinker.py:Lower") == before
    (folder / "words.py").write_text("LOWER = str.casefold\n")
    beside = code("mylinker.py:Lower")
    (folder / "mylinker.py").write_text(MINE + "# more\n")
    assert len({before, beside, code("mylinker.py:Lower")}) == 3


def test_neighbours_are_those_of_the_file(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "other")
    (tmp_path / "other" / "words.py").write_text("LOWER = str.upper  # as good\n")
    found = [load_linker(f"{at}/mylinker.py:Lower") for at in (folder, tmp_path / "other")]
    assert [each.prepare.__globals__["LOWER"]("a") for each in found] == ["a", "A"]


def test_other_processes_find_the_file(folder: Path) -> None:
    asked = LinkRequest("mylinker.py:Lower", "mini", split="train").pinned()
    said = [
        (execute.link(asked, again=True, engine=Engine(workers=workers))[0].path / "predictions.parquet").read_bytes()
        for workers in (1, 2)
    ]
    assert said[0] == said[1]


def test_a_killed_run_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = LinkRequest("mylinker.py:Lower", "mini", split="train").pinned()

    def kill(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute.link(asked, progress=kill)
    monkeypatch.chdir(folder.parent)
    seen: list[int] = []
    again = LinkRequest("mine/mylinker.py:Lower", "mini", split="train")
    run, _ = execute.link(again, progress=lambda done, total: seen.append(done))
    assert seen[0] > 0  # what was done is not done again
    assert run.about["failures"] == []


def test_a_bench_file_names_it_relative_to_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "plan.toml").write_text('[[corpora]]\nname = "mini"\n[[linkers]]\nlinker = "mylinker.py:Lower"\n'
                                      '[[linkers]]\nlinker = "none.py:Lower"\nname = "none"\n')  # fmt: skip
    monkeypatch.chdir(folder.parent)
    plan = read_plan(folder / "plan.toml")
    outcome = run_plan(plan, chosen_cells(plan, []))
    assert [(cell["system"], cell["state"]) for cell in outcome.cells] == [("lower", "done"), ("none", "failed")]
    assert "there is no file" in outcome.cells[1]["error"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.py:Lower", None, "linker 'none.py:Lower': there is no file "),
        ("mylinker.py:Lowr", MINE, "mylinker.py has no class 'Lowr'; did you mean 'Lower'?"),
        ("mylinker.py:Capabilities", MINE, "has no class 'Capabilities'"),
        ("mylinker.py:Silent", MINE, "class 'Silent' of "),
        ("mylinker.py:Lower", "import os\n\n1 / 0\n", "mylinker.py:3: the linker cannot be loaded: ZeroDivisionError"),
        ("mylinker.py:Lower", "def (:\n", "mylinker.py:1: the linker cannot be loaded: SyntaxError"),
        (
            "mylinker.py:Lower",
            "import unrelated\n",
            "unrelated.py:1: the linker cannot be loaded: SystemExit: not asked",
        ),
        ("mylinker.py:Lower", "import nowhere_at_all\n", "mylinker.py:1: the linker cannot be loaded: ModuleNotFound"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (folder / "mylinker.py").write_text(text)
    with pytest.raises(UsageError, match=re.escape(message)):
        linkassay.link(name, "mini")


def test_names_that_are_no_files() -> None:
    assert [linker_file(name) for name in ("exact", "mylinker.py", "a:B", ".py:B")] == [None] * 4
