"""Every verb that writes, killed at each of its changes to the file system, ends as if it had not been (SAFE-3)."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkassay
from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from tests.killing import sweep


def assert_survives(result: dict[str, object], at_least: int) -> None:
    assert result["different"] == []
    assert isinstance(result["points"], int)
    assert result["points"] >= at_least  # a sweep that kills nothing proves nothing


def test_get(tmp_path: Path) -> None:
    assert_survives(sweep(["get", "mini"], tmp_path, limit=30), at_least=30)


def test_get_own(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("1|t|Gout in two brothers.\n1|a|\n1\t0\t4\tGout\tDisease\tD006073\n", encoding="utf-8")
    arguments = ["get", "--format", "pubtator", str(file), "--name", "mine", "--kb", "mesh"]
    assert_survives(sweep(arguments, tmp_path / "sweep"), at_least=6)


def test_get_own_second_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "start"))
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for number, path in enumerate(paths):
        path.write_text(f"{number}|t|Gout again.\n{number}|a|\n{number}\t0\t4\tGout\tDisease\tD006073\n")
    get_own_corpus(OwnCorpus("mine", "pubtator", (paths[0],), split="train", kb="mesh"))
    arguments = ["get", "--format", "pubtator", str(paths[1]), "--name", "mine", "--kb", "mesh"]
    assert_survives(sweep(arguments, tmp_path / "sweep", tmp_path / "start"), at_least=8)


def test_kb_add(tmp_path: Path) -> None:
    (tmp_path / "aches.tsv").write_text("id\tname\n1\tPain\n2\tHeadache\n")
    description = tmp_path / "aches.toml"
    description.write_text(
        'name = "aches"\nprefix = "ache"\ntype = "disease"\nfiles = "aches.tsv"\nid = "id"\nnames = "name"\n'
    )
    assert_survives(sweep(["kb", "add", str(description)], tmp_path / "sweep", limit=20), at_least=15)


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data home with the embedded benchmark and one run."""
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "prepared"))
    linkassay.link("exact", "mini")
    return tmp_path / "prepared"


def assert_killed_between_shards(folder: Path) -> None:
    """At some point of the sweep the first shard was done and the second one was not."""
    killed = [path.parent for path in folder.glob("*/*/run-*/00000000")]
    assert any(list(work.glob(".00000032.*")) for work in killed)


def test_link(tmp_path: Path, prepared: Path) -> None:
    arguments = ["link", "normalised", "mini", "--split", "train"]
    assert_survives(sweep(arguments, tmp_path / "sweep", prepared, limit=14), at_least=14)
    assert_killed_between_shards(tmp_path / "sweep")


def test_prepare(tmp_path: Path, prepared: Path) -> None:
    arguments = ["prepare", "tfidf", "--kb", "mini"]
    assert_survives(sweep(arguments, tmp_path / "sweep", prepared, limit=14), at_least=14)


def test_link_prepares(tmp_path: Path, prepared: Path) -> None:
    """Killed before, within and after its preparation."""
    arguments = ["link", "fuzzy", "mini"]
    assert_survives(sweep(arguments, tmp_path / "sweep", prepared, limit=20), at_least=20)
    half = [path for path in (tmp_path / "sweep").glob("*/linkers/.fuzzy-*") if not (path / "manifest.json").exists()]
    done = list((tmp_path / "sweep").glob("*/linkers/fuzzy-*/manifest.json"))
    assert half
    assert done


def test_report(tmp_path: Path, prepared: Path) -> None:
    arguments = ["report", "mini/exact", "-o", "{home}/report.html"]
    assert_survives(sweep(arguments, tmp_path / "sweep", prepared, limit=8), at_least=2)


def test_demo(tmp_path: Path) -> None:
    assert_survives(sweep(["demo", "-o", "demo.html"], tmp_path, limit=2), at_least=2)
