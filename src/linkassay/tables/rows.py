"""Rows of plain values as a table: for the command line, for notebooks, and for other libraries of tables."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape
from typing import Any

from linkassay.errors import UsageError
from linkassay.tables.formats import named, one_line
from linkassay.tables.numbers import fixed


class Tabular(ABC):
    """What can be seen as rows, and handed to libraries of tables; pandas and polars need not be installed."""

    @abstractmethod
    def rows(self) -> Rows:
        """The rows."""

    def to_arrow(self) -> Any:
        """As a table of pyarrow. A column whose values are of several kinds is one of texts."""
        import pyarrow as pa

        rows = self.rows()
        names = dict.fromkeys(key for row in rows for key in row)
        return pa.table({name: _array([row.get(name) for row in rows]) for name in names})

    def to_pandas(self) -> Any:
        """As a data frame of pandas."""
        _installed("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """As a data frame of polars."""
        return _installed("polars").from_arrow(self.to_arrow())


class Rows(list[dict[str, Any]], Tabular):
    """A list of dictionaries that prints as a table and can be written in the forms of `TABLE_FORMATS`.

    >>> print(Rows([{"system": "a|b", "value": 0.5, "n": 2}]).text("md"))
    | system | value | n |
    |---|---:|---:|
    | a\\|b | 0.5000 | 2 |
    """

    def __str__(self) -> str:
        return self.text("plain")

    def rows(self) -> Rows:
        """These rows."""
        return self

    def _repr_html_(self) -> str:
        columns = _columns(self)
        head = "".join(f"<th>{escape(c)}</th>" for c in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(row.get(c)))}</td>" for c in columns) + "</tr>" for row in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def text(self, form: str = "plain") -> str:
        """The table in one of the forms of `TABLE_FORMATS`."""
        return render(self, form)


def html_block(title: str, *tables: Rows, notes: Sequence[str] = ()) -> str:
    """Tables under a title, and what a reader must know of them: how things of ours look in a notebook.

    >>> html_block("a < b", notes=["1 & 2"])
    '<div><p><b>a &lt; b</b></p><ul><li>1 &amp; 2</li></ul></div>'
    """
    said = "".join(f"<li>{escape(note)}</li>" for note in notes)
    shown = "".join(table._repr_html_() for table in tables if table)
    return f"<div><p><b>{escape(title)}</b></p>{shown}{f'<ul>{said}</ul>' if said else ''}</div>"


def _array(values: list[Any]) -> Any:
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else one_line(value) for value in values], pa.string())


def _installed(library: str) -> Any:
    """A library that we do without."""
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise UsageError(f"this needs {library}, which is not installed: pip install {library}") from error


def render(rows: Sequence[dict[str, Any]], form: str) -> str:
    """Rows as text; a column that any row has is a column of the table."""
    safe, frame = named(form)
    columns = _columns(rows)
    cells = [[safe(_cell(row.get(column))) for column in columns] for row in rows]
    right = [all(isinstance(row.get(c), int | float | None) for row in rows) for c in columns]
    return frame([safe(column) for column in columns], cells, right).text()


#: Columns that are for programs: keys of figures, and what of them is usual for none, are in JSON and in the page.
_HIDDEN = ("key", "keys", "under", "tested")


def _columns(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [name for name in dict.fromkeys(key for row in rows for key in row) if name not in _HIDDEN]


def _cell(value: Any) -> str:
    return fixed(value, 4) if isinstance(value, float) else one_line(value)
