"""Corpora: one module each. `CORPORA` names them, `spec_of` looks one up in any usual spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import Registry

if TYPE_CHECKING:
    from linkassay.corpora.corpus_spec import CorpusSpec

__all__ = ["CORPORA", "canonical_name", "spec_of"]

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
