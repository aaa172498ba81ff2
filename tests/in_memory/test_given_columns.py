"""Tables read by columns are what their rows are, one by one: the same tables, notes and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkassay.errors import LinkassayError
from linkassay.in_memory import answer_columns, gold_table
from linkassay.in_memory.answer_table import read_answers
from linkassay.in_memory.given_columns import NotPlainError, given_columns
from linkassay.in_memory.gold_table import GivenGold, read_gold
from linkassay.store import tables_digest

Rows = list[dict[str, Any]]
NAN = float("nan")


@contextmanager
def by_row() -> Iterator[None]:
    """Nothing is plain."""

    def none(*_: object) -> None:
        raise NotPlainError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer_columns, "given_columns", none)
        patch.setattr(gold_table, "given_columns", none)
        yield


@contextmanager
def by_column() -> Iterator[None]:
    """Rows are not looked at."""

    def none(*_: object) -> None:
        raise AssertionError("by row")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("linkassay.in_memory.answer_table.given_rows", none)
        patch.setattr(gold_table, "given_rows", none)
        yield


def answers(data: Any, gold: GivenGold) -> Any:
    found = read_answers(data, gold, prefix="t")
    return found.table.to_pylist(), found.notes, tables_digest(found.table)


def mentions(data: Any, _: object) -> Any:
    found = read_gold(data, prefix="t")
    rows = [list(found.corpus.rows(name, "test")) for name in ("documents", "mentions")]
    return rows, found.corpus.revision, found.mentions, found.lacks


def outcome(read: Callable[[Any, Any], Any], data: Any, gold: object) -> Any:
    """What is read, or the error."""
    try:
        return read(data, gold)
    except LinkassayError as error:
        return type(error), str(error)


def encoded(table: pa.Table) -> pa.Table:
    """Its texts by number."""
    types = [pa.dictionary(pa.int8(), each.type) if each.type == pa.string() else each.type for each in table.schema]
    return table.cast(pa.schema(zip(table.column_names, types, strict=True)))


def written(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "rows.parquet")
    return folder / "rows.parquet"


def forms(rows: Rows, folder: Path) -> Iterator[Any]:
    """All tables that can hold these rows; those cut in pieces last."""
    arrow = pa.Table.from_pylist
    for made in (
        lambda: arrow(rows),
        lambda: written(arrow(rows), folder),
        lambda: arrow(rows).to_pandas(),
        lambda: pl.from_arrow(arrow(rows)),
        lambda: encoded(arrow(rows)),
        lambda: pd.DataFrame(rows),
        lambda: pd.DataFrame(rows).convert_dtypes(),
        lambda: arrow(rows).slice(len(rows) // 2),
        lambda: pa.concat_tables([arrow(rows), arrow(rows).slice(0, 1)]),
    ):
        with suppress(pa.ArrowException, UnicodeError, OverflowError, TypeError, ValueError):
            yield made()


ids = st.sampled_from(["x", "y", "MESH:D1", "mesh:D1", "msh:D1", "t:x", "-1", "é"])
odd_ids = st.one_of(ids, st.sampled_from(["", " ", None, 5, NAN, "\ud800"]))
names = st.sampled_from("abcduv")
odd_names = st.one_of(names, st.sampled_from(["", " ", None, 1.5, True, NAN, 1, 2]))
ranks = st.one_of(st.integers(-2, 3), st.sampled_from([0.0, -0.0, 1.5, 2**53]))
odd_ranks = st.one_of(ranks, st.sampled_from([None, NAN, float("inf"), True, "1", 2**53 + 1, 10**30]))
odd_scores = st.sampled_from([None, 0.5, 1, NAN, "1", True, np.float32(0.1)])


def ranked(name: Any, rank: Any, each: Any, score: Any) -> Any:
    """Rows of which some have scores; one of the columns may be missing, and another there."""
    row = st.fixed_dictionaries({"mention": name, "rank": rank, "id": each}, optional={"candidates": st.none()})
    scored = st.fixed_dictionaries({"mention": name, "rank": rank, "id": each, "score": score})
    return st.one_of(st.lists(row, max_size=8), st.lists(scored, max_size=8))


def grouped(name: Any, each: Any, score: Any) -> Any:
    groups = st.one_of(st.lists(st.lists(each, max_size=3), max_size=3), st.lists(each, max_size=3))
    more = {"scores": st.one_of(st.none(), st.lists(score, max_size=3)), "nil": st.sampled_from([None, True, False])}
    row = st.fixed_dictionaries({"mention": name, "candidates": groups}, optional=more)
    stored = st.fixed_dictionaries(
        {"mention": name, "groups": st.lists(st.lists(each, max_size=3), max_size=3), **more}
    )
    return st.one_of(st.lists(row, max_size=5), st.lists(stored, max_size=5))


def by_rank(rows: Rows) -> Rows:
    """With scores that fit the ranks."""
    return [row | {"score": -float(row["rank"])} if "score" in row else row for row in rows]


predictions = st.one_of(
    ranked(names, ranks, ids, st.just(1)).map(by_rank),
    ranked(st.integers(0, 3), st.integers(1, 3), ids, st.just(1)).map(by_rank),
    ranked(odd_names, odd_ranks, odd_ids, odd_scores),
    ranked(names, ranks, ids, odd_scores),
    ranked(odd_names, ranks, ids, st.just(1)).map(by_rank),
    ranked(names, ranks, odd_ids, st.just(1)).map(by_rank),
    ranked(names, odd_ranks, ids, st.just(1)),
    grouped(names, ids, st.sampled_from([0.5, 1])),
    grouped(odd_names, odd_ids, odd_scores),
    grouped(names, ids, odd_scores),
    grouped(names, odd_ids, st.just(1)),
)
gold_cells = st.one_of(st.lists(st.one_of(ids, odd_ids), max_size=3), st.lists(st.lists(ids, max_size=2), max_size=3),
                       st.lists(st.lists(odd_ids, max_size=2), max_size=2), odd_ids, st.just([None]))  # fmt: skip


@st.composite
def gold_rows(draw: Any) -> Rows:
    """Mostly sound: each mention once, cells of one kind."""
    name = draw(st.sampled_from([names, st.integers(0, 9), odd_names]))
    cell = draw(st.sampled_from([ids, st.lists(ids, max_size=1), st.lists(ids, max_size=3),
                                 st.lists(st.lists(ids, max_size=2), max_size=2), gold_cells]))  # fmt: skip
    told = st.sampled_from(draw(st.sampled_from([("d", "e", 5), ("d", "", None), (" ", ""), ("d", 1.5, NAN)])))
    row = st.fixed_dictionaries(
        {"mention": name, "ids": cell}, optional=dict.fromkeys(("document", "text", "type"), told)
    )
    unique = draw(st.sampled_from([repr, lambda row: repr(row["mention"])]))
    found: Rows = draw(st.lists(row, max_size=6, unique_by=unique))
    return found


@pytest.fixture(scope="module")
def some_gold() -> GivenGold:
    return read_gold([{"mention": name, "ids": "x", "type": "t"} for name in ("a", "b", "c", "1", "d")])


@pytest.mark.parametrize("kind", ["predictions", "gold"])
@given(data=st.data())
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_columns_are_read_as_rows(tmp_path: Path, some_gold: GivenGold, kind: str, data: st.DataObject) -> None:
    rows = data.draw(predictions if kind == "predictions" else gold_rows())
    read = answers if kind == "predictions" else mentions
    for table in forms(rows, tmp_path):
        found = outcome(read, table, some_gold)
        with by_row():
            assert outcome(read, table, some_gold) == found, table


GOLD: Rows = [
    {"mention": "b", "document": "1", "text": "two", "type": "t", "ids": ["MESH:D1", "x"]},
    {"mention": "a", "document": "1", "text": None, "type": "t", "ids": None},
    {"mention": "c", "document": "2", "text": "", "type": None, "ids": []},
]
RANKED: Rows = [
    {"mention": "b", "rank": 2, "id": "x", "score": 0.5},
    {"mention": "a", "rank": 1, "id": "msh:D1", "score": 1.0},
    {"mention": "b", "rank": 2, "id": "y", "score": 0.5},
    {"mention": "u", "rank": 1, "id": "y", "score": 0.5},
]
GROUPED: Rows = [
    {"mention": "b", "groups": [["x", "t:x"], [], ["MESH:D1"]], "scores": [2.0, 1.0, 0.5], "nil": False},
    {"mention": "a", "groups": [], "scores": [], "nil": True},
    {"mention": "u", "groups": [["x"]], "scores": [], "nil": None},
]


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        (GOLD, RANKED),
        (GOLD, GROUPED),
        ([row | {"ids": "x"} for row in GOLD], [row | {"rank": row["rank"] + 0.5} for row in RANKED]),
        ([row | {"ids": ["x"]} for row in GOLD], [{"mention": "a", "candidates": ["x", "y"]}]),
        ([row | {"ids": [["x", "y"], ["z"]]} for row in GOLD], RANKED[1:]),
    ],
)  # fmt: skip
def test_what_is_plain_is_read_by_columns(tmp_path: Path, gold: Rows, said: Rows) -> None:
    (tmp_path / "gold").mkdir()
    both = list(zip(forms(gold, tmp_path / "gold"), forms(said, tmp_path), strict=True))[:-2]
    assert len(both) == 7
    for one, other in both:
        with by_column():
            expected = mentions(one, None), answers(other, read_gold(one))
        with by_row():
            assert (mentions(one, None), answers(other, read_gold(one))) == expected


def test_numbers_are_mentions(tmp_path: Path) -> None:
    with by_column():
        gold = read_gold(pa.table({"mention": pa.array([3, 1], pa.uint8()), "ids": ["x", "y"]}))
        assert list(gold.mentions) == ["3", "1"]
        found = read_answers(pd.DataFrame({"mention": [1], "rank": [1], "id": ["x"]}), gold)
    assert found.table["mention"].to_pylist() == ["1"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([["a", 1]], columns=["mention", "mention"]),
        pd.DataFrame([["a", 1]], columns=pd.MultiIndex.from_tuples([("mention", "x"), ("rank", "y")])),
        pd.DataFrame({"mention": [{"a"}]}),
        pd.DataFrame({"mention": [["a", {"b"}]]}),
        pd.DataFrame({"mention": []}),
        pa.table({"mention": pa.array([], pa.string())}),
        [{"mention": "a"}],
        Path("no such file.parquet"),
        Path(__file__),
    ],
)
def test_what_is_not_plain(frame: Any) -> None:
    with pytest.raises(NotPlainError):
        given_columns(frame, ("mention", "rank"))
