"""What stands behind an address is read as what it may be, or refused with a sentence."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.serving.asked import LONGEST, MOST_RUNS, Form, read_query
from linkassay.serving.refusals import RefusedError

FORM = Form(("find", "offset", "limit", "id"), ("by",), needed=("id",))


def test_what_is_said() -> None:
    query = urlencode([("run", "a/b"), ("run", "c/d"), ("run", "a/b"), ("id", "é&=<"), ("by", "x"), ("by", ""),
                       ("find", ""), ("offset", "20")])  # fmt: skip
    asked = read_query(query.encode(), FORM)
    assert (asked.runs, asked.texts, asked.numbers) == (("a/b", "c/d"), {"id": "é&=<"}, {"offset": 20})
    assert asked.lists == {"by": ("x",)}


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("id=1", "no run is named"),
        ("run=a", "'id' is missing"),
        ("run=a&id=", "'id' is missing"),
        ("run=a&id=1&id=2", "given twice"),
        ("run=a&id=1&colour=red", "'colour' is not known here"),
        ("run=a&id=1&offset=-1", "a number"),
        ("run=a&id=1&offset=1e9", "a number"),
        ("run=a&id=1&offset=%C2%B2", "a number"),
        ("run=a&id=1&limit=1001", "from 0 to 1000"),
        ("run=a&id=1&limit=" + "9" * 400, "a number"),
        ("run=a&id=" + "x" * (LONGEST + 1), "longer than"),
        ("run=a&id=%00", "a character"),
        ("run=a&id=%ff", "no list"),
        ("&".join(f"run={n}" for n in range(MOST_RUNS + 1)) + "&id=1", "at most"),
        ("&".join("by=1" for _ in range(500)), "no list"),
    ],
)
def test_what_is_refused(query: str, why: str) -> None:
    with pytest.raises(RefusedError, match=why) as refused:
        read_query(query.encode(), FORM)
    assert refused.value.status == 400


@given(st.lists(st.tuples(st.sampled_from(["run", "id", "by", "find", "offset", "limit"]), st.text(max_size=30))))
def test_whatever_is_said(pairs: list[tuple[str, str]]) -> None:
    """It is either refused, or every value is one that was said."""
    try:
        query = urlencode(pairs).encode()
    except UnicodeEncodeError:  # half of a pair of surrogates: no address can have it
        return
    try:
        asked = read_query(query, FORM)
    except RefusedError:
        return
    said = {value for _, value in pairs}
    assert {*asked.runs, *asked.texts.values(), *asked.lists["by"]} <= said
    assert all(0 <= number <= 1_000_000_000 for number in asked.numbers.values())


@given(st.binary(max_size=60))
def test_bytes_of_any_kind(query: bytes) -> None:
    with suppress(RefusedError):
        read_query(query, FORM)
