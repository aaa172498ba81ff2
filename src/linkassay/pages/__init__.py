"""The report: scored runs as one self-contained HTML page.

Each module of `sections` turns the runs of a corpus (a `Cohort`) into one part of the page as JSON-ready `blocks`,
`explanations` holds every definition, `page_data` collects it all, `page_table_texts` adds the text of every table,
and `report_page` puts data, style and script into one file. What can be looked at one by one comes from `explorer`;
what a figure means is decided in `scoring`, not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.pages.page_data import gather_page, page_cautions, page_words
    from linkassay.pages.report_as_text import tables_as_text
    from linkassay.pages.report_page import write_profile_page, write_report
    from linkassay.pages.shell import server_shell

__all__ = [
    "gather_page",
    "page_cautions",
    "page_words",
    "server_shell",
    "tables_as_text",
    "write_profile_page",
    "write_report",
]

__getattr__, __dir__ = front_door(__name__)
