"""Documents that a linker was trained on (LINKER-12): refused, or allowed and then marked wherever a figure stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result as Printed
from typer.testing import CliRunner

import linkassay
from linkassay.bench_files import chosen_cells, read_plan, run_plan, summary_page
from linkassay.cli import app
from linkassay.corpora import OwnCorpus, get_own_corpus
from linkassay.errors import UsageError
from linkassay.pages import gather_page
from linkassay.published import hierarchy as published_hierarchy
from linkassay.runs import LEAK, Run, labels
from linkassay.runs.leak_guard import documents_seen
from linkassay.runs.training import training_parts
from linkassay.scoring.results import Result

pytestmark = pytest.mark.usefixtures("home_with_mini")


def command(*arguments: object) -> Printed:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result


NOTE = "genes was trained on 64 of the 64 documents linked"


def leaking() -> Run:
    return linkassay.link("genes", "mini", split="train", allow_leak=True)


def own(folder: Path, name: str, documents: dict[str, str]) -> str:
    """A corpus of these texts, each with one mention, as its test split."""
    gout = {"spans": [[0, 4]], "type": "disease", "gold": [["mesh:D006073"]]}
    lines = [json.dumps({"id": key, "text": text, "mentions": [gout]}) for key, text in documents.items()]
    (folder / f"{name}.jsonl").write_text("\n".join(lines))
    get_own_corpus(OwnCorpus(name, "jsonl", (folder / f"{name}.jsonl",), split="test", kb="mini"))
    return name


def test_a_split_that_is_trained_on_is_refused() -> None:
    said = (
        r"trained on 64 of the 64 documents of mini train \(mini-001, mini-002, mini-003 …\).*--train-on.*--allow-leak"
    )
    for linker in ("house", "spotter", "genes"):
        with pytest.raises(UsageError, match=said):
            linkassay.link(linker, "mini", split="train")
    with pytest.raises(UsageError, match="32 of the 32 documents of mini/disease test"):
        linkassay.link("house", "mini/disease", train_on="mini:train+test")
    assert linkassay.link("exact", "mini", split="train").leak == ""
    assert linkassay.link("genes", "mini", split="train", train_on="mini:dev").leak == ""


def test_documents_of_another_corpus_are_known_by_their_texts(tmp_path: Path) -> None:
    one = own(tmp_path, "one", {"a": "Gout  hurts.", "b": "Gout is old.", "c": "Gout."})
    other = own(tmp_path, "other", {"x": "Gout hurts.", "b": "Gout is new."})
    corpus = linkassay.corpus(one)
    assert documents_seen(training_parts([f"{other}:test"], corpus), corpus, "test") == ["a"]
    with pytest.raises(UsageError, match=r"on 1 of the 3 documents of one test \(a\), by other@"):
        linkassay.link("genes", one, train_on=f"{other}:test")
    run = linkassay.link("genes", one, train_on=f"{other}:test", allow_leak=True)
    assert run.about["leak"] == {"documents": 1, "examples": ["a"]}
    with pytest.raises(UsageError, match=r"it has no split 'train'; name splits, e\.g\. other:test"):
        linkassay.link("genes", one, train_on=other)


def test_a_leak_is_recorded_and_is_no_part_of_what_the_run_is() -> None:
    run = leaking()
    assert run.about["leak"] == {"documents": 64, "examples": [f"mini-{n:03d}" for n in range(1, 11)]}
    assert run.about["parameters"] == {"top": 10}
    assert labels([run, linkassay.link("exact", "mini", split="train")]) == [f"genes {LEAK}", "exact"]
    with pytest.raises(UsageError, match="--allow-leak"):
        linkassay.link("genes", "mini", split="train")  # there already, and still refused


def test_every_row_has_a_note() -> None:
    run, plain = leaking(), linkassay.link("exact", "mini", split="train")
    result = Result([linkassay.score(run, by=["type"])])
    assert {figure.row()["note"] for figure in result.asked()} == {NOTE}
    assert "leak" not in result.asked()[0].row()
    compared = linkassay.compare([plain, run]).as_dict()
    assert [row.get("note") for row in compared["systems"]] == [None, NOTE]
    assert compared["oracle"]["note"] == NOTE
    assert [row["note"].partition("; no McNemar")[0] for row in compared["pairs"]] == [NOTE]
    assert compared["pairs"][0]["second"] == f"genes {LEAK}"
    spotted = linkassay.link("spotter", "mini", split="train", allow_leak=True)
    said = json.loads(command("score", spotted.path, "--task", "end-to-end", "--json").stdout)
    told = {row.get("note", "") for rows in ("rows", "averages", "figures") for row in said[rows]}
    assert told == {NOTE.replace("genes", "spotter")}


def test_the_terminal_says_it() -> None:
    linked = command("link", "genes", "mini", "--split", "train", "--allow-leak")
    assert (
        "warning: mini/genes: trained on 64 of the 64 documents linked: its figures say nothing of texts that are new"
        in linked.stderr
    )
    linkassay.link("exact", "mini", split="train")
    names = ["mini/genes@train", "mini/exact@train"]
    line = f"{LEAK} mini/genes train: trained on 64 of the 64 documents linked; its figures say nothing of texts"
    for verb in (["score"], ["compare"], ["score", "--task", "end-to-end"], ["compare", "--task", "end-to-end"],
                 ["score", "--hierarchy", "mini"]):  # fmt: skip
        text = command(*verb[:1], *names, *verb[1:]).stdout
        assert f"genes {LEAK}" in text, verb
        assert line in text, verb
        assert f"exact {LEAK}" not in text
    assert NOTE in command("score", *names, "--format", "tsv").stdout


def test_figures_beside_published_ones_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published_hierarchy, "CORPUS", "mini/disease")
    for system, train_on, allowed in (("biosyn", "mini:train", False), ("taggerone", "mini:train+test", True)):
        linkassay.link("genes", "mini/disease", system=system, train_on=train_on, allow_leak=allowed)
    rows = published_hierarchy.reproduce(kb="mini")
    told = {system: {row.get("note") for row in rows if row["system"] == system} for system in ("biosyn", "taggerone")}
    assert told == {"biosyn": {None}, "taggerone": {f"{LEAK} trained on 32 of the 32 documents linked"}}
    assert all(row["ours"] is not None for row in rows)


def test_the_page_says_it() -> None:
    data = gather_page([linkassay.score(leaking()), linkassay.score(linkassay.link("exact", "mini", split="train"))])
    assert f"genes {LEAK}" in data["systems"]
    assert "exact" in data["systems"]
    board = next(section for section in data["corpora"][0]["before"] if section["id"] == "leaderboard")
    assert [block["text"] for block in board["blocks"] if block["kind"] == "text"] == [
        f"genes {LEAK}: trained on 64 of the 64 documents linked; its figures say nothing of texts that are new to it."
    ]


def test_a_bench_says_it(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text('[[corpora]]\nname = "mini"\nsplits = ["train"]\n[[linkers]]\nlinker = "genes"\nallow_leak = true\n'
                    '[[linkers]]\nlinker = "genes"\nname = "refused"\n[[linkers]]\nlinker = "genes"\nname = "dev"\n'
                    'train_on = ["mini:dev"]\n')  # fmt: skip
    plan = read_plan(file)
    said: list[str] = []
    outcome = run_plan(plan, chosen_cells(plan, []), say=said.append)
    assert [(cell["system"], cell["state"]) for cell in outcome.cells] == [
        ("genes", "done"), ("refused", "failed"), ("dev", "done")
    ]  # fmt: skip
    assert ", 64 documents were trained on (" in said[0]
    assert "or let it be with --allow-leak" in outcome.cells[1]["error"]
    assert [row["system"] for row in outcome.table()] == ["genes (trained on 64 of the 64 documents linked)", "dev"]
    assert {row.get("note", "") for row in outcome.rows() if row["system"] == "genes"} == {NOTE}
    assert "genes (train: trained on 64 of the 64 documents linked)" in summary_page(plan, outcome)
