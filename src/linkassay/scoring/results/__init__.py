"""Every figure of some runs, each computed once and kept under its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.defaults import LEADING
    from linkassay.scoring.results.across_runs import store_counts
    from linkassay.scoring.results.cohort import LOST, SEEN_AND_UNSEEN, SHOWN_SLICES, STAGE_K, STAGES, Cohort, cohorts
    from linkassay.scoring.results.found_mentions import FIRST, FoundMentions, Way, finds_mentions, was_given_texts
    from linkassay.scoring.results.json_rows import leak_notes, row_head, row_leak, row_values, wide_row
    from linkassay.scoring.results.result import Result
    from linkassay.scoring.results.stored_figures import (
        FIGURES,
        basis_of,
        default_figures,
        figures_text,
        kept_figures,
        with_figures,
    )

__all__ = [
    "FIGURES",
    "FIRST",
    "LEADING",
    "LOST",
    "SEEN_AND_UNSEEN",
    "SHOWN_SLICES",
    "STAGES",
    "STAGE_K",
    "Cohort",
    "FoundMentions",
    "Result",
    "Way",
    "basis_of",
    "cohorts",
    "default_figures",
    "figures_text",
    "finds_mentions",
    "kept_figures",
    "leak_notes",
    "row_head",
    "row_leak",
    "row_values",
    "store_counts",
    "was_given_texts",
    "wide_row",
    "with_figures",
]

__getattr__, __dir__ = front_door(__name__)
