"""Failure stages: how many mentions are lost in candidate generation and how many after it."""

from __future__ import annotations

from collections.abc import Mapping

from linkassay import charts
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column
from linkassay.scoring.disambiguation import ALL, as_count
from linkassay.scoring.results import LOST, STAGES, Cohort
from linkassay.tables import fixed

COLOURS = {"generation": "var(--generation)", "disambiguation": "var(--disambiguation)"}
NAMES = {"generation": "candidate generation", "disambiguation": "disambiguation"}


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block:
    """A bar for each system, as long as many mentions are wrong, and the numbers behind it."""
    found = [figures[ALL] for figures in cohort.figures]
    pieces = [
        {"group": label, "kind": NAMES[stage], "value": lost.value, "open": behind(label, stage),
         "tip": f"{label}, {NAMES[stage]}: {_count(lost.value)} of {_count(each[STAGES[stage]].n or 0)} wrong"}
        for label, each in zip(cohort.labels, found, strict=True) for stage, name in LOST.items()
        if (lost := each[name]).value
    ]  # fmt: skip
    share = f"{NAMES['generation']}, % of wrong"
    columns = [column("system"), column("wrong at rank 1", "weight"), *(column(n, "weight") for n in NAMES.values()),
               column("no answer", "count"), column(share, "percent", interval=True)]  # fmt: skip
    rows = [
        [blocks.system(label), blocks.number(each[STAGES["generation"]], "n", behind(label, "missed")),
         *(blocks.figure(each[name], behind(label, stage)) for stage, name in LOST.items()),
         blocks.figure(each["no-answer"], behind(label, "none")),
         blocks.figure(each[STAGES["generation"]], behind(label, "missed"))]
        for label, each in zip(cohort.labels, found, strict=True)
    ]  # fmt: skip
    table = blocks.table("Failure stage", columns, rows)
    remarks = blocks.remarks(each[measure] for each in found for measure in STAGES.values())
    if not pieces:
        return blocks.section("failures", [blocks.text("No mention is wrong at rank 1."), table])
    kinds = {NAMES[stage]: colour for stage, colour in COLOURS.items()}
    chart = charts.bars(pieces, "Mentions lost in each stage, for each system", kinds,
                        x="mentions wrong at rank 1", order=cohort.labels)  # fmt: skip
    return blocks.section("failures", [chart, table, *remarks])


def _count(n: float) -> str:
    """A number of mentions; ties make parts of them."""
    return fixed(n, 0 if isinstance(as_count(n), int) else 1)
