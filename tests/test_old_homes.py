"""Data homes of other versions: old ones are read, or what they lack is named with the command that remakes it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import linkassay
from linkassay import store
from linkassay.cli import app
from linkassay.errors import LinkassayError
from linkassay.runs.stored_run import all_runs
from linkassay.store import data_home


def refused(*arguments: str) -> str:
    """What a command says that ends in one of our errors."""
    done = CliRunner().invoke(app, list(arguments))
    assert isinstance(done.exception, LinkassayError)  # which `main` makes exit code 2 of
    return str(done.exception)


def without(path: Path, *columns: str) -> None:
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(list(columns)), path)


def rewritten(path: Path, *keys: str) -> None:
    about = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({key: value for key, value in about.items() if key not in keys}), encoding="utf-8")


@pytest.fixture
def old(home_with_mini: Path) -> Path:
    """A home as the first version left it: a corpus, a knowledge base, a linked run and an imported one."""
    run = linkassay.link("exact", "mini")
    said = home_with_mini.parent / "said.jsonl"
    mention = next(d for d in linkassay.corpus("mini")["test"] if d.mentions).mentions[0]
    said.write_text(json.dumps({"document": mention.document, "mention": mention.id, "candidates": ["mesh:D003924"]}))
    CliRunner().invoke(app, ["import", "native", str(said), "--corpus", "mini", "--system", "theirs"])
    (home_with_mini / "home.json").unlink(missing_ok=True)
    for path in home_with_mini.glob("corpora/*/*/mentions.*.parquet"):
        without(path, "further_parents")
    for path in home_with_mini.glob("[ck]*/*/*/manifest.json"):
        rewritten(path, "files")
    rewritten(
        run.path / "run.json",
        "files",
        "libraries",
        "answered",
        "unknown_ids",
        "mentions_per_second",
        "code",
        "software",
    )
    run.path.rename(run.path.with_name("exact-0123456789ab"))
    return home_with_mini


def test_a_home_says_its_format_when_it_is_first_written_to(home: Path) -> None:
    assert all_runs() == []
    assert not home.exists()  # reading writes nothing
    linkassay.get("mini")
    about = json.loads((home / "home.json").read_text(encoding="utf-8"))
    assert (about["format"], set(about)) == (data_home.FORMAT, {"format", "linkassay"})


def test_an_old_home_is_read(old: Path, tmp_path: Path) -> None:
    assert [d.id for d in linkassay.corpus("mini")["test"]]
    found = {run.system: run for run in all_runs()}
    assert set(found) == {"exact", "theirs"}
    assert linkassay.run("mini/exact").path.name == "exact-0123456789ab"
    assert len(linkassay.score("mini/exact").rows()) == 3
    assert linkassay.report(["mini/exact"], tmp_path / "page.html").stat().st_size > 10_000
    for command in (["ls"], ["info", "mini"], ["check", "mini"], ["score", "mini/exact", "--task", "end-to-end"]):
        assert CliRunner().invoke(app, command).exit_code == 0, command
    assert not (old / "home.json").exists()  # reading changes nothing


def test_link_runs_anew_and_imports_are_found(old: Path) -> None:
    before = linkassay.run("mini/exact")
    run = linkassay.link("exact", "mini")
    assert run.path != before.path
    assert list(run.predictions()) == list(before.predictions())
    said = CliRunner().invoke(
        app, ["import", "native", str(old.parent / "said.jsonl"), "--corpus", "mini", "--system", "theirs", "--json"]
    )
    assert json.loads(said.stdout)["fresh"] is False


def test_a_split_of_an_older_version_beside_a_newer_one(home: Path, tmp_path: Path) -> None:
    for number, split in enumerate(("train", "test"), start=1):
        file = tmp_path / f"{split}.txt"
        file.write_text(f"{number}|t|Gout hurts\n{number}|a|Much.\n{number}\t0\t4\tGout\tDisease\tD006073\n\n")
        asked = ["get", str(file), "--format", "pubtator", "--name", "own", "--kb", "mesh", "--split", split]
        assert CliRunner().invoke(app, asked).exit_code == 0
        if split == "train":
            [path] = home.glob("corpora/own/*/mentions.train.parquet")
            without(path, "further_parents")
    found = linkassay.corpus("own").sql("select split, text, further_parents from mentions order by split")
    assert found == [("test", "Gout", []), ("train", "Gout", None)]
    assert [d.mentions[0].further_parents for d in linkassay.corpus("own")] == [(), ()]


def test_a_home_of_a_newer_version(home_with_mini: Path) -> None:
    (home_with_mini / "home.json").write_text('{"format": 7, "linkassay": "9.1", "more": []}')
    said = f"the data home {home_with_mini} has format 7 and this linkassay knows formats up to {data_home.FORMAT}: "
    for command in (["ls"], ["get", "mini"], ["link", "exact", "mini"], ["info", "mini"]):
        assert refused(*command) == said + "pip install -U 'linkassay>=9.1'"


def test_beside_a_home_of_a_newer_version_can_be_written(home: Path, tmp_path: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "home.json").write_text('{"format": 7}')
    store.write_text(tmp_path / "elsewhere" / "report.html", "page")
    assert (tmp_path / "elsewhere" / "report.html").read_text() == "page"
    with pytest.raises(LinkassayError, match="has format 7"):
        store.write_text(home / "runs" / "x", "")


def test_a_home_that_is_too_old(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_home, "OLDEST_FORMAT", 1)
    assert "has format 0, which this linkassay no longer reads" in refused("ls")
    assert "LINKASSAY_HOME=FOLDER linkassay get NAME" in refused("ls")
    monkeypatch.setenv("LINKASSAY_HOME", str(old.parent / "empty"))
    assert CliRunner().invoke(app, ["get", "mini"]).exit_code == 0


@pytest.mark.parametrize("text", ["", "[]", '{"format": "one"}'])
def test_a_home_that_does_not_say_it(home_with_mini: Path, text: str) -> None:
    (home_with_mini / "home.json").write_text(text)
    assert "home.json does not say which format the data home has; remove this file" in refused("ls")


@pytest.mark.parametrize(
    ("place", "lacks", "remake"),
    [
        ("corpora/mini/*/manifest.json", "splits", "linkassay get mini"),
        ("corpora/mini/*/mentions.test.parquet", "role", "linkassay get mini"),
        ("kbs/mini/*/manifest.json", "counts", "linkassay get mini"),
        ("kbs/mini/*/names.parquet", "key", "linkassay get mini"),
        ("kbs/mini/*/current.parquet", "", "linkassay get mini"),
        ("runs/mini/exact-*/run.json", "split", "linkassay link exact mini --again"),
        ("runs/mini/exact-*/predictions.parquet", "nil", "linkassay link exact mini --again"),
        ("runs/mini/theirs-*/run.json", "kb_revision", "linkassay import native FILES --corpus mini --system theirs"),
    ],
)
def test_what_cannot_be_read_is_named_with_the_command_that_remakes_it(
    old: Path, place: str, lacks: str, remake: str
) -> None:
    [path] = old.glob(place)
    if not lacks:
        path.unlink()
    elif path.suffix == ".json":
        rewritten(path, lacks)
    else:
        without(path, lacks)
    said = refused("score", "mini/exact")
    assert f"{path.parent} was written by an older linkassay and lacks {lacks}" in said
    assert said.endswith(f"; remove the folder and run: {remake}")
    assert "\n" not in said
