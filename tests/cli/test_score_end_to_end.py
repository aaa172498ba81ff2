"""`score --task end-to-end` on stored runs: rows as JSON, tables, means, a system in words."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from linkassay.cli.score_end_to_end import score_end_to_end
from linkassay.corpora.obtain import get_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.errors import UsageError
from linkassay.kbs import KBS
from linkassay.kbs.building.build import build_kb
from linkassay.runs.stored_run import Run
from linkassay.scoring.endtoend import figure_rows
from linkassay.scoring.endtoend.counts import Counts
from tests.endtoend_helpers import linked, stored_run

BENCHMARKS = ("kore50", "wiki-fair")


@pytest.fixture
def runs(home: Path, shared: Path) -> list[Run]:
    """A real system on two benchmarks, with the KB that its categories need."""
    build_kb(KBS.load("wikidata"), shared / "e2e" / "kb")
    found = []
    for benchmark in BENCHMARKS:
        name = benchmark.replace("-", "_")
        get_corpus(name, shared / "e2e" / "benchmarks")
        found.append(stored_run(Corpus.open(name), "refined", linked(shared, "refined__aida_", benchmark)[1]))
    return found


def test_rows_have_the_names_and_figures_of_the_expected_table(
    runs: list[Run], shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score_end_to_end(runs, preset="elevant", as_json=True)
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(r["benchmark"], r["mode"]) for r in rows] == [(b, m) for b in BENCHMARKS for m in ("IGNORED", "REQUIRED")]
    with (shared / "e2e" / "expected.tsv").open(encoding="utf-8") as lines:
        expected = {(r["benchmark"], r["mode"]): r for r in csv.DictReader(lines, delimiter="\t")
                    if r["system"] == "refined__aida_"}  # fmt: skip
    for row in rows:
        for name, value in expected[row["benchmark"], row["mode"]].items():
            if name not in ("system", "benchmark", "mode"):
                assert row[name] == pytest.approx(float(value), abs=1e-12), name


def test_table_with_means_and_words(runs: list[Run], capsys: pytest.CaptureFixture[str]) -> None:
    score_end_to_end(runs, nil="ignored", by=["mention-kind"])
    out = capsys.readouterr().out
    assert "mean of 2" in out
    assert "mention-kind=named" in out
    assert "refined (NIL ignored): " in out


def test_without_the_knowledge_base_it_says_so(home: Path, shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    get_corpus("kore50", shared / "e2e" / "benchmarks")
    run = stored_run(Corpus.open("kore50"), "oracle", linked(shared, "oracle", "kore50")[1])
    score_end_to_end([run], as_json=True)
    found = capsys.readouterr()
    assert "warning: kore50/oracle: knowledge base 'wikidata' is not in the data home yet" in found.err
    assert json.loads(found.out)["rows"][0]["all_f1"] == 1.0


def test_bad_options(runs: list[Run]) -> None:
    with pytest.raises(UsageError, match="--nil is one of ignored, required"):
        score_end_to_end(runs, nil="maybe")
    with pytest.raises(UsageError, match="cannot count by 'size'"):
        score_end_to_end(runs, by=["size"])


def test_means_weigh_each_benchmark_the_same() -> None:
    rows = [
        {"mode": "IGNORED", "all_f1": 1.0, "disamb_rare_errors": 1, "disamb_rare_total": 2},
        {"mode": "IGNORED", "all_f1": 0.5, "disamb_rare_errors": 0, "disamb_rare_total": 100},
        {"mode": "IGNORED", "all_f1": 0.0, "disamb_rare_errors": 0, "disamb_rare_total": 0},
    ]
    mean = figure_rows.mean_row(rows)
    assert (mean["all_f1"], mean["disamb_rare_total"], mean["disamb_rare_rate"]) == (0.5, 34.0, 0.25)


def test_system_in_words() -> None:
    rows = [{"mode": "IGNORED", "disamb_rare_total": 9}, {"mode": "IGNORED", "disamb_rare_total": 1}]
    mean = {"ner_r": 0.8, "disamb_rare_rate": 0.5, "disamb_accuracy": 0.75}
    assert figure_rows.describe_system(mean, rows) == "high NER recall; weak on rare entities"
    assert figure_rows.describe_system(mean, rows[:1]) == "high NER recall"  # nine cases say little
    assert figure_rows.describe_system({"ner_r": 0.7}, rows) == "nothing remarkable"


def test_links_to_nil_are_judged_where_there_is_nil() -> None:
    """Without gold NIL the category holds all that is named and unlabelled: its rate is 1 and says nothing."""
    unknown = {f"ner_fp_groundtruth_unknown_{x}": 20 for x in ("errors", "total")} | {"mode": "IGNORED"}
    without, with_nil = unknown | {"gold_nil": 0}, unknown | {"gold_nil": 20}
    assert figure_rows.describe_system(figure_rows.mean_row([without]), [without]) == "nothing remarkable"
    assert figure_rows.describe_system(figure_rows.mean_row([with_nil]), [with_nil]) == "often links what has no entity"
    counts = Counts(["1"], {f"all_{x}": np.array([[3], [n]]) for x, n in (("tp", 3), ("fp", 3), ("fn", 8))})
    assert figure_rows.figure_row(counts, "ignored", {})["gold_nil"] == 5
