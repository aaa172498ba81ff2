"""A file that is no longer what was written shows, by what is cheap to look at, or by all of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linkassay import store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"id": [f"mesh:D{n:06}" for n in range(500)]}), tmp_path / "a.parquet", compression="zstd")
    return tmp_path


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("at", [40, -40])
def test_a_bit_shows(folder: Path, at: int) -> None:
    """Of the data, which a library may read without noticing, as of the footer."""
    records = store.file_records(folder)
    assert store.changed_files(folder, records) == []
    flip(folder / "a.parquet", at)
    assert store.changed_files(folder, records) == ["a.parquet"]


def test_large_files_are_read_whole_only_if_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["linkassay.store.file_records"], "_LARGE", 100)
    records = store.file_records(folder)
    flip(folder / "a.parquet", 40)
    assert store.changed_files(folder, records) == []
    assert store.changed_files(folder, records, whole=True) == ["a.parquet"]
    flip(folder / "a.parquet", -40)
    assert store.changed_files(folder, records) == ["a.parquet"]


def test_what_is_gone_is_changed(folder: Path) -> None:
    records = store.file_records(folder)
    (folder / "a.parquet").unlink()
    assert store.changed_files(folder, records) == ["a.parquet"]
