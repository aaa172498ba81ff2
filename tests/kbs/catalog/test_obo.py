"""Ontologies: OBO, obographs and lists of terms; what becomes a name, a parent, history."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from linkassay.files import expand_paths
from linkassay.formats.syntax.obo import quoted, stanzas
from linkassay.kbs.catalog.obo import CHEBI, CL, DOID, GO, HP, MONDO, read
from linkassay.kbs.schema import KbSpec
from tests.helpers import raw
from tests.kb_helpers import Read, fuzzing, message, sample, survives


def test_obo() -> None:
    found = Read(read, sample("obo/small.obo"), HP.options)
    assert list(found.entities) == ["hp:0000118", "hp:0000001", "hp:0000057"]
    term = found.entities["hp:0000118"]
    assert term.names == (
        ("Phenotypic abnormality", "label"), ("Organ abnormality", "exact"),
        ("Something's wrong", "exact layperson"), ("Oddity", "broad"), ("no scope", "related"),
    )  # fmt: skip
    assert term.definition == 'Anything "out of order": seen or felt.'
    assert (term.type, term.category, term.obsolete) == ("phenotype", "human_phenotype", False)
    assert term.parents == (("hp:0000001", "is_a"), ("hp:0000002", "part_of"))
    assert term.xrefs == ("umls:C4021819", "snomedct:64572001", "doid:4")


def test_braces_of_a_name_are_not_modifiers() -> None:
    found = Read(read, sample("obo/small.obo"), HP.options)
    assert found.entities["hp:0000001"].names == (("poly{All} of {it}", "label"),)


def test_obsolete_terms_and_merged_ids() -> None:
    found = Read(read, sample("obo/small.obo"), HP.options)
    assert found.history == [
        ("hp:0001008", "hp:0000118"), ("hp:0000057", "hp:0008665"), ("hp:0000058", "hp:0000001"),
    ]  # fmt: skip
    obsolete = found.entities["hp:0000057"]
    assert obsolete.obsolete
    assert obsolete.category == "other_space"
    assert "hp:0000058" not in found.entities  # without a name it is but a trace of a merge


def test_without_a_prefix_imports_stay_and_the_namespace_is_the_type() -> None:
    found = Read(read, sample("obo/small.obo"))
    assert found.entities["uberon:0000001"].names == (("imported", "label"),)
    assert found.entities["hp:0000118"].type == "human_phenotype"
    assert ("uberon:0000001", "related_to") in found.entities["hp:0000118"].parents


def test_chebi() -> None:
    found = Read(read, sample("obo/chebi.obo"), CHEBI.options)
    fluoride = found.entities["chebi:17051"]
    assert fluoride.names == (
        ("fluoride", "label"), ("F(-)", "related"), ("F", "related FORMULA"), ("Fluoride ion", "exact"))  # fmt: skip
    assert fluoride.xrefs == ("cas:16984-48-8", "kegg.compound:C00742", "gmelin:14905")
    assert found.entities["chebi:33429"].names == (("monoatomic monoanion", "label"),)


def test_structures_are_names_only_if_asked_for() -> None:
    found = Read(read, sample("obo/chebi.obo"), {**CHEBI.options, "structures": True})
    assert ("[F-]", "related SMILES") in found.entities["chebi:17051"].names


def test_obographs() -> None:
    found = Read(read, sample("obo/graphs.json"), HP.options)
    assert list(found.entities) == ["hp:0000118", "hp:0000001"]
    term = found.entities["hp:0000118"]
    assert term.names == (
        ("Phenotypic abnormality", "label"), ("Organ abnormality", "exact"), ("Oddity", "broad layperson"))  # fmt: skip
    assert term.parents == (("hp:0000001", "is_a"), ("hp:0000002", "part_of"))
    assert (term.definition, term.category, term.xrefs) == (
        "Anything out of order.", "human_phenotype", ("umls:C4021819",))  # fmt: skip
    assert found.history == [("hp:0001008", "hp:0000118")] * 2  # said by the term and by its trace


def test_list_of_terms() -> None:
    """A bare id in a relation other than is_a may be of any ontology and is left out."""
    found = Read(read, sample("obo/terms.json"), HP.options)
    term, obsolete = found.rows
    assert term.names == (("Phenotypic abnormality", "label"), ("Oddity", "synonym"))
    assert term.parents == (("hp:0000001", "is_a"), ("hp:0000002", "part_of"))
    assert term.xrefs == ("umls:C4021819", "doid:4")
    assert (obsolete.id, obsolete.obsolete) == ("hp:0000001", True)
    assert found.history == [("hp:0001008", "hp:0000118"), ("hp:0000001", "hp:0000118")]


TERM = "[Term]\nid: HP:1\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.obo", "", "x.obo: no [Term] in it; is it an OBO file?"),
        ("x.obo", "<html>\n", "x.obo:1: expected 'tag: value' or '[Stanza]', found '<html>'"),
        ("x.obo", "[Term]\nname: a\n", "x.obo:1: a [Term] needs one id, found 0"),
        ("x.obo", TERM + "id: HP:2\n", "x.obo:1: a [Term] needs one id, found 2"),
        ("x.obo", TERM + "def: none\n", "x.obo:3: expected a text in double quotes, found 'none'"),
        ("x.obo", TERM + 'synonym: "a EXACT []\n',
         "x.obo:3: expected a text in double quotes, found '\"a EXACT []'"),
        ("x.obo", TERM + "relationship: part_of ! whole\n",
         "x.obo:3: relationship: expected a relation and an id, found 'part_of ! whole'"),
        ("x.json", "{", "x.json:1: not valid JSON (Expecting property name enclosed in double quotes)"),
        ("x.json", "{}", "x.json: value: 'graphs' is missing, found {}"),
        ("x.json", "3", "x.json: value: expected a list, found 3"),
        ("x.json", '[{"name": "a"}]', 'x.json: [0]: \'id\' is missing, found {"name": "a"}'),
        ("x.json", '{"graphs": [{"nodes": [{"id": 3}]}]}',
         "x.json: graphs[0].nodes[0].id: expected a text, found 3"),
        ("x.json", '{"graphs": [{"edges": [{"sub": "a"}]}]}',
         'x.json: graphs[0].edges[0]: \'pred\' is missing, found {"sub": "a"}'),
    ],
)  # fmt: skip
def test_broken(name: str, text: str, expected: str) -> None:
    assert message(read, raw(name, text), HP.options) == expected


@pytest.mark.parametrize("file", ["small.obo", "chebi.obo", "graphs.json", "terms.json"])
@fuzzing
@given(data=st.data())
def test_bad_input_is_a_data_error(file: str, data: st.DataObject) -> None:
    survives(read, f"obo/{file}", data, {"prefix": ""})


@given(st.text(alphabet=st.characters(blacklist_characters="\r\n", blacklist_categories=["Cs"])))
@example('a\\"b" c')
def test_quoted_gives_back_what_was_escaped(text: str) -> None:
    written = text.replace("\\", "\\\\").replace('"', '\\"')
    assert quoted(f'"{written}" EXACT [a:1]', "x.obo", 1) == (text, "EXACT [a:1]")


def test_a_long_run_of_spaces_in_a_name_costs_no_more_than_its_length() -> None:
    name = "a" + " " * 300_000 + "b"
    [entity] = Read(read, raw("x.obo", f"[Term]\nid: HP:1\nname: {name}\n")).rows
    assert entity.names == ((name, "label"),)


def test_stanzas_keep_lines_and_order() -> None:
    header, term, typedef = stanzas(raw("x.obo", "ontology: x\n\n[Term] ! one\nid: X:1\nxref: a\nxref: b\n[Typedef]\n"))
    assert header.plain("ontology") == "x"
    assert (term.kind, term.line, term.all("xref")) == ("Term", 3, [(5, "a"), (6, "b")])
    assert (typedef.kind, typedef.tags) == ("Typedef", {})


@pytest.mark.parametrize(
    ("spec", "path", "terms", "names", "history"),
    [
        (DOID, "disease_ontologies/doid.json.gz", 11_454, 30_039, 1_446),
        (MONDO, "disease_ontologies/mondo.json.gz", 23_964, 118_737, 73),
        (HP, "disease_ontologies/hp.json.gz", 17_874, 38_538, 3_769),
        (CHEBI, "chebi_2013/chebi_2013-06_r105.obo.gz", 41_136, 186_019, 17_090),
    ],
)
def test_real_ontologies(shared: Path, spec: KbSpec, path: str, terms: int, names: int, history: int) -> None:
    [file] = expand_paths([shared / "kbs" / path])
    found = Read(read, file, spec.options)
    assert len(found.rows) == len(found.entities) == terms
    assert sum(len(e.names) for e in found.rows) == names
    assert len(found.history) == history
    assert {e.type for e in found.rows} == set(spec.types)
    assert all(e.id.startswith(f"{spec.prefix}:") and e.names for e in found.rows)


@pytest.mark.parametrize("spec", [HP, MONDO, DOID, CHEBI, GO, CL])
def test_specs(spec: KbSpec) -> None:
    assert spec.sources[0].url == f"http://purl.obolibrary.org/obo/{spec.name}.obo"
    assert spec.parts[0].files.split("|")[0] == f"{spec.name}.obo"
    assert spec.options["prefix"] == spec.prefix == spec.name
