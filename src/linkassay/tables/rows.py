"""Rows of plain values as a table, for the command line and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkassay.tables.formats import named, one_line
from linkassay.tables.numbers import fixed


class Rows(list[dict[str, Any]]):
    """A list of dictionaries that prints as a table and can be written in the forms of `TABLE_FORMATS`.

    >>> print(Rows([{"system": "a|b", "value": 0.5, "n": 2}]).text("md"))
    | system | value | n |
    |---|---:|---:|
    | a\\|b | 0.5000 | 2 |
    """

    def __str__(self) -> str:
        return self.text("plain")

    def _repr_html_(self) -> str:
        from html import escape

        columns = _columns(self)
        head = "".join(f"<th>{escape(c)}</th>" for c in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(row.get(c)))}</td>" for c in columns) + "</tr>" for row in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def text(self, form: str = "plain") -> str:
        """The table in one of the forms of `TABLE_FORMATS`."""
        return render(self, form)


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
