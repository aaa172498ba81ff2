"""Columns of lists hold what Arrow makes of the same lists one by one."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from linkassay.store.list_columns import nested_texts, span_column, text_lists
from linkassay.store.schemas import MENTIONS

SPANS = st.lists(st.tuples(st.integers(0, 1 << 53), st.integers(0, 1 << 53)), max_size=3).map(tuple)
TEXTS = st.lists(st.text(max_size=3), max_size=3)


@given(st.lists(st.none() | SPANS))
def test_spans(spans: list[tuple[tuple[int, int], ...] | None]) -> None:
    plain = [None if each is None else [{"start": s, "end": e} for s, e in each] for each in spans]
    found = span_column(spans)
    assert found.type == MENTIONS.field("spans").type
    assert found.equals(pa.array(plain, found.type))


@given(st.lists(TEXTS), st.lists(st.lists(TEXTS, max_size=3)))
def test_texts(flat: list[list[str]], nested: list[list[list[str]]]) -> None:
    assert text_lists(flat).equals(pa.array(flat, MENTIONS.field("further_parents").type))
    assert nested_texts(nested).equals(pa.array(nested, MENTIONS.field("gold").type))
