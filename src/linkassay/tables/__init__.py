"""Figures as text, all rounded by one rule; rows of them plain, as TSV, Markdown, LaTeX. Their meaning is not known.

`numbers` rounds and writes a value, `formats` has the escapes and the frame of each format, `rows` are tables of plain
values (the command line's), `cells` those of figures with intervals and marks (the report's).
"""

from __future__ import annotations

from linkassay.tables.formats import TABLE_FORMATS
from linkassay.tables.numbers import fixed, percent, points, rounded
from linkassay.tables.rows import Rows, render

__all__ = ["TABLE_FORMATS", "Rows", "fixed", "percent", "points", "render", "rounded"]
