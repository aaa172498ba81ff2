"""Rows of figures as text: plain, TSV, Markdown, LaTeX. What the figures mean is not known here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from linkassay.errors import UsageError
from linkassay.registry import near_miss

__all__ = ["FORMATS", "Rows", "render"]

_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip
_MARKDOWN = str.maketrans({"\\": r"\\", "|": r"\|", "<": "&lt;", "&": "&amp;"})


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
    return f"{value:.4f}" if isinstance(value, float) else " ".join(str(value).split())


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
