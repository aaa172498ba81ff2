"""Cellosaurus: text, OBO and table say the same of a cell line; deleted accessions are history."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.files import expand_paths
from linkassay.kbs.catalog.cellosaurus import read, read_deleted
from linkassay.kbs.schema import Entity, KbReader
from tests.helpers import raw
from tests.kb_helpers import Read, fuzzing, message, sample, survives

HELA = "ID   HeLa\nAC   CVCL_0030\n"


def test_text() -> None:
    found = Read(read, sample("cellosaurus/cellosaurus.txt"))
    assert list(found.entities) == ["cellosaurus:0030", "cellosaurus:1906", "cellosaurus:0464"]
    hela, hep2, hybrid = found.rows
    assert hela.names == (
        ("HeLa", "name"), ("HELA", "synonym"), ("Hela", "synonym"), ("He La", "synonym"),
        ("Henrietta Lacks cells", "synonym"),
    )  # fmt: skip
    assert (hela.type, hela.category, hela.foreign_id) == ("cell_line", "Cancer cell line", "ncbitaxon:9606")
    assert hela.xrefs == ("ATCC:CCL-2", "bto:0000567", "efo:0001185", "mesh:D006367", "wikidata:Q847482")
    assert hep2.parents == (("cellosaurus:0030", "derived_from"),)
    assert found.history == [("cellosaurus:4482", "cellosaurus:0030"), ("cellosaurus:9X01", "cellosaurus:0030")]
    assert hybrid.foreign_id == "ncbitaxon:10090"
    assert hybrid.xrefs == ("ncbitaxon:10116",)
    assert hybrid.parents == (("cellosaurus:4628", "derived_from"), ("cellosaurus:0194", "derived_from"))
    assert found.foreign == {
        ("ncbitaxon:9606", "Homo sapiens (Human)"), ("ncbitaxon:10090", "Mus musculus (Mouse)"),
        ("ncbitaxon:10116", "Rattus norvegicus (Rat)"),
    }  # fmt: skip


def test_obo() -> None:
    found = Read(read, sample("cellosaurus/cellosaurus.obo"))
    hela, hep2 = found.rows
    assert hela.id == "cellosaurus:0030"
    assert hela.names == (("HeLa", "name"), ("HELA", "synonym"), ("He La", "synonym"))
    assert (hela.category, hela.foreign_id) == ("Cancer cell line", "ncbitaxon:9606")
    assert hela.xrefs == ("ATCC:CCL-2", "bto:0000567")
    assert hep2.parents == (("cellosaurus:0030", "derived_from"),)
    assert found.history == [("cellosaurus:4482", "cellosaurus:0030")]
    assert found.foreign == {("ncbitaxon:9606", "Homo sapiens (Human)")}


def test_table() -> None:
    hela, other = Read(read, sample("cellosaurus/cellosaurus_names.tsv")).rows
    assert hela.names == (("HELA", "name"), ("He La", "synonym"))
    assert (hela.category, hela.foreign_id) == ("Homo sapiens", "")
    assert (other.id, other.names) == ("cellosaurus:B375", (("#490", "name"),))


def test_deleted() -> None:
    found = Read(read_deleted, sample("cellosaurus/cellosaurus_deleted_ACs.txt"))
    assert found.history == [("cellosaurus:0048", ""), ("cellosaurus:0222", "")]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.txt", "Nothing\n", "x.txt: no entry ('ID   …') in it; is it cellosaurus.txt?"),
        ("x.txt", HELA, "x.txt: the entry of line 1 has no end ('//'); is the file whole?"),
        ("x.txt", HELA + HELA, "x.txt:3: the entry of line 1 has no end ('//')"),
        ("x.txt", "ID   HeLa\n//\n", "x.txt:1: cell line 'HeLa' needs one accession (AC), found 0"),
        ("x.txt", "ID   \nAC   CVCL_0030\n//\n", "x.txt:1: the cell line has no name"),
        ("x.txt", "ID   HeLa\nAC   HELA\n//\n", "x.txt:2: 'HELA' is no accession (CVCL_xxxx)"),
        ("x.txt", HELA + "HI   HeLa\n//\n", "x.txt:3: 'HeLa' is no accession (CVCL_xxxx)"),
        ("x.txt", HELA + "OX   9606\n//\n", "x.txt:3: OX: expected 'NCBI_TaxID=…; ! name', found '9606'"),
        ("x.txt", HELA + "what?\n//\n", "x.txt:3: expected a line code and three spaces, found 'what?'"),
        ("x.obo", "format-version: 1.2\n", "x.obo: no [Term] in it; is it cellosaurus.obo?"),
        ("x.obo", "[Term]\nid: CVCL_0030\n", "x.obo:1: a [Term] needs one id and a name"),
        ("x.obo", "[Term]\nid: HELA\nname: HeLa\n", "x.obo:1: 'HELA' is no accession (CVCL_xxxx)"),
        ("x.tsv", "HeLa\n", "x.tsv:1: expected: name, tab, accession, tab, species"),
        ("x.tsv", "HeLa\t30\n", "x.tsv:1: '30' is no accession (CVCL_xxxx)"),
    ],
)
def test_broken(name: str, text: str, expected: str) -> None:
    assert message(read, raw(name, text)) == expected


def test_a_broken_deleted_accession() -> None:
    assert message(read_deleted, raw("d.txt", "CVCL_1\n")) == "d.txt:1: 'CVCL_1' is no accession (CVCL_xxxx)"


@pytest.mark.parametrize(
    ("reader", "file"),
    [(read, "cellosaurus.txt"), (read, "cellosaurus.obo"), (read, "cellosaurus_names.tsv"),
     (read_deleted, "cellosaurus_deleted_ACs.txt")],
)  # fmt: skip
@fuzzing
@given(data=st.data())
def test_bad_input_is_a_data_error(reader: KbReader, file: str, data: st.DataObject) -> None:
    survives(reader, f"cellosaurus/{file}", data)


def test_the_real_table(shared: Path) -> None:
    [file] = expand_paths([shared / "kbs" / "cellosaurus" / "Cellosaurus_clulab_2021.tsv.gz"])
    found = Read(read, file)
    assert (sum(len(e.names) for e in found.rows), len(found.rows)) == (92_932, 64_234)
    assert found.entities["cellosaurus:0004"].names[0] == ("K 562", "name")


def test_a_relationship_without_a_word_is_none() -> None:
    """Found by mutation: the line held nothing after its colon."""
    text = "[Term]\nid: CVCL_0030\nname: HeLa\nrelationship:\n"
    [entity] = [e for e in read(raw("cellosaurus.obo", text), {}) if isinstance(e, Entity)]
    assert entity.parents == ()
