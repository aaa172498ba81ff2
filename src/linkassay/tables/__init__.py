"""Figures as text, all rounded by one rule; rows of them plain, as TSV, Markdown, LaTeX. Their meaning is not known.

`numbers` rounds and writes a value, `formats` has the escapes and the frame of each format, `rows` are tables of plain
values (the command line's), `figure_cells` those of figures with intervals and marks (the
report's).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.tables.figure_cells import Shown, shown, written
    from linkassay.tables.formats import TABLE_FORMATS, Written, one_line
    from linkassay.tables.numbers import NUMBER_FORMS, fixed, percent, points, rounded, writer
    from linkassay.tables.rows import Rows, Tabular, html_block, render

__all__ = [
    "NUMBER_FORMS",
    "TABLE_FORMATS",
    "Rows",
    "Shown",
    "Tabular",
    "Written",
    "fixed",
    "html_block",
    "one_line",
    "percent",
    "points",
    "render",
    "rounded",
    "shown",
    "writer",
    "written",
]

__getattr__, __dir__ = front_door(__name__)
