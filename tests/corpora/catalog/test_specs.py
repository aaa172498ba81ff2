"""The contract that every corpus in the registry keeps."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from linkassay.corpora import CORPORA, spec_of
from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.corpora.published_splits import SPLIT_ORDER
from linkassay.errors import UsageError
from linkassay.problems import Problems

NAMES = list(CORPORA)


@pytest.fixture(params=NAMES)
def corpus(request: pytest.FixtureRequest) -> CorpusSpec:
    found: CorpusSpec = CORPORA.load(request.param)
    assert found.name == request.param
    return found


def test_all_of_the_field_are_there() -> None:
    expected = {
        "mini", "ncbi_disease", "bc5cdr", "nlm_chem", "bioid", "linnaeus", "s800", "gnormplus", "nlm_gene", "snp",
        "osiris", "tmvar3", "medmentions_full", "medmentions_st21pv", "wiki_fair", "news_fair", "wiki_fair_no_coref",
        "news_fair_no_coref", "kore50", "msnbc", "msnbc_updated", "aida_conll_dev", "aida_conll_test",
        "oke_2015_train", "oke_2015_eval", "oke_2016_train", "oke_2016_eval",
    }  # fmt: skip
    assert expected <= set(NAMES)


def test_name_is_a_plain_word(corpus: CorpusSpec) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", corpus.name)


def test_metadata_is_complete(corpus: CorpusSpec) -> None:
    for text in (corpus.title, corpus.licence, corpus.citation, corpus.notes, corpus.kb):
        assert text == text.strip() != ""
        assert "  " not in text
    assert re.search(r"\b(19|20)\d\d\b", corpus.citation), "a citation has a year"
    assert corpus.packaged or urlsplit(corpus.homepage).scheme == "https"
    assert corpus.version >= 1


def test_types_are_ours(corpus: CorpusSpec) -> None:
    assert corpus.types
    assert all(re.fullmatch(r"[a-z][a-z_]*", type_) for type_ in corpus.types)
    assert set((corpus.source_types or {}).values()) <= set(corpus.types)
    assert "" in corpus.rules


def test_needed_files_are_named(corpus: CorpusSpec) -> None:
    assert corpus.files
    for need in (*corpus.files, *corpus.optional):
        assert all(glob.strip() for glob in need.split("|")), need
    assert corpus.missing([]) == list(corpus.files)
    assert corpus.used([]) == []


def test_it_can_be_obtained(corpus: CorpusSpec) -> None:
    assert corpus.sources or corpus.packaged or corpus.how_to_obtain
    names = [source.file for source in corpus.sources]
    assert len(names) == len(set(names))
    for source in corpus.sources:
        assert urlsplit(source.url).scheme == "https"
        assert "/" not in source.file
        assert re.fullmatch(r"([0-9a-f]{64})?", source.sha256)
        assert source.size >= 0


def test_expected_counts_are_well_formed(corpus: CorpusSpec) -> None:
    assert set(corpus.expected) <= set(SPLIT_ORDER)
    for counts in corpus.expected.values():
        assert counts
        assert set(counts) <= {"documents", "annotations", "labels", *corpus.types}
        assert all(isinstance(n, int) and n > 0 for n in counts.values())
        by_type = [counts[type_] for type_ in corpus.types if type_ in counts]
        assert len(by_type) < len(corpus.types) or sum(by_type) == counts["annotations"]


def test_a_reading_has_the_rules_of_the_corpus(corpus: CorpusSpec) -> None:
    problems = Problems()
    reading = corpus.reading(problems)
    assert reading.problems is problems
    assert (reading.rules, reading.types, reading.fixes) == (corpus.rules, corpus.source_types, corpus.fixes)
    assert (reading.units, reading.merge, reading.span_is_right) == (corpus.units, corpus.merge, corpus.span_is_right)


def test_fixes_say_why_and_change_something(corpus: CorpusSpec) -> None:
    assert len({(fix.document, fix.span, fix.text) for fix in corpus.fixes}) == len(corpus.fixes)
    for fix in corpus.fixes:
        assert fix.why
        assert fix.new_spans != (fix.span,)
        assert fix.new_text != fix.text


@pytest.mark.parametrize("spelling", ["wiki-fair-no-coref", "wiki_fair_no_coref", "Wiki-Fair_no-Coref"])
def test_hyphens_underscores_and_capitals_do_not_matter(spelling: str) -> None:
    assert spec_of(spelling) is CORPORA.load("wiki_fair_no_coref")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ncbi-diseases", "unknown corpus 'ncbi-diseases'; did you mean 'ncbi_disease'?"),
        ("tmvar", "unknown corpus 'tmvar'; did you mean 'tmvar3'?"),
    ],
)
def test_an_unknown_name_is_answered_with_near_ones(name: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        spec_of(name)
    assert str(error.value) == message
