"""Figures of runs that find mentions themselves: intervals, what outputs read, comparisons (E2E-12, E2E-13)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.cli.score_end_to_end import score_end_to_end
from linkassay.errors import UsageError
from linkassay.pages.sections import endtoend as section
from linkassay.runs.stored_run import Run
from linkassay.scoring.disambiguation import ScoringOptions
from linkassay.scoring.endtoend.comparison import compare_runs_end_to_end
from linkassay.scoring.endtoend.counts import Counts, prf
from linkassay.scoring.endtoend.figures import endtoend_figures, mean_intervals, rows_of
from linkassay.scoring.endtoend.run_score import score_run_end_to_end
from linkassay.scoring.figure import Figure, Figures
from linkassay.scoring.results.cohort import cohorts
from linkassay.scoring.statistics import intervals
from linkassay.scoring.statistics.significance import mcnemar
from tests.pages.sections.reading import tables_in
from tests.scoring_helpers import corpus, knowledge, run_of


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    """A linker that finds mentions itself and two that were given them, on mini."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("home")))
        linkassay.get("mini")
        yield {
            "dev": linkassay.link("spotter", "mini", split="dev", give="text"),
            "spotter": linkassay.link("spotter", "mini", give="text"),
            "exact": linkassay.link("exact", "mini"),
            "tfidf": linkassay.link("tfidf", "mini"),
        }


def said(*words: str) -> Any:
    result = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refused(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code != 0
    return f"{result.output} {result.exception}"


# --- values and intervals


def test_intervals_are_those_of_each_figure_alone(runs: dict[str, Run]) -> None:
    """All figures at once have the intervals that they have alone."""
    scored = score_run_end_to_end(runs["spotter"])
    (row,) = rows_of(endtoend_figures([scored], ["required"])).values()

    def table(*names: str) -> Any:
        return np.column_stack([scored.counts.values[name][1] for name in names])

    found = table("ner_tp", "ner_fp", "ner_fn")
    (f1,) = intervals.estimates(lambda s: prf(*s.T)[2], [found], [found.sum(axis=1)])
    (errors,) = intervals.ratios([table("disamb_errors", "disamb_total")], [(0, 1)])
    each = prf(*table("all_tp", "all_fp", "all_fn").T)[2]
    (macro,) = intervals.ratios([np.column_stack([each, np.ones(len(each))])], [(0, 1)])
    assert [row["ner_f1"][x] for x in ("value", "low", "high")] == [f1.value, f1.low, f1.high]
    assert [row["disamb_accuracy"][x] for x in ("value", "low", "high")] == pytest.approx(
        [1 - x for x in (errors.value, errors.high, errors.low)]  # type: ignore[operator]
    )
    assert [row["all_macro_f1"][x] for x in ("value", "low", "high")] == pytest.approx(
        [macro.value, macro.low, macro.high]
    )
    assert (row["all_p"].n, row["all_tp"].n) == (row["all_tp"].value + row["all_fp"].value, None)  # type: ignore[operator]
    assert row["all_f1"].key.endswith("|all_f1|all|nil=required|preset=fair|set=global")


def test_rates_of_words_have_intervals_too(runs: dict[str, Run]) -> None:
    scored = score_run_end_to_end(runs["spotter"])
    (row,) = rows_of(endtoend_figures([scored], ["ignored"])).values()
    rate = row["ner_fp_other_rate"]
    assert rate.n == scored.words["ner_fp_other_total"]
    assert rate.low is not None
    assert rate.low <= rate.value <= rate.high  # type: ignore[operator]


def test_means_over_benchmarks_have_intervals(runs: dict[str, Run]) -> None:
    """Each benchmark has documents of its own; a mean of one has the interval of that one."""
    both = [runs["spotter"], runs["dev"]]
    scored = [score_run_end_to_end(run) for run in both]
    tables = [np.column_stack([each.counts.values[f"all_{x}"][0] for x in ("tp", "fp", "fn")]) for each in scored]
    sizes = [table.sum(axis=1) for table in tables]
    (expected,) = intervals.estimates(lambda *sums: np.mean([prf(*s.T)[2] for s in sums], axis=0), tables, sizes)
    found = mean_intervals(scored, ["ignored"])["global", "ignored", "all_f1"]
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    paths = [str(run.path) for run in both]
    [mean] = said("score", *paths, "--task", "end-to-end", "--nil", "ignored")["averages"]
    assert (mean["all_f1"], mean["all_f1_low"], mean["all_f1_high"]) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    alone = said("score", paths[0], "--task", "end-to-end", "--nil", "ignored")
    names = ("all_f1", "all_f1_low", "all_f1_high")
    assert [alone["averages"][0][name] for name in names] == [alone["rows"][0][name] for name in names]


def test_two_runs_of_one_system_are_told_apart(runs: dict[str, Run]) -> None:
    """By what sets them apart, as everywhere; they are no two benchmarks that a mean could be taken over."""
    few = linkassay.link("spotter", "mini", give="text", top=3, system="twice")
    many = linkassay.link("spotter", "mini", give="text", top=9, system="twice")
    found = said("score", str(few.path), str(many.path), "--task", "end-to-end", "--nil", "ignored")
    assert [row["system"] for row in found["rows"]] == ["twice (top 3)", "twice (top 9)"]
    assert [row["system"] for row in found["averages"]] == ["twice (top 3)", "twice (top 9)"]


def test_no_interval_from_one_document(runs: dict[str, Run]) -> None:
    scored = score_run_end_to_end(runs["spotter"])
    values = {name: np.where(np.arange(len(scored.counts.documents)) == 3, each, 0)
              for name, each in scored.counts.values.items()}  # fmt: skip
    counts = Counts(scored.counts.documents, values)
    alone = replace(scored, counts=counts, cuts=(replace(scored.cuts[0], counts=counts),))
    (row,) = rows_of(endtoend_figures([alone], ["ignored"])).values()
    assert (row["all_f1"].low, row["all_f1"].high) == (None, None)
    assert row["all_f1"].value == counts.micro("all", "ignored")[2]


def test_weighted_counts_below_one() -> None:
    """Half a true and a quarter of a false positive are two thirds, however little they weigh."""
    precision, recall, f1 = prf(0.5, 0.25, 0)
    assert (float(precision), float(recall)) == pytest.approx((2 / 3, 1))
    assert float(f1) == pytest.approx(0.8)


def test_keys_tell_choices_apart(runs: dict[str, Run], tmp_path: Path) -> None:
    """How texts are compared and what is in scope change slices and sets: each choice has keys of its own."""
    for name, long in (("a.json", "x y"), ("b.json", "x z")):
        (tmp_path / name).write_text(json.dumps({"1": {"XY": long}}), encoding="utf-8")
    ways: list[dict[str, Any]] = [
        {"options": ScoringOptions.of("schwartz-hearst", fold=False)},
        {"options": ScoringOptions.of("none", fold=False)},
        {"options": ScoringOptions.of("schwartz-hearst", fold=True)},
        {"options": ScoringOptions.of(str(tmp_path / "a.json"), fold=False)},
        {"options": ScoringOptions.of(str(tmp_path / "b.json"), fold=False)},
        {"options": ScoringOptions.of("schwartz-hearst", fold=False), "scope": [f"recognised({runs['exact'].path})"]},
    ]  # fmt: skip
    found = [
        endtoend_figures([score_run_end_to_end(runs["spotter"], by=["zero-shot"], **way)], ["ignored"]) for way in ways
    ]
    sliced = [{f.key for f in each if f.about["slice"] == "zero-shot"} for each in found]
    assert all(one.isdisjoint(other) for one, other in combinations(sliced, 2))
    usual, *others = [next(f.about for f in each if f.about["slice"] == "zero-shot") for each in found]
    assert "under" not in usual
    told = [each["under"] for each in others]
    assert told[:2] == ["abbreviations none", "texts lower-cased"]
    assert all(each.startswith("abbreviations file ") for each in told[2:4])
    assert told[4] == f"recognised({runs['exact'].path})"
    whole = [{f.key for f in each if f.about["slice"] == "all"} for each in found]
    assert whole[0] == whole[1] == whole[3]  # abbreviations are of slices only


# --- outputs show what is kept


def test_a_changed_figure_shows_on_the_command_line_and_on_the_page(
    runs: dict[str, Run], capsys: pytest.CaptureFixture[str]
) -> None:
    run = runs["spotter"]
    head = f"mini/{run.path.name}"
    end = "all|nil=ignored|preset=fair|set=global"
    changes = {f"{head}|all_f1|{end}": {"value": 0.123456, "low": 0.1111, "high": 0.2222},
               f"{head}|ner_fn_other_errors|{end}": {"value": 4321}}  # fmt: skip
    score_end_to_end([run], nil="ignored", keep=Figures(changes).keep)
    out = capsys.readouterr().out
    assert "0.123 (0.111–0.222)" in out
    assert "4321" in out
    kept = Figures(changes)
    (cohort,) = cohorts([linkassay.score(run)], kept.keep)
    block = section.section(cohort, {cohort.labels[0]: 0})
    assert block is not None
    cells = [cell for table in tables_in(block["blocks"]) for row in table["rows"] for cell in row
             if isinstance(cell, dict) and "system" not in cell]  # fmt: skip
    assert len(cells) > 30
    for cell in cells:
        key, _, other = cell["key"].partition("#")
        assert cell["v"] == (kept[key][other] if other else kept[key].value)
    assert {0.123456, 4321} <= {cell["v"] for cell in cells}


def test_every_number_of_a_json_row_has_a_figure(runs: dict[str, Run]) -> None:
    found = said("score", "mini/spotter", "--task", "end-to-end", "--by", "type,zero-shot", "--set", "global,novel")
    figures_ = {figure["key"]: figure for figure in found["figures"]}
    assert len(figures_) == len(found["figures"])
    for row in found["rows"]:
        for name, key in row["keys"].items():
            assert figures_[key]["value"] == row.get(name)
        assert row["all_f1_low"] == figures_[row["keys"]["all_f1"]]["low"]
        numbers = {name for name, value in row.items() if isinstance(value, int | float)}
        assert {name for name in numbers if not name.endswith(("_low", "_high"))} <= set(row["keys"])
    for group in found["groups"]:
        assert group["f1"] == figures_[group["keys"]["f1"]]["value"]
    assert {group["set"] for group in found["groups"]} == {"global", "novel"}


def test_formats(runs: dict[str, Run]) -> None:
    out = CliRunner().invoke(app, ["score", "mini/spotter", "--task", "end-to-end", "--format", "tsv"]).output
    lines = out.splitlines()
    assert lines[0].startswith("corpus\trun\tsystem\tmeasure\tslice")
    assert any("\tall_f1\t" in line for line in lines)


@pytest.mark.parametrize(
    ("option", "value"),
    [("--measures", "mrr"), ("--protocol", "belb/strict"), ("--exclude-ids", "mesh:D1"), ("--failures", "5")],
)
def test_options_that_cannot_apply_are_refused(runs: dict[str, Run], option: str, value: str) -> None:
    assert f"{option} is not of --task end-to-end" in refused(
        "score", "mini/spotter", "--task", "end-to-end", option, value
    )


# --- comparisons


def test_compare(runs: dict[str, Run]) -> None:
    pair = [runs["spotter"], runs["tfidf"]]
    kept = Figures()
    found = compare_runs_end_to_end(pair, "f1", resamples=500, keep=kept.keep)
    counts = [score_run_end_to_end(run).counts for run in pair]
    assert [row["value"] for row in found.systems] == pytest.approx([c.micro("all", "ignored")[2] for c in counts])
    (row,) = found.pairs
    assert row["difference"] == pytest.approx(found.systems[1]["value"] - found.systems[0]["value"])
    right = [c.total("all_tp", "ignored") for c in counts]
    assert [row["only_first"] + row["both"], row["only_second"] + row["both"]] == right
    assert found.n == row["only_first"] + row["only_second"] + row["both"] + row["neither"]
    assert row["mcnemar_p"] == mcnemar(row["only_first"], row["only_second"]).exact
    assert row["oracle"] == found.oracle["value"] == 1 - row["neither"] / found.n
    assert row["permutation_p_holm"] == row["permutation_p_bonferroni"] == row["permutation_p"]
    assert {row["key"], found.oracle["key"], *(r["key"] for r in found.systems)} == set(kept)
    assert found.correlation[0][1] == row["correlation"]
    other = compare_runs_end_to_end([runs["spotter"], runs["exact"]], "f1", resamples=50)
    assert other.systems[0]["key"] != found.systems[0]["key"]  # the gold mentions in common may be others


def test_compare_has_the_shape_of_the_other_comparison(runs: dict[str, Run]) -> None:
    names = ("compare", "mini/spotter", "mini/tfidf", "mini/exact")
    found, other = said(*names, "--task", "end-to-end"), said(*names)
    assert found.keys() == other.keys()
    for part in ("systems", "pairs"):
        assert other[part][0].keys() - {"note"} <= found[part][0].keys()
    assert other["oracle"].keys() <= found["oracle"].keys()
    assert len(found["pairs"]) == 3
    fixed = found["changed"]["spotter → tfidf"]["fixed"][0]
    assert fixed.keys() == other["changed"]["spotter → tfidf"]["fixed"][0].keys()


def test_the_same_run_twice_does_not_differ(runs: dict[str, Run]) -> None:
    (row,) = compare_runs_end_to_end([runs["spotter"], runs["spotter"]], "ner-f1", nil="required", resamples=200).pairs
    assert (row["difference"], row["permutation_p"], row["bootstrap_p"]) == (0, 1, 1)


def test_compare_on_a_slice_and_a_set(runs: dict[str, Run]) -> None:
    pair = [runs["spotter"], runs["tfidf"]]
    found = compare_runs_end_to_end(pair, "recall", by="type=gene", set_="novel", resamples=200)
    for run, row in zip(pair, found.systems, strict=True):
        rows = rows_of(endtoend_figures([score_run_end_to_end(run, by=["type"], sets=["novel"])], ["ignored"]))
        figure: Figure = rows["mini", run.path.name, "novel", "type=gene", "ignored"]["all_r"]
        assert (row["value"], row["n"]) == (pytest.approx(figure.value), figure.n)
    accuracy = compare_runs_end_to_end(pair, "disambiguation", resamples=200)
    assert accuracy.n < compare_runs_end_to_end(pair, "recall", resamples=200).n


def test_a_comparison_gives_the_intervals_of_a_score(runs: dict[str, Run]) -> None:
    """Of a slice that few documents have, too: those without any say nothing of it, they are no 0."""
    pair = [runs["spotter"], runs["tfidf"]]
    names = score_run_end_to_end(pair[0]).counts.documents[:2]
    by = f"few: document in {tuple(names)!r}"
    for measure, figure in (("f1", "all_f1"), ("precision", "all_p"), ("disambiguation", "disamb_accuracy")):
        found = compare_runs_end_to_end(pair, measure, by=by, resamples=300)
        for run, row in zip(pair, found.systems, strict=True):
            rows = rows_of(endtoend_figures([score_run_end_to_end(run, by=[by])], ["ignored"]))
            own = rows["mini", run.path.name, "global", "few", "ignored"][figure]
            assert [row[x] for x in ("value", "low", "high")] == [own[x] for x in ("value", "low", "high")]
            assert own.low is not None
    (row,) = compare_runs_end_to_end(pair, "f1", by=by, resamples=300).pairs
    assert row["low"] <= row["difference"] <= row["high"]


def test_a_comparison_in_a_unique_set_weighs_mentions(runs: dict[str, Run]) -> None:
    pair = [runs["spotter"], runs["tfidf"]]
    found = compare_runs_end_to_end(pair, "recall", set_="global-unique", resamples=200)
    (row,) = found.pairs
    for run, system, only in zip(pair, found.systems, ("only_first", "only_second"), strict=True):
        (cut,) = score_run_end_to_end(run, sets=["global-unique"]).cuts
        right = cut.counts.total("all_tp", "ignored")
        assert row[only] + row["both"] == pytest.approx(right)
        assert system["value"] == pytest.approx(right / found.n)
    assert row["n"] == found.oracle["n"] == found.n
    assert found.n == pytest.approx(sum(row[x] for x in ("only_first", "only_second", "both", "neither")))
    assert found.n < compare_runs_end_to_end(pair, "recall", resamples=200).n
    assert row["oracle"] == found.oracle["value"] == pytest.approx(1 - row["neither"] / found.n)
    assert row["mcnemar_p"] is None
    assert "mcnemar_p_holm" not in row
    assert compare_runs_end_to_end(pair, "recall", set_="novel", resamples=200).pairs[0]["mcnemar_p"] is not None


def test_a_comparison_by_a_condition_that_looks_like_a_group(runs: dict[str, Run]) -> None:
    pair = [runs["spotter"], runs["tfidf"]]
    condition = compare_runs_end_to_end(pair, "recall", by="type='gene'", resamples=50)
    group = compare_runs_end_to_end(pair, "recall", by="type=gene", resamples=50)
    assert [row["value"] for row in condition.systems] == [row["value"] for row in group.systems]
    assert "|type='gene'|" in condition.systems[0]["key"]
    assert "|type=gene|" in group.systems[0]["key"]


def test_a_comparison_needs_one_slice_of_gold(home: Path, tmp_path: Path) -> None:
    """Revisions of a knowledge base may put different mentions into a slice."""
    documents = {str(n): [("flu", "t:1"), ("cold", "t:2")] for n in range(3)}
    on = corpus(tmp_path, "own", {"test": documents})
    old = knowledge({"t:1": ["flu"], "t:2": ["cold"]})
    new = knowledge({"t:1": ["influenza"], "t:2": ["cold"]})
    answers = [[["t:1"]], [["t:2"]]] * 3
    first, second = (run_of(on, answers, system=name, kb=kb) for name, kb in (("first", old), ("second", new)))
    assert compare_runs_end_to_end([first, second], "f1", resamples=50).n == 6
    assert compare_runs_end_to_end([first, first], "f1", by="alias-match", resamples=50).n == 6
    with pytest.raises(UsageError, match=r"alias-match: .*tiny@\w+ and tiny@\w+.* link them"):
        compare_runs_end_to_end([first, second], "f1", by="alias-match", resamples=50)


def test_bad_comparisons(runs: dict[str, Run], tmp_path: Path) -> None:
    pair = [runs["spotter"], runs["tfidf"]]
    with pytest.raises(UsageError, match="two runs or more"):
        compare_runs_end_to_end(pair[:1])
    with pytest.raises(UsageError, match="known are: f1, precision"):
        compare_runs_end_to_end(pair, "f2")
    with pytest.raises(UsageError, match="one slice, and this is several"):
        compare_runs_end_to_end(pair, by="type")
    with pytest.raises(UsageError, match="pairs gold and predictions anew"):
        compare_runs_end_to_end(pair, preset="gerbil/strong")
    other = replace_corpus(pair[1], tmp_path)
    with pytest.raises(UsageError, match="runs of one corpus, revision and split"):
        compare_runs_end_to_end([pair[0], other])
    assert "are of --task end-to-end" in refused("compare", "mini/spotter", "mini/tfidf", "--nil", "required")


def replace_corpus(run: Run, folder: Path) -> Run:
    """The run as if it were of another revision."""
    path = folder / "run"
    path.mkdir()
    (path / "run.json").write_text(json.dumps(run.about | {"corpus_revision": "other"}), encoding="utf-8")
    return Run(path)
