"""The end-to-end section, and the cases that its figures open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.explorer import View, build_view, open_view
from linkassay.explorer.case_words import COUNTS
from linkassay.explorer.mention_context import lines
from linkassay.model import join_text
from linkassay.pages.page_data import gather_page
from linkassay.pages.sections import (
    endtoend,
    slices,
)
from linkassay.scoring.endtoend import evaluate
from linkassay.scoring.results.cohort import Cohort, cohorts
from tests.pages.sections.reading import (
    HUES,
    table_of,
    tables_in,
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


def test_a_system_that_finds_gold_alone_is_headed_by_f1(home_with_mini: Path, tmp_path: Path) -> None:
    """It found its mentions itself, though none of them is spurious."""
    lines = [
        {"id": document.id, "predictions": [
            {"entity_reference": min(mention.gold[0]), "start_char": start, "end_char": end}
            for mention in document.mentions if mention.gold and len(mention.spans) == 1 for start, end in mention.spans
        ]}
        for document in linkassay.corpus("mini")["test"]
    ]  # fmt: skip
    file = tmp_path / "oracle.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    told = CliRunner().invoke(app, ["import", "simple-jsonl", str(file), "--corpus", "mini", "--system", "oracle",
                                    "--skip-bad"])  # fmt: skip
    assert told.exit_code == 0, told.output
    runs = [linkassay.run("mini/oracle"), linkassay.link("spotter", "mini", give="text")]
    page = gather_page([linkassay.score(run) for run in runs])
    assert page["sentence"].startswith("oracle reaches an F1 of ")
    assert page["best"].endswith("best is the highest F1.")
    assert [part["id"] for part in page["corpora"][0]["before"]][:2] == ["endtoend", "leaderboard"]


def _view(cohort: Cohort) -> View:
    """What the links of the section lead to."""
    runs = [score.run for score in cohort.scores]
    build_view(runs)
    found = open_view(runs)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def view(cohort: Cohort) -> View:
    """What there is of the four systems."""
    return _view(cohort)


def _held(cell: dict[str, Any], view: View) -> int:
    """How many cases a link opens."""
    filters = {name: value for name, value in cell["open"].items() if name != "part"}
    return int(view.cases(**filters)["total"])


def test_every_end_to_end_figure_opens_as_many_cases_as_it_counts(cohort: Cohort, view: View) -> None:
    def held(cell: dict[str, Any]) -> int:
        return _held(cell, view)

    section = endtoend.section(cohort, HUES)
    assert section is not None
    assert view.cohort()["found"] == ["spotter"]
    for row in table_of(section, "Categories")["rows"]:
        errors, of, rate = row[2:]
        assert (held(errors) if errors["v"] else 0) == errors["v"]
        if "open" in of:
            assert (held(of) if of["v"] else 0) == of["v"]
            assert rate["open"] == of["open"]
        else:
            assert row[:2] in (["mention spurious", "lower-cased"], ["mention spurious", "other"])  # of words
    (row,) = table_of(section, "End to end")["rows"]
    tp, fp, fn = (cell["v"] for cell in row[-3:])
    assert list(map(held, row[-3:])) == [tp, fp, fn]
    assert [held(row[at]) for at in (2, 3)] == [tp + fp, tp + fn]
    assert held(row[7]) == round(tp / row[7]["v"])  # right spans


def test_figures_by_type_and_kind_are_those_of_score_and_open_their_cases(
    cohort: Cohort, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = cohort.scores[3].run
    options = ["--task", "end-to-end", "--nil", "ignored", "--by", "type", "--by", "mention-kind", "--json"]
    said = json.loads(CliRunner().invoke(app, ["score", str(run.path), *options]).stdout)["figures"]
    wanted = {(each["slice"], each["measure"]): each for each in said}
    monkeypatch.setattr(slices, "MOST_TYPES", 2)
    section = endtoend.section(cohort, HUES)
    assert section is not None
    seen = []
    for name, measure in (("F1", "all_f1"), ("precision", "all_p"), ("recall", "all_r")):
        captions = ("End to end, by entity", "End to end, by rare", "End to end, by kind")
        tables = [each for each in tables_in(section["blocks"]) if each["caption"].startswith(captions)]
        tables = [each for each in tables if each["caption"].endswith(f": {name}")]
        for line in (line for table in tables for line in table["rows"]):
            (cell,) = line[2:]
            group = line[1]["open"]["group"]
            seen.append(group)
            figure = wanted[group, measure]
            if cell is None:  # a share of nothing
                assert figure["n"] == 0
                continue
            ends = [each.get(name) for each in (cell, figure) for name in ("low", "high")]
            assert (cell["v"], ends[:2]) == (figure["value"], ends[2:])
            assert line[0] == group.partition("=")[2]
            counts = [wanted[group, f"all_{each}"]["value"] for each in ("tp", "fp", "fn")]
            assert line[1]["v"] == counts[0] + counts[2] == _held(line[1], view)
            both = [_held(cell | {"open": cell["open"] | {"counted": each}}, view) for each in ("all_p", "all_r")]
            assert both == [counts[0] + counts[1], counts[0] + counts[2]]
            if measure == "all_f1":
                assert max(both) <= _held(cell, view) <= sum(counts)  # a wrong entity is one case of both
    assert len(seen) == 3 * len(set(seen)) > 9


def test_end_to_end_cases_are_what_they_are_called(cohort: Cohort, view: View) -> None:
    listed = view.cases(limit=1000)
    assert listed["total"] == len(listed["rows"])
    texts = {d.id: lines(d) for d in cohort.corpus["test"]}
    gold = {(m.document, m.spans[0][0], m.spans[-1][1]) for d in cohort.corpus["test"] for m in d.mentions}

    def has(case: dict[str, Any], name: str) -> bool:
        return bool(case["bits"] >> COUNTS.index(name) & 1)

    for row in listed["rows"]:
        case = view.case(row["id"])
        assert row.items() <= case.items()
        (start, _), (_, end) = case["spans"][0], case["spans"][-1]
        assert join_text(texts[case["document"]], tuple(case["spans"])) == case["text"]
        is_gold = not case["id"].endswith("alone")
        assert is_gold == (case["gold"] is not None)
        assert is_gold or (case["document"], start, end) not in gold
        assert " ".join(text for text, marked in case["context"] if marked) == case["text"]
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
    view = _view(finders)
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
            assert [_held(cell, view) for cell in counts] == [cell["v"] for cell in counts]
