"""Tables of figures as the report has them: cells with an interval, a mark, a difference.

A column has a `label`, a `form` (of `NUMBER_FORMS`) and whether its cells have an `interval`. A cell is a value, or a
mapping with the value as `v`, its interval from `low` to `high`, `difference`, `mark` and `strong`; what else it has is
not for text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from linkassay.tables.formats import Written, named, one_line
from linkassay.tables.numbers import points, writer

Column = Mapping[str, Any]
Cell = Mapping[str, Any]
#: How a value of a column is written.
Write = Callable[[Any], str]
#: How text stands in a cell of a format.
Safe = Callable[[str], str]


class Shown(NamedTuple):
    """What is shown of a cell; "" for what it has not."""

    value: str
    interval: str = ""
    difference: str = ""


def shown(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> list[list[Shown]]:
    """Every cell as it is shown to people."""
    writers = _writers(columns, rows)
    return [[_shown(_cell(c), *how) for c, how in zip(row, writers, strict=True)] for row in rows]


def written(form: str, columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> Written:
    r"""The table in a format: TSV unrounded and with the ends of intervals in columns of their own, others as shown.

    >>> columns = [{"label": "system", "form": "text"}, {"label": "F1", "form": "percent", "interval": True}]
    >>> rows = [["a_b", {"v": 0.8875, "low": 0.85, "high": 0.9, "mark": "*", "strong": True}]]
    >>> [written(form, columns, rows).rows for form in ("tsv", "md", "latex")]  # doctest: +NORMALIZE_WHITESPACE
    [['a_b\t0.8875\t0.85\t0.9'], ['| a\\_b | 88.8\\* (85.0–90.0) |'],
     ['a\\_b & \\textbf{88.8}* {\\scriptsize [85.0, 90.0]} \\\\']]
    """
    safe, frame = named(form)
    if form == "tsv":
        heads = _told_apart([one_line(label) for column in columns for label in _ends(column)])
        lines = [[one_line(_cell(c).get(key)) for c, column in zip(row, columns, strict=True)
                  for key in _ends(column).values()] for row in rows]  # fmt: skip
    else:
        heads = [safe(column["label"]) for column in columns]
        put = _latex if form == "latex" else _as_shown
        writers = _writers(columns, rows)
        lines = [[put(safe, _cell(c), *how) for c, how in zip(row, writers, strict=True)] for row in rows]
    return frame(heads, lines, [column["form"] != "text" for column in columns])


def _cell(given: Any) -> Cell:
    return given if isinstance(given, Mapping) else {"v": given}


def _writers(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> list[tuple[Column, Write]]:
    """Each column with how its values are written."""
    return [(c, writer(c["form"], [_cell(row[at]).get("v") for row in rows])) for at, c in enumerate(columns)]


def _has_interval(cell: Cell, column: Column) -> bool:
    return bool(column.get("interval")) and cell.get("low") is not None


def _shown(cell: Cell, column: Column, write: Write) -> Shown:
    joint = " to " if column["form"] == "points" else "–"
    interval = f"{write(cell['low'])}{joint}{write(cell['high'])}" if _has_interval(cell, column) else ""
    difference = cell.get("difference")
    return Shown(write(cell.get("v")), interval, "" if difference is None else points(difference))


def _as_shown(safe: Safe, cell: Cell, column: Column, write: Write) -> str:
    value, interval, _ = _shown(cell, column, write)
    return safe(f"{value}{cell.get('mark') or ''}" + (f" ({interval})" if interval else ""))


def _latex(safe: Safe, cell: Cell, column: Column, write: Write) -> str:
    value = safe(write(cell.get("v")))
    said = (rf"\textbf{{{value}}}" if cell.get("strong") else value) + safe(cell.get("mark") or "")
    if not _has_interval(cell, column):
        return said
    return said + rf" {{\scriptsize [{safe(write(cell['low']))}, {safe(write(cell['high']))}]}}"


def _ends(column: Column) -> dict[str, str]:
    """The columns that a column is in TSV, and what of a cell they hold."""
    label = column["label"]
    return {label: "v"} | ({f"{label} low": "low", f"{label} high": "high"} if column.get("interval") else {})


def _told_apart(labels: Iterable[str]) -> list[str]:
    """Heads of which no two are alike: a program reads columns by their names."""
    found: list[str] = []
    for label in labels:
        again = (f"{label} ({n})" for n in count(2))
        found.append(label if label not in found else next(name for name in again if name not in found))
    return found
