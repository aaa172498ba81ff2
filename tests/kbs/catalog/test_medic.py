"""MEDIC as a dictionary: its grammar, merged ids, and that it covers the corpus made with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.corpora import spec_of
from linkassay.files import expand_paths
from linkassay.kbs.catalog.medic import read_dictionary, read_parents
from linkassay.kbs.schema import KbReader
from linkassay.problems import Problems
from tests.helpers import raw
from tests.kb_helpers import Read, fuzzing, message, sample, survives


def test_dictionary() -> None:
    found = Read(read_dictionary, sample("medic/medic.txt"))
    assert list(found.entities) == ["mesh:C567755", "omim:270400", "mesh:D003110", "mesh:C", "mesh:D012878"]
    syndrome = found.entities["omim:270400"]
    assert syndrome.names == (
        ("Smith-Lemli-Opitz Syndrome", "name"),
        ("SLOS", "synonym"),
        ('RSH "Syndrome"', "synonym"),
    )
    assert syndrome.xrefs == ("mesh:D019082", "mesh:C580047")
    assert found.entities["mesh:D012878"].names == (("Skin Neoplasms", "name"), ("Cancer of Skin", "synonym"))
    assert {e.type for e in found.rows} == {"disease"}


def test_alternative_ids_are_history_unless_they_are_concepts() -> None:
    assert Read(read_dictionary, sample("medic/medic.txt")).history == [
        ("omim:613097", "mesh:C567755"), ("mesh:D019082", "omim:270400"), ("mesh:C580047", "omim:270400"),
    ]  # fmt: skip


def test_parents() -> None:
    found = Read(read_parents, sample("medic/CTD_diseases_parents.txt"))
    assert found.edges == [("mesh:D003110", "mesh:D015179", "is_a"), ("mesh:C567755", "mesh:D000013", "is_a")]
    assert not found.rows


@pytest.mark.parametrize(
    ("reader", "text", "expected"),
    [
        (read_dictionary, "D1|Pain\n", "x.txt:1: expected: id|alternative ids||name|synonyms"),
        (read_dictionary, "\nD1||\n", "x.txt:2: concept mesh:D1 has no name"),
        (read_dictionary, "D1|x y||Pain\n", "x.txt:1: 'x y' is neither a MeSH nor an OMIM id"),
        (read_dictionary, "||Pain\n", "x.txt:1: '' is neither a MeSH nor an OMIM id"),
        (read_parents, "D1 D2\n", "x.txt:1: expected: child, tab, parent"),
        (read_parents, "D1\tD2\nD1\t?\n", "x.txt:2: '?' is neither a MeSH nor an OMIM id"),
    ],
)
def test_broken(reader: KbReader, text: str, expected: str) -> None:
    assert message(reader, raw("x.txt", text)) == expected


@pytest.mark.parametrize(
    ("reader", "path"), [(read_dictionary, "medic/medic.txt"), (read_parents, "medic/CTD_diseases_parents.txt")]
)
@fuzzing
@given(data=st.data())
def test_bad_input_is_a_data_error(reader: KbReader, path: str, data: st.DataObject) -> None:
    survives(reader, path, data)


def test_the_real_dictionary_covers_the_ncbi_disease_corpus(shared: Path) -> None:
    [file] = expand_paths([shared / "kbs" / "medic" / "medic_06Jul2012.txt.gz"])
    found = Read(read_dictionary, file)
    assert len(found.rows) == len(found.entities) == 11_915
    assert len(found.history) == 3_027
    known = found.entities.keys() | {old for old, _ in found.history}
    corpus = spec_of("ncbi_disease")
    files = expand_paths([shared / "corpora" / "ncbi_disease"])
    documents = [d for split, d in corpus.read(corpus.used(files), corpus.reading(Problems())) if split == "test"]
    ids = [identifier for d in documents for m in d.mentions for identifier in m.ids]
    assert (sum(i in known for i in ids), len(ids)) == (979, 979)


def test_the_real_parents(shared: Path) -> None:
    [file] = expand_paths([shared / "kbs" / "medic" / "CTD_diseases_parents.txt.gz"])
    assert len(Read(read_parents, file).edges) == 20_112
