"""Rows out of whatever a caller has: dictionaries, pandas, polars, anything with an Arrow C stream, or a file.

A row knows what it is a row of and its number, so that each error says where it is and what to do.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from linkassay.errors import DataError, UsageError
from linkassay.files import MAX_LINE, RawFile, expand_paths
from linkassay.registry import near_miss

_FORMS = "a list of dictionaries, a table of pandas or polars, an object with the Arrow C stream interface, or a path"
_DELIMITERS = {".tsv": "\t", ".csv": ","}


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `flat`: it comes from a text file, whose cells hold no lists."""

    values: Mapping[str, Any]
    of: str
    number: int
    flat: bool = False

    def error(self, message: str) -> DataError:
        """What is wrong with it."""
        return DataError(f"{self.of}, row {self.number}: {message}")

    def cell(self, column: str) -> Any:
        """A cell as plain Python; None where it is missing, as tables of pandas spell that."""
        value = _plain(self.values.get(column))
        return None if isinstance(value, float) and math.isnan(value) else value

    def text(self, column: str) -> str:
        """A cell that is a text, or a whole number as its digits; "" where it is missing."""
        value = self.cell(column)
        if value is None:
            return ""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise self.error(f"{column}: expected a text, found {value!r:.60}")
        return self.sound(column, value)

    def needed(self, column: str) -> str:
        """A text that must not be empty."""
        found = self.text(column)
        if not found.strip():
            raise self.error(f"{column}: the cell is empty")
        return found

    def sound(self, column: str, value: str) -> str:
        """`value` if it is text that can be stored: half a UTF-16 pair is no character."""
        if not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise self.error(f"{column}: {value!r:.60} has a lone surrogate, which is no character") from None
        return value


def given_rows(data: Any, of: str, needed: Sequence[Sequence[str]]) -> Iterator[Row]:
    """The rows of `data`, which is called `of` in errors; `needed` are sets of columns, one of which must be there."""
    if isinstance(data, str | os.PathLike):
        yield from _file_rows(Path(data), of, needed)
    else:
        yield from _checked(_records(data, of), of, needed)


def read_once(data: Any, of: str) -> Any:
    """A stream of Arrow as a table, since it cannot be read again; whatever else is given stays as it is."""
    if _is_pandas(data) or not hasattr(data, "__arrow_c_stream__"):
        return data
    import pyarrow as pa

    reader = pa.RecordBatchReader.from_stream(data)
    if twice := sorted({name for name in reader.schema.names if reader.schema.names.count(name) > 1}):
        raise DataError(f"{of}: columns that occur twice: {', '.join(twice)}")
    return reader.read_all()


def _is_pandas(data: Any) -> bool:
    return hasattr(data, "iloc") and hasattr(data, "to_dict")


def _checked(found: Iterable[Any], of: str, needed: Sequence[Sequence[str]], flat: bool = False) -> Iterator[Row]:
    """Rows that have the columns; each is looked at by itself, as dictionaries need not be alike."""
    for number, values in enumerate(found, start=1):
        if not isinstance(values, Mapping):
            raise UsageError(
                f"{of}, row {number}: expected a dictionary, found {type(values).__name__}; {of} is {_FORMS}"
            )
        row = Row(values, of, number, flat)
        if not any(all(column in values for column in columns) for columns in needed):
            raise row.error(_missing(list(map(str, values)), needed))
        yield row


def _missing(there: list[str], needed: Sequence[Sequence[str]]) -> str:
    nearest = min(needed, key=lambda columns: sum(column not in there for column in columns))
    column = next(column for column in nearest if column not in there)
    others = [name for name in there if name not in nearest]
    hint = f" ({near_miss(column, others)})" if others else ""
    forms = " or ".join(", ".join(f"`{each}`" for each in columns) for columns in needed)
    return f"there is no column {column!r}{hint}; needed are {forms}"


def _records(data: Any, of: str) -> Iterable[Any]:
    if _is_pandas(data):  # whose columns of lists Arrow may not take
        twice = [str(name) for name in data.columns[data.columns.duplicated()]]
        if twice:
            raise DataError(f"{of}: columns that occur twice: {', '.join(twice)}")
        return data.to_dict("records")  # type: ignore[no-any-return]
    if hasattr(data, "__arrow_c_stream__"):
        return chain.from_iterable(batch.to_pylist() for batch in read_once(data, of).to_batches())
    if isinstance(data, Iterable) and not isinstance(data, Mapping | bytes):
        return data
    raise UsageError(f"{of} is {_FORMS}, not {type(data).__name__}")


def _file_rows(path: Path, of: str, needed: Sequence[Sequence[str]]) -> Iterator[Row]:
    for file in expand_paths([path.expanduser()]):
        flat = file.suffix in _DELIMITERS
        if flat:
            found: Iterable[Any] = _delimited(file, _DELIMITERS[file.suffix])
        elif file.suffix == ".parquet":
            found = _parquet(file)
        elif file.suffix in (".jsonl", ".json", ".ndjson"):
            found = _json_lines(file)
        else:
            raise UsageError(f"{of}: {file.name} is none of .tsv, .csv, .jsonl, .parquet")
        yield from _checked(found, f"{of} ({file.name})", needed, flat)


def _delimited(file: RawFile, delimiter: str) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(MAX_LINE)  # by default a cell of 131,072 characters is an error
    rows = csv.reader(io.StringIO(file.text(), newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(rows, [])
        if twice := sorted({name for name in header if header.count(name) > 1}):
            raise DataError(f"columns that occur twice: {', '.join(twice)}", file=file.name, line=1)
        for cells in rows:
            if cells and len(cells) != len(header):
                raise DataError(f"{len(cells)} cells, expected {len(header)}", file=file.name, line=rows.line_num)
            if cells:
                yield dict(zip(header, cells))
    except csv.Error as error:
        raise DataError(f"not a table ({error})", file=file.name, line=rows.line_num) from error


def _json_lines(file: RawFile) -> Iterator[Any]:
    for line, text in file.lines():
        if text.strip():
            try:
                yield json.loads(text)
            except (ValueError, RecursionError) as error:
                raise DataError(f"not a JSON value ({error})", file=file.name, line=line) from error


def _parquet(file: RawFile) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        for batch in pq.ParquetFile(pa.BufferReader(file.bytes())).iter_batches():
            yield from batch.to_pylist()
    except (pa.ArrowException, OSError, MemoryError, ValueError) as error:
        raise DataError(f"not a readable Parquet file ({str(error).splitlines()[0][:200]})", file=file.name) from error


def _plain(value: Any) -> Any:
    """Arrays and scalars of NumPy as Python has them, inside of lists too; sets as lists."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, set | frozenset):
        return sorted(map(_plain, value), key=repr)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if type(value).__name__ in ("NAType", "NaTType"):  # what pandas has for nothing
        return None
    return _plain(value.tolist()) if hasattr(value, "tolist") else value
