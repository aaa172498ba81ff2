"""Figures that the data cannot support say so (SUPPORT-1 to SUPPORT-5): in rows, on the terminal, on the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.corpora import OwnCorpus, get_own_corpus
from linkassay.pages import gather_page
from linkassay.runs import Run
from linkassay.scoring.results import Result
from tests.scoring_helpers import corpus, run_of

CUT = "only 3 candidates for a mention were kept"
NO_TEXTS = "the corpus has no texts of mentions"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("support")
        patch.setenv("LINKASSAY_HOME", str(folder))
        linkassay.get("mini")
        yield folder


@pytest.fixture(scope="module")
def textless(home: Path) -> Run:
    """Mentions of two documents with places and ids, and no texts: what BELB has of its rule-based systems."""
    rows = [{"hexdigest": f"{d}{n}", "eid": d, "start": n, "end": n + 1, "y_true": f"{n % 2}", "y_pred": "0"}
            for d in "ab" for n in range(3)]  # fmt: skip
    (home / "bare.json").write_text(json.dumps({"pred": {"processed": rows, "original": rows}}), encoding="utf-8")
    get_own_corpus(OwnCorpus("bare", "belb-gold", (home / "bare.json",), kb="ncbi_gene"))
    return run_of(linkassay.corpus("bare"), [[["ncbigene:0"]]] * 6)


def table(rows: list[tuple[object, ...]]) -> str:
    head = ("document", "start", "end", "text", "type", "ids")
    return "".join("\t".join(map(str, row)) + "\n" for row in (head, *rows))


def said(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def notes(run: Run, measures: str, **choices: Any) -> dict[tuple[str, str], str]:
    rows = linkassay.score(run, measures, **choices).rows()
    return {(row["measure"], row["slice"]): row.get("note", "") for row in rows}


def texts_of(runs: list[Run]) -> str:
    """Every paragraph of the page."""
    return json.dumps(gather_page(Result([linkassay.score(run) for run in runs])), ensure_ascii=False)


def test_ranks_that_were_not_kept(home: Path) -> None:
    short, usual = linkassay.link("tfidf", "mini", top=3, system="short"), linkassay.link("tfidf", "mini")
    found = notes(short, "recall@1,recall@3,recall@10,mrr,coverage,normalised-accuracy@5", by=["type"])
    assert {name for name, _ in found} == {
        "recall@1",
        "recall@3",
        "recall@10",
        "mrr",
        "coverage",
        "normalised-accuracy@5",
    }
    for (measure, _), note in found.items():
        assert (CUT in note) == (measure in ("recall@10", "mrr", "normalised-accuracy@5")), measure
    assert set(notes(usual, "recall@10,mrr").values()) == {""}
    assert notes(usual, "recall@20") == {("recall@20", "all"): "only 10 candidates for a mention were kept"}
    assert f"recall@10: {CUT}" in said("score", short.path, "--measures", "recall@1,recall@10")
    assert f"short: {CUT}" in said("compare", short.path, usual.path, "--measure", "recall@10", "--resamples", 100)
    assert CUT in texts_of([short])
    assert "candidates for a mention" not in texts_of([usual])


def test_nothing_is_missing_where_nothing_was_cut(home: Path) -> None:
    """No text is a name of more than four entities of mini."""
    found = notes(linkassay.link("exact", "mini", top=5), "recall@10")
    assert found == {("recall@10", "all"): ""}


def test_what_was_made_elsewhere_may_have_had_more(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "few", {"test": {"d1": [("gout", "t:1")], "d2": [("rash", "t:2")]}})
    one, two = ([[["t:1"]], [["t:1"]]], [[["t:1", "t:2"]], [["t:1"]]])
    assert notes(run_of(on, one), "recall@1,recall@5") == {
        ("recall@1", "all"): "", ("recall@5", "all"): "the run has at most 1 candidate for a mention",
    }  # fmt: skip
    assert "at most 2 candidates" in notes(run_of(on, two, system="two"), "recall@5")["recall@5", "all"]
    assert notes(run_of(on, [None, None], system="silent"), "recall@5")["recall@5", "all"] == ""


def test_slices_of_texts_that_are_not_there(textless: Run) -> None:
    found = notes(textless, "recall@1", by=["length", "abbreviation", "type"])
    assert found == {
        ("recall@1", "all"): "", ("recall@1", "length=1"): NO_TEXTS, ("recall@1", "type=–"): "",
        ("recall@1", "abbreviation"): "the corpus has no texts that could define abbreviations",
    }  # fmt: skip
    (row,) = [r for r in linkassay.score(textless, "recall@1", by=["abbreviation"]).rows() if r["slice"] != "all"]
    assert (row["value"], row["n"], row["low"]) == (None, 0, None)
    shown = said("score", textless.path, "--measures", "recall@1", "--by", "length,abbreviation")
    assert f"recall@1 length=1: {NO_TEXTS}" in shown
    assert "recall@1 abbreviation: the corpus has no texts that could define" in shown
    assert "abbreviations: the corpus has no texts that could define abbreviations." in texts_of([textless])
    none = notes(textless, "recall@1", by=["abbreviation"], abbreviations="none")
    assert none["recall@1", "abbreviation"] == "abbreviations are not looked for (--abbreviations none)"


def test_sets_that_cannot_tell_pairs_apart(textless: Run, home: Path, tmp_path: Path) -> None:
    (note,) = notes(textless, "recall(set=global-unique)@1").values()
    assert note == f"{NO_TEXTS}: pairs differ by entity alone"
    on = corpus(tmp_path, "alone", {"test": {"d1": [("gout", "t:1")], "d2": [("rash", "t:2")]}})
    alone = run_of(on, [[["t:1"]], [["t:1"]]], system="alone")
    novel = notes(alone, "recall(set=novel)@1,recall(set=global-unique)@1")
    assert list(novel.values()) == ["there are no training data: all is novel", ""]
    mini = notes(linkassay.link("exact", "mini"), "recall(set=novel-unique)@1")
    assert list(mini.values()) == [""]


def test_sets_of_a_hierarchy_without_training_data(home: Path) -> None:
    """The mentions of mini's test split as a corpus of their own have nothing to be novel to."""
    rows = [(m.document, m.start, m.end, m.text, m.type, ";".join("|".join(sorted(ids)) for ids in m.gold))
            for document in linkassay.corpus("mini")["test"] for m in document.mentions]  # fmt: skip
    (home / "alone.tsv").write_text(table(rows), encoding="utf-8")
    get_own_corpus(OwnCorpus("only-test", "mentions", (home / "alone.tsv",), kb="mini"))
    run = linkassay.link("exact", "only-test", kb="mini")
    found = json.loads(CliRunner().invoke(app, ["score", str(run.path), "--hierarchy", "mini", "--json"]).output)
    why = "there are no training data: all is novel"
    assert {row["set"]: row.get("note", "") for row in found["rows"]} == {
        "global": "", "global-unique": "", "novel": why, "novel-unique": why,
    }  # fmt: skip
    assert f"novel, novel-unique: {why}" in said("score", run.path, "--hierarchy", "mini")
    assert why in texts_of([run])


def test_mcnemar_of_chances(home: Path) -> None:
    """Ties count in part by default; drawn by one per group they do not."""
    runs = [linkassay.link(name, "mini") for name in ("exact", "tfidf")]
    (pair,) = linkassay.compare(runs, resamples=100).pairs
    assert pair["mcnemar_p"] is None
    assert pair["note"].startswith("no McNemar's test: it counts mentions that are right or wrong")
    assert "exact tfidf: no McNemar's test" in said("compare", *(run.path for run in runs), "--resamples", 100)
    assert "no McNemar's test" in texts_of(runs)
    (whole,) = linkassay.compare(runs, "recall(protocol=belb/lenient)@1", resamples=100).pairs
    assert whole["mcnemar_p"] is not None
    assert "note" not in whole


def test_one_document_says_why_it_has_no_interval(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "single", {"test": {"d1": [("gout", "t:1"), ("rash", "t:2")]}})
    found = notes(run_of(on, [[["t:1"]], [["t:1"]]]), "recall@1,recall(average=entities)@1")
    assert set(found.values()) == {"no interval: fewer than two documents"}


def test_it_is_said_how_names_are_compared(home: Path) -> None:
    run = linkassay.link("exact", "mini")
    folded = said("score", run.path, "--by", "alias-match")
    assert "without regard to case (as written: --exact-case)" in folded
    assert "letter for letter" in said("score", run.path, "--by", "alias-match", "--exact-case")
    assert "letter for letter" in said("score", run.path, "--by", "alias-match", "--preset", "bioel")
    assert "regard to case" not in said("score", run.path, "--by", "zero-shot")
    sizes = {}
    for case in ("--exact-case", "--fold-case", "--json"):
        found = json.loads(said("score", run.path, "--by", "alias-match", "--json", case))
        sizes[case] = found["rows"][-1]["n"]
        (key,) = {row["key"].rpartition("|")[2] for row in found["rows"] if row["slice"] == "alias-match"}
        assert key == {"--exact-case": "under=texts as written", "--fold-case": "under=texts lower-cased",
                       "--json": "alias-match"}[case]  # fmt: skip
        assert any(("letter for letter" in note) == (case == "--exact-case") for note in found["notes"][1:])
    assert sizes["--exact-case"] < sizes["--fold-case"] == sizes["--json"]
