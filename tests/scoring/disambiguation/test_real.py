"""The scores of real systems' predictions, to the last count (issue figures; `shared` data only)."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkassay
from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.runs.importing.importer import import_run
from linkassay.scoring.disambiguation.comparison import Comparison
from tests.runs.importing.test_real import EXPECTED, SCOPES


def recognised(shared: Path, corpus: str) -> list[str]:
    """BELB's comparison on one corpus: the mentions its rule-based system recognised, and all systems' runs."""
    folder = shared / "predictions" / "belb" / corpus
    rules, kb, _ = SCOPES[corpus]
    native = folder / rules / "native_with_gold.json.gz"
    get_own_corpus(OwnCorpus(f"{corpus}-gold", "belb-gold", (native,), kb=kb))
    systems = [system for name, system in EXPECTED if name == corpus]
    for system in systems:
        file = native if system == rules else folder / system / "predictions.json.gz"
        import_run("belb", [file], Corpus.open(f"{corpus}-gold"), system)
    return [f"{corpus}-gold/{system}" for system in systems]


@pytest.mark.parametrize("corpus", SCOPES)
def test_belb_figures(home: Path, shared: Path, corpus: str) -> None:
    for run in recognised(shared, corpus):
        measures = [f"recall(protocol=belb/{p})@{k}" for p in ("standard", "strict", "lenient") for k in (1, 5)]
        rows = {row["measure"]: row for row in linkassay.score(run, measures).rows()}
        for name, value in EXPECTED[corpus, run.partition("/")[2]].items():
            protocol, k = name.split("@")
            row = rows[f"recall(protocol=belb/{protocol})@{k}"]
            assert (row["n"], round(row["value"], 4)) == (SCOPES[corpus][2], value), (run, name)


def compared(runs: list[str]) -> Comparison:
    return linkassay.compare(runs, "recall(protocol=belb/lenient)@1", resamples=200)


def test_linnaeus_compared(home: Path, shared: Path) -> None:
    runs = recognised(shared, "linnaeus")
    found = compared(runs)
    assert (round(found.oracle["value"], 4), found.oracle["none_right"], found.n) == (0.9974, 3, 1139)
    assert len(found.none_right) == 3
    [pair] = [p for p in found.pairs if (p["first"], p["second"]) == ("biosyn", "genbioel")]
    assert (pair["only_first"], pair["only_second"]) == (144, 6)
    assert round(pair["correlation"], 4) == 0.5176
    changed = linkassay.compare(["linnaeus-gold/biosyn", "linnaeus-gold/genbioel"], "recall(protocol=belb/lenient)@1",
                                resamples=200, examples=1000).changed["biosyn → genbioel"]  # fmt: skip
    assert (len(changed["fixed"]), len(changed["broken"])) == (6, 144)


def test_gnormplus_compared(home: Path, shared: Path) -> None:
    runs = [run for run in recognised(shared, "gnormplus") if not run.endswith("_ar")]
    found = compared(runs)
    assert (round(found.oracle["value"], 4), found.oracle["none_right"], found.n) == (0.9850, 45, 3010)


def test_biosyn_queries(home: Path, shared: Path) -> None:
    """A composite query needs all its parts; names whose entity came before keep their rank."""
    file = shared / "predictions" / "biosyn_ncbi_disease_top20.json.gz"
    get_own_corpus(OwnCorpus("queries", "biosyn", (file,), kb="medic"))
    import_run("biosyn", [file], Corpus.open("queries"), "biosyn")
    ks = (1, 2, 5, 10, 20)
    measures = [f"recall(per=document)@{k}" for k in ks] + [
        "generation-failure(per=document)@20",
        "disambiguation-failure(per=document)@20",
    ]
    rows = linkassay.score("queries/biosyn", measures, protocol="belb/lenient").rows()
    found = [(round(row["value"], 6), row["n"]) for row in rows]
    assert found[:5] == [(0.911458, 960), (0.91875, 960), (0.938542, 960), (0.95, 960), (0.967708, 960)]
    assert [(round(value * n), n) for value, n in found[5:]] == [(31, 85), (54, 85)]
