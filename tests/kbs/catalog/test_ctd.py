"""CTD Diseases and Chemicals: columns by name, merged ids, what is wrong and where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.kbs.catalog.ctd import CTD_CHEMICALS, CTD_DISEASES, read_chemicals, read_diseases
from linkassay.kbs.schema import KbReader
from tests.helpers import raw
from tests.kb_helpers import Read, fuzzing, message, sample, survives

FIELDS = "# Fields:\n# DiseaseName\tDiseaseID\tAltDiseaseIDs\tSynonyms\n#\n"


def test_diseases() -> None:
    found = Read(read_diseases, sample("ctd/CTD_diseases.tsv"))
    assert list(found.entities) == ["mesh:D009369", "omim:270400", "mesh:C567076", "mesh:C000001"]
    neoplasms, syndrome, _, bare = found.entities.values()
    assert neoplasms.names == (("Neoplasms", "name"), ("Cancer", "synonym"), ("Tumors", "synonym"))
    assert neoplasms.type == "disease"
    assert neoplasms.definition == "Growth of tissue that goes its own way."
    assert neoplasms.xrefs == ("doid:14566",)
    assert neoplasms.parents == (("mesh:C", "is_a"),)
    assert syndrome.category == "Congenital abnormality|Metabolic disease"
    assert syndrome.xrefs == ("mesh:D019082", "doid:14692")
    assert bare.names == (("Leaf Without Tail Fields", "name"),)


def test_merged_ids_are_history_unless_they_live_on() -> None:
    found = Read(read_diseases, sample("ctd/CTD_diseases.tsv"))
    assert found.history == [("mesh:D019082", "omim:270400"), ("omim:202110", "mesh:C567076")]
    assert found.entities["mesh:C567076"].xrefs == ("omim:202110", "omim:270400")


def test_chemicals() -> None:
    found = Read(read_chemicals, sample("ctd/CTD_chemicals.tsv"))
    aspirin = found.entities["mesh:D001241"]
    assert aspirin.names == (
        ("Aspirin", "name"), ("Acetylsalicylic Acid", "MeSH synonym"),
        ("2-(Acetyloxy)benzoic Acid", "MeSH synonym"), ("ASA", "CTD synonym"),
    )  # fmt: skip
    assert aspirin.xrefs == (
        "cas:50-78-2", "pubchem.compound:2244", "comptox:DTXSID5020108", "inchikey:BSYNRYMUTXBXSQ-UHFFFAOYSA-N",
    )  # fmt: skip
    assert aspirin.type == "chemical"
    assert found.entities["mesh:C534883"].names == (("10074-G5", "name"),)


def test_chemicals_of_earlier_years_have_other_columns_and_bare_ids() -> None:
    text = "# Fields:\n# ChemicalName\tChemicalID\tCasRN\tParentIDs\tSynonyms\nBevonium\tC000002\t\tD001561\tAcabel\n"
    entity = Read(read_chemicals, raw("CTD_chemicals.tsv", text)).entities["mesh:C000002"]
    assert entity.names == (("Bevonium", "name"), ("Acabel", "synonym"))
    assert entity.parents == (("mesh:D001561", "is_a"),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "x.tsv: the comment '# Fields:' and the line that names the columns are missing"),
        ("Pain\tMESH:D1\n", "x.tsv:1: the comment '# Fields:' and the line that names the columns are missing"),
        ("# Fields:\n# Name\tDiseaseID\n", "x.tsv:2: no column 'DiseaseName' among: Name, DiseaseID"),
        (FIELDS + "Pain\tMESH:D1\t\t\t\tmore\n", "x.tsv:4: 6 fields, but 4 columns"),
        (FIELDS + "Pain\t \n", "x.tsv:4: DiseaseID is empty"),
        (FIELDS + "\tMESH:D1\n", "x.tsv:4: DiseaseName is empty"),
        (b"# Fields:\n\xff", "x.tsv:2: not utf-8 text (byte 0xff); re-encode it, or try --encoding latin-1"),
    ],
)
def test_broken(text: str | bytes, expected: str) -> None:
    assert message(read_diseases, raw("x.tsv", text)) == expected


@pytest.mark.parametrize(
    ("reader", "path"), [(read_diseases, "ctd/CTD_diseases.tsv"), (read_chemicals, "ctd/CTD_chemicals.tsv")]
)
@fuzzing
@given(data=st.data())
def test_bad_input_is_a_data_error(reader: KbReader, path: str, data: st.DataObject) -> None:
    survives(reader, path, data)


def test_specs_name_the_readers_of_their_files() -> None:
    assert [(p.files.split("|")[0], p.read) for s in (CTD_DISEASES, CTD_CHEMICALS) for p in s.parts[:1]] == [
        ("CTD_diseases.tsv", "linkassay.kbs.catalog.ctd:read_diseases"),
        ("CTD_chemicals.tsv", "linkassay.kbs.catalog.ctd:read_chemicals"),
    ]


def test_an_alternative_id_without_its_number_is_none() -> None:
    text = "# Fields:\n# DiseaseName\tDiseaseID\tAltDiseaseIDs\nGout\tMESH:D006073\tDO:|DO:DOID:13189\n"
    [entity] = read_diseases(raw("CTD_diseases.tsv", text), {})
    assert entity.xrefs == ("doid:13189",)  # type: ignore[union-attr]
