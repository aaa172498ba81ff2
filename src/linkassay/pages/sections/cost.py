"""Accuracy against time and memory."""

from __future__ import annotations

from collections.abc import Mapping

from linkassay import charts
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column
from linkassay.scoring.results import Cohort
from linkassay.tables import percent


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """Two plots and a table; none where no run was timed."""
    points, rows = [], []
    columns = [column("system"), column("recall@1", "percent", interval=True), column("index", "seconds"),
               column("train", "seconds"), column("link", "seconds"), column("CPU", "seconds"),
               column("mentions/s", "rate"), column("peak memory", "bytes")]  # fmt: skip
    for costs, label, figures in zip(cohort.costs, cohort.labels, cohort.figures, strict=True):
        found, recall = {name: figure.value for name, figure in costs.items()}, figures["all"]["recall@1"]
        if any(value is not None for value in found.values()):
            rows.append([blocks.system(label), blocks.figure(recall, behind(label)),
                         *map(blocks.figure, costs.values())])  # fmt: skip
        if found["speed"]:
            memory = found["memory"] / 1e6 if found["memory"] else None
            points.append({
                "system": label, "value": recall["value"], "speed": found["speed"], "memory": memory,
                "open": behind(label),
                "tip": f"{label}: {percent(recall['value'])} %, {found['speed']:,.0f} mentions/s"
                       + (f", {memory:,.0f} MB" if memory else ""),
            })  # fmt: skip
    if not points:
        return None
    chart = charts.scatter(points, "Recall@1 against speed and memory", systems, y="recall@1, %",
                           axes={"speed": "mentions/s of one worker", "memory": "peak memory, MB"})  # fmt: skip
    return blocks.section("cost", [chart, blocks.table("Accuracy, time and memory", columns, rows, kind="dense")])
