"""The report: scored runs as one self-contained HTML page.

Each module of `sections` turns the runs of a corpus (a `Cohort`) into one part of the page as JSON-ready
`blocks`, `mention_browser` and `endtoend_cases` pick what the error browsers show,
`explanations` holds every definition, `page_data` collects it all, `page_table_texts` adds the text of every table, and
`report_page` puts data, style and script into one file. What a figure means is decided in `scoring`, not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.pages.page_data import gather_page
    from linkassay.pages.report_as_text import tables_as_text
    from linkassay.pages.report_page import write_profile_page, write_report

__all__ = ["gather_page", "tables_as_text", "write_profile_page", "write_report"]

__getattr__, __dir__ = front_door(__name__)
