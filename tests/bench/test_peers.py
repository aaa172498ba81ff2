"""Peers read the files that we read, and find the same."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from bench import peers, synthetic


def test_databases_hold_the_same_names(tmp_path: Path) -> None:
    synthetic.taxonomy(tmp_path / "raw", names=3_000, merged=500)
    sqlite, sorted_ = tmp_path / "kb.sqlite", tmp_path / "sorted"
    assert peers.sqlite(str(tmp_path / "raw"), str(sqlite)) == 3_000
    assert peers.duckdb(str(tmp_path / "raw"), str(sorted_)) == 3_000
    import duckdb

    [first] = duckdb.sql(f"select * from '{sorted_}/names.parquet' limit 1").fetchall()
    assert first[0] == "1"
    assert "\t" not in "".join(first)
    ids = [row[0] for row in duckdb.sql(f"select c0 from '{sorted_}/history.parquet'").fetchall()]
    assert (len(ids), ids) == (500, sorted(ids))
    asked = tmp_path / "asked.json"
    asked.write_text(json.dumps([first[1], "no such name"]))
    assert peers.sqlite_lookup(str(sqlite), str(asked)) == 1


def test_fuzzy_search_finds_the_best_ratio(tmp_path: Path) -> None:
    names, asked = tmp_path / "names.json", tmp_path / "asked.json"
    names.write_text(json.dumps(["diabetes", "diabetic", "asthma"]))
    asked.write_text(json.dumps(["asthma", "diabete"]))
    assert peers.rapidfuzz(str(names), str(asked)) == pytest.approx([1.0, 14 / 15])


def test_distances_through_common_ancestors(tmp_path: Path) -> None:
    pytest.importorskip("rustworkx")
    draw = random.Random(3)
    child = np.arange(1, 40)
    parent = np.array([draw.randrange(c) for c in child])
    left, right = np.array([5, 39, 7]), np.array([5, 0, 31])
    np.savez(tmp_path / "edges.npz", size=40, child=child, parent=parent, left=left, right=right)

    def up(node: int) -> list[int]:
        return [node] if node == 0 else [node, *up(int(parent[node - 1]))]

    expected = sum(
        min(up(a).index(c) + up(b).index(c) for c in up(a) if c in up(b)) for a, b in zip(left, right, strict=True)
    )
    assert peers.rustworkx(str(tmp_path / "edges.npz"), "3")["total"] == expected
