"""Rows ordered as numbers: the same order as Arrow's, which compares the texts themselves."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.kbs.building import row_order as module
from linkassay.kbs.building.row_order import row_order

#: Texts with beginnings in common, some longer than a word; zero bytes and nulls are left to Arrow.
PARTS = st.sampled_from(["", "a", "b", "ab", "é", "名", "😀", "mesh:D00", "12345678", "x" * 30])
TEXTS = st.lists(PARTS, max_size=5).map("".join)
ODD = st.one_of(TEXTS, st.text("a\0", max_size=3), st.none())
ORDERS = [("id",), ("id", "name"), ("id", "-primary", "name"), ("-primary", "id"), ("name", "-id")]


def table(rows: list[tuple[str | None, bool, str | None]]) -> pa.Table:
    schema = pa.schema([("id", pa.string()), ("primary", pa.bool_()), ("name", pa.string())])
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


def arrows(rows: pa.Table, order: tuple[str, ...]) -> list[int]:
    keys = [(name.lstrip("-"), "descending" if name[0] == "-" else "ascending") for name in order]
    found: list[int] = pc.sort_indices(rows, sort_keys=keys).to_pylist()
    return found


@settings(deadline=None)
@given(
    st.one_of(
        st.lists(st.tuples(TEXTS, st.booleans(), TEXTS), max_size=40),
        st.lists(st.tuples(ODD, st.booleans(), ODD), max_size=12),
    ),
    st.sampled_from(ORDERS), st.integers(1, 4), st.integers(0, 3),
)  # fmt: skip
def test_the_order_is_that_of_the_texts(
    rows: list[tuple[str | None, bool, str | None]], order: tuple[str, ...], steps: int, skip: int
) -> None:
    whole = table(rows)
    pieces = pa.concat_tables([whole.slice(0, len(rows) // 2), whole.slice(len(rows) // 2)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 7)
        for limit in (module.STEPS, steps):  # with few steps Arrow has to end it
            patch.setattr(module, "STEPS", limit)
            for some in (whole, whole.slice(skip), pieces):
                assert row_order(some, order).tolist() == arrows(some, order)


def test_what_is_equal_stays_in_its_order() -> None:
    rows = table([("same", True, str(n)) for n in range(5_000)] + [("other", False, "")] * 5_000)
    assert row_order(rows, ("id", "-primary")).tolist() == [*range(5_000, 10_000), *range(5_000)]
