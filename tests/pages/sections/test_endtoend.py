"""The end-to-end section, and the cases that its figures open."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.pages import endtoend_cases
from linkassay.pages.mention_context import lines
from linkassay.pages.page_data import gather_page
from linkassay.pages.sections import (
    endtoend,
)
from linkassay.scoring.endtoend import evaluate
from linkassay.scoring.results.cohort import Cohort, cohorts
from tests.pages.sections.reading import (
    HUES,
    table_of,
)


def test_end_to_end(cohort: Cohort) -> None:
    assert cohort.found_mentions is not None
    assert (cohort.found_mentions.labels, cohort.all_find_mentions) == (["spotter"], False)
    section = endtoend.section(cohort, HUES)
    assert section is not None
    run_ = cohort.scores[3].run
    found = evaluate(list(cohort.corpus["test"]), list(run_.predictions()), current=cohort.scores[3].kb.current)  # type: ignore[union-attr]
    tp, fp, fn = (found.total(f"all_{x}", "ignored") for x in ("tp", "fp", "fn"))
    ((_, f1, precision, recall, *_, accuracy, true, spurious, missed),) = table_of(section, "End to end")["rows"]
    assert [true["v"], spurious["v"], missed["v"]] == [tp, fp, fn]
    assert [f1["v"], precision["v"], recall["v"]] == pytest.approx(
        [2 * tp / (2 * tp + fp + fn), tp / (tp + fp), tp / (tp + fn)]
    )
    assert accuracy["v"] == pytest.approx(found.accuracy("ignored"))
    assert f1["low"] < f1["v"] < f1["high"]
    rows = {(row[0], row[1]): row[2:] for row in table_of(section, "Categories")["rows"]}
    assert rows["mention missed", "lower-cased"][0]["v"] == found.total("ner_fn_lowercased_errors", "ignored")
    (alone,) = cohorts(cohort.scores[:1])
    assert endtoend.section(alone, HUES) is None


def _held(open_: dict[str, str], block: dict[str, Any]) -> list[int]:
    """The bits of the cases that a link opens, by the block's own totals: once for each case."""
    system = block["systems"].index(open_["system"][1:])
    (wanted,) = (bits for key, _, bits in block["filters"] if key == open_["counted"])
    way = block["nil"].index(open_.get("nil", "ignored"))
    return [bits for of, under, bits, n in block["totals"] for _ in range(n)
            if (of, under) == (system, way) and any(bits >> bit & 1 for bit in wanted)]  # fmt: skip


def test_every_end_to_end_figure_opens_as_many_cases_as_it_counts(cohort: Cohort) -> None:
    section = endtoend.section(cohort, HUES)
    assert section is not None
    block = section["blocks"][-1]
    assert (block["kind"], block["systems"]) == ("cases", ["spotter"])
    for row in table_of(section, "Categories")["rows"]:
        errors, of, rate = row[2:]
        assert len(_held(errors["open"], block) if errors["v"] else []) == errors["v"]
        if "open" in of:
            assert len(_held(of["open"], block) if of["v"] else []) == of["v"]
            assert rate["open"] == of["open"]
        else:
            assert row[:2] in (["mention spurious", "lower-cased"], ["mention spurious", "other"])  # of words
    (row,) = table_of(section, "End to end")["rows"]
    tp, fp, fn = (cell["v"] for cell in row[-3:])
    assert [len(_held(cell["open"], block)) for cell in row[-3:]] == [tp, fp, fn]
    assert [len(_held(row[at]["open"], block)) for at in (2, 3)] == [tp + fp, tp + fn]
    assert len(_held(row[7]["open"], block)) == round(tp / row[7]["v"])  # right spans


def test_end_to_end_cases_are_what_they_are_called(cohort: Cohort) -> None:
    run_, kb = cohort.scores[3].run, cohort.scores[3].kb
    found = endtoend_cases.find(run_, kb)
    shown = endtoend_cases.sample(found, 10_000, cohort.corpus["test"])
    assert sum(n for _, n in endtoend_cases.totals(found)) == len(shown)
    texts = {d.id: lines(d) for d in cohort.corpus["test"]}
    gold = {(m.document, m.spans[0][0], m.spans[-1][1]) for d in cohort.corpus["test"] for m in d.mentions}

    def has(case: dict[str, Any], name: str) -> bool:
        return bool(case["bits"] >> endtoend_cases.COUNTS.index(name) & 1)

    for case in shown:
        document, place, *_ = case["id"].split()
        start, end = map(int, place.split("-"))
        is_gold = "alone" not in case["id"]
        assert texts[document][start:end] == case["text"]
        assert is_gold == (case["gold"] is not None)
        assert is_gold or (document, start, end) not in gold
        assert "".join(text for text, marked in case["context"] if marked) == case["text"]
        if has(case, "ner_fn_lowercased_errors"):
            assert not case["text"][0].isupper()
            assert case["said"] is None
        if has(case, "all_tp"):
            assert set(case["gold"]) & set(case["said"])
            assert case["why"] == "Span and entity are right. Counts as a true positive."
        if has(case, "disamb_errors") and case["said"] is None:
            assert "All parts of an alternative to it were found." in case["why"]
        elif has(case, "disamb_errors"):
            assert not set(case["gold"]) & set(case["said"])
            assert "as a false negative and a false positive in linking, as a true positive in recog" in case["why"]
        if case["gold"] is None:
            assert case["why"] == "No gold mention has this span. Counts as a false positive."


def test_a_sample_of_cases_has_some_of_each_count(cohort: Cohort, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endtoend_cases, "EACH", 2)
    found = endtoend_cases.find(cohort.scores[3].run, cohort.scores[3].kb)
    few = endtoend_cases.sample(found, 60, cohort.corpus["test"])
    assert few == endtoend_cases.sample(found, 60, cohort.corpus["test"])
    assert len(few) == 60
    there = {
        bit for bits, _ in endtoend_cases.totals(found) for bit in range(len(endtoend_cases.COUNTS)) if bits >> bit & 1
    }
    assert {bit for case in few for bit in there if case["bits"] >> bit & 1} == there


@pytest.fixture(scope="module")
def finders(cohort: Cohort) -> Cohort:
    """Two systems that find mentions themselves."""
    runs = [cohort.scores[3].run, linkassay.link("spotter", "mini", system="other")]
    (found,) = cohorts([linkassay.score(run) for run in runs])
    return found


def test_a_page_of_systems_that_find_mentions_is_headed_by_f1(finders: Cohort) -> None:
    page = gather_page(finders.scores)
    [corpus] = page["corpora"]
    first, second = corpus["before"][:2]
    assert (first["id"], second["id"], second["title"]) == ("endtoend", "leaderboard", "On gold mentions only")
    rows = table_of(first, "End to end, fair, NIL ignored")["rows"]
    f1 = [row[1]["v"] for row in rows]
    assert f1 == sorted(f1, reverse=True)
    assert page["sentence"].startswith(f"{rows[0][0]['v']} reaches an F1 of {100 * f1[0]:.1f} % end to end (95 %")
    assert page["sentence"].endswith(". Counted as preset fair does, NIL ignored.")
    assert f" {100 * (f1[0] - f1[1]):.1f} points ahead of {rows[1][0]['v']}" in page["sentence"]
    assert [row[8] is None for row in rows] == [True, False]  # p against the best
    assert not [each for each in page["warnings"] if each["kind"] == "found-mentions"]


def test_every_way_to_count_has_the_figures_of_score(finders: Cohort) -> None:
    section = endtoend.section(finders, {label: at for at, label in enumerate(finders.labels)})
    assert section is not None
    assert [name for name, _ in section["blocks"][0]["options"]] == ["fair, NIL ignored", "fair, NIL required"]
    for score, label in zip(finders.scores, finders.labels, strict=True):
        said = CliRunner().invoke(app, ["score", str(score.run.path), "--task", "end-to-end", "--json"])
        for row in json.loads(said.stdout)["rows"]:
            nil = row["mode"].lower()
            of = table_of(section, f"End to end, fair, NIL {nil}")
            [shown] = [cells for cells in of["rows"] if cells[0]["v"] == label]
            counts = shown[-3:]
            assert [cell["v"] for cell in counts] == [row["all_tp"], row["all_fp"], row["all_fn"]]
            assert shown[1]["v"] == row["all_f1"]
            assert [len(_held(cell["open"], section["blocks"][-1])) for cell in counts] == [c["v"] for c in counts]
