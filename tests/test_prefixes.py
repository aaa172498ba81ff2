"""Spellings of prefixes: what was known stays what it was, and the module is made from Bioregistry's data."""

from __future__ import annotations

import json
import runpy
from importlib.metadata import distribution
from pathlib import Path

import pytest

from linkassay import prefixes
from linkassay.ids import PREFIXES, curie
from linkassay.prefixes import SPELLINGS
from tests.conftest import ROOT

TOOL = runpy.run_path(str(ROOT / "tools" / "prefixes.py"))


@pytest.mark.parametrize(
    ("prefix", "written"),
    [
        ("mesh", "mesh msh mesh_supplementary"), ("omim", "omim mim"), ("omim.ps", "omimps phenotypicseries omim.ps"),
        ("ncbigene", "ncbigene entrez entrezgene geneid ncbi_gene gene egid ncbi"), ("wikidata", "wikidata wd"),
        ("ncbitaxon", "ncbitaxon taxid taxon tax ncbi_taxonomy species ncbi_taxid"), ("cellosaurus", "cvcl"),
        ("dbsnp", "dbsnp rs rs#"), ("umls", "umls cui umls_cui"), ("hp", "hp hpo"), ("clinicaltrials", "nct"),
        ("orphanet", "orphanet orpha ordo"), ("pubchem.compound", "pubchem pubchem.compound"), ("ncit", "ncit nci"),
        ("snomedct", "snomedct snomedct_us snomed_ct sctid"), ("icd10", "icd10 icd-10"), ("icd10cm", "icd10cm"),
        ("icd9", "icd9 icd-9"), ("icd9cm", "icd9cm"), ("icdo", "icdo icd-o"), ("pubmed", "pmid pubmed"),
        *((each, each) for each in ("doid", "mondo", "chebi", "go", "cl", "decipher", "uberon", "uniprot", "hgnc")),
        *((each, each) for each in ("corum", "rfam", "bao", "cas", "efo", "clo", "bto", "mp", "gard", "omia")),
        ("unii", "unii"), ("meddra", "meddra"),
    ],
)  # fmt: skip
def test_spellings_that_ids_of_stored_data_have_been_read_with(prefix: str, written: str) -> None:
    for each in written.split():
        assert PREFIXES[each] == prefix


def test_every_prefix_is_a_spelling_of_itself() -> None:
    assert all(PREFIXES[prefix] == prefix for prefix in PREFIXES.values())
    assert all(spelling == spelling.lower().strip() and ":" not in spelling for spelling in PREFIXES)


def test_ours_are_those_that_bioregistry_does_not_have() -> None:
    assert not set(SPELLINGS) & (set(PREFIXES) - set(SPELLINGS))
    assert set(SPELLINGS.values()) == set(TOOL["KEPT"])
    assert set(PREFIXES.values()) == set(SPELLINGS.values())


def test_words_of_other_registries_stay_as_they_are() -> None:
    assert [curie(each) for each in ("log:1", "ONE:2", "Reaxys:3")] == ["log:1", "ONE:2", "Reaxys:3"]


def registry() -> dict[str, dict[str, object]]:
    """Entries in the form that Bioregistry's file has."""
    known: dict[str, dict[str, object]] = {TOOL["THEIRS"].get(prefix, prefix): {} for prefix in TOOL["KEPT"]}
    known["mesh"] = {"synonyms": ["MSH", "MeSH", "MSH2010_2010_02_22"], "pattern": "^(C|D)\\d+$"}
    known["ncbigene"] = {"preferred_prefix": "NCBIGene", "synonyms": ["EGID"]}
    known["orpha"] = {"synonyms": ["Orphanet"]}
    known["one"] = {"synonyms": ["uno"]}
    return known


def test_what_is_taken_of_a_registry() -> None:
    taken = TOOL["spellings"](registry())
    assert {each: taken[each] for each in ("mesh", "msh", "egid", "orphanet")} == {
        "mesh": "mesh", "msh": "mesh", "egid": "ncbigene", "orphanet": "orphanet"
    }  # fmt: skip
    assert len(taken) == len(TOOL["KEPT"]) + 2
    assert list(taken.values()) == sorted(taken.values())


def test_the_module_is_what_the_tool_writes() -> None:
    """From the data of the package that is installed, whose version the module names."""
    data = distribution("bioregistry").read_text("../bioregistry/data/bioregistry.json")
    kept = Path(prefixes.__file__).read_text(encoding="utf-8")
    assert TOOL["module"](json.loads(data or ""), distribution("bioregistry").version) == kept


def test_curies_reads_every_spelling_as_we_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held to the converter that the package `curies` makes of all that Bioregistry knows."""
    monkeypatch.setenv("PYSTOW_HOME", str(tmp_path))  # where its import would make folders
    import bioregistry

    converter = bioregistry.get_default_converter()
    theirs = {spelling: converter.standardize_prefix(spelling) for spelling in SPELLINGS}
    assert theirs == {spelling: TOOL["THEIRS"].get(prefix, prefix) for spelling, prefix in SPELLINGS.items()}
