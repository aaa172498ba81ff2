"""A full or read-only disk: figures are shown all the same, and what cannot be written is named (SAFE-2)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from endure.killing import temporaries, tree

import linkassay
from bench import synthetic
from tests import disks


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
    "score": ["score", "mini/exact", "mini/normalised", "--json"],
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
    if name == "score":
        assert new.startswith(f"{NOT_KEPT}{home / 'runs' / 'mini'}")
        assert "cannot be written (Read-only file system)" in new
        assert new.count("\n") == 1
    else:
        assert new == ""


def test_figures_come_first_and_then_that_counts_could_not_be_kept(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "home")
    done = disks.run(READING["score"], tmp_path / "home", folder=tmp_path, largest=100)
    assert done.returncode == 0
    assert [row["n"] for row in json.loads(done.stdout)["rows"]][:1] == [334]
    assert done.stderr.count(NOT_KEPT) == 1
    assert "File too large" in done.stderr
    assert tree(tmp_path / "home") == tree(home)


@pytest.mark.parametrize("linker", ["tfidf", "fuzzy", "house-untrained"])
def test_a_text_is_grounded_where_no_index_can_be_kept(linker: str, home: Path, tmp_path: Path) -> None:
    """As where it can, by a linker that was never prepared; why it takes longer is said."""
    arguments = ["ground", "diabetes melitus", "--kb", "mini", "--linker", linker, "--explain", "--json"]
    before = tree(home)
    shutil.copytree(home, tmp_path / "copy")
    there = disks.run(arguments, home, folder=tmp_path, read_only=home)
    free = disks.run(arguments, tmp_path / "copy", folder=tmp_path)
    assert (there.returncode, free.returncode, free.stderr) == (0, 0, ""), there.stderr
    assert json.loads(there.stdout) == json.loads(free.stdout)
    assert tree(home) == before
    [line] = there.stderr.splitlines()
    assert line.startswith(f"warning: the index of {linker} for mini could not be kept, and is made each time ({home}")
    assert "Read-only file system" in line
    assert f"`linkassay prepare {linker} --kb mini`" in line


@pytest.mark.parametrize("verb", [["prepare", "tfidf", "--kb", "mini"], ["link", "tfidf", "mini"]])
def test_a_read_only_home_is_an_error_with_advice_where_something_must_be_kept(
    verb: list[str], home: Path, tmp_path: Path
) -> None:
    done = disks.run(verb, home, folder=tmp_path, read_only=home)
    [line] = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith(f"error: {home}")
    assert "cannot be written (Read-only file system); make room or choose another place" in line


WRITING = {
    # verb: arguments, sizes of files at which the disk is full, where what cannot be written belongs
    "get": (["get", "mini"], (0, 2_000, 6_000), "home"),
    "link by two": (["link", "exact", "mini", "--split", "train", "--workers", "2"], (0, 3_000), "home"),
    "prepare": (["prepare", "tfidf", "--kb", "mini"], (1_000,), "home/linkers"),
    "report": (["report", "mini/exact", "-o", "{out}/page.html"], (1_000,), "out/page.html"),
    "import": (["import", "native", "a.jsonl", "--corpus", "mini", "--system", "theirs"], (10,), "home/runs/mini"),
    "wic build": (["wic", "build", "--corpora", "mini", "--kb", "mini", "-o", "{out}/wic", "--dev-share", "0.4"],
                  (1_000,), "out/wic"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk_is_named_with_what_was_being_written(name: str, home: Path, tmp_path: Path) -> None:
    arguments, sizes, where = WRITING[name]
    (tmp_path / "out").mkdir()
    answer = {"document": "mini-104", "mention": "mini-104:377-379:disease", "candidates": ["mesh:D003920"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(answer) + "\n", encoding="utf-8")
    for size in sizes:
        mine = tmp_path / "home"
        shutil.rmtree(mine, ignore_errors=True)
        if name == "get":
            mine.mkdir()
        else:
            shutil.copytree(home, mine)
        before = set(tree(mine))
        done = disks.run(
            [a.replace("{out}", str(tmp_path / "out")) for a in arguments], mine, folder=tmp_path, largest=size
        )
        assert done.returncode == 2, (size, done.stderr)
        error = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
        assert len(error) == 1, done.stderr
        assert error[0].startswith(f"error: {tmp_path / where}"), size
        assert "cannot be written (File too large)" in error[0]
        if name != "get":  # of which one part may be done
            assert {file for file in tree(mine) if not file.startswith("work/")} == before
        assert temporaries(mine) == []
        assert list((tmp_path / "out").iterdir()) == []


def test_a_disk_that_becomes_full_while_a_knowledge_base_is_merged(tmp_path: Path) -> None:
    synthetic.taxonomy(tmp_path / "raw", names=30_000, merged=1_000)
    home = tmp_path / "home"
    home.mkdir()
    command = [*disks.PROGRAM, "get", "ncbi_taxonomy", "--raw", str(tmp_path / "raw")]
    places = set()
    for size in ("1m", "4m", "6m"):
        code, said, left = disks.tiny_disk(command, home, size, folder=tmp_path, home=home)
        assert code == 2, said
        assert said.startswith(f"error: {home}")
        assert "No space left on device" in said
        assert said.count("\n") == 1
        assert not [path for path in left if "linkassay-" in path or "/kbs/ncbi_taxonomy/" in path]
        places.add(Path(said.removeprefix("error: ").split(":")[0]).relative_to(home).parts[0])
    assert places == {"work", "kbs"}  # while it is read, and while it is merged


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_an_output_that_cannot_be_written(home: Path, tmp_path: Path) -> None:
    program = ["sh", "-c", 'exec "$@" > /dev/full', "sh", *disks.PROGRAM]
    done = disks.run(["ls", "linkers"], home, folder=tmp_path, program=program)
    assert (done.returncode, done.stderr) == (2, "error: standard output: No space left on device\n")
