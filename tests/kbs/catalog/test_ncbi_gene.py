from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.catalog.ncbi_gene import SPEC, read_history, read_info
from linkassay.kbs.readers import delimited
from linkassay.kbs.schema import KbReader
from linkassay.kbs.stored_kb import Kb
from tests.conftest import ROOT
from tests.helpers import raw

SAMPLES = ROOT / "tests" / "samples" / "kbs" / "ncbi_gene"
HEADER = "#tax_id\tGeneID\tSymbol\tSynonyms\tdescription\tOther_designations\n"


def read(reader: KbReader, file: RawFile | Path, options: Mapping[str, Any] | None = None) -> dict[str, pa.Table]:
    found: dict[str, list[pa.Table]] = {}
    for batch in reader(expand_paths([file])[0] if isinstance(file, Path) else file, options or {}):
        assert isinstance(batch, dict)
        for name, table in batch.items():
            found.setdefault(name, []).append(table)
    return {name: pa.concat_tables(parts) for name, parts in found.items()}


def rows(table: pa.Table) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


def test_names_by_column_each_once_with_its_first_kind() -> None:
    names = rows(read(read_info, SAMPLES / "gene_info")["names"])
    assert names[:5] == [
        ("ncbigene:1", "A1BG", "symbol", True),
        ("ncbigene:1", "alpha-1-B glycoprotein", "full name", False),
        ("ncbigene:1", "A1B", "synonym", False),
        ("ncbigene:1", "ABG", "synonym", False),
        ("ncbigene:1", "alpha-1B-glycoprotein", "other designation", False),
    ]
    assert [n[1:3] for n in names if n[0] == "ncbigene:900002"] == [
        ("Xyz1", "symbol"),
        ("Xyz1a", "authority symbol"),
        ('"q"', "synonym"),
        ("5'-x", "synonym"),
        ("β-xyz", "synonym"),
        ("hypothetical protein Xyz1", "description"),
    ]


def test_taxon_is_the_foreign_id_and_gene_type_the_category() -> None:
    entities = rows(read(read_info, SAMPLES / "gene_info")["entities"])
    assert entities[1] == ("ncbigene:2", "gene", "protein-coding", "", "ncbitaxon:9606", False)
    assert entities[2] == ("ncbigene:900001", "gene", "tRNA", "", "ncbitaxon:9606", False)


def test_links_get_the_prefixes_of_ids() -> None:
    assert rows(read(read_info, SAMPLES / "gene_info")["xrefs"]) == [
        ("ncbigene:1", "omim:138670"),
        ("ncbigene:1", "hgnc:5"),
        ("ncbigene:1", "ensembl:ENSG00000121410"),
        ("ncbigene:900002", "mgi:87854"),
    ]


def test_placeholder_records_have_no_other_name() -> None:
    names = rows(read(read_info, SAMPLES / "gene_info")["names"])
    assert [n for n in names if n[0] == "ncbigene:900003"] == [("ncbigene:900003", "NEWENTRY", "symbol", True)]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, ["1", "2", "900001", "900002", "900003"]),
        ({"drop_types": "tRNA"}, ["1", "2", "900002", "900003"]),
        ({"drop_types": ("tRNA", "hypothetical")}, ["1", "2", "900003"]),
        ({"drop_types": "hypothetical, NEWENTRY"}, ["1", "2", "900001"]),
        ({"taxa": (10090,)}, ["900002", "900003"]),
        ({"taxa": "ncbitaxon:9606", "drop_types": ["protein-coding"]}, ["900001"]),
        ({"taxa": "7"}, []),
    ],
)
def test_options_leave_genes_out(options: dict[str, Any], left: list[str]) -> None:
    found = read(read_info, SAMPLES / "gene_info", options)
    assert found["entities"]["id"].to_pylist() == [f"ncbigene:{n}" for n in left]
    assert set(found["names"]["id"].to_pylist()) == set(found["entities"]["id"].to_pylist())


def test_history_of_replaced_and_discontinued_genes() -> None:
    file = SAMPLES / "gene_history"
    assert rows(read(read_history, file)["history"]) == [
        ("ncbigene:4197", "ncbigene:2122"),
        ("ncbigene:900009", ""),
        ("ncbigene:900008", "ncbigene:900002"),
    ]
    assert rows(read(read_history, file, {"taxa": "10090"})["history"]) == [("ncbigene:900008", "ncbigene:900002")]


def test_old_header_and_few_columns() -> None:
    header = "#Format: tax_id GeneID Symbol Synonyms (tab is used as a separator, pound sign - start of a comment)\n"
    found = read(read_info, raw("gene_info", header + "9606\t2\tA2M\tCPAMD5|FWP007\n"))
    assert found["names"]["name"].to_pylist() == ["A2M", "CPAMD5", "FWP007"]
    assert rows(found["entities"]) == [("ncbigene:2", "gene", "", "", "ncbitaxon:9606", False)]
    assert "xrefs" not in found


WORDS = st.sampled_from(["-", "a", "b", "A b", "c-1", "", " ", "NEWENTRY", "γ"])
LISTS = st.lists(WORDS, min_size=1, max_size=4).map("|".join)


@settings(max_examples=150, deadline=None)
@given(genes=st.lists(st.tuples(WORDS, LISTS, WORDS, LISTS), max_size=12))
def test_names_as_a_plain_loop_finds_them(genes: list[tuple[str, str, str, str]]) -> None:
    expected = []
    for number, (symbol, synonyms, description, others) in enumerate(genes):
        listed = [(symbol, "symbol"), *((s, "synonym") for s in synonyms.split("|")), (description, "description"),
                  *((o, "other designation") for o in others.split("|"))]  # fmt: skip
        kinds: dict[str, str] = {}
        for name, kind in listed[:1] if symbol == "NEWENTRY" else listed:
            if name.strip() not in ("", "-"):
                kinds.setdefault(name, kind)
        expected += [(f"ncbigene:{number}", n, k, k == "symbol") for n, k in kinds.items()]
    lines = "".join(f"9606\t{n}\t" + "\t".join(gene) + "\n" for n, gene in enumerate(genes))
    with mock.patch.object(delimited, "BLOCK", 150):
        found = read(read_info, raw("gene_info", HEADER + lines))
    assert rows(found["names"]) == expected if genes else not found


NEEDED = "tax_id, GeneID, Symbol among them: '#tax_id', tab, 'GeneID', …"


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (read_info, "", f"g:1: the first line must name the columns, {NEEDED}"),
        (read_info, "9606\t2\tA2M\n", f"g:1: the first line must name the columns, {NEEDED}"),
        (read_info, "#tax_id\tGeneID\n9606\t2\n", f"g:1: the first line must name the columns, {NEEDED}"),
        (read_info, "#tax_id\tGeneID\tSymbol\tSymbol\n", f"g:1: the first line must name the columns, {NEEDED}"),
        (read_info, HEADER + "9606\t2\tA2M\n",
         "g:2: expected tax_id, GeneID, Symbol, Synonyms, description, Other_designations with a tab between them, "
         "found '9606\\t2\\tA2M'"),
        (read_info, HEADER + "9606\t2\tA2M\t-\t-\t-\n\n9606\t2x\tA2M\t-\t-\t-\n",
         "g:4: GeneID is '2x', expected a whole number"),
        (read_history, "#tax_id\tGeneID\tDiscontinued_GeneID\n9606\t\t4197\n",
         "g:2: GeneID is '', expected a whole number or -"),
    ],
)  # fmt: skip
def test_broken_files(reader: KbReader, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        list(reader(raw("g", text), {}))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("species", "taxon", "genes"),
    [("Homo_sapiens", 9606, 63_354), ("Mus_musculus", 10090, 73_137), ("Danio_rerio", 7955, 43_752),
     ("Drosophila_melanogaster", 7227, 25_098)],
)  # fmt: skip
def test_real_genes(shared: Path, species: str, taxon: int, genes: int) -> None:
    found = read(read_info, shared / "kbs" / "ncbi_gene" / f"{species}.gene_info.gz")
    entities, names = found["entities"], found["names"]
    assert len(entities) == genes == pc.sum(names["primary"]).as_py()
    assert entities["foreign_id"][0].as_py() == f"ncbitaxon:{taxon}"  # further on there are some of subspecies
    assert len(names.group_by(["id", "name"]).aggregate([])) == len(names)
    if taxon == 9606:
        second = names.filter(pc.equal(names["id"], "ncbigene:2"))
        assert second.filter(second["primary"])["name"].to_pylist() == ["A2M"]
        assert rows(entities.filter(pc.equal(entities["id"], "ncbigene:2"))) == [
            ("ncbigene:2", "gene", "protein-coding", "", "ncbitaxon:9606", False)
        ]


def test_species_is_appended_to_names_of_several_genes_if_so_wished(home: Path) -> None:
    """KB-13, NCBI Gene: an option, off by default; a name that one gene has twice is unique."""
    lines = ("9606\t1\tCO1\tX|y\tsame\t-", "10090\t2\tCO1\tz\t-\t-", "9606\t3\tQ-1\tZ\tsame\t-")
    file = raw("gene_info", HEADER + "".join(line + "\n" for line in lines))
    spec = replace(SPEC, packaged=lambda: [file])
    plain, told = build_kb(spec), build_kb(spec, options={"append_species": True})
    names = Kb(told.path).sql('select id, name, "primary" from names order by id, name')
    assert names == [
        ("ncbigene:1", "CO1 (ncbitaxon:9606)", True),
        ("ncbigene:1", "X", False),
        ("ncbigene:1", "same (ncbitaxon:9606)", False),
        ("ncbigene:1", "y", False),
        ("ncbigene:2", "CO1 (ncbitaxon:10090)", True),
        ("ncbigene:2", "z", False),
        ("ncbigene:3", "Q-1", True),
        ("ncbigene:3", "Z", False),
        ("ncbigene:3", "same (ncbitaxon:9606)", False),
    ]
    assert Kb(told.path).lookup("co1 ncbitaxon 9606", normalised=True) == ["ncbigene:1"]
    assert Kb(plain.path).lookup("CO1") == ["ncbigene:1", "ncbigene:2"]
    assert told.manifest["counts"] == plain.manifest["counts"]
    assert told.revision != plain.revision
