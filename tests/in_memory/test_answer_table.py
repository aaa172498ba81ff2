"""Predictions of a caller: ranks and groups, what is told of them, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linkassay.errors import DataError
from linkassay.in_memory.answer_table import read_answers
from linkassay.in_memory.gold_table import GivenGold, read_gold

A = {"mention": "a", "rank": 1, "id": "x"}


@pytest.fixture(scope="module")
def gold() -> GivenGold:
    return read_gold([{"mention": name, "ids": "x"} for name in "ab"])


def test_equal_ranks_are_ties_and_the_order_of_rows_is_kept_in_them(gold: GivenGold) -> None:
    ranks = [(2, "z"), (1.0, "MESH:D2"), (2, "y"), (np.int64(7), "z"), (2, "z")]
    said = [{"mention": "a", "rank": rank, "id": each, "score": -float(rank)} for rank, each in ranks]
    [row] = read_answers(said, gold).table.to_pylist()
    assert row["groups"] == [["mesh:D2"], ["z", "y"], ["z"]]
    assert row["scores"] == [-1.0, -2.0, -7.0]


def test_groups_are_as_in_native_predictions(gold: GivenGold) -> None:
    said = [{"mention": "b", "candidates": ["x", ["y", "z"], []], "scores": [2, [1, 1], 0]},
            {"mention": "a", "candidates": [], "nil": True}]  # fmt: skip
    first, second = read_answers(said, gold, prefix="t").table.to_pylist()
    assert (first["mention"], first["groups"], first["nil"]) == ("a", [], True)
    assert (second["groups"], second["scores"], second["nil"]) == ([["t:x"], ["t:y", "t:z"]], [2.0, 1.0], False)


def test_unknown_and_silent_mentions_are_counted_and_told(gold: GivenGold) -> None:
    said = [A, *({"mention": f"u{n % 5}", "rank": n, "id": "x"} for n in range(9))]
    found = read_answers(said, gold)
    assert [row["mention"] for row in found.table.to_pylist()] == ["a"]
    assert found.notes == (
        "left out: 9 rows of predictions, of 5 mentions that gold does not have: 'u0', 'u1', 'u2' …",
        "without a prediction, which is a miss: 1 mention of 2",
    )
    assert read_answers([], gold).table.num_rows == 0
    with pytest.raises(DataError, match=r"none of 1 mentions is one of gold; gold has for example 'a', .*'A'"):
        read_answers([A | {"mention": "A"}], gold)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([A | {"rank": "1"}], "row 1: rank: expected a number, found '1'"),
        ([A | {"rank": True}], "row 1: rank: expected a number, found True"),
        ([A | {"rank": None}], "row 1: rank: the cell is empty"),
        ([A | {"rank": float("nan")}], "row 1: rank: the cell is empty"),
        ([A | {"rank": float("inf")}], "row 1: rank: expected a finite number"),
        ([A | {"rank": 10**400}], "row 1: rank: expected a finite number"),
        ([A | {"id": 5}], "row 1: id: expected an id as text, found 5"),
        ([A | {"id": None}], "row 1: id: expected an id as text, found None; where there is no answer"),
        ([A | {"id": " "}], "row 1: id: an id is empty"),
        ([A | {"id": "\ud800"}], "row 1: id: .*lone surrogate"),
        ([A, A | {"mention": ""}], "row 2: mention: the cell is empty"),
        ([A | {"score": float("nan")}], "row 1: score: expected a finite number, found nan"),
        ([A | {"score": "high"}], "row 1: score: expected a number, found 'high'"),
        ([A | {"score": 1}, A | {"id": "y", "score": 2}], "row 2: score: ids of the same rank have different scores"),
        ([A | {"score": 1}, A | {"rank": 2, "score": None}], "row 2: score: some candidates"),
        ([A, {"mention": "b", "candidates": ["x"]}], "row 2: mixed forms: rows before have `rank`"),
        ([A | {"candidates": ["x"]}], "row 1: mixed forms: it has `rank` and `id` and `candidates`"),
        ([{"mention": "a", "candidates": ["x"]}] * 2, "row 2: mention: 'a' was answered before"),
        ([{"mention": "a", "candidates": "x"}], "row 1: candidates: expected a list of groups"),
        ([{"mention": "a", "candidates": None}], "row 1: candidates: expected a list of groups"),
        ([{"mention": "a", "candidates": [["x", 1]]}], "row 1: candidates: expected an id as text, found 1"),
        ([{"mention": "a", "candidates": ["x"], "scores": [1, 2]}], "row 1: scores: expected one for each of 1 groups"),
        ([{"mention": "a", "candidates": ["x"], "scores": [None]}], "row 1: scores: expected a number"),
        ([{"mention": "a", "candidates": [["x", "y"]], "scores": [[1, 2]]}], "row 1: scores: expected a number"),
        ([{"mention": "a", "candidates": [], "nil": "no"}], "row 1: nil: expected true or false"),
    ],
)
def test_what_is_refused(gold: GivenGold, rows: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(DataError, match=f"^predictions, {why}"):
        read_answers(rows, gold)
