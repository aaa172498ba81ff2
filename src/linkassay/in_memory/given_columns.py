"""Columns out of a caller's tables: pandas, polars, anything with an Arrow C stream, a Parquet file.

Only what is plain is taken as columns: texts, numbers and lists of them. Whatever else there is, right or wrong, is
`NotPlainError` and left to those who go by rows (`given_rows`), which is slower and has a word for every error.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from linkassay.errors import LinkassayError
from linkassay.files import expand_paths

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_TEXTS = ("string", "large_string", "null")
#: What stands for nothing in pandas among texts and lists: None, or NaN; another float is refused by Arrow.
_MISSING = {type(None), float}


class NotPlainError(Exception):
    """These rows are to be looked at one by one."""


class Lists(NamedTuple):
    """A column of lists: how many values each row has, and the values of all rows."""

    lengths: Integers
    values: pa.Array


@contextmanager
def refusals() -> Iterator[None]:
    """What Arrow cannot do with a column is for others to judge."""
    try:
        yield
    except (pa.ArrowException, UnicodeError, OverflowError, TypeError, ValueError) as error:
        raise NotPlainError from error


def given_columns(data: Any, wanted: Collection[str]) -> dict[str, pa.Array]:
    """Those of the wanted columns that a table has, each in one piece; there is a row at least."""
    with refusals():
        if isinstance(data, pa.Table):
            table = data
        elif hasattr(data, "iloc") and hasattr(data, "to_dict"):
            table = _of_pandas(data, wanted)
        elif isinstance(data, str | os.PathLike):
            table = _of_file(Path(data), wanted)
        else:
            raise NotPlainError
        if not table.num_rows or len(set(table.column_names)) < table.num_columns:
            raise NotPlainError
        return {name: _usual(table[name].combine_chunks()) for name in table.column_names if name in wanted}


def texts(column: pa.Array, *, digits: bool = True) -> pa.Array:
    """A column of texts, or with `digits` of whole numbers as such."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (str(kind) in _TEXTS or (digits and pa.types.is_integer(kind))):
        raise NotPlainError
    with refusals():
        return column.cast(kind).cast(pa.string())


def ids(column: pa.Array) -> pa.Array:
    """A column of texts, none of which is missing."""
    found = texts(column, digits=False)
    if found.null_count:
        raise NotPlainError
    return found


def numbers(column: pa.Array) -> tuple[Floats, NDArray[np.bool_]]:
    """A column of finite numbers, and which of them are there."""
    if not (pa.types.is_integer(column.type) or pa.types.is_float32(column.type) or pa.types.is_float64(column.type)):
        raise NotPlainError
    with refusals():
        there = column.is_valid().to_numpy(zero_copy_only=False)
        found = pc.fill_null(column.cast(pa.float64()), 0.0).to_numpy(zero_copy_only=False)
    if not np.isfinite(found).all():
        raise NotPlainError
    return found + 0.0, there  # there is one zero


def has_lists(column: pa.Array) -> bool:
    """Whether its cells are lists."""
    return bool(pa.types.is_list(column.type) or pa.types.is_large_list(column.type))


def lists(column: pa.Array, *, missing: bool = False) -> Lists:
    """A column of lists; `missing`: one that is not there is an empty one."""
    if not has_lists(column) or (column.null_count and not missing):
        raise NotPlainError
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    return Lists(lengths.astype(np.int64), column.flatten())


def list_array(lengths: Integers, values: pa.Array) -> pa.Array:
    """The inverse of `lists`."""
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), values)


def encoded(column: pa.Array) -> tuple[Integers, list[str]]:
    """The different texts of a column in the order in which they come first, and the number of each row's."""
    found = column.dictionary_encode()
    return found.indices.to_numpy(zero_copy_only=False).astype(np.int64), found.dictionary.to_pylist()


def _usual(column: pa.Array) -> pa.Array:
    """The same without views, which polars has and which not all of Arrow can work with."""
    made = pa.string() if str(column.type) == "string_view" else column.type
    if has_lists(column) and "string_view" in str(column.type):
        inner = pa.list_(pa.string()) if has_lists(column.flatten()) else pa.string()
        made = pa.list_(inner)
    return column if made == column.type else column.cast(made)


def _of_pandas(frame: Any, wanted: Iterable[str]) -> pa.Table:
    if frame.columns.nlevels > 1 or frame.columns.has_duplicates:
        raise NotPlainError
    return pa.table({name: _series(frame[name], name) for name in wanted if name in frame.columns})


def _series(series: Any, name: str) -> pa.Array:
    """A missing score is an error, elsewhere a missing cell may be: to pandas all of them are nothing."""
    if series.dtype == object and not _is_plain(series.tolist()):
        raise NotPlainError
    found = pa.array(series, from_pandas=name != "score")
    if name == "score" and found.null_count:
        raise NotPlainError
    return found


def _is_plain(cells: Sequence[Any]) -> bool:
    """Whether values of Python are of one kind that Arrow and we understand alike; sets, for one, have no order."""
    kinds = set(map(type, cells))
    if kinds <= {int, np.int64, np.float64, *_MISSING} or kinds <= {bool, type(None)} or kinds - _MISSING == {str}:
        return True
    if not kinds - _MISSING <= {list, tuple, np.ndarray}:
        return False
    return _is_plain(list(chain.from_iterable(cell for cell in cells if type(cell) not in _MISSING)))


def _of_file(path: Path, wanted: Iterable[str]) -> pa.Table:
    import pyarrow.parquet as pq

    try:
        files = list(expand_paths([path.expanduser()]))
        if len(files) != 1 or files[0].suffix != ".parquet":
            raise NotPlainError
        file = pq.ParquetFile(pa.BufferReader(files[0].bytes()))
        return file.read([name for name in file.schema_arrow.names if name in wanted])
    except (LinkassayError, OSError, MemoryError) as error:
        raise NotPlainError from error
