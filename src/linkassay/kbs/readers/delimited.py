"""Delimited files as Arrow batches, block by block, for sources of millions of rows.

For fields that are plain text between delimiters; it knows no quotes and no escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.kbs.schema import SCHEMAS


class Form(NamedTuple):
    """What a field must look like, as a regular expression and in words."""

    regex: str
    words: str

    def fits(self, column: pa.Array) -> pa.Array:
        """Which fields of a column are of this form."""
        if self == WHOLE_NUMBER:
            return pc.ascii_is_decimal(column)  # in a tenth of the time
        if self == FILLED:
            return pc.not_equal(pc.utf8_trim_whitespace(column), "")  # in a fifth
        return pc.match_substring_regex(column, f"^(?:{self.regex})$")


WHOLE_NUMBER = Form("[0-9]+", "a whole number")
WHOLE_NUMBER_OR_DASH = Form("[0-9]+|-", "a whole number or -")

FILLED = Form(r".*\S.*", "a text")

#: Bytes that are parsed at once; no line is longer.
BLOCK = 2 << 20


def read(
    file: RawFile,
    columns: Sequence[str],
    used: Sequence[str],
    *,
    delimiter: str = "\t",
    header: bool = False,
    forms: Mapping[str, Form] = MappingProxyType({}),
) -> Iterator[pa.RecordBatch]:
    """The `used` ones of the file's `columns`, as text. Empty lines are passed over.

    A column `|` must hold just that in the first line. The file may have more columns than are
    named, but all its lines must have as many. The fields of the columns in `forms` must be of that form.
    """
    first = first_line(file, after_header=header)
    if first is None:
        return
    number, line = first
    fields = line.split(delimiter)
    if len(fields) < len(columns) or any(c == "|" != f for c, f in zip(columns, fields, strict=False)):
        raise DataError(f"expected {_shape(columns, delimiter)}, found {_clip(line)}", file=file.name, line=number)
    unnamed = [""] * (len(fields) - len(columns))
    names = [c if c in used else f"column {at}" for at, c in enumerate([*columns, *unnamed], start=1)]
    try:
        with (
            file.open() as stream,
            csv.open_csv(
                stream,
                read_options=csv.ReadOptions(
                    column_names=names, skip_rows=int(header), block_size=BLOCK, use_threads=False
                ),
                parse_options=csv.ParseOptions(
                    delimiter=delimiter, quote_char=False, double_quote=False, escape_char=False
                ),
                convert_options=csv.ConvertOptions(
                    column_types=dict.fromkeys(used, pa.string()), include_columns=list(used), strings_can_be_null=False
                ),
            ) as reader,
        ):
            for batch in reader:
                for column, form in forms.items():
                    if pc.all(form.fits(batch[column])).as_py() is False:
                        raise pa.ArrowInvalid(f"{column} is not {form.words}")
                yield batch
    except pa.ArrowException as error:
        raise _explained(file, names, delimiter, header, forms, error) from error


def first_line(file: RawFile, *, after_header: bool = False) -> tuple[int, str] | None:
    """The first line that is not empty, with its number; None where there is none."""
    return next(((n, line) for n, line in file.lines() if line and n > after_header), None)


def rows(table: str, **columns: Any) -> pa.Table:
    """Rows of one of the tables of a knowledge base; a column may be one value, or left out if it is empty."""
    length = next(len(c) for c in columns.values() if not isinstance(c, str | bool))
    schema = pa.schema([f for f in SCHEMAS[table] if f.name != "key"])
    arrays = []
    for field in schema:
        value = columns.get(field.name, False if field.type == pa.bool_() else "")
        if isinstance(value, str | bool):
            value = pa.repeat(pa.scalar(value, field.type), length)
        arrays.append(value)
    return pa.Table.from_arrays(arrays, schema=schema)


def prefixed(prefix: str, local: pa.Array) -> pa.Array:
    """CURIEs of one prefix.

    >>> prefixed("ncbigene", pa.array(["2", "3"])).to_pylist()
    ['ncbigene:2', 'ncbigene:3']
    """
    return pc.binary_replace_slice(local, 0, 0, f"{prefix}:")


def distinct(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """The first row of each combination of `keys`, in the order of the rows.

    >>> distinct(pa.table({"a": [1, 2, 1], "b": ["x", "y", "z"]}), ["a"]).to_pydict()
    {'a': [1, 2], 'b': ['x', 'y']}
    """
    numbered = table.select(list(keys)).append_column("at", pa.array(np.arange(len(table))))
    first = numbered.group_by(list(keys), use_threads=False).aggregate([("at", "min")])["at_min"]
    return table if len(first) == len(table) else table.take(np.sort(first.to_numpy()))


def together(batches: Iterable[pa.RecordBatch], column: str) -> Iterator[pa.RecordBatch]:
    """The same rows, cut elsewhere: neighbours with the same value in `column` stay together."""
    kept: pa.RecordBatch | None = None
    for batch in batches:
        if kept is not None:
            batch = pa.Table.from_batches([kept, batch]).combine_chunks().to_batches()[0]
        others = np.flatnonzero(pc.not_equal(batch[column], batch[column][-1]).to_numpy(zero_copy_only=False))
        cut = int(others[-1]) + 1 if len(others) else 0
        if cut:
            yield batch.slice(0, cut)
        kept = batch.slice(cut)
    if kept is not None:
        yield kept


def listed(option: Any) -> list[str]:
    """An option that is a list, or one text with commas.

    >>> listed("tRNA, ncRNA"), listed([9606, "10090"]), listed(None)
    (['tRNA', 'ncRNA'], ['9606', '10090'], [])
    """
    values = option.split(",") if isinstance(option, str) else option if isinstance(option, list | tuple) else [option]
    return [text for value in values if value is not None and (text := str(value).strip())]


def _explained(
    file: RawFile, names: Sequence[str], delimiter: str, header: bool, forms: Mapping[str, Form], error: Exception
) -> DataError:
    """What is wrong and in which line: found by a second, slower reading."""
    checked = [(names.index(name), name, re.compile(form.regex), form.words) for name, form in forms.items()]
    for number, line in file.lines():
        if not line or number <= header:
            continue
        fields = line.split(delimiter)
        if len(fields) != len(names):
            what = f"{len(fields)} columns where other lines have {len(names)}: {_clip(line)}"
            return DataError(what, file=file.name, line=number)
        for at, name, pattern, words in checked:
            if not pattern.fullmatch(fields[at]):
                return DataError(f"{name} is {_clip(fields[at])}, expected {words}", file=file.name, line=number)
    return DataError(f"cannot be read as a table ({str(error)[:200]})", file=file.name)


def _shape(columns: Sequence[str], delimiter: str) -> str:
    named = [c for c in columns if c not in ("", "|")]
    between = "tab, bar and tab" if "|" in columns else {"\t": "a tab", "|": "a bar"}[delimiter]
    return f"{', '.join(named)} with {between} between them"


def _clip(text: str, limit: int = 60) -> str:
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
