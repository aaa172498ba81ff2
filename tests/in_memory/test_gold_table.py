"""Gold of a caller: what ids stand for, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linkassay.errors import DataError
from linkassay.in_memory.gold_table import NOWHERE, read_gold


def ids(value: Any, **more: Any) -> list[list[str]]:
    [row] = read_gold([{"mention": "m", "ids": value}], **more).corpus.rows("mentions", "test")
    found: list[list[str]] = row["gold"]
    return found


@pytest.mark.parametrize(
    ("value", "gold"),
    [
        ("MESH:D1", [["mesh:D1"]]),
        ("a;b|c", [["a;b|c"]]),  # one text is one id
        (["a", "b"], [["a"], ["b"]]),
        ([["b", "a"], "c"], [["a", "b"], ["c"]]),
        ((("a", "b"),), [["a", "b"]]),
        ({"b", "a"}, [["a"], ["b"]]),
        (np.array(["a", "b"]), [["a"], ["b"]]),
        (["a", "a"], [["a"]]),
        (["-1", "NIL"], []),
        (None, []),
        (float("nan"), []),
        ([], []),
    ],
)
def test_what_ids_stand_for(value: Any, gold: list[list[str]]) -> None:
    assert ids(value) == gold


def test_a_prefix_is_of_bare_ids() -> None:
    assert ids(["D1", "OMIM:2"], prefix="mesh") == [["mesh:D1"], ["omim:2"]]


def test_mentions_without_a_document_share_one() -> None:
    gold = read_gold([{"mention": 1, "ids": "a", "type": "t"}, {"mention": 2, "ids": "b"}])
    assert gold.mentions == {"1": (NOWHERE, "t"), "2": (NOWHERE, "")}
    assert gold.lacks == {"document", "text"}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([{"mention": "a", "ids": "x"}, {"mention": "a", "ids": "y"}], "row 2: mention: 'a' occurs before"),
        ([{"mention": "", "ids": "x"}], "row 1: mention: the cell is empty"),
        ([{"mention": None, "ids": "x"}], "row 1: mention: the cell is empty"),
        ([{"mention": 1.5, "ids": "x"}], "row 1: mention: expected a text, found 1.5"),
        ([{"mention": True, "ids": "x"}], "row 1: mention: expected a text, found True"),
        ([{"mention": "a", "ids": 17}], "row 1: ids: expected texts.*found 17"),
        ([{"mention": "a", "ids": ["x", 17]}], "row 1: ids: expected texts.*found 17"),
        ([{"mention": "a", "ids": [[["x"]]]}], "row 1: ids: expected texts"),
        ([{"mention": "a", "ids": {"x": 1}}], "row 1: ids: expected texts"),
        ([{"mention": "a", "ids": "\ud800"}], "row 1: ids: .*lone surrogate"),
        ([{"mention": "a", "ids": "x", "text": "\ud800"}], "row 1: text: .*lone surrogate"),
        (
            [{"mention": "a", "ids": "x", "document": "1"}, {"mention": "b", "ids": "x"}],
            "row 2: document: some rows have one and others have none",
        ),
        (
            [{"mention": "a", "ids": "x"}, {"mention": "b", "ids": "x", "document": "1"}],
            "row 2: document: some rows have one and others have none",
        ),
    ],
)
def test_what_is_refused(rows: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(DataError, match=f"^gold, {why}"):
        read_gold(rows)
