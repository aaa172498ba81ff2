"""Identifiers: every spelling becomes one CURIE, IRIs included (ID-1 to ID-4)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.ids import PREFIXES, IdRule, curie, from_iri, to_iri
from tests.strategies import ids, texts


@pytest.mark.parametrize(
    ("written", "prefix", "meant"),
    [
        ("MESH:D003924", "", "mesh:D003924"),
        ("MeSH:D003924", "", "mesh:D003924"),
        ("D003924", "mesh", "mesh:D003924"),
        ("d003924", "mesh", "mesh:D003924"),
        (" MESH : D003924 ", "", "mesh:D003924"),
        ("D003924", "", "D003924"),
        ("OMIM:215600", "mesh", "omim:215600"),
        ("MIM:215600", "", "omim:215600"),
        ("OMIMPS:1", "", "omim.ps:1"),
        ("CVCL_0481", "", "cellosaurus:0481"),
        ("cvcl:0481", "", "cellosaurus:0481"),
        ("cellosaurus:CVCL_0481", "", "cellosaurus:0481"),
        ("CVCL_b0t9", "mesh", "cellosaurus:B0T9"),
        ("rs756250449", "", "dbsnp:rs756250449"),
        ("RS#:756250449", "", "dbsnp:rs756250449"),
        ("dbSNP:rs756250449", "", "dbsnp:rs756250449"),
        ("rs:1", "", "dbsnp:rs1"),
        ("RS756250449", "", "dbsnp:rs756250449"),
        ("NCBI Gene:2", "", "ncbigene:2"),
        ("2", "ncbigene", "ncbigene:2"),
        ("NCBI:2", "", "ncbigene:2"),
        ("NCBI:txid9606", "", "ncbitaxon:9606"),
        ("ncbi : TXID9606 ", "mesh", "ncbitaxon:9606"),
        ("txid9606", "ncbitaxon", "ncbitaxon:9606"),
        ("txid9606", "ncbigene", "ncbitaxon:9606"),
        ("NCBITaxon:txid9606", "", "ncbitaxon:9606"),
        ("txid9606", "", "txid9606"),
        ("txidx", "ncbitaxon", "ncbitaxon:txidx"),
        ("Taxon:9606", "", "ncbitaxon:9606"),
        ("uniprot.taxonomy:9606", "", "ncbitaxon:9606"),
        ("UniProtKB:P38398", "", "uniprot:P38398"),
        ("UMLS CUI:C0007134", "", "umls:C0007134"),
        ("ICD10WHO:C50", "", "icd10:C50"),
        ("UMLS:c0007134", "", "umls:C0007134"),
        ("C0007134", "umls", "umls:C0007134"),
        ("q30", "wikidata", "wikidata:Q30"),
        ("HPO:0000118", "", "hp:0000118"),
        ("DOID:123", "", "doid:123"),
        ("mine:a:b", "mesh", "mine:a:b"),
        ("", "mesh", ""),
    ],
)
def test_spellings(written: str, prefix: str, meant: str) -> None:
    assert curie(written, prefix) == meant


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([*PREFIXES, "mine", "CVCL_", ""]), texts, st.sampled_from(["", "mesh", "own", "wikidata"]))
def test_a_canonical_id_stays_as_it_is(head: str, local: str, prefix: str) -> None:
    for token in (f"{head}:{local}", head + local):
        once = curie(token, prefix)
        assert curie(once, prefix) == once


@pytest.mark.parametrize(
    ("rule", "raw", "gold"),
    [
        (IdRule("mesh", composite="|+"), "D1|D2+OMIM:3", [{"mesh:D1", "mesh:D2", "omim:3"}]),
        (IdRule("mesh", composite="|", alternative=","), "D1|D2, D3,D3", [{"mesh:D1", "mesh:D2"}, {"mesh:D3"}]),
        (IdRule("mesh"), "-1", []),
        (IdRule("mesh"), " - ", []),
        (IdRule("mesh"), "", []),
        (IdRule("mesh"), "None", []),
        (IdRule("mesh"), "MESH:-1", []),
        (IdRule("mesh"), "MESH:", []),
        (IdRule("mesh", composite="|"), "MESH: -1 |omim:|D1|OMIM:null", [{"mesh:D1"}]),
        (IdRule("own"), "own:-", []),
        (IdRule("mesh"), "other:-1", [{"other:-1"}]),
        (IdRule("ncbitaxon", none=("0",)), "taxid:0", []),
        (IdRule("mesh", none=("NIL",)), "", []),
        (IdRule("mesh", composite="|"), "-1|D1", [{"mesh:D1"}]),
        (IdRule("mesh", composite="|"), "|", []),
        (IdRule("mesh", none=("0",)), "0", []),
        (IdRule("ncbigene", alternative=";", strip=r"\(Tax:\d+\)"), "2(Tax:9606);3", [{"ncbigene:2"}, {"ncbigene:3"}]),
        (
            IdRule("mesh", composite="]^-\\"),
            "D1]D2^D3-D4\\D5",
            [{"mesh:D1", "mesh:D2", "mesh:D3", "mesh:D4", "mesh:D5"}],
        ),
    ],
)
def test_rules(rule: IdRule, raw: str, gold: list[set[str]]) -> None:
    assert list(rule.gold(raw)) == gold


@pytest.mark.parametrize(
    ("iri", "meant"),
    [
        ("http://www.wikidata.org/entity/Q30", "wikidata:Q30"),
        ("https://wikidata.org/wiki/Q30", "wikidata:Q30"),
        ("http://dbpedia.org/resource/Berlin", "dbpedia:Berlin"),
        ("http://dbpedia.org/resource/Caf%C3%A9", "dbpedia:Café"),
        ("http://dbpedia.org/resource/AC/DC", "dbpedia:AC/DC"),
        ("http://de.dbpedia.org/resource/X", "http://de.dbpedia.org/resource/X"),
        ("http://purl.obolibrary.org/obo/DOID_123", "doid:123"),
        ("http://purl.obolibrary.org/obo/HP_0000118", "hp:0000118"),
        ("http://purl.obolibrary.org/obo/NCBITaxon_9606", "ncbitaxon:9606"),
        ("http://purl.obolibrary.org/obo/x.owl", "http://purl.obolibrary.org/obo/x.owl"),
        ("http://identifiers.org/mesh/D001", "mesh:D001"),
        ("https://identifiers.org/mesh:D001", "mesh:D001"),
        ("http://identifiers.org/doid/DOID:123", "doid:123"),
        ("http://identifiers.org/taxonomy/9606", "ncbitaxon:9606"),
        ("http://id.nlm.nih.gov/mesh/D001", "mesh:D001"),
        ("http://example.org/x", "http://example.org/x"),
        ("", ""),
    ],
)
def test_iris(iri: str, meant: str) -> None:
    assert from_iri(iri) == meant


@settings(max_examples=300, deadline=None)
@given(ids.map(curie) | texts)
def test_every_id_has_an_iri_that_leads_back(identifier: str) -> None:
    iri = to_iri(identifier)
    assert from_iri(iri) == identifier
    assert not set(iri) & set(' <>"{}|^`\\\n\t')
