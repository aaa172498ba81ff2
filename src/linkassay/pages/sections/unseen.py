"""Seen mentions, unseen synonyms, unseen entities (BELB)."""

from __future__ import annotations

from collections.abc import Mapping

from linkassay import charts
from linkassay.pages import blocks, explanations
from linkassay.pages.blocks import Block, behind
from linkassay.pages.sections.slices import compared
from linkassay.scoring.results import LEADING, SEEN_AND_UNSEEN, Cohort
from linkassay.tables import percent


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """A dot for each system and kind of mention; none without training data."""
    names = [name for name in SEEN_AND_UNSEEN if name in cohort.slices["named"]]
    if not names:
        return None
    dots = [
        {"group": explanations.SLICES[name], "system": label, **blocks.dot(found), "open": behind(label, slice=name),
         "tip": f"{label}, {explanations.SLICES[name]}: {percent(found['value'])} %, n {found['n']}"}
        for name in names for label, figures in zip(cohort.labels, cohort.figures, strict=True)
        if (found := figures.get(name, {}).get(LEADING[0]))
    ]  # fmt: skip
    chart = charts.dots(dots, "Recall@1 by what training showed", systems, title="recall@1, %")
    options = {m: [compared(cohort, f"By what training showed: {m}", "mentions", names, m)] for m in LEADING}
    remarks = blocks.remarks(figures.get(name, {}).get(LEADING[0]) for figures in cohort.figures for name in names)
    return blocks.section("unseen", [chart, blocks.choice("Measure", options), *remarks])
