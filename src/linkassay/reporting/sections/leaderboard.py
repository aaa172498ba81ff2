"""The leaderboard of one corpus: coverage, recall@1, recall@5 and MRR with intervals, and who is told apart."""

from __future__ import annotations

from collections.abc import Mapping

from linkassay.reporting import blocks
from linkassay.reporting.blocks import Block, behind, column, differing
from linkassay.reporting.matter import Matter

__all__ = ["ALPHA", "level", "section"]

MEASURES = ("recall@1", "recall@5", "mrr", "coverage")
ALPHA = 0.05


def level(p: float | None) -> bool:
    """Whether a system is not told apart from the best."""
    return p is not None and p >= ALPHA


def section(matter: Matter, systems: Mapping[str, int]) -> Block:
    """A row for each system."""
    several = len(matter.labels) > 1
    columns = [column("system"), *(column("MRR" if m == "mrr" else m, "percent", interval=True) for m in MEASURES),
               *([column("p against best", "chance")] if several else []), column("n", "count")]  # fmt: skip
    rows = []
    for at, label in enumerate(matter.labels):
        found = matter.figures[at]["all"]
        p = matter.against_best[at]
        outcomes = ("any", "any", "any", "answered")
        lead = {"strip": label, "mark": "≈" if level(p) else "", "strong": at == 0}
        cells = [
            blocks.figure(found[m], behind(label, outcome), **(lead if m == MEASURES[0] else {}))
            for m, outcome in zip(MEASURES, outcomes, strict=True)
        ]
        rows.append([blocks.system(label), *cells, *([differing(p, label, matter.labels[0])] if several else []),
                     {"v": found["recall@1"]["n"], "open": behind(label)}])  # fmt: skip
    return blocks.section("leaderboard", [blocks.table("Leaderboard", columns, rows, sort=(1, True))])
