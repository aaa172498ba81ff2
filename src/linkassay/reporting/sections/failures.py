"""Failure stages: of the mentions wrong at rank 1, how many are lost in candidate generation and how many after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkassay.reporting import blocks, charts, words
from linkassay.reporting.blocks import Block, behind, column
from linkassay.reporting.matter import Matter
from linkassay.scoring.judged import Judged
from linkassay.tables import fixed, percent

__all__ = ["section", "stages"]

COLOURS = {"generation": "var(--generation)", "disambiguation": "var(--disambiguation)"}
NAMES = {"generation": "candidate generation", "disambiguation": "disambiguation"}


def stages(found: Sequence[Judged]) -> dict[str, Any]:
    """What is wrong at rank 1 (parts of mentions, where ties are), and the share of each stage in it."""
    wrong = sum(1 - j.hits[0] for j in found)
    generation = sum(1 - j.hits[words.STAGE_K - 1] for j in found)
    return {
        "wrong": wrong, "generation": generation / wrong if wrong else None,
        "disambiguation": (wrong - generation) / wrong if wrong else None,
        "no_answer": sum(not j.answered for j in found),
    }  # fmt: skip


def section(matter: Matter, systems: Mapping[str, int]) -> Block:
    """A bar for each system, and how many mentions there are behind it."""
    found = [stages(judged) for judged in matter.judged]
    pieces = [
        {"group": label, "kind": NAMES[stage], "value": each[stage], "open": behind(label, stage),
         "tip": f"{label}, {NAMES[stage]}: {percent(each[stage])} % of {fixed(each['wrong'], 1)} wrong"}
        for label, each in zip(matter.labels, found, strict=True) for stage in NAMES if each[stage] is not None
    ]  # fmt: skip
    columns = [column("system"), column("wrong at rank 1", "weight"), *(column(n, "percent") for n in NAMES.values()),
               column("no answer", "count")]  # fmt: skip
    rows = [
        [blocks.system(label), {"v": each["wrong"], "open": behind(label, "missed")},
         *(None if each[s] is None else {"v": each[s], "open": behind(label, s)} for s in NAMES),
         {"v": each["no_answer"], "open": behind(label, "none")}]
        for label, each in zip(matter.labels, found, strict=True)
    ]  # fmt: skip
    table = blocks.table("Failure stage", columns, rows)
    if not pieces:
        return blocks.section("failures", [blocks.text("No mention is wrong at rank 1."), table])
    kinds = {NAMES[stage]: colour for stage, colour in COLOURS.items()}
    chart = charts.bars(pieces, "Share of failures by stage, for each system", kinds,
                        x="share of what is wrong at rank 1, %", order=matter.labels)  # fmt: skip
    return blocks.section("failures", [chart, table])
