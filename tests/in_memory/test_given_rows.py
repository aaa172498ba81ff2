"""The same rows in every form give the same figures, and what is no table is said to be none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import linkassay
from linkassay.errors import DataError, LinkassayError, UsageError

GOLD: list[dict[str, Any]] = [
    {"mention": "a", "document": "1", "ids": [["x"], ["y", "z"]]},
    {"mention": "b", "document": "2", "ids": [["w"]]},
    {"mention": "c", "document": "2", "ids": []},
]
SAID: list[dict[str, Any]] = [
    {"mention": "a", "rank": 1, "id": "z", "score": 0.5},
    {"mention": "a", "rank": 1, "id": "u", "score": 0.5},
    {"mention": "b", "rank": 3, "id": "w", "score": 0.1},
]


class Stream:
    """Nothing but the Arrow interface."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._table = pa.Table.from_pylist(rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def parquet(rows: list[dict[str, Any]], folder: Path, name: str) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder / f"{name}.parquet"


def json_lines(rows: list[dict[str, Any]], folder: Path, name: str) -> str:
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(folder / f"{name}.jsonl")


def tsv(rows: list[dict[str, Any]], folder: Path, name: str) -> Path:
    flat = [row | ({"ids": ";".join("|".join(ids) for ids in row["ids"])} if "ids" in row else {}) for row in rows]
    lines = ["\t".join(map(str, line)) for line in (flat[0], *(row.values() for row in flat))]
    (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / f"{name}.tsv"


@pytest.mark.parametrize(
    "form", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist, Stream, iter, parquet, json_lines, tsv]
)
def test_every_form_gives_the_same(form: Any, tmp_path: Path) -> None:
    files = form in (parquet, json_lines, tsv)
    gold, said = (form(rows, tmp_path, name) if files else form(rows) for name, rows in (("g", GOLD), ("p", SAID)))
    assert linkassay.evaluate(gold, said).rows() == linkassay.evaluate(GOLD, SAID).rows()


def test_missing_cells_of_pandas_are_missing() -> None:
    gold = pd.DataFrame({"mention": [1, 2], "ids": ["x", None], "type": [None, "t"], "text": [float("nan"), "two"]})
    result = linkassay.evaluate(gold, pd.DataFrame({"mention": [1], "rank": [1], "id": ["x"]}), "recall@1")
    assert [(row["value"], row["n"]) for row in result.rows()] == [(1.0, 1)]


@pytest.mark.parametrize(
    ("gold", "said", "why"),
    [
        (5, SAID, "gold is a list of dictionaries.*not int"),
        ({"a": ["x"]}, SAID, "gold is a list of dictionaries.*not dict"),
        ([["a", "x"]], SAID, "gold, row 1: expected a dictionary, found list"),
        (GOLD, [("a", 1, "x")], "predictions, row 1: expected a dictionary, found tuple"),
        ("no-such-file.tsv", SAID, "no-such-file"),
        (__file__, SAID, "is none of .tsv, .csv, .jsonl, .parquet"),
        (pd.DataFrame([["a", "x", "y"]], columns=["mention", "ids", "ids"]), SAID, "columns that occur twice: ids"),
        ([], SAID, "gold: there is no row"),
        ([{"mention": "a", "id": ["x"]}], SAID, "gold, row 1: there is no column 'ids' .did you mean 'id'"),
        (GOLD, [{"mention": "a", "id": "x"}], "predictions, row 1: there is no column 'rank'"),
        (
            GOLD,
            [*SAID, {"mention": "a", "rnak": 1, "id": "x"}],
            "row 4: there is no column 'rank' .did you mean 'rnak'",
        ),
    ],
)
def test_what_is_no_table_is_refused(gold: Any, said: Any, why: str) -> None:
    with pytest.raises(LinkassayError, match=why):
        linkassay.evaluate(gold, said)


def test_files_that_are_damaged_are_named(tmp_path: Path) -> None:
    (tmp_path / "g.parquet").write_bytes(b"PAR1 no")
    (tmp_path / "g.jsonl").write_text('{"mention": "a", "ids": ["x"]}\n{', encoding="utf-8")
    (tmp_path / "g.csv").write_text("mention,ids\na\n", encoding="utf-8")
    (tmp_path / "h.csv").write_text("mention,ids,ids\n", encoding="utf-8")
    for name, why in (("g.parquet", "not a readable Parquet"), ("g.jsonl", "g.jsonl:2: not a JSON value"),
                      ("g.csv", "g.csv:2: 1 cells, expected 2"), ("h.csv", "columns that occur twice")):  # fmt: skip
        with pytest.raises(DataError, match=why):
            linkassay.evaluate(tmp_path / name, SAID)
    with pytest.raises(UsageError):
        linkassay.evaluate(tmp_path / "absent.csv", SAID)
