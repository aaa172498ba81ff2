"""Accuracy against time and memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkassay.reporting import blocks, charts
from linkassay.reporting.blocks import Block, behind, column
from linkassay.reporting.matter import Matter
from linkassay.runs import Run
from linkassay.tables import percent

__all__ = ["costs", "section"]


def costs(run: Run) -> dict[str, Any]:
    """What a run took; None where it was not measured."""
    about = run.about
    link = about.get("link_seconds")
    cpu = [about.get(f"{stage}_cpu_seconds") for stage in ("prepare", "link")]
    return {
        "index": about.get("index_seconds", about.get("prepare_seconds")), "train": about.get("train_seconds"),
        "link": link, "cpu": None if None in cpu else sum(cpu),
        "speed": about.get("mentions_per_second", about["mentions"] / link if link else None),  # else an old run
        "memory": about.get("peak_memory_bytes"),
    }  # fmt: skip


def section(matter: Matter, systems: Mapping[str, int]) -> Block | None:
    """Two plots and a table; none where no run was timed."""
    points, rows = [], []
    columns = [column("system"), column("recall@1", "percent", interval=True), column("index", "seconds"),
               column("train", "seconds"), column("link", "seconds"), column("CPU", "seconds"),
               column("mentions/s", "rate"), column("peak memory", "bytes")]  # fmt: skip
    for score, label, figures in zip(matter.scores, matter.labels, matter.figures, strict=True):
        found, recall = costs(score.run), figures["all"]["recall@1"]
        if any(value is not None for value in found.values()):
            rows.append([blocks.system(label), blocks.figure(recall, behind(label)), *found.values()])
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
