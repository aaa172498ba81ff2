"""Columns of lists made of plain Python data, all elements at once and not list by list."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

_SPAN = pa.struct([("start", pa.int64()), ("end", pa.int64())])


def list_column(lists: Sequence[Sequence[Any] | None], values: pa.Array) -> pa.Array:
    """A column of lists as long as these, None being no list, whose elements one after another are `values`.

    >>> list_column([["a"], None, ["b", "c"]], pa.array(["a", "b", "c"])).to_pylist()
    [['a'], None, ['b', 'c']]
    """
    offsets: list[int | None] = [0, *accumulate([len(each) if each else 0 for each in lists])]
    if None in lists:
        offsets[:-1] = [None if each is None else at for each, at in zip(lists, offsets)]
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


def span_column(spans: Sequence[Sequence[tuple[int, int]] | None]) -> pa.Array:
    """Spans of documents or mentions, as all our files have them."""
    every = list(chain.from_iterable(filter(None, spans)))
    bounds = [pa.array(numbers, pa.int64()) for numbers in (zip(*every) if every else ((), ()))]
    return list_column(spans, pa.StructArray.from_arrays(bounds, fields=list(_SPAN)))


def text_lists(lists: Sequence[Sequence[str]]) -> pa.Array:
    """Lists of texts."""
    return list_column(lists, pa.array(list(chain.from_iterable(lists)), pa.string()))


def nested_texts(lists: Sequence[Sequence[Sequence[str]]]) -> pa.Array:
    """Lists of lists of texts."""
    return list_column(lists, text_lists(list(chain.from_iterable(lists))))
