"""Mentions of an evaluation set are those that weigh anything in it for the scorer."""

from __future__ import annotations

import pytest

import linkassay
from linkassay.explorer import build_view, embed, open_view
from linkassay.scoring.results.cohort import cohorts
from tests.explorer.embedded_reader import Reader

SETS = ("novel", "unseen-entity", "unseen-synonym", "unseen-synonym-of-entity")


@pytest.mark.usefixtures("home_with_mini")
def test_sets_hold_what_the_scorer_weighs() -> None:
    run = linkassay.link("exact", "mini")
    build_view([run])
    view = open_view([run])
    assert view is not None
    score = linkassay.score(run)
    (cohort,) = cohorts([score])
    reader = Reader(embed([cohort])["cohorts"][0])
    assert set(view.cohort()["sets"]) == set(SETS)
    sizes = {}
    for name in SETS:
        listed = view.mentions(outcome="any", set=name, limit=1000)
        weights = score.sets.weights(name, score.in_scope, pairs=False)
        assert {row["id"] for row in listed["rows"]} == set(score.items.table["id"].filter(weights > 0).to_pylist())
        assert listed["total"] == len(listed["rows"]) == reader.mentions(outcome="any", set=name)["total"]
        sizes[name] = listed["total"]
        (figure,) = linkassay.score(run, "recall@1", set=name).rows()
        assert figure["n"] == sizes[name]
    everything = view.mentions(outcome="any")["total"]
    assert 0 < sizes["unseen-entity"] < sizes["novel"] < everything
    unique = score.sets.weights("novel-unique", score.in_scope, pairs=False)
    assert int((unique > 0).sum()) == sizes["novel"] > unique.sum()
    both = view.mentions(outcome="right", set="unseen-synonym", type="=disease")["total"]
    assert 0 < both < sizes["unseen-synonym"]
