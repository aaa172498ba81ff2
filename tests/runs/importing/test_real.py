"""Real predictions, imported: joins in full, and the published figures by a computation that is plain to see."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from linkassay.corpora.obtain import OwnCorpus, get_corpus, get_own_corpus
from linkassay.corpora.stored_corpus import Corpus
from linkassay.runs.importing.importer import ImportOptions, import_run
from linkassay.runs.stored_run import Run

Groups = Sequence[Sequence[str]]


def prepared(groups: tuple[tuple[str, ...], ...]) -> Groups:
    """Each id at its first rank only, empty groups gone (RANK-2)."""
    seen: set[str] = set()
    kept = []
    for group in groups:
        new = [i for i in group if i not in seen]
        seen.update(new)
        if new:
            kept.append(new)
    return kept


def standard(groups: Groups, gold: frozenset[str]) -> float:
    """One id drawn from each group (belb/standard)."""
    missed = 1.0
    for group in groups:
        missed *= 1 - sum(i in gold for i in group) / len(group)
    return 1 - missed


def strict(groups: Groups, gold: frozenset[str]) -> float:
    """A group of several ids is wrong (belb/strict)."""
    return float(any(len(group) == 1 and group[0] in gold for group in groups))


def lenient(groups: Groups, gold: frozenset[str]) -> float:
    """A group with a gold id is right (belb/lenient)."""
    return float(any(i in gold for group in groups for i in group))


def figures(run: Run) -> dict[str, float]:
    said = {p.mention: prepared(p.groups) for p in run.predictions() if p.mention}
    gold = {m.id: m.ids for d in run.open_corpus()["test"] for m in d.mentions}
    return {
        f"{rule.__name__}@{k}": round(sum(rule(said.get(m, [])[:k], ids) for m, ids in gold.items()) / len(gold), 4)
        for rule in (standard, strict, lenient)
        for k in (1, 5)
    }


#: Corpus, rule-based system, KB, number of its recognised mentions that count.
SCOPES = {"gnormplus": ("gnormplus", "ncbi_gene", 3010), "linnaeus": ("sr4gn", "ncbi_taxonomy", 1139)}
#: (corpus, system) → standard, strict, lenient, lenient@5, as far as they are published.
EXPECTED: dict[tuple[str, str], dict[str, float]] = {
    ("gnormplus", "gnormplus"): {"standard@1": 0.8658, "strict@1": 0.8578, "lenient@1": 0.8658, "lenient@5": 0.8658},
    ("gnormplus", "genbioel"): {"standard@1": 0.2091, "strict@1": 0.0625, "lenient@1": 0.8565, "lenient@5": 0.9299},
    ("gnormplus", "genbioel_ar"): {"standard@1": 0.2050, "strict@1": 0.0711, "lenient@1": 0.8066, "lenient@5": 0.9096},
    ("gnormplus", "arboel"): {"standard@1": 0.3551, "strict@1": 0.3551, "lenient@1": 0.3551, "lenient@5": 0.3551},
    ("linnaeus", "sr4gn"): {"standard@1": 0.9947},
    ("linnaeus", "biosyn"): {"standard@1": 0.9280, "lenient@5": 0.9385},
    ("linnaeus", "genbioel"): {"standard@1": 0.8068, "lenient@5": 0.9025},
    ("linnaeus", "arboel"): {"standard@1": 0.7445},
}


@pytest.mark.parametrize("corpus", SCOPES)
def test_belb_on_what_the_rule_based_system_recognised(home: Path, shared: Path, corpus: str) -> None:
    folder = shared / "predictions" / "belb" / corpus
    rules, kb, n = SCOPES[corpus]
    native = folder / rules / "native_with_gold.json.gz"
    get_own_corpus(OwnCorpus("gold", "belb-gold", (native,), kb=kb))
    gold = Corpus.open("gold")
    assert gold.manifest["splits"]["test"]["annotations"] == n
    for (of, system), expected in EXPECTED.items():
        if of != corpus:
            continue
        run, _ = import_run("belb", [folder / system / "predictions.json.gz"], gold, system)
        report = run.about["import"]
        assert (report["joined"], report["by_mention"], report["coverage"]) == (n, n, 1.0)
        assert report["claims"] == n + report["outside"]
        found = figures(run)
        assert {name: found[name] for name in expected} == expected, system
    run, _ = import_run("belb", [native], gold, "native")  # the same system's own ids
    assert figures(run)["standard@1"] == EXPECTED[corpus, rules]["standard@1"]


def test_belb_joins_ncbi_disease_in_full(home: Path, shared: Path) -> None:
    get_corpus("ncbi_disease", shared / "corpora" / "ncbi_disease")
    corpus = Corpus.open("ncbi_disease")
    folder = shared / "predictions" / "belb"
    ids = folder / "medic_internal2mesh.json"
    for system in ("arboel", "arboel_ar", "biosyn", "biosyn_ar", "genbioel", "genbioel_ar"):
        files = [folder / "ncbi_disease" / system / "predictions.json.gz"]
        run, _ = import_run("belb", files, corpus, system, options=ImportOptions(ids=ids))
        report = run.about["import"]
        assert (report["claims"], report["by_span"], report["coverage"]) == (960, 960, 1.0)
        assert report["ids"]["mapped"] > 100
        assert report["undecoded_ids"]["ids"] == report["ids"]["unmapped"] > 0
    native = folder / "ncbi_disease" / "taggerone" / "native_with_gold.json.gz"
    report = import_run("belb", [native], corpus, "taggerone")[0].about["import"]
    assert (report["joined"], report["not_joined"], report["undecoded_ids"]["ids"]) == (787, 157, 0)


def test_predictions_of_another_corpus_are_refused(home: Path, shared: Path) -> None:
    get_corpus("ncbi_disease", shared / "corpora" / "ncbi_disease")
    files = [shared / "predictions" / "belb" / "gnormplus" / "arboel" / "predictions.json.gz"]
    with pytest.raises(Exception, match="none of the 3,222 predictions joins a gold mention of ncbi_disease test"):
        import_run("belb", files, Corpus.open("ncbi_disease"), "arboel")
    assert not (home / "runs").exists()


def test_biosyn_queries(home: Path, shared: Path) -> None:
    """A query is right at k when each of its mentions has a gold id among its first k candidates as written."""
    file = shared / "predictions" / "biosyn_ncbi_disease_top20.json.gz"
    get_own_corpus(OwnCorpus("queries", "biosyn", (file,)))
    corpus = Corpus.open("queries")
    run, _ = import_run("biosyn", [file], corpus, "biosyn")
    said = {p.mention: p.groups for p in run.predictions()}

    def right(k: int) -> set[str]:
        return {d.id for d in corpus["test"] if all(lenient(said[m.id][:k], m.ids) for m in d.mentions)}

    assert (len(corpus["test"]), len(said)) == (960, 972)
    # .911458, .918750, .938542, .950000, .967708
    assert [len(right(k)) for k in (1, 2, 5, 10, 20)] == [875, 882, 901, 912, 929]
    assert (960 - len(right(20)), len(right(20) - right(1)), 960 - len(right(1))) == (31, 54, 85)
