"""Failure stages: of the mentions wrong at rank 1, how many are lost in candidate generation and how many after it."""

from __future__ import annotations

from collections.abc import Mapping

from linkassay import charts
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column
from linkassay.scoring.disambiguation import ALL
from linkassay.scoring.results import STAGES, Cohort
from linkassay.tables import fixed, percent

COLOURS = {"generation": "var(--generation)", "disambiguation": "var(--disambiguation)"}
NAMES = {"generation": "candidate generation", "disambiguation": "disambiguation"}


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block:
    """A bar for each system, and how many mentions there are behind it."""
    found = [figures[ALL] for figures in cohort.figures]
    pieces = [
        {"group": label, "kind": NAMES[stage], "value": share.value, "open": behind(label, stage),
         "tip": f"{label}, {NAMES[stage]}: {percent(share.value)} % of {fixed(share.n or 0, 1)} wrong"}
        for label, each in zip(cohort.labels, found, strict=True) for stage, measure in STAGES.items()
        if (share := each[measure]).value is not None
    ]  # fmt: skip
    columns = [column("system"), column("wrong at rank 1", "weight"),
               *(column(name, "percent", interval=True) for name in NAMES.values()),
               column("no answer", "count")]  # fmt: skip
    rows = [
        [blocks.system(label), blocks.number(each[STAGES["generation"]], "n", behind(label, "missed")),
         *(blocks.figure(each[measure], behind(label, stage)) for stage, measure in STAGES.items()),
         blocks.figure(each["no-answer"], behind(label, "none"))]
        for label, each in zip(cohort.labels, found, strict=True)
    ]  # fmt: skip
    table = blocks.table("Failure stage", columns, rows)
    remarks = blocks.remarks(each[measure] for each in found for measure in STAGES.values())
    if not pieces:
        return blocks.section("failures", [blocks.text("No mention is wrong at rank 1."), table])
    kinds = {NAMES[stage]: colour for stage, colour in COLOURS.items()}
    chart = charts.bars(pieces, "Share of failures by stage, for each system", kinds,
                        x="share of what is wrong at rank 1, %", order=cohort.labels)  # fmt: skip
    return blocks.section("failures", [chart, table, *remarks])
