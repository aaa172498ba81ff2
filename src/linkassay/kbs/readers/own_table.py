"""Your own knowledge base: any delimited file, described in a few lines of TOML (docs/own-kb.md).

`spec_from_toml` turns the description into a `KbSpec`; the reader then works from its options,
plain data, so that pieces of a large table can be read in other processes.
"""

from __future__ import annotations

import csv
import glob
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from linkassay.decoding import described
from linkassay.errors import DataError
from linkassay.files import MAX_LINE, RawFile, find, from_bytes, one_file, read_toml
from linkassay.ids import curie
from linkassay.kbs.readers.row_helpers import distinct_names
from linkassay.kbs.schema import Entity, Foreign, History, KbSpec, Part
from linkassay.registry import near_miss

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_TRUE = {"1", "true", "t", "yes", "y"}


# --- the description ---------------------------------------------------------------------------


_Text = Annotated[str, Meta(description="a text or a list of texts")]


class _Column(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    column: str
    separator: str | None = None


class _NameColumn(_Column, forbid_unknown_fields=True, omit_defaults=True):
    kind: str | None = None


class _IdColumn(_Column, forbid_unknown_fields=True, omit_defaults=True):
    prefix: str | None = None


class _ParentColumn(_IdColumn, forbid_unknown_fields=True, omit_defaults=True):
    relation: str | None = None


_COLUMN = Meta(description="a column or {column = …}")


class _History(msgspec.Struct, forbid_unknown_fields=True):
    file: str
    old: str
    new: str
    delimiter: str = "\t"
    header: bool | None = None
    columns: tuple[_Text, ...] = ()
    quote: str = ""
    comment: str = ""


class _Lines(msgspec.Struct, forbid_unknown_fields=True):
    """What every knowledge base says of itself, and all that one in JSON lines does."""

    name: str
    title: str | None = None
    prefix: str = ""
    type: str = ""
    files: tuple[_Text, ...] = ()
    licence: str = "not stated"
    citation: str = ""
    homepage: str = ""
    history: Annotated[_History, Meta(description="{file = …, old = …, new = …}")] | None = None
    format: str = "table"


class _Table(_Lines, forbid_unknown_fields=True):
    id: str = ""
    type_column: str = ""
    category: str = ""
    definition: str = ""
    foreign: str = ""
    foreign_name: str = ""
    foreign_prefix: str = ""
    obsolete: str = ""
    names: tuple[Annotated[str | _NameColumn, _COLUMN], ...] = ()
    parents: tuple[Annotated[str | _ParentColumn, _COLUMN], ...] = ()
    xrefs: tuple[Annotated[str | _IdColumn, _COLUMN], ...] = ()
    alternative_ids: tuple[Annotated[str | _IdColumn, _COLUMN], ...] = ()
    delimiter: str = "\t"
    header: bool | None = None
    columns: tuple[_Text, ...] = ()
    quote: str = ""
    comment: str = ""


_FORMATS: dict[str, type[_Lines]] = {"table": _Table, "jsonl": _Lines}
_COLUMNS = ("names", "parents", "xrefs", "alternative_ids")


def spec_from_toml(path: Path) -> KbSpec:
    """The knowledge base that the file describes; its files lie beside it."""
    data = read_toml(path)
    format_ = data.get("format", "table")
    if isinstance(format_, str) and format_ not in _FORMATS:
        raise DataError(f"unknown format {format_!r}; {near_miss(format_, list(_FORMATS))}", file=path.name)
    told = described(_FORMATS.get(str(format_), _Lines), data, path.name)
    if not _NAME.fullmatch(told.name):
        message = f"the name {told.name!r} must be lower-case letters, digits, '_' and '-'"
        raise DataError(message, file=path.name)
    files = list(told.files)
    if not files:
        raise DataError("'files' is missing: the table, or a list of tables of the same columns", file=path.name)
    options: dict[str, Any] = {"prefix": told.prefix, "type": told.type}
    if isinstance(told, _Table):
        options["table"] = _mapping(told, path.name)
        cut = _can_be_cut(options["table"])
        repeated = cut and options["table"]["header"]
        parts = [Part(_glob(f), "linkassay.kbs.readers.own_table:read_rows", lines=cut, header=repeated) for f in files]
    else:
        parts = [Part(_glob(f), "linkassay.kbs.readers.json_lines:read_entities", lines=True) for f in files]
    if told.history:
        options["history"] = _rows_of(told.history, path.name, "history: ")
        files.append(options["history"].pop("file"))
        parts.append(Part(_glob(files[-1]), "linkassay.kbs.readers.own_table:read_history"))
    named = [from_bytes(_table_name(file), b"") for file in files]
    if any(len(find(named, part.files)) > 1 for part in parts):
        raise DataError("two of its files have the same name; give them different ones", file=path.name)
    return KbSpec(
        name=told.name,
        title=told.name if told.title is None else told.title,
        prefix=told.prefix,
        types=(told.type,) if told.type else (),
        licence=told.licence,
        citation=told.citation,
        homepage=told.homepage,
        parts=tuple(parts),
        packaged=lambda: [_named(path, file) for file in files],
        options=options,
    )


def _named(description: Path, file: str) -> RawFile:
    """A file that the description names, and no other."""
    found = one_file(description.parent / file, description.name)
    return replace(found, name=_table_name(file))


def _table_name(file: str) -> str:
    """What a file is called here: without folders and compression."""
    return re.sub(r"(?i)\.(gz|bz2|xz)$", "", Path(file).name)


def _glob(file: str) -> str:
    """What matches the name of the file."""
    return glob.escape(_table_name(file)).replace("|", "?")  # "|" separates alternatives


def _mapping(told: _Table, file: str) -> dict[str, Any]:
    if not told.id:
        raise DataError("'id' is missing", file=file)
    if not told.names:
        raise DataError("'names' is missing: the columns with names, the primary one first", file=file)
    return _rows_of(told, file)


def _rows_of(told: _Table | _History, file: str, where: str = "") -> dict[str, Any]:
    """How the rows of a table are read, as plain data; a column that is not among those listed is an error by now."""

    def error(message: str) -> DataError:
        return DataError(where + message, file=file)

    if len(told.delimiter) != 1 or told.delimiter in "\r\n":
        raise error(f"'delimiter' must be one character, not {told.delimiter!r}")
    if len(told.quote) > 1 or (told.quote and told.quote in f"\r\n{told.delimiter}"):
        raise error(f"'quote' must be one character other than the delimiter, not {told.quote!r}")
    if told.header is None:
        told.header = not told.columns
    if not told.header and not told.columns:
        raise error("without a header the 'columns' must be listed")
    plain = msgspec.json.decode(msgspec.json.encode(told))
    mapping = {key: value for key, value in plain.items() if key not in _Lines.__struct_fields__}
    for key in _COLUMNS:
        if key in mapping:
            mapping[key] = [{"column": each} if isinstance(each, str) else each for each in mapping[key]]
    for column in _used(mapping) if told.columns else ():
        if column not in told.columns:
            raise error(f"no column {column!r}; {near_miss(column, list(told.columns))}")
    return mapping


def _can_be_cut(mapping: Mapping[str, Any]) -> bool:
    """Not where a quoted field may hold line ends or a comment stand before the header."""
    return not mapping["quote"] and not (mapping["header"] and mapping["comment"])


def _used(mapping: Mapping[str, Any]) -> list[str]:
    keys = ("id", "type_column", "category", "definition", "foreign", "foreign_name", "obsolete", "old", "new")
    columns = [mapping[key] for key in keys if mapping.get(key)]
    return columns + [c["column"] for key in _COLUMNS for c in mapping.get(key, [])]


# --- the table ---------------------------------------------------------------------------------


def read_rows(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity | History | Foreign]:
    """Entities in file order; of the rows of one id the first has the primary name, the others add to it."""
    mapping, prefix = options["table"], options["prefix"]
    seen = ""
    for number, row in _rows(file, mapping):
        identifier = curie(row[mapping["id"]], prefix)
        if not identifier:
            raise DataError(f"{mapping['id']} is empty", file=file.name, line=number)
        foreign = row.get(mapping["foreign"], "").strip()
        foreign = curie(foreign, mapping["foreign_prefix"]) if foreign else ""
        yield Entity(
            id=identifier,
            type=row.get(mapping["type_column"], "").strip() or options["type"],
            names=distinct_names((text, c.get("kind", c["column"])) for c, text in _values(row, mapping["names"])),
            category=row.get(mapping["category"], "").strip(),
            definition=row.get(mapping["definition"], "").strip(),
            foreign_id=foreign,
            obsolete=row.get(mapping["obsolete"], "").strip().lower() in _TRUE,
            parents=tuple(
                (curie(text, c.get("prefix", prefix)), c.get("relation", "is_a"))
                for c, text in _values(row, mapping["parents"])
            ),
            xrefs=tuple(curie(text, c.get("prefix", "")) for c, text in _values(row, mapping["xrefs"])),
            primary=identifier != seen,
        )
        seen = identifier
        if foreign and row.get(mapping["foreign_name"], "").strip():
            yield Foreign(foreign, row[mapping["foreign_name"]].strip())
        for column, text in _values(row, mapping["alternative_ids"]):
            yield History(curie(text, column.get("prefix", prefix)), identifier)


def read_history(file: RawFile, options: Mapping[str, Any]) -> Iterator[History]:
    """The table of replaced ids; an empty new id means removed."""
    mapping, prefix = options["history"], options["prefix"]
    for number, row in _rows(file, mapping):
        old, new = row[mapping["old"]].strip(), row[mapping["new"]].strip()
        if not old:
            raise DataError(f"{mapping['old']} is empty", file=file.name, line=number)
        yield History(curie(old, prefix), curie(new, prefix) if new else "")


def _values(row: Mapping[str, str], columns: list[dict[str, str]]) -> Iterator[tuple[dict[str, str], str]]:
    for column in columns:
        text, separator = row[column["column"]], column.get("separator", "")
        for part in text.split(separator) if separator else [text]:
            if part.strip():
                yield column, part.strip() if separator else part


def _rows(file: RawFile, mapping: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, str]]]:
    columns: list[str] = mapping["columns"]
    header = mapping["header"]
    for number, fields in _fields(file, mapping):
        if header:
            columns, header = columns or [field.strip() for field in fields], False
            for column in _used(mapping):
                if column not in columns:
                    raise DataError(f"no column {column!r}; {near_miss(column, columns)}", file=file.name, line=number)
                if columns.count(column) > 1:
                    raise DataError(f"two columns are called {column!r}", file=file.name, line=number)
            continue
        if len(fields) > len(columns):
            raise DataError(f"{len(fields)} fields, but {len(columns)} columns", file=file.name, line=number)
        fields += [""] * (len(columns) - len(fields))
        yield number, dict(zip(columns, fields, strict=True))
    if header:
        raise DataError("no header line", file=file.name)


def _fields(file: RawFile, mapping: Mapping[str, Any]) -> Iterator[tuple[int, list[str]]]:
    comment, delimiter, quote = mapping["comment"], mapping["delimiter"], mapping["quote"]
    if not quote:
        for number, line in file.lines():
            if line.strip() and not (comment and line.startswith(comment)):
                yield number, line.split(delimiter)
        return
    rows = _quoted(file, delimiter, quote)
    for number, fields in rows:
        first = fields[0] if fields else ""
        if any(field.strip() for field in fields) and not (comment and first.startswith(comment)):
            yield number, fields


def _quoted(file: RawFile, delimiter: str, quote: str) -> Iterator[tuple[int, list[str]]]:
    """Rows whose fields may be quoted, and then hold delimiters, doubled quotes and line ends."""
    csv.field_size_limit(MAX_LINE)
    last = 0

    def lines() -> Iterator[str]:
        nonlocal last
        for last, line in file.lines():  # noqa: B007
            yield line + "\n"

    reader = csv.reader(lines(), delimiter=delimiter, quotechar=quote, strict=True)
    begun = 1
    try:
        for fields in reader:
            yield begun, fields
            begun = last + 1
    except csv.Error as error:
        raise DataError(f"not readable as a quoted table ({error})", file=file.name, line=begun) from error
