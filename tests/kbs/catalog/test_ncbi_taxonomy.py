from __future__ import annotations

from pathlib import Path
from unittest import mock

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.kbs.catalog.ncbi_taxonomy import read_deleted, read_merged, read_names, read_nodes
from linkassay.kbs.readers import delimited
from linkassay.kbs.schema import KbReader, batches
from tests.conftest import ROOT
from tests.helpers import raw

SAMPLES = ROOT / "tests" / "samples" / "kbs" / "ncbi_taxonomy"


def tables(read: KbReader, path: Path) -> dict[str, pa.Table]:
    found: dict[str, list[pa.Table]] = {}
    for batch in batches(read(expand_paths([path])[0], {})):
        for name, table in batch.items():
            found.setdefault(name, []).append(table)
    return {name: pa.concat_tables(parts) for name, parts in found.items()}


def rows(table: pa.Table) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


def test_names_are_verbatim_and_the_scientific_one_is_primary() -> None:
    found = tables(read_names, SAMPLES / "names.dmp")
    assert set(found) == {"names"}
    assert rows(found["names"])[:6] == [
        ("ncbitaxon:1", "all", "synonym", False),
        ("ncbitaxon:1", "root", "scientific name", True),
        ("ncbitaxon:2", "Bacteria", "scientific name", True),
        ("ncbitaxon:2", "eubacteria", "genbank common name", False),
        ("ncbitaxon:562", "Escherichia coli", "scientific name", True),
        ("ncbitaxon:562", '"Bacillus coli" Migula 1895', "authority", False),
    ]
    assert found["names"]["name"][-1].as_py() == "Mus  musculus 'Ω'"


def test_nodes_have_rank_and_parent_but_the_root_has_none() -> None:
    found = tables(read_nodes, SAMPLES / "nodes.dmp")
    assert rows(found["entities"])[:2] == [
        ("ncbitaxon:1", "species", "no rank", "", "", False),
        ("ncbitaxon:2", "species", "superkingdom", "", "", False),
    ]
    assert rows(found["parents"])[:2] == [
        ("ncbitaxon:2", "ncbitaxon:1", "is_a"),
        ("ncbitaxon:562", "ncbitaxon:2", "is_a"),
    ]
    assert len(found["parents"]) == len(found["entities"]) - 1


def test_nodes_of_the_new_dump_have_more_columns() -> None:
    text = "".join("\t|\t".join([n, "1", rank, *[""] * 15]) + "\t|\n" for n, rank in [("1", "no rank"), ("7", "genus")])
    [batch] = read_nodes(raw("nodes.dmp", text), {})
    assert isinstance(batch, dict)
    assert batch["entities"]["category"].to_pylist() == ["no rank", "genus"]


def test_history_of_merged_and_deleted_ids() -> None:
    merged, deleted = tables(read_merged, SAMPLES / "merged.dmp"), tables(read_deleted, SAMPLES / "delnodes.dmp")
    assert rows(merged["history"]) == [("ncbitaxon:12", "ncbitaxon:74109"), ("ncbitaxon:30", "ncbitaxon:562")]
    assert rows(deleted["history"]) == [("ncbitaxon:5", ""), ("ncbitaxon:23", "")]


def test_small_blocks_give_the_same_rows() -> None:
    whole = tables(read_names, SAMPLES / "names.dmp")["names"]
    with mock.patch.object(delimited, "BLOCK", 80):
        assert tables(read_names, SAMPLES / "names.dmp")["names"].to_pylist() == whole.to_pylist()


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_names, "1\t|\troot\t|\n",
         "x.dmp:1: expected tax_id, name_txt, unique name, name class with tab, bar and tab between them, "
         "found '1\\t|\\troot\\t|'"),
        (read_names, "1\tx\troot\tx\t\tx\tscientific name\tx\n",
         "x.dmp:1: expected tax_id, name_txt, unique name, name class with tab, bar and tab between them, "
         "found '1\\tx\\troot\\tx\\t\\tx\\tscientific name\\tx'"),
        (read_names, "1\t|\troot\t|\t\t|\tscientific name\t|\n2\t|\ta\tb\t|\t\t|\tsynonym\t|\n",
         "x.dmp:2: 9 columns where other lines have 8: '2\\t|\\ta\\tb\\t|\\t\\t|\\tsynonym\\t|'"),
        (read_names, "1\t|\troot\t|\t\t|\tscientific name\t|\n2\t|\t \u3000\t|\t\t|\tsynonym\t|\n",
         "x.dmp:2: name_txt is ' \\u3000', expected a text"),
        (read_nodes, "1\t|\t1\t|\tno rank\t|\nx\t|\t1\t|\tgenus\t|\n",
         "x.dmp:2: tax_id is 'x', expected a whole number"),
        (read_nodes, "1\t|\t\t|\tno rank\t|\n", "x.dmp:1: parent tax_id is '', expected a whole number"),
        (read_merged, "12\t|\t74109 \t|\n", "x.dmp:1: new_tax_id is '74109 ', expected a whole number"),
        (read_deleted, "5\t|\n7|\n", "x.dmp:2: 1 columns where other lines have 2: '7|'"),
    ],
)  # fmt: skip
def test_broken_files(read: KbReader, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        list(read(raw("x.dmp", text), {}))
    assert str(caught.value) == message


def test_real_dump(shared: Path) -> None:
    folder = shared / "kbs" / "ncbi_taxonomy_2013"
    names = tables(read_names, folder / "names.dmp.gz")["names"]
    nodes = tables(read_nodes, folder / "nodes.dmp.gz")
    history = tables(read_merged, folder / "merged.dmp.gz")["history"]
    assert (len(names), len(nodes["entities"]), len(history)) == (1_530_851, 1_038_022, 28_609)
    assert pc.sum(names["primary"]).as_py() == len(nodes["entities"]) == len(nodes["parents"]) + 1
    assert ("ncbitaxon:12", "ncbitaxon:74109") in rows(history.slice(0, 5))
    human = names.filter(pc.equal(names["id"], "ncbitaxon:9606"))
    assert human.filter(human["primary"])["name"].to_pylist() == ["Homo sapiens"]
