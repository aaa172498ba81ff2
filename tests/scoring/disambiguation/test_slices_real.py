"""Slices and lists (SLICE-3 to SLICE-12) of NCBI Disease to the last mention. Skips only without the real data."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

import linkassay
from linkassay.scoring.disambiguation.run_score import Score
from tests.scoring_helpers import run_of

#: Ids that BioEL leaves out.
EXCLUDED = ("mesh:C531603 mesh:C531610 mesh:C531652 mesh:C535804 mesh:C537666 mesh:C538138 mesh:C538219 mesh:C538392 "
            "mesh:C538554 mesh:D001405 omim:102600 omim:103600 omim:164160 omim:600698")  # fmt: skip

#: BELB's lists.
LISTS = {"unseen-entity": "zeroshot.csv", "unseen-synonym": "stratified.csv"}


@pytest.fixture
def scored(shared: Path, home: Path) -> Score:
    linkassay.get("ncbi_disease", shared / "corpora" / "ncbi_disease")
    corpus = linkassay.corpus("ncbi_disease")
    run = run_of(corpus, [None] * sum(len(d.mentions) for d in corpus["test"]))
    abbreviations = shared / "corpora" / "abbreviations" / "abbreviations.json.gz"
    return linkassay.score(run, abbreviations=str(abbreviations), exclude_ids=EXCLUDED, fold=False)


def test_slices_of_bioel(scored: Score) -> None:
    wanted = {"abbreviation": 231, "train-text-match": 593, "train-entity-match": 795, "zero-shot": 165,
              "train-pair-match": 588}  # fmt: skip
    rows = scored.rows("coverage", by=list(wanted))
    assert {row["slice"]: row["n"] for row in rows} == {"all": 960} | wanted


def test_case_is_not_regarded_unless_asked_for(scored: Score, shared: Path) -> None:
    """Texts of NCBI Disease are lower-cased, names of MEDIC are not: hardly any matches letter for letter."""
    linkassay.get("medic", shared / "kbs" / "medic")
    corpus = linkassay.corpus("ncbi_disease")
    run = run_of(corpus, [None] * sum(len(d.mentions) for d in corpus["test"]), kb=linkassay.kb("medic"))
    sizes = [
        {row["slice"]: row["n"] for row in linkassay.score(run, "coverage", by=["alias-match"], fold=fold).rows()}
        for fold in (False, None, True)
    ]
    assert [each["all"] for each in sizes] == [960, 960, 960]
    assert [each["alias-match"] for each in sizes] == [59, 542, 542]


def test_lists_of_belb(scored: Score, shared: Path) -> None:
    """The very mentions of BELB's lists, whose train and dev are ours."""
    whole = linkassay.score(scored.run, abbreviations="none")
    mentions = {
        m.id: (m.document, m.start, m.end) for d in linkassay.corpus("ncbi_disease")["test"] for m in d.mentions
    }
    file = shared / "predictions" / "belb" / "ncbi_disease" / "arboel" / "predictions.json.gz"
    places = {p["hexdigest"]: (p["eid"], p["start"], p["end"]) for p in json.loads(gzip.decompress(file.read_bytes()))}
    for name, size in (("unseen-entity", 150), ("unseen-synonym", 185)):
        path = shared / "corpora" / "belb_metadata" / LISTS[name]
        with path.open(newline="") as lines:
            listed = {
                row["hexdigest"] for row in csv.DictReader(lines, delimiter="\t") if row["corpus"] == "ncbi_disease"
            }
        found = {mentions[i] for i, keep in zip(whole.items.table["id"].to_pylist(), whole.sets.unseen(name)) if keep}
        assert found == {places[digest] for digest in listed}
        assert int(whole.sets.unseen(name).sum()) == size
        [row] = whole.rows(f"coverage(set={name})", by=())
        assert row["n"] == size
        assert dict(whole.slices([name]))[name].tolist() == whole.sets.unseen(name).tolist()
