"""Figures as text, all rounded by one rule; rows of them plain, as TSV, Markdown, LaTeX. Their meaning is not known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from linkassay.errors import UsageError
from linkassay.registry import near_miss

__all__ = ["FORMATS", "Rows", "fixed", "percent", "points", "render", "rounded"]

_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip
_MARKDOWN = str.maketrans({"\\": r"\\", "|": r"\|", "<": "&lt;", "&": "&amp;"})


def fixed(value: float, digits: int, *, sign: bool = False, shift: int = 0) -> str:
    """A number with so many digits after the point, halves rounded away from zero; `shift=2` writes it in percent.

    The one rule of the command line, of text tables and (`fixed` of dom.js) of the page. It looks at twelve decimal
    digits of the number, not at its binary form: a ratio of counts that lies half-way in decimals is seen as such,
    although the nearest double lies a little beside it, and so is a sum of parts of mentions.

    >>> fixed(71 / 80, 3), fixed(71 / 80, 1, shift=2), fixed(-0.00004, 4, sign=True), fixed(1 / 32, 4, sign=True)
    ('0.888', '88.8', '+0.0000', '+0.0313')
    """
    if not math.isfinite(value):
        return str(value)
    exact = Decimal(f"{value:.11e}").scaleb(shift).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{exact or abs(exact):{'+' if sign else ''}f}"


def rounded(value: float, digits: int) -> float:
    """The number that `fixed` writes; a whole one stays whole."""
    return value if isinstance(value, int) else float(fixed(value, digits))


def percent(share: float) -> str:
    """A share as the page writes it: in percent with one digit.

    >>> percent(71 / 80)
    '88.8'
    """
    return fixed(share, 1, shift=2)


def points(difference: float) -> str:
    """A difference of shares as the page writes it: in points with one digit and its sign.

    >>> points(-0.0125), points(0.0)
    ('\u22121.3', '±0.0')
    """
    said = fixed(difference, 1, sign=True, shift=2)
    return "±0.0" if said == "+0.0" else said.replace("-", "\u2212")


class Rows(list[dict[str, Any]]):
    """A list of dictionaries that prints as a table and can be written in the forms of `FORMATS`.

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
        """The table in one of the forms of `FORMATS`."""
        return render(self, form)


def render(rows: Sequence[dict[str, Any]], form: str) -> str:
    """Rows as text; a column that any row has is a column of the table."""
    if form not in FORMATS:
        raise UsageError(f"unknown table format {form!r}; {near_miss(form, list(FORMATS))}")
    columns = _columns(rows)
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    right = [all(isinstance(row.get(c), int | float | None) for row in rows) for c in columns]
    return FORMATS[form](columns, cells, right)


def _columns(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(key for row in rows for key in row))


def _cell(value: Any) -> str:
    """A value on one line, whatever separates lines or cells in it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return fixed(value, 4) if isinstance(value, float) else " ".join(str(value).split())


def _plain(columns: list[str], cells: list[list[str]], right: list[bool]) -> str:
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    lines = [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)).rstrip()
        for row in [columns, *cells]
    ]
    return "\n".join(lines)


def _tsv(columns: list[str], cells: list[list[str]], _right: list[bool]) -> str:
    return "\n".join("\t".join(row) for row in [columns, *cells])


def _markdown(columns: list[str], cells: list[list[str]], right: list[bool]) -> str:
    def line(row: list[str]) -> str:
        return "| " + " | ".join(c.translate(_MARKDOWN) for c in row) + " |"

    rule = "|" + "|".join("---:" if r else "---" for r in right) + "|"
    return "\n".join([line(columns), rule, *map(line, cells)])


def _latex(columns: list[str], cells: list[list[str]], right: list[bool]) -> str:
    def line(row: list[str]) -> str:
        return " & ".join(c.translate(_LATEX) for c in row) + r" \\"

    begin = r"\begin{tabular}{" + "".join("r" if r else "l" for r in right) + "}"
    return "\n".join([begin, r"\hline", line(columns), r"\hline", *map(line, cells), r"\hline", r"\end{tabular}"])


#: Form → how columns, cells and which columns are numbers become text.
FORMATS: dict[str, Callable[[list[str], list[list[str]], list[bool]], str]] = {
    "plain": _plain,
    "tsv": _tsv,
    "md": _markdown,
    "latex": _latex,
}
