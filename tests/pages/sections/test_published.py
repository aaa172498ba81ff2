"""Figures of the literature beside ours, or for orientation."""

from __future__ import annotations

from statistics import fmean

import pytest

from linkassay.charts import address
from linkassay.corpora import spec_of
from linkassay.pages import explanations
from linkassay.pages.sections import (
    published,
)
from linkassay.published import literature
from linkassay.published.published_table import load_work
from linkassay.scoring.disambiguation.mention_outcomes import mention_outcomes_of
from linkassay.scoring.results.cohort import Cohort
from tests.pages.sections.reading import (
    HUES,
    LABELS,
    browsed,
    opened,
    table_of,
    value_of,
)


def test_published_figures_stand_beside_ours(cohort: Cohort, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"work": "w", "table": 4, "system": "TFIDF", "measure": "recall@1", "value": 0.5, "protocol": "belb/strict",
           "scope": "all", "citation": "W et al.", "comparable": True, "note": "so"}  # fmt: skip
    unlike = row | {"system": "Other", "value": 0.25}
    other = row | {
        "measure": "novelty",
        "system": "other",
        "protocol": "",
        "comparable": False,
        "scope": "recognised(x)",
    }
    monkeypatch.setattr(published, "published_rows", lambda corpus: [row, unlike, other] if corpus == "mini" else [])
    section = published.section(cohort, HUES)
    assert section is not None
    ours = [score.rows(["recall(protocol=belb/strict)@1"], ())[0]["value"] for score in cohort.scores]
    table = table_of(section, "Published and ours: recall@1, belb/strict")
    assert [(value_of(r[0]), r[1], value_of(r[2])) for r in table["rows"]] == [
        *((label, "this report", pytest.approx(value)) for label, value in zip(LABELS, ours, strict=True)),
        ("TFIDF", "w, table 4", 0.5),
        ("Other", "w, table 4", 0.25),
    ]
    same, best = table["rows"][-2:]
    assert (same[3]["v"], value_of(same[4])) == (pytest.approx(ours[LABELS.index("tfidf")] - 0.5), "tfidf")
    assert (best[3]["v"], value_of(best[4])) == (pytest.approx(max(ours) - 0.25), LABELS[ours.index(max(ours))])
    unknown = table_of(section, "Published and ours: novelty")
    assert [r[:3] for r in unknown["rows"]] == [["other", "w, table 4", 0.5]]
    assert [c["label"] for c in unknown["columns"]] == ["system", "source", "figure", "scope", "comparable", "note"]
    assert unknown["rows"][0][4] == "no"


def test_without_published_figures_other_corpora_give_orientation(
    cohort: Cohort, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = published.section(cohort, HUES)
    assert section is not None
    assert (section["id"], section["title"]) == ("published", explanations.SECTIONS["orientation"].title)
    data = browsed(cohort)
    (choice,) = (b for b in section["blocks"] if b["kind"] == "choice")
    drawn = section["blocks"][0]["spec"]["data"]["values"]
    for kind, (table,) in choice["options"]:
        type_ = kind.replace(" ", "_")
        mine, theirs = table["rows"][: len(LABELS)], table["rows"][len(LABELS) :]
        for score, row in zip(cohort.scores, mine, strict=True):
            hits = [j.hits[0] for j in mention_outcomes_of(score) if j.type == type_]
            assert row[1]["v"] == pytest.approx(fmean(hits))
            assert row[3] == f"{type_}, n {len(hits)}"
            assert opened(row[1]["open"], data, LABELS) == len(hits)
        assert {row[-1] for row in theirs} == {"no: another corpus"}
        assert {row[5] for row in theirs} <= {"belb/standard", "bioel/basic"}
        assert "mini" not in {row[2] for row in theirs}
        of = [v for v in drawn if v["group"] == kind]
        assert sorted(v["value"] / 100 for v in of if not v["sure"]) == pytest.approx(sorted(r[1] for r in theirs))
        assert {v["link"] for v in of if v["sure"]} == {address(row[1]["open"]) for row in mine}
    belb = load_work("belb").tables[4]
    species = next(table["rows"] for kind, (table,) in choice["options"] if kind == "species")
    assert {r[0]: r[1] for r in species[len(LABELS) :] if (r[2], r[4]) == ("Linnaeus", "belb, table 4")} == {
        "SR4GN" if name == "RBES" else name: belb.value(corpus="Linnaeus", system=name)
        for name in ("RBES", "BioSyn", "GenBioEL", "arboEL")
    }
    for module in (literature, published):
        monkeypatch.setattr(module, "ENTITY_KINDS", {})
    assert published.section(cohort, HUES) is None


def test_types_of_corpora_are_of_one_kind_each() -> None:
    spelled = [type_ for types in literature.ENTITY_KINDS.values() for type_ in types]
    assert len(spelled) == len(set(spelled))
    published_ = {"ncbi_disease", "nlm_chem", "bioid", "linnaeus", "s800", "gnormplus", "nlm_gene", "snp", "osiris",
                  "tmvar3", "medmentions_full", "medmentions_st21pv"}  # fmt: skip
    assert all(literature.kind_of(spec_of(name).types[0]) for name in published_)
    titles = {row["corpus"] for kind in literature.ENTITY_KINDS for row in literature.published_rows_of_kind(kind)}
    assert titles == {*(spec_of(name).title for name in published_), "BC5CDR (disease)", "BC5CDR (chemical)"}
    rows = [row for kind in literature.ENTITY_KINDS for row in literature.published_rows_of_kind(kind)]
    same = [tuple(row[k] for k in ("corpus", "work", "system", "protocol", "scope", "value")) for row in rows]
    assert len(same) == len(set(same))
    assert {row["comparable"] for row in rows} == {False}
