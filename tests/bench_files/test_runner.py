"""`bench`: one file of corpora × linkers × measures; failures stay in their cells, what is there is not run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from endure.killing import sweep
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.runs.stored_run import all_runs
from tests.bench_files.conftest import MINI, bench, written
from tests.test_kill import assert_survives

# ---- what a file may say


# ---- what it does


@pytest.mark.usefixtures("no_pictures")
def test_only_what_is_missing_is_run(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path)
    [state] = bench(str(file), "--dry-run")["cells"]
    assert (state["state"], state["needs"]) == ("missing", "corpus mini")
    assert not home.exists()
    first = bench(str(file))
    [cell] = first["cells"]
    assert (cell["state"], cell["failed_documents"], first["failed"]) == ("done", 0, [])
    assert first["report"] == str(tmp_path / "out" / "page.html")
    expected = linkassay.score(linkassay.link("exact", "mini"), "recall@1", by=["zero-shot"]).rows()
    assert [{k: v for k, v in row.items() if k not in ("split", "p_holm")} for row in first["rows"]] == expected
    file.write_text(MINI + '[[linkers]]\nlinker = "normalised"\n', encoding="utf-8")
    states = [cell["state"] for cell in bench(str(file), "--dry-run")["cells"]]
    assert states == ["there already", "missing"]
    began: list[dict[str, Any]] = []
    apart = linkassay.bench_files.runner.engine.call_in_process  # type: ignore[attr-defined]
    monkeypatch.setattr(
        "linkassay.engine.call_in_process",
        lambda function, arguments: (began.append(arguments), apart(function, arguments)),
    )
    assert [cell["state"] for cell in bench(str(file))["cells"]] == ["there already", "done"]
    assert [arguments["request"]["linker"] for arguments in began] == ["normalised"]
    assert {cell["state"] for cell in bench(str(file))["cells"]} == {"there already"}
    assert len(began) == 1


@pytest.mark.usefixtures("plugins", "no_pictures")
def test_failures_stay_in_their_cells_and_are_shown(home: Path, tmp_path: Path) -> None:
    linkers = "".join(f'[[linkers]]\nlinker = "{name}"\n' for name in ("unprepared", "dying"))
    told = '[[linkers]]\nlinker = "chosen"\nname = "told"\noptions = { answer = "mesh:D006073" }\n'
    missing = '[[imports]]\nformat = "native"\nfiles = "none.jsonl"\ncorpus = "mini"\nsystem = "absent"\n'
    mute = '[[linkers]]\nlinker = "command"\nname = "mute"\noptions = { cmd = "false", exchange = "jsonl" }\n'
    result = bench(str(written(tmp_path, MINI + linkers + told + mute + missing)), "--trust", code=1)
    assert [cell["state"] for cell in result["cells"]] == ["done", "failed", "failed", "done", "failed", "failed"]
    errors = {cell["linker"]: cell["error"] for cell in result["failed"]}
    assert errors["unprepared"] == "linker 'unprepared' could not be prepared: RuntimeError: no model at hand"
    assert "its process died" in errors["dying"]
    assert errors["mute"] == "every document failed, the first with: the command ended with exit status 1"
    assert errors["absent"] == f"no such file or folder: {tmp_path / 'none.jsonl'}"
    assert {group for p in linkassay.run("mini/told").predictions() for group in p.groups} == {("mesh:D006073",)}
    page = (tmp_path / "out" / "page.html").read_text(encoding="utf-8")
    assert "no model at hand" in page
    lines = CliRunner().invoke(app, ["bench", str(tmp_path / "b.toml"), "--only", "unprepared"])
    assert lines.exit_code == 1
    assert "mini test × unprepared: linker 'unprepared' could not be prepared" in lines.output


@pytest.mark.usefixtures("no_pictures")
def test_a_corpus_that_cannot_be_had_fails_all_its_cells(home: Path, tmp_path: Path) -> None:
    other = '[[corpora]]\nname = "ncbi_disease"\nraw = "nowhere"\n'
    result = bench(str(written(tmp_path, MINI + other)), code=1)
    assert [cell["state"] for cell in result["cells"]] == ["done", "failed"]
    assert result["cells"][1]["error"] == f"no such file or folder: {tmp_path / 'nowhere'}"


@pytest.mark.usefixtures("no_pictures")
def test_own_data_and_predictions_of_others(home: Path, tmp_path: Path) -> None:
    """A corpus, a knowledge base and predictions of one's own, all beside the file."""
    (tmp_path / "aches.csv").write_text("code,label\n1,Pain\n2,Headache\n")
    (tmp_path / "aches.toml").write_text(
        'name = "aches"\nprefix = "ache"\ntype = "d"\nfiles = "aches.csv"\ndelimiter = ","\nid = "code"\n'
        'names = "label"\n'
    )
    (tmp_path / "train.txt").write_text("1|t|Pain again.\n1|a|\n1\t0\t4\tPain\td\t1\n")
    (tmp_path / "test.txt").write_text(
        "2|t|Headache or head pain.\n2|a|\n2\t0\t8\tHeadache\td\t2\n2\t12\t21\thead pain\td\t2\n"
    )
    (tmp_path / "said.jsonl").write_text('{"document": "2", "spans": [[12, 21]], "candidates": [["X2"]]}\n')
    (tmp_path / "ids.json").write_text('{"X2": "2"}')
    file = written(tmp_path, """
        [score]
        measures = ["recall@1", "coverage"]
        [[kbs]]
        name = "aches"
        description = "aches.toml"
        [[corpora]]
        name = "sore"
        format = "pubtator"
        files = { train = "train.txt", test = "test.txt" }
        kb = "aches"
        [[linkers]]
        linker = "exact"
        [[imports]]
        format = "native"
        files = "said.jsonl"
        corpus = "sore"
        system = "theirs"
        ids = "ids.json"
        prefix = "ache"
    """)  # fmt: skip
    result = bench(str(file))
    values = {(row["system"], row["measure"]): row["value"] for row in result["rows"]}
    assert values == {("exact", "recall@1"): 0.5, ("exact", "coverage"): 0.5,
                      ("theirs", "recall@1"): 0.5, ("theirs", "coverage"): 0.5}  # fmt: skip
    assert linkassay.corpus("sore").splits == ("train", "test")
    for arguments in ([], ["--dry-run"]):
        assert [c["state"] for c in bench(str(file), *arguments)["cells"]] == ["there already", "there already"]
    with (tmp_path / "test.txt").open("a") as more:
        more.write("\n3|t|Pain.\n3|a|\n3\t0\t4\tPain\td\t1\n")
    assert [cell.get("needs") for cell in bench(str(file), "--dry-run")["cells"]] == ["corpus sore", "corpus sore"]
    (tmp_path / "said.jsonl").unlink()
    (tmp_path / "aches.csv").write_text("code,label\n1,Pain\n")
    assert [cell.get("needs") for cell in bench(str(file), "--dry-run")["cells"]] == ["kb aches", "kb aches"]
    assert len(all_runs()) == 2


def test_belb_from_its_bench_file(home: Path, beside: Path, tmp_path: Path) -> None:
    """From nothing: predictions of BELB's systems on what SR4GN recognised, as published (table 4)."""
    result = bench(str(beside / "belb.toml"), "--only", "linnaeus-belb", "-o", str(tmp_path / "page.html"))
    found = {row["system"]: round(row["value"], 4) for row in result["rows"] if row["measure"].endswith("standard)@1")}
    assert found == {"sr4gn": 0.9947, "biosyn": 0.9280, "genbioel": 0.8068, "arboel": 0.7445}


def test_a_corpus_and_a_knowledge_base_from_the_linkers_file(home: Path, beside: Path, tmp_path: Path) -> None:
    """A fresh data home obtains both: two folders with texts and BELB's split list, and Cellosaurus."""
    arguments = [str(beside / "linkers.toml"), "--only", "bioid,exact,test"]
    assert bench(*arguments, "--dry-run")["cells"][0]["needs"] == "corpus bioid"
    result = bench(*arguments, "-o", str(tmp_path / "page.html"))
    corpus = linkassay.corpus("bioid")
    assert [corpus.manifest["splits"][split]["documents"] for split in corpus.splits] == [400, 85, 85]
    [whole] = [row for row in result["rows"] if row["slice"] == "all" and row["measure"].endswith("@1")]
    assert 0.2 < whole["value"] < 0.9
    assert whole["n"] == sum(bool(m.gold) for d in corpus["test"] for m in d.mentions)


def test_several_corpora_in_one_report(home: Path, tmp_path: Path) -> None:
    file = written(tmp_path, MINI + '[[corpora]]\nname = "mini/disease"\nsplits = ["dev", "test"]\n')
    outcome = linkassay.bench(file)
    assert [(s.run.corpus, s.run.split) for s in outcome.scores] == [
        ("mini", "test"), ("mini/disease", "dev"), ("mini/disease", "test"),
    ]  # fmt: skip
    assert outcome.report == tmp_path / "out" / "page.html"
    table = outcome.table().text("md")
    assert table.count("\n") == 4
    assert "recall@1, zero-shot" in table


def test_killed_at_any_moment_it_ends_as_if_it_had_not_been(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "prepared"))
    linkassay.get("mini")
    result = sweep(
        ["bench", str(written(tmp_path)), "-o", "page.html"], tmp_path / "sweep", tmp_path / "prepared", limit=6
    )
    assert_survives(result, at_least=5)
