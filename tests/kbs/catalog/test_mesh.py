"""MeSH: XML and tables, the hierarchy of tree numbers, and the counts of the real tables."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.corpora import spec_of
from linkassay.files import expand_paths
from linkassay.kbs.catalog.mesh import read_descriptors, read_parents, read_supplementary
from linkassay.kbs.schema import KbReader
from linkassay.problems import Problems
from tests.helpers import raw
from tests.kb_helpers import Read, fuzzing, message, sample, survives


def test_descriptors_of_xml() -> None:
    found = Read(read_descriptors, sample("mesh/desc2024.xml"))
    assert list(found.entities) == ["mesh:D009369", "mesh:D009371", "mesh:D001241"]
    neoplasms, by_site, aspirin = found.rows
    assert neoplasms.names == (
        ("Neoplasms", "heading"),
        ("Tumors", "entry term"),
        ("Malignancy", "narrower entry term"),
    )
    assert neoplasms.definition == "Growth of tissue that goes its own way."
    assert (neoplasms.type, neoplasms.category) == ("disease", "descriptor")
    assert by_site.names[1] == ("Site, Neoplasms by", "permuted entry term")
    assert (aspirin.type, aspirin.names[0][0]) == ("chemical", "Aspirin & co")
    assert aspirin.xrefs == ("unii:R16CO5Y76E", "cas:50-78-2")
    assert found.edges == [("mesh:D009371", "mesh:D009369", "is_a")]


def test_supplementary_of_xml() -> None:
    tooth, protocol = Read(read_supplementary, sample("mesh/supp2024.xml")).rows
    assert tooth.names == (("Tooth Agenesis, Selective, 6", "name"), ("STHAG6", "entry term"))
    assert (tooth.type, tooth.category, tooth.definition) == ("disease", "supplementary", "Some teeth never come.")
    assert tooth.parents == (("mesh:D000848", "mapped_to"), ("mesh:D009057", "mapped_to"))
    assert (protocol.type, protocol.names) == ("", (("ABC protocol", "name"),))


def test_descriptors_of_a_table() -> None:
    found = Read(read_descriptors, sample("mesh/mesh_id_label_mappings.tsv"))
    assert found.entities["mesh:D009369"].names == (
        ("Neoplasms", "heading"), ("Tumors", "entry term"), ("Cancer", "entry term"))  # fmt: skip
    virus = found.entities["mesh:D000011"]
    assert (virus.type, virus.xrefs, len(virus.names)) == ("species", ("ncbitaxon:11788",), 2)
    assert found.entities["mesh:D005260"].type == ""
    assert found.edges == [("mesh:D009371", "mesh:D009369", "is_a")]


def test_supplementary_of_a_table() -> None:
    found = Read(read_supplementary, sample("mesh/mesh_supp_id_label_mappings.tsv"))
    two = (("mesh:D000117", "mapped_to"), ("mesh:D001216", "mapped_to"))
    assert [e.parents for e in found.rows] == [(("mesh:D001561", "mapped_to"),), two, two, ()]
    assert found.rows[0].names == (("bevonium", "name"), ("Acabel", "entry term"))


def test_other_parents_only_if_asked_for() -> None:
    file = sample("mesh/mesh_parents.json")
    assert Read(read_parents, file).edges == []
    assert Read(read_parents, file, {"mesh_parents": True}).edges == [
        ("mesh:C000002", "mesh:D001561", "mesh_parents"), ("mesh:D009371", "mesh:D009369", "mesh_parents"),
        ("mesh:D009371", "mesh:D000002", "mesh_parents"),
    ]  # fmt: skip


RECORD = "<DescriptorRecordSet>\n<DescriptorRecord>{}</DescriptorRecord></DescriptorRecordSet>"


@pytest.mark.parametrize(
    ("reader", "name", "text", "expected"),
    [
        (read_descriptors, "x.xml", "<html/>",
         "x.xml:1: the root element is <html>, expected <DescriptorRecordSet>"),
        (read_descriptors, "x.xml", RECORD.format(""), "x.xml:2: <DescriptorUI> is no MeSH id: ''"),
        (read_descriptors, "x.xml", RECORD.format("<DescriptorUI>D1</DescriptorUI>"),
         "x.xml:2: <DescriptorRecord> without <DescriptorName>"),
        (read_descriptors, "x.xml", "<DescriptorRecordSet>",
         "x.xml:1: not well-formed XML (no element found)"),
        (read_supplementary, "x.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><SupplementalRecordSet/>",
         "x.xml:1: declares XML entities, which are never expanded"),
        (read_descriptors, "x.tsv", "D1\n", "x.tsv:1: expected: MeSH id, tab, name, …"),
        (read_supplementary, "x.tsv", "C1\ta\n1\tb\n", "x.tsv:2: expected: MeSH id, tab, name, …"),
        (read_parents, "x.json", "[]", "x.json: value: expected an object, found []"),
        (read_parents, "x.json", '{"a": "b"}', 'x.json: a: expected a list, found "b"'),
    ],
)  # fmt: skip
def test_broken(reader: KbReader, name: str, text: str, expected: str) -> None:
    assert message(reader, raw(name, text), {"mesh_parents": True}) == expected


@pytest.mark.parametrize(
    ("reader", "file"),
    [(read_descriptors, "desc2024.xml"), (read_descriptors, "mesh_id_label_mappings.tsv"),
     (read_supplementary, "supp2024.xml"), (read_supplementary, "mesh_supp_id_label_mappings.tsv"),
     (read_parents, "mesh_parents.json")],
)  # fmt: skip
@fuzzing
@given(data=st.data())
def test_bad_input_is_a_data_error(reader: KbReader, file: str, data: st.DataObject) -> None:
    survives(reader, f"mesh/{file}", data, {"mesh_parents": True})


@cache
def real(folder: Path) -> tuple[Read, Read]:
    descriptors, supplementary = expand_paths(
        [folder / f"mesh_{kind}id_label_mappings.tsv.gz" for kind in ("", "supp_")]
    )
    return Read(read_descriptors, descriptors), Read(read_supplementary, supplementary)


def test_the_real_tables(shared: Path) -> None:
    descriptors, supplementary = real(shared / "kbs" / "mesh")
    assert (len(descriptors.rows), len(supplementary.rows)) == (30_764, 323_304)
    assert sum(len(e.names) for found in (descriptors, supplementary) for e in found.rows) == 783_967
    assert sum(len(e.parents) for e in supplementary.rows) == 435_428


def test_real_tree_numbers_give_neoplasms_704_descendants(shared: Path) -> None:
    children = defaultdict(set)
    for child, parent, relation in real(shared / "kbs" / "mesh")[0].edges:
        assert relation == "is_a"
        children[parent].add(child)
    found: set[str] = set()
    waiting = ["mesh:D009369"]
    while waiting:
        new = children[waiting.pop()] - found
        found |= new
        waiting += new
    assert len(found) == 704


def test_the_real_tables_cover_most_diseases_of_bc5cdr(shared: Path) -> None:
    descriptors, supplementary = real(shared / "kbs" / "mesh")
    corpus = spec_of("bc5cdr")
    files = expand_paths([shared / "corpora" / "bc5cdr"])
    documents = [d for split, d in corpus.read(corpus.used(files), corpus.reading(Problems())) if split == "test"]
    ids = [i for d in documents for m in d.mentions if m.type == "disease" for i in m.ids]
    known = descriptors.entities.keys() | supplementary.entities.keys()
    assert (sum(i in known for i in ids), len(ids)) == (4_419, 4_430)
