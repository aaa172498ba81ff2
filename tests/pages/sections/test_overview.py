"""Several corpora at once."""

from __future__ import annotations

from statistics import fmean

import pytest

import linkassay
from linkassay.pages.sections import (
    overview,
)
from linkassay.scoring.disambiguation.mention_outcomes import mention_outcomes_of
from linkassay.scoring.results.result import Result
from tests.pages.sections.reading import (
    hits_of,
    table_of,
    value_of,
)


@pytest.fixture(scope="module")
def several(_home: None) -> Result:
    """Two systems on two corpora, a third on one of them."""
    runs = [linkassay.link(name, on, kb="tiny") for on in ("own", "other") for name in ("exact", "tfidf")]
    runs.append(linkassay.link("normalised", "own", kb="tiny"))
    return Result(linkassay.score(each) for each in (*runs, runs[0]))


def test_runs_are_grouped_by_corpus(several: Result) -> None:
    assert [(m.key, sorted(m.labels)) for m in several.cohorts] == [
        ("own@test", ["exact", "normalised", "tfidf"]), ("other@test", ["exact", "tfidf"]),
    ]  # fmt: skip


def test_mean_over_corpora(several: Result) -> None:
    found = {each.about["system"]: each for each in several.means}
    for system, each in found.items():
        mine = [
            fmean(hits_of(m.scores[m.labels.index(system)]).values()) for m in several.cohorts if system in m.labels
        ]
        assert each["value"] == pytest.approx(fmean(mine))
        assert each["corpora"] == len(mine)
    assert list(found) == ["tfidf", "exact", "normalised"]  # the one that lacks a corpus comes last
    assert found["tfidf"]["p"] is None
    assert found["normalised"]["p"] is None
    assert 0 < found["exact"]["p"] <= 1


def test_overview_has_every_corpus(several: Result) -> None:
    table = table_of(overview.section(several, {"tfidf": 0, "exact": 1, "normalised": 2}))
    assert [c["label"] for c in table["columns"][4:]] == ["own", "other"]
    (row,) = (r for r in table["rows"] if value_of(r[0]) == "normalised")
    assert row[5] is None
    assert row[1]["weak"]
    assert row[4]["open"] == {"system": "=normalised", "outcome": "any", "corpus": "=own@test"}
    strong = [[value_of(r[0]) for r in table["rows"] if r[at] and r[at]["strong"]] for at in (4, 5)]
    assert strong == [[cohort.labels[0]] for cohort in several.cohorts]


def test_matrix_of_types_and_corpora(several: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(overview.matrix(several))
    rows = {(row[0], row[1]): row for row in table["rows"]}
    values: list[float] = []
    for cohort in several.cohorts:
        score = cohort.scores[cohort.labels.index("tfidf")]
        drugs = [j.hits[0] for j in mention_outcomes_of(score) if j.type == "Drug"]
        row = rows["Drug", cohort.key.partition("@")[0]]
        assert (row[2]["v"], row[3]["v"]) == (len(drugs), pytest.approx(fmean(drugs)))
        values += drugs
    pooled = rows["Drug", "all of them"]
    assert (pooled[2]["v"], pooled[3]["v"]) == (len(values), pytest.approx(fmean(values)))
    assert pooled[5] is None  # normalised lacks one of the corpora
    assert len(overview.matrix(several)["blocks"]) == 1
    monkeypatch.setattr(overview, "MOST_TYPES", 1)
    fewer = overview.matrix(several)["blocks"]
    assert fewer[1]["text"] == "Left out here, being the rarest types: 2 of own, 2 of other."
    for row in table["rows"]:
        cells = [c for c in row[3:] if c]
        assert all(c["strong"] == (c["v"] == max(d["v"] for d in cells)) for c in cells)
