"""Recall@k for k from 1 to 10."""

from __future__ import annotations

from collections.abc import Mapping

from linkassay import charts
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column
from linkassay.scoring.disambiguation import CUT_OFFS
from linkassay.scoring.results import Cohort
from linkassay.tables import percent


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block:
    """A line for each system, and the figures behind it."""
    points = [
        {"system": label, "x": k, "value": found["all"][f"recall@{k}"]["value"], "open": behind(label),
         "tip": f"{label}, recall@{k}: {percent(found['all'][f'recall@{k}']['value'])} %"}
        for label, found in zip(cohort.labels, cohort.figures, strict=True) for k in CUT_OFFS
    ]  # fmt: skip
    chart = charts.lines(points, "Recall at k for each system", systems, x="k, candidates looked at", y="recall@k, %")
    columns = [column("system"), *(column(f"recall@{k}", "percent", interval=True) for k in CUT_OFFS)]
    rows = [
        [blocks.system(label), *(blocks.figure(found["all"][f"recall@{k}"], behind(label)) for k in CUT_OFFS)]
        for label, found in zip(cohort.labels, cohort.figures, strict=True)
    ]
    table = blocks.table("Recall@k", columns, rows, kind="dense")
    remarks = blocks.remarks(found["all"][f"recall@{k}"] for found in cohort.figures for k in CUT_OFFS)
    return blocks.section("curve", [chart, *remarks, blocks.details("The figures of the chart", [table])])
