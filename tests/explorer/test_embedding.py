"""What pages hold: how much of it, which texts, and that it is what the runs said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.errors import UsageError
from linkassay.explorer import View, build_view, embed, embedding, open_view
from linkassay.explorer.answers import GROUPS
from linkassay.explorer.mention_context import REACH, lines, window
from linkassay.explorer.outcome_words import why
from linkassay.runs import Run
from linkassay.scoring.disambiguation import mention_outcomes_of
from linkassay.scoring.endtoend import evaluate
from linkassay.scoring.results.cohort import Cohort, cohorts
from tests.conftest import ReportRuns
from tests.explorer.embedded_reader import Reader
from tests.explorer.test_view import through_json


@pytest.fixture(scope="module")
def cohort(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Three systems on mini, one of which finds mentions itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("embedding") / "home"))
        linkassay.get("mini")
        runs = [linkassay.link(name, "mini") for name in ("exact", "tfidf", "spotter")]
        (found,) = cohorts([linkassay.score(run) for run in runs])
        yield found


def reader(cohort: Cohort, **asked: Any) -> Reader:
    (found,) = through_json(embed([cohort], **asked))["cohorts"]
    return Reader(found)


def all_ids(of: Reader) -> list[str]:
    return [of.mention_id(row) for row in of.roots]


def test_answers_are_what_the_runs_said(cohort: Cohort) -> None:
    """Read from the predictions one by one, and judged by the score's own outcomes."""
    held = reader(cohort)
    for at, score in enumerate(cohort.scores):
        said = {p.mention: p for p in score.run.predictions() if p.mention}
        for outcome in mention_outcomes_of(score):
            answer = held.mention(outcome.id)["answers"][at]
            groups = [list(dict.fromkeys(g)) for g in (said[outcome.id].groups if outcome.id in said else ())]
            assert answer["hits"] == pytest.approx([outcome.hits[0], outcome.hits[4]], abs=1e-4)
            assert answer["candidates"] == sum(map(len, groups))
            assert answer["why"] == why(groups, outcome.gold, outcome.id in said and said[outcome.id].nil)
            assert [set(g["ids"]) for g in answer["groups"]][:GROUPS] == [set(g) for g in groups[:GROUPS]]
            found = [n for n, g in enumerate(groups) if outcome.gold & set(g)]
            assert answer["rank"] == (1 + sum(map(len, groups[: found[0]])) if found else None)
            for group in answer["groups"]:
                assert set(group["ids"][: group["right"]]) == set(group["ids"]) & outcome.gold


def test_figures_of_documents_add_up(cohort: Cohort) -> None:
    held = reader(cohort)
    rows = held.documents(limit=1000)["rows"]
    for at, (label, score) in enumerate(zip(cohort.labels, cohort.scores, strict=True)):
        if label == "spotter":
            continue
        hits = [outcome.hits[0] for outcome in mention_outcomes_of(score)]
        mine = [row["systems"][at] for row in rows if row["systems"][at]]
        assert (sum(each["right"] for each in mine), sum(each["n"] for each in mine)) == (
            pytest.approx(sum(hits), abs=0.01), len(hits),
        )  # fmt: skip
    spotter = cohort.scores[cohort.labels.index("spotter")]
    assert spotter.kb is not None
    counts = evaluate(list(cohort.corpus["test"]), list(spotter.run.predictions()), current=spotter.kb.current)
    for nil in ("ignored", "required"):
        by_id = {row["id"]: row["systems"] for row in held.documents(nil=nil, limit=1000)["rows"]}
        mode = held.about["nil"].index(nil)
        for number, document in enumerate(counts.documents):
            assert by_id[document][cohort.labels.index("spotter")] == {
                x: counts.values[f"all_{x}"][mode][number] for x in ("tp", "fp", "fn")
            }


def test_differ_counts_mentions_that_are_not_worth_the_same(cohort: Cohort) -> None:
    held = reader(cohort)
    expected = dict.fromkeys(held.e["documents"]["id"], 0)
    for row in held.mentions(limit=1000)["rows"]:
        letters = {row["codes"][n] for n in range(0, len(row["codes"]), held.about["width"])} - {"x"}
        expected[row["document"]] += len(letters) > 1
    assert dict(zip(held.e["documents"]["id"], held.e["documents"]["differ"], strict=True)) == expected
    assert any(expected.values())


def test_contexts_are_those_of_the_whole_text(cohort: Cohort) -> None:
    held = {name: reader(cohort, text=name) for name in ("full", "snippet")}
    texts = {document.id: document for document in cohort.corpus["test"]}
    for id_ in all_ids(held["full"]):
        full, snippet = (held[name].mention(id_) for name in ("full", "snippet"))
        assert full == snippet
        mention = next(m for m in texts[full["document"]].mentions if m.id == id_)
        shown = window(lines(texts[mention.document]), mention.spans, mention.text)
        assert full["context"] == [list(piece) for piece in shown]
    whole, part = (sum(len(t) for each in held[n].texts for _, t in each.pieces) for n in ("full", "snippet"))
    assert whole == sum(len(document.text) for document in texts.values())
    assert part <= whole
    assert held["full"].e["left_out"] == ""
    assert "around the mentions" in held["snippet"].document("mini-104")["left_out"]


def test_a_snippet_is_what_stands_around_mentions(report_runs: ReportRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    """In 200 kB of text there are two mentions beside each other."""
    monkeypatch.setenv("LINKASSAY_HOME", str(report_runs.home))
    (found,) = cohorts([linkassay.score(Run.open(report_runs.runs[0]))])
    held = reader(found, text="snippet")
    ((offset, text),) = held.document("test3")["pieces"]
    assert offset > 1000
    assert len(text) <= 2 * REACH + 20
    assert "gamma" in text


def test_without_texts_there_is_none(cohort: Cohort) -> None:
    held = reader(cohort, text="none")
    for id_ in all_ids(held)[:50]:
        mention = held.mention(id_)
        assert (mention["text"], mention["context"]) == ("", [])
    document = held.document("mini-104")
    assert (document["pieces"], document["title"], document["left_out"]) == ([], "", "The texts are not in this page.")
    held_texts = str([held.e["documents"], held.e["mentions"]["places"], held.e["cases"]])
    assert "diabetes" not in held_texts


def test_errors_are_all_held_and_totals_stay(cohort: Cohort) -> None:
    whole, errors = reader(cohort), reader(cohort, mentions="errors")
    missed = {row["id"] for row in whole.mentions(outcome="missed", limit=1000)["rows"]}
    assert {row["id"] for row in errors.mentions(outcome="missed", limit=1000)["rows"]} == missed
    assert len(missed) < len(errors.roots) + 5 < len(whole.roots)
    for asked in ({}, {"outcome": "right"}, {"outcome": "missed", "type": "=gene"}, {"outcome": "left"}):
        one, other = (each.mentions(**asked, limit=1000) for each in (whole, errors))
        assert (one["total"], one["all"]) == (other["total"], other["all"])
        assert other["held"] <= one["held"]
    for counted in ("all_fp", "all_fn", "all_tp"):
        one, other = (each.cases("=spotter", "ignored", counted, limit=1000) for each in (whole, errors))
        assert one["total"] == other["total"]
        assert counted == "all_tp" or [r["id"] for r in one["rows"]] == [r["id"] for r in other["rows"]]


def test_a_sample_says_what_it_is_of(cohort: Cohort, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, some = reader(cohort), reader(cohort, mentions=60)
    assert 60 <= some.about["sizes"]["held"] == len(some.roots) < 150
    assert some.about["sizes"] | {"held": 343} == whole.about["sizes"]
    for id_ in all_ids(some):
        assert some.mention(id_) == whole.mention(id_)
    assert all_ids(some) == [id_ for id_ in all_ids(whole) if id_ in set(all_ids(some))]
    assert [reader(cohort, mentions="60").e, reader(cohort, mentions=60).e] == [some.e, some.e]
    monkeypatch.setattr(embedding, "MOST_HELD", 342)
    monkeypatch.setattr(embedding, "WHOLE_SAMPLE", 60)
    assert reader(cohort).e == some.e


def test_what_cannot_be_held_is_said(cohort: Cohort) -> None:
    for wrong in ("some", "-1", 0):
        with pytest.raises(UsageError, match="write all, errors, or how many"):
            embed([cohort], mentions=wrong)
    with pytest.raises(UsageError, match="unknown text 'ful'; did you mean 'full'"):
        embed([cohort], text="ful")


def same_answers(runs: list[Run], folder: Path, **asked: Any) -> tuple[View, Reader]:
    """View and page of the same runs, after all their answers were compared."""
    build_view(runs, folder=folder)
    view = open_view(runs, folder=folder)
    assert view is not None
    (cohort,) = cohorts([linkassay.score(run) for run in runs])
    held = reader(cohort, **asked)
    assert through_json(view.cohort()) == held.about
    for outcome in ("any", "left"):
        listed = through_json(view.mentions(outcome=outcome, limit=1000))
        assert listed == held.mentions(outcome=outcome, limit=1000)
        for row in listed["rows"]:
            assert through_json(view.mention(row["id"])) == held.mention(row["id"])
    for nil in view.cohort()["nil"]:
        for label in view.cohort()["found"]:
            rows = through_json(view.cases(system=f"={label}", nil=nil, limit=1000))
            assert rows == held.cases(f"={label}", nil, limit=1000)
            for row in rows["rows"][::7]:
                found = through_json(view.case(row["id"], system=f"={label}", nil=nil))
                assert found == held.case(row["id"], f"={label}", nil)
        for row in view.documents(limit=1000)["rows"]:
            assert through_json(view.document(row["id"], nil=nil)) == held.document(row["id"], nil)
    return view, held


def test_hostile_long_and_renamed(
    report_runs: ReportRuns, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:  # fmt: skip
    monkeypatch.setenv("LINKASSAY_HOME", str(report_runs.home))
    view, _ = same_answers([Run.open(each) for each in report_runs.runs[:3]], tmp_path)
    (renamed,) = view.mentions(find="شلل")["rows"]
    found = view.mention(renamed["id"])
    assert (found["gold"], found["changed"]) == ([["t:5"]], [["t:9", ["t:5"]]])
    assert view.mentions(find="</SCRIPT>")["total"] == 2
    assert view.mentions(find="OMEGA \U0001f9ec")["total"] == 1
    assert view.mentions(find="t:9")["total"] == 0  # it is called t:5 now
    tree = next(t for row in view.mentions(limit=1000)["rows"] if (t := view.mention(row["id"])["tree"]))
    assert {edge[0] for edge in tree["edges"]} <= {node["id"] for node in tree["nodes"]}


def test_a_corpus_restricted_to_a_type(home_with_mini: Path, tmp_path: Path) -> None:
    runs = [linkassay.link(name, "mini/gene") for name in ("exact", "spotter")]
    view, _ = same_answers(runs, tmp_path)
    assert view.cohort()["types"] == ["gene"]
    assert view.cohort()["found"] == ["spotter"]
    plain = [m.id for document in linkassay.corpus("mini/gene")["test"] for m in document.mentions]
    left = {row["id"] for row in view.mentions(outcome="left", limit=1000)["rows"]}
    assert [i for i in plain if i not in left] == [row["id"] for row in view.mentions(limit=1000)["rows"]]


def test_alternatives_optional_and_nil(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """A benchmark with trees of labels; systems are imported, and their knowledge base is not at hand."""
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "home"))
    linkassay.get("news_fair", raw=shared / "e2e" / "benchmarks")
    runs = [
        linkassay.import_predictions(
            "elevant", shared / "e2e" / "dev" / f"{system}.news-fair.linked_articles.jsonl.gz", corpus="news_fair",
            system=system,
        )
        for system in ("baseline", "oracle")
    ]  # fmt: skip
    view, _ = same_answers(runs, tmp_path, text="full")
    marks = [mark for row in view.documents()["rows"] for mark in view.document(row["id"])["marks"]]
    assert {flag for mark in marks for flag in mark["flags"]} == {"optional", "nil", "alternative"}
    known = {mark["id"] for mark in marks}
    assert any(mark["parent"] for mark in marks)
    assert all(mark["parent"] in known for mark in marks if mark["parent"])
    assert {a["verdict"] for mark in marks for a in mark["answers"] if a} >= {
        "right", "wrong", "missed", "spurious", "optional", "nil",
    }  # fmt: skip
    assert embed(cohorts([linkassay.score(run) for run in runs]))["cohorts"][0]["text"] == "snippet"
