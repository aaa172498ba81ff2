"""The corpora whose real files are at hand, against their published or counted figures."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from linkassay.corpora import spec_of
from linkassay.files import expand_paths
from linkassay.formats.reading import Reading
from linkassay.model import Document
from linkassay.problems import Problems

SPLITS = ("train", "dev", "test")
REANNOTATED, METADATA = "corpora/pubtator_reannotated", "corpora/belb_metadata"


@cache  # the tests only look at what was read
def load(name: str, *paths: Path) -> tuple[list[tuple[str, Document]], Reading]:
    corpus = spec_of(name)
    files = expand_paths(paths)
    reading = corpus.reading(Problems())
    assert corpus.missing(files) == []
    return list(corpus.read(corpus.used(files), reading)), reading


def table(found: list[tuple[str, Document]]) -> list[tuple[int, int, int]]:
    """Documents, mentions, and documents with a linked mention, for each split that there is."""
    documents = Counter(split for split, _ in found)
    mentions = Counter(split for split, document in found for _ in document.mentions)
    linked = Counter(split for split, document in found if any(m.gold for m in document.mentions))
    return [(documents[s], mentions[s], linked[s]) for s in SPLITS if documents[s]]


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("ncbi_disease", "corpora/ncbi_disease"), ("bc5cdr", "corpora/bc5cdr"), ("snp", "corpora/snp_osiris"),
        ("osiris", "corpora/snp_osiris"), ("gnormplus", REANNOTATED), ("tmvar3", REANNOTATED),
        ("wiki_fair", "e2e/benchmarks"), ("news_fair", "e2e/benchmarks"), ("wiki_fair_no_coref", "e2e/benchmarks"),
        ("news_fair_no_coref", "e2e/benchmarks"), ("kore50", "e2e/benchmarks"), ("msnbc_updated", "e2e/benchmarks"),
    ],
)  # fmt: skip
def test_expected_counts_hold(shared: Path, name: str, folder: str) -> None:
    corpus = spec_of(name)
    assert corpus.expected
    found, _ = load(name, shared / folder)
    for split, expected in corpus.expected.items():
        documents = [document for here, document in found if here == split]
        counts = Counter(mention.type for document in documents for mention in document.mentions)
        counts["documents"] = len(documents)
        counts["annotations"] = sum(len(document.mentions) for document in documents)
        counts["labels"] = sum(len(document.annotations) for document in documents)
        assert {what: counts[what] for what in expected} == expected


def test_ncbi_disease_unseen(shared: Path) -> None:
    """BELB table 1: 150 test mentions of unseen entities, 185 of unseen synonyms."""
    found, reading = load("ncbi_disease", shared / "corpora/ncbi_disease")
    assert [fix.document for fix in reading.problems.fixes] == ["10923035", "8528200"]
    known = [m for split, document in found if split != "test" for m in document.mentions]
    ids, texts = frozenset().union(*(m.ids for m in known)), {m.text.lower() for m in known}
    test = [m for split, document in found if split == "test" for m in document.mentions]
    seen = [m for m in test if m.ids & ids]
    assert len(test) - len(seen) == 150
    assert sum(m.text.lower() not in texts for m in seen) == 185


def test_bc5cdr_is_the_same_in_both_formats(shared: Path) -> None:
    folder = shared / "corpora/bc5cdr"
    pubtator, _ = load("bc5cdr", folder)
    bioc, reading = load("bc5cdr", *sorted(folder.glob("*.BioC.xml.gz")))
    assert len(reading.problems.fixes) == len(spec_of("bc5cdr").fixes) == 4

    def plain(found: list[tuple[str, Document]]) -> list[object]:
        return [(s, d.id, d.text, sorted((m.spans, m.type, str(m.gold)) for m in d.mentions)) for s, d in found]

    assert plain(pubtator) == plain(bioc)


def test_gnormplus_has_belbs_documents(shared: Path) -> None:
    found, reading = load("gnormplus", shared / REANNOTATED)
    assert table(found) == [(281, 3039, 279), (151, 1206, 137), (262, 3288, 254)]
    assert set(reading.problems.fixes) == set(spec_of("gnormplus").fixes)
    assert reading.read == {"gene": 4246 + 3288}


def test_tmvar3_has_belbs_mentions(shared: Path) -> None:
    found, _ = load("tmvar3", shared / REANNOTATED)
    assert table(found) == [(500, 1717, 214)]
    assert sum(bool(m.gold) for _, document in found for m in document.mentions) == 1018


def test_osiris_has_belbs_mentions(shared: Path) -> None:
    found, _ = load("osiris", shared / "corpora/snp_osiris")
    assert table(found) == [(105, 563, 57)]
    assert sum(bool(m.gold) for _, document in found for m in document.mentions) == 261
    original, _ = load("osiris", shared / "corpora/snp_osiris/OSIRIScorpusv01.xml.gz")
    assert table(original) == [(105, 554, 57)]
    assert sum(bool(m.gold) for _, document in original for m in document.mentions) == 253


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("linnaeus", [(50, 1465, 39), (17, 540, 16), (33, 892, 29)]),
        ("s800", [(559, 2593, 436), (80, 386, 63), (160, 813, 125)]),
        ("bioid", [(400, 3619, 240), (85, 1120, 62), (85, 851, 62)]),
    ],
)
def test_re_releases_with_belbs_splits(shared: Path, name: str, expected: list[tuple[int, int, int]]) -> None:
    found, _ = load(name, shared / REANNOTATED, shared / METADATA)
    assert table(found) == expected


def test_medmentions_lists(shared: Path) -> None:
    """The official lists with texts of our own: all documents that they name, in their splits."""
    lists = shared / "corpora/medmentions_st21pv"
    names = {"train": "trng", "dev": "dev", "test": "test"}
    expected = spec_of("medmentions_st21pv").expected
    for split, name in names.items():
        lines = (lists / f"corpus_pubtator_pmids_{name}.txt").read_text(encoding="utf-8").split()
        assert len(set(lines)) == expected[split]["documents"]
