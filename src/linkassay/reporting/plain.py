"""The tables of a report as text, for a terminal, a spreadsheet or a paper; without charts and mentions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkassay.reporting.carried import copied, sections, tables
from linkassay.tables.formats import FORMATS, one_line

__all__ = ["FORMATS", "plain"]

#: How a heading is written in each form.
_HEADINGS = {"md": "## {}", "latex": "% {}", "tsv": "# {}"}


def plain(data: Mapping[str, Any], form: str) -> str:
    """All tables of what `gather` made, each under its name; a table is what the page copies of it."""
    heading = _HEADINGS.get(form, "{}")
    parts = [one_line(data["sentence"]) if form != "latex" else f"% {one_line(data['sentence'])}"]
    for corpus, section in sections(data):
        for block in tables(section):
            name = one_line(f"{corpus}: {block['caption']}" if corpus else block["caption"])
            parts.append(heading.format(name) + "\n" + copied(block, form).text())
    return "\n\n".join(parts) + "\n"
