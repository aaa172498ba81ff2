"""Parquet files of ours, and DuckDB over them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import linkassay
from linkassay import store
from linkassay.errors import LinkassayError

NUMBERS = pa.schema([("n", pa.int64())])


def test_tables_are_the_same_bytes_each_time_and_in_bounded_groups(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with store.Table(tmp_path / name, NUMBERS, rows_per_group=10) as table:
            for n in range(25):
                table.add((n,))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with pq.ParquetFile(tmp_path / "a") as file:
        assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [10, 10, 5]


def test_batches_are_appended_between_rows_as_if_they_were_rows(tmp_path: Path) -> None:
    with store.Table(tmp_path / "rows", NUMBERS, rows_per_group=10) as table:
        for n in range(47):
            table.add((n,))
    with store.Table(tmp_path / "both", NUMBERS, rows_per_group=10) as table:
        table.add((0,))
        table.append(pa.record_batch([list(range(1, 4))], schema=NUMBERS))
        for n in range(4, 12):
            table.add((n,))
        table.append(pa.record_batch([list(range(12, 47))], schema=NUMBERS))
        assert table.rows == 47
    assert (tmp_path / "both").read_bytes() == (tmp_path / "rows").read_bytes()


def test_connect_quotes_paths(tmp_path: Path) -> None:
    path = tmp_path / "it's.parquet"
    with store.Table(path, NUMBERS) as table:
        table.add((7,))
    assert store.connect({"t": [path]}).execute("select n from t").fetchall() == [(7,)]


def test_connections_of_one_database_know_nothing_of_each_other(tmp_path: Path) -> None:
    """Views of one name, tables and what is registered; a relation lives on without its connection."""
    for number in (1, 2):
        with store.Table(tmp_path / f"{number}.parquet", NUMBERS) as table:
            table.add((number,))
    first, second = (store.connect({"t": [tmp_path / f"{number}.parquet"]}) for number in (1, 2))
    first.execute("create temp table kept as select n from t")
    first.register("given", pa.table({"n": [3]}))
    found = store.connect({"t": [tmp_path / "2.parquet"]}).sql("select n from t")
    assert [each.execute("select n from t").fetchall() for each in (first, second)] == [[(1,)], [(2,)]]
    for name in ("kept", "given"):
        assert len(first.execute(f"select n from {name}").fetchall()) == 1
        with pytest.raises(duckdb.CatalogException):
            second.execute(f"select n from {name}")
    assert found.fetchall() == [(2,)]


def test_a_database_alone_has_settings_of_its_own() -> None:
    asked = "select current_setting('threads')"
    before = store.connect().execute(asked).fetchall()
    alone = [store.connect(alone=True), store.connect(config={})]
    for each in alone:
        each.execute("set threads = 7")
    assert [each.execute(asked).fetchall() for each in alone] == [[(7,)], [(7,)]]
    assert store.connect().execute(asked).fetchall() == before


def test_a_fork_has_a_database_of_its_own() -> None:
    """The threads of the other one have stayed behind; a question to it would wait for them for ever."""
    assert store.connect().execute("select 1").fetchall() == [(1,)]
    pid = os.fork()
    if pid == 0:
        found = store.connect().execute("select sum(range) from range(1_000_000)").fetchall()
        os._exit(found != [(499_999_500_000,)])
    assert os.waitpid(pid, 0)[1] == 0


def test_no_progress_bar_of_duckdb_gets_into_our_output() -> None:
    """Its own default is to show one after two seconds, on standard output, terminal or not."""
    asked = "select current_setting('enable_progress_bar')"
    assert store.connect().execute(asked).fetchall() == [(False,)]
    sources = sorted(Path(linkassay.__file__).parent.rglob("*.py"))
    assert [path.name for path in sources if "duckdb.connect(" in path.read_text(encoding="utf-8")] == ["parquet.py"]


def test_a_file_of_another_kind_is_named(tmp_path: Path) -> None:
    path = tmp_path / "predictions.parquet"
    pq.write_table(pa.table({"split": ["test"], "text": ["gout"]}), path)
    with pytest.raises(
        LinkassayError, match=r"predictions\.parquet is not what its name says: it has the columns split"
    ):
        store.require_columns(path, store.PREDICTIONS.names, "linkassay link …")


def test_which_file_is_damaged_is_found_out(tmp_path: Path) -> None:
    """DuckDB does not always say."""
    whole, damaged = tmp_path / "whole.parquet", tmp_path / "damaged.parquet"
    for path in (whole, damaged):
        pq.write_table(pa.table({"text": [str(n) for n in range(1000)]}), path, compression="zstd")
    data = bytearray(damaged.read_bytes())
    data[10:200] = b"\xff" * 190
    damaged.write_bytes(bytes(data))
    with pytest.raises(duckdb.Error):
        store.connect({"a": [whole], "b": [damaged]}).execute("select * from b").fetchall()
    found = store.unreadable_file()
    assert found == damaged


def test_rows_of_some_values_are_those_rows(tmp_path: Path) -> None:
    with store.Table(tmp_path / "a", NUMBERS, rows_per_group=10) as table:
        for n in range(25):
            table.add((n % 7,))
    parts = list(store.batches(tmp_path / "a", None, 4))
    assert [row["n"] for row in store.rows_of(parts, "n", pa.array([2, 5]))] == [2, 5, 2, 5, 2, 5, 2]
    assert list(store.rows_of(parts)) == list(store.rows(tmp_path / "a"))


LISTS = pa.schema([("groups", pa.list_(pa.list_(pa.string())))])
LEAF = "groups.list.element.list.element"


def test_texts_are_read_as_numbers_with_each_text_once(tmp_path: Path) -> None:
    """Of distinct ids of more than a megabyte, too, and of batches that end inside of a row group."""
    given = [[[f"mesh:D{(n * k) % 9_973:05d}{'x' * 200}"] for k in range(1, 4)] for n in range(9_000)]
    for name, limit in (("numbered", 1 << 24), ("written out", 1 << 20)):
        with store.Table(tmp_path / name, LISTS, rows_per_group=5_000, dictionary_bytes=limit) as table:
            for groups in given:
                table.add((groups,))
        batches = list(store.batches(tmp_path / name, ["groups"], 1_700, [LEAF]))
        assert [groups for batch in batches for groups in batch["groups"].to_pylist()] == given
        for batch in batches:
            known = batch["groups"].flatten().flatten().dictionary
            assert len(known.unique()) == len(known)
    pages = [pq.ParquetFile(tmp_path / name).metadata.row_group(0).column(0) for name in ("numbered", "written out")]
    assert pages[0].total_uncompressed_size < pages[1].total_uncompressed_size / 1.2  # ids stand there once


def test_texts_of_files_that_others_wrote_are_texts(tmp_path: Path) -> None:
    """Parquet lets a dictionary have a text twice; then two numbers would be one id."""
    path = tmp_path / "theirs.parquet"
    store.connect().execute(f"copy (select [['a', 'b'], ['a']] as groups) to '{path}' (format parquet)")
    (batch,) = store.batches(path, ["groups"], 10, [LEAF])
    assert batch.schema.field("groups").type.value_type.value_type == pa.string()
    assert batch["groups"].to_pylist() == [[["a", "b"], ["a"]]]


@pytest.mark.parametrize("kind", [bytes, bytearray, pa.py_buffer, lambda data: memoryview(data).cast("i")])
def test_a_new_file_is_written_a_little_at_a_time_and_whole(tmp_path: Path, kind: Callable[[bytes], object]) -> None:
    data = bytes(range(256)) * 4_096  # several pieces
    with store.NewFile(tmp_path / "new") as file:
        assert file.write(kind(data)) == len(data)
        assert file.write(kind(data[:4])) == 4
    assert (tmp_path / "new").read_bytes() == data + data[:4]


def test_the_same_bytes_as_arrow_writes_by_itself(tmp_path: Path) -> None:
    table = pa.table({"n": list(range(300_000))}, schema=NUMBERS)
    with store.ParquetWriter(tmp_path / "ours", NUMBERS) as writer:
        writer.write_table(table)
    with pq.ParquetWriter(tmp_path / "theirs", NUMBERS) as writer:
        writer.write_table(table)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
