"""Corpora: one module each in `catalog`. `CORPORA` names them, `spec_of` looks one up in any usual spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import Registry, front_door

if TYPE_CHECKING:
    from linkassay.corpora.corpus_spec import CorpusSpec, EveryType, Reader, unique_documents
    from linkassay.corpora.embedded import ensure_mini
    from linkassay.corpora.given_corpus import GivenCorpus
    from linkassay.corpora.id_spelling import id_file, id_rules, read_id_file, read_same_as, with_corpus_types
    from linkassay.corpora.kb_change_effect import effect_on_corpus
    from linkassay.corpora.obtain import GotCorpus, OwnCorpus, get_corpus, get_own_corpus, unexpected_counts
    from linkassay.corpora.preparation import Preparation, marked, sentence_documents
    from linkassay.corpora.published_splits import SPLIT_ORDER
    from linkassay.corpora.stats import corpus_statistics, count_abbreviations, unseen_mentions
    from linkassay.corpora.stored_corpus import Corpus, Split, corpus_names, document_ids, in_split_order

__all__ = [
    "CORPORA",
    "SPLIT_ORDER",
    "Corpus",
    "CorpusSpec",
    "EveryType",
    "GivenCorpus",
    "GotCorpus",
    "OwnCorpus",
    "Preparation",
    "Reader",
    "Split",
    "canonical_name",
    "corpus_names",
    "corpus_statistics",
    "count_abbreviations",
    "document_ids",
    "effect_on_corpus",
    "ensure_mini",
    "get_corpus",
    "get_own_corpus",
    "id_file",
    "id_rules",
    "in_split_order",
    "marked",
    "read_id_file",
    "read_same_as",
    "sentence_documents",
    "spec_of",
    "unexpected_counts",
    "unique_documents",
    "unseen_mentions",
    "with_corpus_types",
]

__getattr__, __dir__ = front_door(__name__)

_ELEVANT = (
    "wiki_fair", "news_fair", "wiki_fair_no_coref", "news_fair_no_coref", "kore50", "msnbc", "msnbc_updated",
    "aida_conll_dev", "aida_conll_test", "oke_2015_train", "oke_2015_eval", "oke_2016_train", "oke_2016_eval",
)  # fmt: skip

CORPORA = Registry(
    "corpus",
    {
        "mini": "linkassay.corpora.catalog.mini:SPEC",
        "ncbi_disease": "linkassay.corpora.catalog.ncbi_disease:SPEC",
        "bc5cdr": "linkassay.corpora.catalog.bc5cdr:SPEC",
        "nlm_chem": "linkassay.corpora.catalog.nlm_chem:SPEC",
        "bioid": "linkassay.corpora.catalog.bioid:SPEC",
        "linnaeus": "linkassay.corpora.catalog.linnaeus:SPEC",
        "s800": "linkassay.corpora.catalog.s800:SPEC",
        "gnormplus": "linkassay.corpora.catalog.gnormplus:SPEC",
        "nlm_gene": "linkassay.corpora.catalog.nlm_gene:SPEC",
        "snp": "linkassay.corpora.catalog.snp:SPEC",
        "osiris": "linkassay.corpora.catalog.osiris:SPEC",
        "tmvar3": "linkassay.corpora.catalog.tmvar3:SPEC",
        "medmentions_full": "linkassay.corpora.catalog.medmentions:FULL",
        "medmentions_st21pv": "linkassay.corpora.catalog.medmentions:ST21PV",
        **{name: f"linkassay.corpora.catalog.elevant:{name.upper()}" for name in _ELEVANT},
    },
)


def canonical_name(name: str) -> str:
    """The registered spelling of `name`, or `name` itself where none is known.

    >>> canonical_name("Wiki-Fair"), canonical_name("mine")
    ('wiki_fair', 'mine')
    """
    usual = name.lower()
    spellings = (name, usual.replace("-", "_"), usual.replace("_", "-"))
    return next((spelling for spelling in spellings if spelling in CORPORA), name)


def spec_of(name: str) -> CorpusSpec:
    """The corpus called `name`; hyphens and underscores, capitals and small letters are the same.

    >>> spec_of("Wiki-Fair").name
    'wiki_fair'
    >>> spec_of("ncbi_diseases")
    Traceback (most recent call last):
    linkassay.errors.UsageError: unknown corpus 'ncbi_diseases'; did you mean 'ncbi_disease'?
    """
    found: CorpusSpec = CORPORA.load(canonical_name(name))
    return found
