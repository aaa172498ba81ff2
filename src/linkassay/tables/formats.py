"""The formats of tables: for each the one set of escapes and the one frame. What is in a cell is not known here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from linkassay.errors import UsageError
from linkassay.registry import near_miss
from linkassay.tables.numbers import said

#: Whatever could begin markup, a formula or another cell. `<` and `&` as entities: not every reader knows `\\<`.
_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\|`*_[]~$"} | {"<": "&lt;", "&": "&amp;"})
_LATEX = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"\textbar{}", "<": "$<$",
    ">": "$>$", "–": "--", "\u2212": "$-$", "±": r"$\pm$", "≈": r"$\approx$",
})  # fmt: skip

Line = Sequence[str]


class Written(NamedTuple):
    """The lines of a table: above its rows, a line for each row, and below them."""

    head: list[str]
    rows: list[str]
    tail: list[str]

    def text(self) -> str:
        """The whole table."""
        return "\n".join([*self.head, *self.rows, *self.tail])


class Format(NamedTuple):
    """How text stands in a cell (`safe`), and how heads, rows, and which columns are numbers become lines (`frame`)."""

    safe: Callable[[str], str]
    frame: Callable[[Line, Sequence[Line], Sequence[bool]], Written]


def one_line(value: Any) -> str:
    """A value on one line, whatever separates lines or cells in it."""
    return "" if value is None else " ".join(said(value).split())


def named(form: str) -> Format:
    """A format by its name; an unknown one is an error that says which there are."""
    if form not in TABLE_FORMATS:
        raise UsageError(f"unknown table format {form!r}; {near_miss(form, list(TABLE_FORMATS))}")
    return TABLE_FORMATS[form]


def _plain(heads: Line, rows: Sequence[Line], right: Sequence[bool]) -> Written:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    first, *others = [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)).rstrip()
        for row in [heads, *rows]
    ]
    return Written([first], others, [])


def _tsv(heads: Line, rows: Sequence[Line], _right: Sequence[bool]) -> Written:
    return Written(["\t".join(heads)], ["\t".join(row) for row in rows], [])


def _markdown(heads: Line, rows: Sequence[Line], right: Sequence[bool]) -> Written:
    first, *others = ["| " + " | ".join(row) + " |" for row in [heads, *rows]]
    return Written([first, "|" + "|".join("---:" if r else "---" for r in right) + "|"], others, [])


def _latex(heads: Line, rows: Sequence[Line], right: Sequence[bool]) -> Written:
    first, *others = [_kept(" & ".join(row)) + r" \\" for row in [heads, *rows]]
    begin = r"\begin{tabular}{" + "".join("r" if r else "l" for r in right) + "}"
    return Written([begin, r"\toprule", first, r"\midrule"], others, [r"\bottomrule", r"\end{tabular}"])


def _kept(line: str) -> str:
    r"""A line that the `\\` or rule before it does not take for its argument."""
    return "{}" + line if line.startswith(("[", "*")) else line


#: Name → format.
TABLE_FORMATS: dict[str, Format] = {
    "plain": Format(one_line, _plain),
    "tsv": Format(one_line, _tsv),
    "md": Format(lambda text: one_line(text).translate(_MARKDOWN), _markdown),
    "latex": Format(lambda text: one_line(text).translate(_LATEX), _latex),
}
