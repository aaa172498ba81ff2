"""Every figure of some runs, each computed once and kept under its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.defaults import LEADING
    from linkassay.scoring.results.across_runs import store_counts
    from linkassay.scoring.results.cohort import SEEN_AND_UNSEEN, SHOWN_SLICES, STAGE_K, STAGES, Cohort
    from linkassay.scoring.results.found_mentions import FIRST, FoundMentions, Way
    from linkassay.scoring.results.result import Result

__all__ = [
    "FIRST",
    "LEADING",
    "SEEN_AND_UNSEEN",
    "SHOWN_SLICES",
    "STAGES",
    "STAGE_K",
    "Cohort",
    "FoundMentions",
    "Result",
    "Way",
    "store_counts",
]

__getattr__, __dir__ = front_door(__name__)
