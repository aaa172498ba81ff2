"""A full or read-only disk: figures are shown all the same, what cannot be written is named, no half is left (SAFE-2)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import linkassay
from tests import disks
from tests.killing import tree


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data home with runs of two systems that have never been scored."""
    folder = tmp_path_factory.mktemp("unwritable") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder))
        for linker in ("exact", "normalised"):
            linkassay.link(linker, "mini")
    return folder


READING = {
    "score": ["score", "mini/exact"],
    "score as JSON": ["score", "mini/exact", "mini/normalised", "--json"],
    "score end to end": ["score", "mini/exact", "--task", "end-to-end"],
    "compare": ["compare", "mini/exact", "mini/normalised"],
    "info": ["info", "mini"],
    "ls": ["ls", "runs"],
    "check": ["check", "mini"],
    "report": ["report", "mini/exact", "-o", "page.html"],
}
NOT_KEPT = "warning: the counts behind these figures could not be kept beside the run: "


@pytest.mark.parametrize("name", READING)
def test_a_read_only_home_is_read(name: str, home: Path, tmp_path: Path) -> None:
    before = tree(home)
    shutil.copytree(home, tmp_path / "copy")
    there = disks.run(READING[name], home, folder=tmp_path, read_only=home)
    page = (tmp_path / "page.html").read_text(encoding="utf-8") if name == "report" else ""
    free = disks.run(READING[name], tmp_path / "copy", folder=tmp_path)
    assert (there.returncode, free.returncode) == (0, 0), there.stderr
    assert there.stdout == free.stdout
    assert tree(home) == before
    if page:
        assert page == (tmp_path / "page.html").read_text(encoding="utf-8")
    new = there.stderr.replace(free.stderr, "", 1)
    if name in ("score", "score as JSON"):
        assert new.startswith(f"{NOT_KEPT}{home / 'runs' / 'mini'}")
        assert "cannot be written (Read-only file system)" in new
        assert new.count("\n") == 1
    else:
        assert new == ""


def test_figures_come_first_and_then_that_counts_could_not_be_kept(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "home")
    done = disks.run(READING["score as JSON"], tmp_path / "home", folder=tmp_path, largest=100)
    assert done.returncode == 0
    assert [row["n"] for row in json.loads(done.stdout)["rows"]][:1] == [334]
    assert done.stderr.count(NOT_KEPT) == 1
    assert "File too large" in done.stderr
    assert tree(tmp_path / "home") == tree(home)


WRITING = {
    # verb: arguments, sizes of files at which the disk is full, where what cannot be written belongs
    "get": (["get", "mini"], (0, 1_000, 6_000), "home"),
    "link": (["link", "exact", "mini", "--split", "train"], (0, 3_000), "home"),
    "link by two": (["link", "exact", "mini", "--split", "train", "--workers", "2"], (0, 3_000), "home"),
    "prepare": (["prepare", "tfidf", "--kb", "mini"], (0, 1_000), "home/linkers"),
    "report": (["report", "mini/exact", "-o", "out/page.html"], (0, 1_000), "out/page.html"),
    "import": (["import", "answers.jsonl", "--corpus", "mini", "--system", "theirs"], (0, 1_000), "home/runs/mini"),
    "wic build": (["wic", "build", "mini", "-o", "out/wic"], (0, 1_000), "out/wic"),
}


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk_is_named_with_what_was_being_written(name: str, home: Path, tmp_path: Path) -> None:
    arguments, sizes, where = WRITING[name]
    (tmp_path / "out").mkdir()
    answer = {"mention": "mini-104:377-379:disease", "groups": [["mesh:D003920"]], "scores": [1.0]}
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer) + "\n", encoding="utf-8")
    expected = {}
    for size in (*sizes, None):
        mine = tmp_path / "home"
        shutil.rmtree(mine, ignore_errors=True)
        if name == "get":
            mine.mkdir()
        else:
            shutil.copytree(home, mine)
        before = tree(mine), tree(tmp_path / "out")
        done = disks.run(arguments, mine, folder=tmp_path, largest=size)
        if size is None:
            assert done.returncode == 0, done.stderr
            continue
        assert done.returncode == 2, (size, done.stderr)
        error = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
        assert len(error) == 1, done.stderr
        assert error[0].startswith(f"error: {tmp_path / where}"), size
        assert "cannot be written (File too large)" in error[0]
        left = set(tree(mine)) - set(before[0])
        assert not [file for file in left if not file.startswith("work/") and name != "get"], left
        assert not [path for path in (*mine.rglob(".*"), *(tmp_path / "out").rglob("*"))]
        expected[size] = left
