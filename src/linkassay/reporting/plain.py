"""The tables of a report as text, for a terminal, a spreadsheet or a paper; without charts and mentions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from linkassay.reporting.blocks import Block
from linkassay.tables import FORMATS, Rows

__all__ = ["FORMATS", "plain"]

#: How a heading is written in each form.
_HEADINGS = {"md": "## {}", "latex": "% {}", "tsv": "# {}"}


def plain(data: Mapping[str, Any], form: str) -> str:
    """All tables of what `gather` made, each under its name."""
    named = [("", section) for section in (*data["failed"], *data["overview"])]
    for corpus in data["corpora"]:
        title = f"{corpus['title']}, {corpus['split']}: "
        named += [(title, section) for section in (*corpus["before"], *corpus["after"])]
    parts = [data["sentence"] if form != "latex" else f"% {data['sentence']}"]
    heading = _HEADINGS.get(form, "{}")
    parts += [
        heading.format(f"{title}{block['caption']}") + "\n" + _rows(block).text(form)
        for title, section in named
        for block in _tables(section["blocks"])
    ]
    return "\n\n".join(parts) + "\n"


def _tables(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block["kind"] == "table":
            yield block
        yield from _tables(block.get("blocks", ()))
        for _, inner in block.get("options", ()):
            yield from _tables(inner)


def _rows(block: Block) -> Rows:
    """Rows of values; the ends of an interval are columns of their own."""
    rows = Rows()
    for cells in (*block["rows"], *block.get("foot", ())):
        row: dict[str, Any] = {}
        for column, cell in zip(block["columns"], cells, strict=True):
            given = cell if isinstance(cell, dict) else {"v": cell}
            label = column["label"] if column["label"] not in row else f"{column['label']} ({len(row)})"
            row[label] = given["v"]
            if column.get("interval"):
                row |= {f"{label} low": given.get("low"), f"{label} high": given.get("high")}
        rows.append(row)
    return rows
