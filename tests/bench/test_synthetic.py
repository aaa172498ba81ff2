"""The made-up knowledge bases of the benchmarks are in the formats of the true ones."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from bench import synthetic
from linkassay.files import expand_paths
from linkassay.kbs.catalog.dbsnp import read_records
from linkassay.kbs.catalog.ncbi_taxonomy import read_merged, read_names, read_nodes
from linkassay.kbs.catalog.umls import read_concepts, read_relations, read_retired, read_types
from linkassay.kbs.schema import KbReader


def table(read: KbReader, path: Path, name: str) -> pa.Table:
    return pa.concat_tables(batch[name] for batch in read(expand_paths([path])[0], {}) if name in batch)  # type: ignore[operator, index]


def test_taxonomy(tmp_path: Path) -> None:
    synthetic.taxonomy(tmp_path / "a", names=3_000, merged=500)
    names = table(read_names, tmp_path / "a" / "names.dmp", "names")
    taxa = table(read_nodes, tmp_path / "a" / "nodes.dmp", "entities")
    parents = table(read_nodes, tmp_path / "a" / "nodes.dmp", "parents")
    history = table(read_merged, tmp_path / "a" / "merged.dmp", "history")
    assert (len(names), len(taxa), len(parents), len(history)) == (3_000, 2_000, 1_999, 500)
    primary = names.filter(names["primary"])
    assert primary["id"].to_pylist() == taxa["id"].to_pylist()
    assert set(names["id"].to_pylist()) <= set(taxa["id"].to_pylist())
    known = {*taxa["id"].to_pylist(), *history["old"].to_pylist()}
    assert len(known) == 2_500
    assert set(history["new"].to_pylist()) <= known
    assert len(set(names["name"].to_pylist())) > 2_900


def test_dbsnp(tmp_path: Path) -> None:
    synthetic.dbsnp(tmp_path / "a", records=200, files=2, processes=1)
    files = sorted((tmp_path / "a").iterdir())
    assert [f.name for f in files] == ["refsnp-chr1.json.bz2", "refsnp-chr2.json.bz2", "refsnp-merged.json.bz2"]
    entities = pa.concat_tables(table(read_records, file, "entities") for file in files[:2])
    names = pa.concat_tables(table(read_records, file, "names") for file in files[:2])
    assert len(set(entities["id"].to_pylist())) == 200
    assert len(names.filter(names["primary"])) == 200
    assert set(names["kind"].to_pylist()) == {"rs", "hgvs g", "hgvs c", "hgvs p"}
    merged = table(read_records, files[2], "history")
    assert len(merged) == 4
    assert set(merged["new"].to_pylist()) <= set(entities["id"].to_pylist())
    assert not set(merged["old"].to_pylist()) & set(entities["id"].to_pylist())


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for folder in "ab":
        synthetic.taxonomy(tmp_path / folder, names=1_000, merged=100, seed=3)
    synthetic.taxonomy(tmp_path / "c", names=1_000, merged=100, seed=4)
    one, two, three = ((tmp_path / folder / "names.dmp").read_bytes() for folder in "abc")
    assert one == two != three


def test_umls(tmp_path: Path) -> None:
    synthetic.umls(tmp_path / "a", concepts=2_000)
    names = table(read_concepts, tmp_path / "a" / "MRCONSO.RRF", "names")
    entities = table(read_concepts, tmp_path / "a" / "MRCONSO.RRF", "entities")
    parents = table(read_relations, tmp_path / "a" / "MRREL.RRF", "parents")
    history = table(read_retired, tmp_path / "a" / "MRCUI.RRF", "history")
    types = table(read_types, tmp_path / "a" / "MRSTY.RRF", "entities")
    assert (len(entities), len(types), len(parents), len(history)) == (2_000, 2_000, 1_999, 100)
    assert 3_900 < len(names) < 4_100
    assert sum(names["primary"].to_pylist()) == 2_000
    assert len(set(names["name"].to_pylist())) > 3_900
    known = {*entities["id"].to_pylist()}
    assert {*parents["child"].to_pylist(), *parents["parent"].to_pylist(), *types["id"].to_pylist()} <= known
    assert set(history["new"].to_pylist()) <= known | {""}
    assert not set(history["old"].to_pylist()) & known
