from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay import store
from linkassay.errors import LinkassayError, UsageError

NUMBERS = pa.schema([("n", pa.int64())])


def test_home_is_the_environments_else_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path))
    assert store.home() == tmp_path
    monkeypatch.delenv("LINKASSAY_HOME")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", "/x")
    assert store.home() == Path("/x/linkassay")


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.integers())))
def test_fingerprint_does_not_depend_on_key_order(value: dict[str, object]) -> None:
    assert store.fingerprint(value) == store.fingerprint(dict(reversed(value.items())))
    assert store.fingerprint(value) != store.fingerprint({**value, "one more key, longer than any": 0})


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "x"
    with pytest.raises(RuntimeError), store.new_folder(target) as temporary:
        (temporary / "a").write_text("half")
        raise RuntimeError("stop")
    assert list(tmp_path.iterdir()) == []
    with store.new_folder(target) as temporary:
        (temporary / "a").write_text("whole")
        assert not target.exists()
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
    assert (target / "a").read_text() == "whole"


def test_the_first_of_two_writers_wins(tmp_path: Path) -> None:
    target = tmp_path / "x"
    with store.new_folder(target) as first, store.new_folder(target) as second:
        (first / "a").write_text("first")
        (second / "a").write_text("second")
    assert (target / "a").read_text() == "second"  # the inner block ended first
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_leftovers_of_dead_processes_are_removed_and_of_living_ones_kept(tmp_path: Path) -> None:
    target = tmp_path / "x"
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    host = os.uname().nodename
    gone = tmp_path / f".x.{host}.{int(dead.stdout)}.00000000"
    alive = tmp_path / f".x.{host}.{os.getppid()}.00000000"
    gone.mkdir()
    alive.mkdir()
    with store.new_folder(target):
        pass
    assert not gone.exists()
    assert alive.exists()


def test_current_ignores_a_revision_that_is_not_whole(tmp_path: Path) -> None:
    assert store.current(tmp_path) is None
    store.set_current(tmp_path, "r1")
    assert store.current(tmp_path) is None
    (tmp_path / "r1").mkdir()
    (tmp_path / "r1" / "manifest.json").write_text("{}")
    assert store.current(tmp_path) == "r1"


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 101, "ä"])
def test_names_that_cannot_be_folders_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a corpus"):
        store.valid_name(name, "corpus")


def test_tables_are_the_same_bytes_each_time_and_in_bounded_groups(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with store.Table(tmp_path / name, NUMBERS, rows_per_group=10) as table:
            for n in range(25):
                table.add((n,))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with pq.ParquetFile(tmp_path / "a") as file:
        assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [10, 10, 5]


def test_connect_quotes_paths(tmp_path: Path) -> None:
    path = tmp_path / "it's.parquet"
    with store.Table(path, NUMBERS) as table:
        table.add((7,))
    assert store.connect({"t": [path]}).execute("select n from t").fetchall() == [(7,)]


def test_no_progress_bar_of_duckdb_gets_into_our_output() -> None:
    """Its own default is to show one after two seconds, on standard output, terminal or not."""
    asked = "select current_setting('enable_progress_bar')"
    assert store.connect().execute(asked).fetchall() == [(False,)]
    sources = sorted(Path(store.__file__).parent.rglob("*.py"))
    assert [path.name for path in sources if "duckdb.connect(" in path.read_text(encoding="utf-8")] == ["store.py"]


def test_damaged_json_says_which_file(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text('{"a"')
    with pytest.raises(LinkassayError, match=r"manifest\.json: cannot be read .*; remove its folder and get it again"):
        store.read_json(path)
    path.write_text(json.dumps({"a": 1}))
    assert store.read_json(path) == {"a": 1}
