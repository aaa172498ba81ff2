"""The tables of a report as text, for a terminal, a spreadsheet or a paper; without charts and mentions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkassay.pages.page_table_texts import copied, sections, tables
from linkassay.tables import TABLE_FORMATS, one_line

#: How a heading is written in each form.
_HEADINGS = {"md": "## {}", "latex": "% {}", "tsv": "# {}"}


def tables_as_text(data: Mapping[str, Any], form: str) -> str:
    """All tables of what `gather_page` made, each under its name; a table is what the page copies of it."""
    # in Markdown headings are text as cells are; elsewhere they are comments, or nothing but text
    safe = TABLE_FORMATS[form].safe if form == "md" else one_line
    parts = [("% " if form == "latex" else "") + safe(data["sentence"])]
    for corpus, section in sections(data):
        for block in tables(section):
            name = safe(f"{corpus}: {block['caption']}" if corpus else block["caption"])
            parts.append(_HEADINGS.get(form, "{}").format(name) + "\n" + copied(block, form).text())
    return "\n\n".join(parts) + "\n"
