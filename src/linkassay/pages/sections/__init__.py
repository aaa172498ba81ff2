"""One module for each section of the report: a function from the runs of a corpus to the section, or to none.

Each says what is shown; its words are in `explanations`, its charts are made by `charts`, what it counts by `scoring`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from linkassay.pages.blocks import Block
from linkassay.pages.sections import (
    abbreviations,
    agreement,
    cost,
    curve,
    endtoend,
    failures,
    further,
    hierarchy,
    leaderboard,
    published,
    run,
    slices,
    unseen,
)
from linkassay.scoring.results import Cohort

__all__ = ["AFTER", "BEFORE", "Section"]

#: From the runs of a corpus, and the colours of all systems of the report.
Section: TypeAlias = Callable[[Cohort, Mapping[str, int]], Block | None]

#: The sections of a corpus, before and after its mentions.
BEFORE: tuple[Section, ...] = (
    leaderboard.section, curve.section, failures.section, slices.types, slices.section, unseen.section,
    abbreviations.section, cost.section, agreement.section, hierarchy.section, endtoend.section, published.section,
    further.section,
)  # fmt: skip
AFTER: tuple[Section, ...] = (run.section,)
