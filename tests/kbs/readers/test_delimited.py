from __future__ import annotations

import gzip
import itertools
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.kbs.readers import delimited
from linkassay.kbs.readers.delimited import WHOLE_NUMBER, WHOLE_NUMBER_OR_DASH, read, rows, together
from tests.helpers import raw

FIELD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n\ufeff"), max_size=6)


def lists(batches: Iterator[pa.RecordBatch]) -> list[tuple[str, ...]]:
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


@settings(max_examples=150, deadline=None)
@given(
    table=st.lists(st.tuples(st.integers(0, 99).map(str), FIELD, FIELD), max_size=30),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_reads_what_splitting_at_tabs_would(table: list[tuple[str, ...]], newline: str) -> None:
    text = "".join("\t".join(row) + newline for row in table)
    with mock.patch.object(delimited, "BLOCK", 150):
        found = lists(read(raw("a.tsv", text), ("a", "b", "c"), ("a", "c"), forms={"a": WHOLE_NUMBER}))
    assert found == [(a, c) for a, _, c in table]


def test_passes_over_empty_lines_header_mark_and_further_columns() -> None:
    file = raw("a.tsv", "\ufeffx\ty\n\n1\tone\ta\n\n2\ttwo\tmore")
    assert lists(read(file, ("a", "b"), ("b", "a"), header=True)) == [("one", "1"), ("two", "2")]
    assert lists(read(raw("a.tsv", "\n"), ("a",), ("a",))) == []
    assert lists(read(raw("a.tsv", ""), ("a",), ("a",))) == []


def test_quotes_are_text() -> None:
    assert lists(read(raw("a.tsv", '"1\t2"\n\'\\\t""\n'), ("a", "b"), ("a", "b"))) == [('"1', '2"'), ("'\\", '""')]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x\n", "a.tsv:1: expected a, b with a tab between them, found 'x'"),
        (b"1\tx\n\n2\n", "a.tsv:3: 1 columns where other lines have 2: '2'"),
        (b"1\tx\n2\ty\tz\n", "a.tsv:2: 3 columns where other lines have 2: '2\\ty\\tz'"),
        (b"1\tx\nb\ty\n", "a.tsv:2: a is 'b', expected a whole number"),
        (b"1\tx\n\ty\n", "a.tsv:2: a is '', expected a whole number"),
        ("1\tx\n٣\ty\n".encode(), "a.tsv:2: a is '٣', expected a whole number"),
        (b"1\tx\n2\t\xe9\n", "a.tsv:2: not utf-8 text (byte 0xe9); re-encode it, or try --encoding latin-1"),
        (b"1\t" + b"x" * 200 + b"\n", "a.tsv: cannot be read as a table (straddling object straddles two block "
                                      "boundaries (try to increase block size?))"),
    ],
)  # fmt: skip
def test_broken_files(data: bytes, message: str) -> None:
    with mock.patch.object(delimited, "BLOCK", 100), pytest.raises(DataError) as caught:
        list(read(raw("a.tsv", data), ("a", "b"), ("a", "b"), forms={"a": WHOLE_NUMBER}))
    assert str(caught.value) == message


def test_error_in_a_later_block_has_its_line() -> None:
    text = "".join(f"{n}\tx\n" for n in range(100)) + "-\tx\nz\tx\n"
    with mock.patch.object(delimited, "BLOCK", 100), pytest.raises(DataError) as caught:
        list(read(raw("a.tsv", text), ("a", "b"), ("a",), forms={"a": WHOLE_NUMBER_OR_DASH}))
    assert str(caught.value) == "a.tsv:102: a is 'z', expected a whole number or -"


def test_truncated_archive(tmp_path: Path) -> None:
    data = gzip.compress("".join(f"{n}\t{n * n}\n" for n in range(10_000)).encode())
    (tmp_path / "a.tsv.gz").write_bytes(data[:-100])
    with pytest.raises(DataError, match=r"^a\.tsv: truncated or damaged file"):
        list(read(expand_paths([tmp_path / "a.tsv.gz"])[0], ("a", "b"), ("a", "b")))


@given(runs=st.lists(st.integers(0, 3), max_size=30), size=st.integers(1, 5))
def test_together_keeps_rows_and_runs(runs: list[int], size: int) -> None:
    table = pa.table({"run": pa.array(runs, pa.int64()), "at": list(range(len(runs)))})
    found = list(together(table.to_batches(max_chunksize=size), "run"))
    assert [v for batch in found for v in batch["at"].to_pylist()] == list(range(len(runs)))
    for one, next_ in itertools.pairwise(found):
        assert one["run"][-1] != next_["run"][0]


def test_rows_fill_in_what_is_not_given() -> None:
    assert rows("names", id=pa.array(["a:1"]), name="x", primary=True).to_pylist() == [
        {"id": "a:1", "name": "x", "kind": "", "primary": True}
    ]
