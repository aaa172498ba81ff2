"""Sorted runs read back range by range: the same as one sort in memory, whatever the sizes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.engine import Engine
from linkassay.kbs.building import external_sort, merge
from linkassay.kbs.building import moves as following
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.catalog.ncbi_taxonomy import SPEC as TAXONOMY
from tests.helpers import raw
from tests.kbs.building.test_build import entity, spec, tree

WORDS = st.text("abé\0", max_size=3)
SCHEMA = pa.schema([("key", pa.string()), ("id", pa.string())])


def table(rows: list[tuple[str, str]]) -> pa.Table:
    return pa.Table.from_pylist([{"key": k, "id": i} for k, i in rows], SCHEMA)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(WORDS, WORDS), max_size=12), max_size=5), st.integers(1, 9), st.integers(1, 3))
def test_ranges_together_are_one_sort(
    tmp_path_factory: pytest.TempPathFactory, shards: list[list[tuple[str, str]]], size: int, workers: int
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(external_sort, "RANGE", size)
        patch.setattr(external_sort, "STEP", 1)
        patch.setattr(external_sort, "GROUP", 4)
        paths = []
        for number, rows in enumerate(shards):
            (folder / str(number)).mkdir()
            paths.append(folder / str(number))
            writers: dict[str, Any] = {}
            for half in (rows[::2], rows[1::2]):
                external_sort.append_sorted(writers, paths[-1], "x", external_sort.ordered(table(half), ("key", "id")))
            for writer in writers.values():
                writer.close()
        found = external_sort.SortedPieces(paths, "x", SCHEMA)
        between = external_sort.splitters([found])
        found.cut(between)
        out = external_sort.TableWriter(folder / "x.parquet", SCHEMA, ())
        for part in external_sort.in_order(
            lambda at: external_sort.ordered(found.rows(at), ("key", "id")), len(between) + 1, workers
        ):
            out.add(part)
        out.close()
    everything = [row for rows in shards for row in rows]
    expected = sorted(everything, key=lambda row: (row[0].encode(), row[1].encode()))
    assert [(r["key"], r["id"]) for r in pq.read_table(folder / "x.parquet").to_pylist()] == expected
    assert out.rows == len(expected)


def test_a_failing_range_ends_the_work() -> None:
    with pytest.raises(ZeroDivisionError):
        list(external_sort.in_order(lambda at: 1 // (at - 3), 9, 2))


def test_the_same_bytes_and_reports_from_many_small_ranges(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One range or a hundred, with every oddity: names, parents, circles and history that do not fit."""
    many = [
        entity(f"t:{i}", f"name {i}", f"Näme-{i % 7}", f"name {i}", parents=[[f"t:{i // 3}", "is_a"], ["t:9", "part"]])
        for i in range(1, 300)
    ]
    odd = [
        entity("t:77", "a second primary", category="x"),
        entity("t:501", "round", parents=[["t:502", "is_a"]]),
        entity("t:502", "and round", parents=[["t:501", "is_a"], ["t:404", "part"]], foreign="ncbitaxon:9606"),
    ]
    history = "".join(f"t:{1000 + i}\tt:{1001 + i}\n" for i in range(60)) + "t:3\tt:4\nt:900\t\nt:901\tt:902\n"
    made = spec([*many, *odd], history)
    whole = build_kb(made)
    assert set(whole.manifest["report"]) == {
        merge._PRIMARY, merge._ORPHANS, merge._STILL, "history to ids that are no entity",
        "is_a edges that close a circle (left out of the hierarchy)",
    }  # fmt: skip
    assert whole.manifest["report"][merge._ORPHANS] == {"count": 2, "examples": ["t:0", "t:404"]}
    columnar = replace(made, parts=tuple(replace(part, columnar=True) for part in made.parts))  # threads
    for number, (run, size, workers) in enumerate(((40, 30, 1), (1000, 5, 2), (3, 100, 2))):
        monkeypatch.setattr(merge, "RUN", run)
        monkeypatch.setattr(external_sort, "RANGE", size)
        monkeypatch.setattr(external_sort, "STEP", 2)
        monkeypatch.setenv("LINKASSAY_HOME", str(home.parent / f"home-{number}"))
        built = build_kb(columnar, engine=Engine(workers=workers))
        assert built.manifest["report"] == whole.manifest["report"]
        assert tree(built.path) == tree(whole.path)


def followed(moves: set[tuple[str, str]]) -> list[dict[str, str]]:
    """Where every old id ends, by walking: at ids that were not moved, or at the first id of a circle."""
    later: dict[str, set[str]] = {}
    for old, new in moves:
        if new and old != new:
            later.setdefault(old, set()).add(new)

    def reached(start: str, stops: frozenset[str]) -> set[str]:
        found: set[str] = set()
        waiting = [start]
        while waiting:
            for new in later.get(waiting.pop(), set()) - found:
                found.add(new)
                if new not in stops:
                    waiting.append(new)
        return found

    circles = frozenset(old for old in later if old in reached(old, frozenset()))
    ends = {old: {e for e in reached(old, circles) if e in circles or e not in later} for old in set(later) - circles}
    rows = {(old, end) for old, found in ends.items() for end in found}
    rows |= {(old, "") for old, new in moves if not new and old not in ends}
    return [{"old": old, "new": new} for old, new in sorted(rows)]


@settings(max_examples=30, deadline=None)
@given(
    st.sets(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["", *"abcdefghxy"])), max_size=14),
    st.sampled_from([0, 5, 100]),
)
def test_history_ends_where_walking_it_ends(
    tmp_path_factory: pytest.TempPathFactory, moves: set[tuple[str, str]], few: int
) -> None:
    folder = tmp_path_factory.mktemp("history")
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in (
            (merge, "GROUP", 3),
            (following, "FEW", few),
            (external_sort, "RANGE", 4),
            (external_sort, "STEP", 1),
            (merge, "RUN", 5),
        ):
            patch.setattr(module, name, value)
        (folder / "shard").mkdir()
        (folder / "kb").mkdir()
        staging = merge.Staging(folder / "shard")
        for old, new in sorted(moves):
            staging.add("history", pa.Table.from_pylist([{"old": old, "new": new}], merge.SCHEMAS["history"]))
        for name in ("a", "x"):
            row = {field.name: None for field in merge.SCHEMAS["names"]} | {"id": name, "name": name, "primary": True}
            row |= {"kind": "name", "key": name}
            staging.add("names", pa.Table.from_pylist([row], merge.SCHEMAS["names"]))
            row = {field.name: "" for field in merge.SCHEMAS["entities"]} | {"id": name, "obsolete": False}
            staging.add("entities", pa.Table.from_pylist([row], merge.SCHEMAS["entities"]))
        staging.close()
        _, report = merge.merge([folder / "shard"], folder / "kb", folder / "spill", 1)
    kept = {(old, new) for old, new in moves if old != "a"}  # an entity is current
    expected = followed(kept)
    assert pq.read_table(folder / "kb" / "current.parquet").to_pylist() == expected
    moved = {old for old, new in kept if new not in ("", old)}
    ends = {new for old, new in moves if new != old and new not in moved} | {row["new"] for row in expected}
    nowhere = ends - {"", "a", "x"}
    assert report.get(merge._NOWHERE, {"count": 0})["count"] == len(nowhere)


def test_taxa_without_a_name_and_names_without_a_taxon_are_reported(home: Path) -> None:
    names = raw("names.dmp", "1\t|\troot\t|\t\t|\tscientific name\t|\n7\t|\tstray\t|\t\t|\tsynonym\t|\n")
    nodes = raw("nodes.dmp", "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tgenus\t|\n3\t|\t2\t|\tspecies\t|\n")
    built = build_kb(replace(TAXONOMY, packaged=lambda: [names, nodes]))
    assert built.manifest["report"] == {
        merge._NAMELESS: {"count": 2, "examples": ["ncbitaxon:2", "ncbitaxon:3"]},
        merge._UNKNOWN: {"count": 1, "examples": ["ncbitaxon:7"]},
        merge._PRIMARY: {"count": 1, "examples": ["ncbitaxon:7"]},
        merge._ORPHANS: {"count": 1, "examples": ["ncbitaxon:2"]},
    }
    assert built.manifest["counts"]["entities"] == 1
