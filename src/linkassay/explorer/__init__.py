"""Everything of some runs that can be looked at one by one: mentions, cases, documents. Stored, asked, embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.explorer.case_words import COUNTS, ERRORS, case_filters
    from linkassay.explorer.embedded import Embedded
    from linkassay.explorer.embedding import embed
    from linkassay.explorer.outcome_words import MISMATCHES, OUTCOMES, SLICE_NAMES, slices_named
    from linkassay.explorer.view import View
    from linkassay.explorer.view_folder import build_view, open_view, view_fingerprint

__all__ = [
    "COUNTS",
    "ERRORS",
    "MISMATCHES",
    "OUTCOMES",
    "SLICE_NAMES",
    "Embedded",
    "View",
    "build_view",
    "case_filters",
    "embed",
    "open_view",
    "slices_named",
    "view_fingerprint",
]

__getattr__, __dir__ = front_door(__name__)
