"""Your own knowledge base: any delimited file, described in a few lines of TOML (docs/own-kb.md).

`spec_from_toml` turns the description into a `KbSpec`; the reader then works from its options,
plain data, so that pieces of a large table can be read in other processes.
"""

from __future__ import annotations

import csv
import glob
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from linkassay.errors import DataError
from linkassay.files import MAX_LINE, RawFile, expand_paths, read_toml
from linkassay.ids import curie
from linkassay.kbs.readers.row_helpers import distinct_names
from linkassay.kbs.schema import Entity, Foreign, History, KbSpec, Part
from linkassay.registry import near_miss

_COMMON = ("name", "title", "prefix", "type", "files", "licence", "citation", "homepage", "history", "format")
_COLUMNS = ("id", "type_column", "category", "definition", "foreign", "foreign_name", "foreign_prefix", "obsolete",
            "names", "parents", "xrefs", "alternative_ids")  # fmt: skip
_SHAPE = ("delimiter", "header", "columns", "quote", "comment")
#: The keys of the tables that name a column; the first is needed.
_TABLES = {
    "names": ("column", "kind", "separator"),
    "parents": ("column", "separator", "relation", "prefix"),
    "xrefs": ("column", "separator", "prefix"),
    "alternative_ids": ("column", "separator", "prefix"),
    "history": ("file", "old", "new", "delimiter", "header", "columns", "quote", "comment"),
}
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_TRUE = {"1", "true", "t", "yes", "y"}


# --- the description ---------------------------------------------------------------------------


class _Description:
    """A TOML table that is asked for what it must and may hold, with errors that name file and key."""

    def __init__(self, data: Mapping[str, Any], file: str, where: str = "") -> None:
        self.data, self.file, self.where = data, file, where

    def error(self, message: str) -> DataError:
        return DataError(self.where + message, file=self.file)

    def check(self, known: tuple[str, ...]) -> None:
        for key in self.data:
            if key not in known:
                raise self.error(f"unknown key {key!r}; {near_miss(key, list(known))}")

    def text(self, key: str, default: str | None = None) -> str:
        value = self.data.get(key, default)
        if value is None:
            raise self.error(f"{key!r} is missing")
        if not isinstance(value, str):
            raise self.error(f"{key!r} must be a text, not {value!r}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self.data.get(key, default)
        if not isinstance(value, bool):
            raise self.error(f"{key!r} must be true or false, not {value!r}")
        return value

    def texts(self, key: str) -> list[str]:
        value = self.data.get(key, [])
        if isinstance(value, str):
            return [value]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(f"{key!r} must be a text or a list of texts, not {value!r}")
        return value

    def columns(self, key: str) -> list[dict[str, str]]:
        """One or several columns: `"name"` or `{column = "name", separator = "|", …}`."""
        given = self.data.get(key, [])
        found = []
        for item in given if isinstance(given, list) else [given]:
            table = {"column": item} if isinstance(item, str) else item
            if not isinstance(table, dict):
                raise self.error(f"{key!r} must be a column or {{column = …}}, not {item!r}")
            inner = _Description(table, self.file, f"{self.where}{key}: ")
            inner.check(_TABLES[key])
            inner.text("column")
            found.append({name: inner.text(name) for name in table})
        return found


def spec_from_toml(path: Path) -> KbSpec:
    """The knowledge base that the file describes; its files lie beside it."""
    data = read_toml(path)
    described = _Description(data, path.name)
    name = described.text("name")
    if not _NAME.fullmatch(name):
        raise described.error(f"the name {name!r} must be lower-case letters, digits, '_' and '-'")
    format_ = described.text("format", "table")
    if format_ not in ("table", "jsonl"):
        raise described.error(f"unknown format {format_!r}; known are: table, jsonl")
    described.check((*_COMMON, *(_COLUMNS + _SHAPE if format_ == "table" else ())))
    files = described.texts("files")
    if not files:
        raise described.error("'files' is missing: the table, or a list of tables of the same columns")
    options: dict[str, Any] = {"prefix": described.text("prefix", ""), "type": described.text("type", "")}
    if format_ == "table":
        options["table"] = _mapping(described)
        cut = _can_be_cut(options["table"])
        repeated = cut and options["table"]["header"]
        parts = [Part(_glob(f), "linkassay.kbs.readers.own_table:read_rows", lines=cut, header=repeated) for f in files]
    else:
        parts = [Part(_glob(f), "linkassay.kbs.readers.json_lines:read_entities", lines=True) for f in files]
    if "history" in data:
        history = _history(described)
        files = [*files, history.pop("file")]
        options["history"] = history
        parts.append(Part(_glob(files[-1]), "linkassay.kbs.readers.own_table:read_history"))
    if len({part.files for part in parts}) < len(parts):
        raise described.error("two of its files have the same name; give them different ones")
    paths = [path.parent / file for file in files]
    return KbSpec(
        name=name,
        title=described.text("title", name),
        prefix=options["prefix"],
        types=(options["type"],) if options["type"] else (),
        licence=described.text("licence", "not stated"),
        citation=described.text("citation", ""),
        homepage=described.text("homepage", ""),
        parts=tuple(parts),
        packaged=lambda: expand_paths(paths),
        options=options,
    )


def _glob(file: str) -> str:
    """What matches the name that `expand` gives the file: without folders and compression."""
    name = re.sub(r"(?i)\.(gz|bz2|xz)$", "", Path(file).name)
    return glob.escape(name).replace("|", "?")  # "|" separates alternatives


def _shape(described: _Description) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "delimiter": described.text("delimiter", "\t"),
        "header": described.flag("header", "columns" not in described.data),
        "columns": described.texts("columns"),
        "quote": described.text("quote", ""),
        "comment": described.text("comment", ""),
    }
    if len(shape["delimiter"]) != 1 or shape["delimiter"] in "\r\n":
        raise described.error(f"'delimiter' must be one character, not {shape['delimiter']!r}")
    if len(shape["quote"]) > 1 or (shape["quote"] and shape["quote"] in f"\r\n{shape['delimiter']}"):
        raise described.error(f"'quote' must be one character other than the delimiter, not {shape['quote']!r}")
    if not shape["header"] and not shape["columns"]:
        raise described.error("without a header the 'columns' must be listed")
    return shape


def _mapping(described: _Description) -> dict[str, Any]:
    mapping = _shape(described)
    mapping["id"] = described.text("id")
    mapping["names"] = described.columns("names")
    if not mapping["names"]:
        raise described.error("'names' is missing: the columns with names, the primary one first")
    for key in ("type_column", "category", "definition", "foreign", "foreign_name", "foreign_prefix", "obsolete"):
        mapping[key] = described.text(key, "")
    for key in ("parents", "xrefs", "alternative_ids"):
        mapping[key] = described.columns(key)
    _check_columns(described, mapping)
    return mapping


def _check_columns(described: _Description, mapping: Mapping[str, Any]) -> None:
    """Where the columns are listed, one that is not among them is known to be wrong before reading."""
    if mapping["columns"]:
        for column in _used(mapping):
            if column not in mapping["columns"]:
                raise described.error(f"no column {column!r}; {near_miss(column, mapping['columns'])}")


def _history(described: _Description) -> dict[str, Any]:
    table = described.data["history"]
    if not isinstance(table, dict):
        raise described.error(f"'history' must be {{file = …, old = …, new = …}}, not {table!r}")
    inner = _Description(table, described.file, "history: ")
    inner.check(_TABLES["history"])
    history = {"file": inner.text("file"), **_shape(inner), "old": inner.text("old"), "new": inner.text("new")}
    _check_columns(inner, history)
    return history


def _can_be_cut(mapping: Mapping[str, Any]) -> bool:
    """Not where a quoted field may hold line ends or a comment stand before the header."""
    return not mapping["quote"] and not (mapping["header"] and mapping["comment"])


def _used(mapping: Mapping[str, Any]) -> list[str]:
    keys = ("id", "type_column", "category", "definition", "foreign", "foreign_name", "obsolete", "old", "new")
    columns = [mapping[key] for key in keys if mapping.get(key)]
    return columns + [
        c["column"] for key in ("names", "parents", "xrefs", "alternative_ids") for c in mapping.get(key, [])
    ]


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
