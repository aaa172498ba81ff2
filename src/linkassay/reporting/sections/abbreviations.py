"""The effect of writing out abbreviations: pairs of runs that differ in nothing else (BioEL table 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkassay.errors import UsageError
from linkassay.reporting import blocks, charts
from linkassay.reporting.blocks import Block, behind, column, differing
from linkassay.reporting.matter import Matter
from linkassay.scoring.compare import abbreviation_effect
from linkassay.tables import points

__all__ = ["pairs", "section"]


def pairs(matter: Matter) -> list[tuple[int, int]]:
    """Systems without and with abbreviations written out, and otherwise the same."""

    def rest(at: int) -> tuple[Any, ...]:
        run = matter.scores[at].run
        others = {key: value for key, value in run.about["parameters"].items() if key != "abbreviations"}
        return run.system, run.kb, run.about["software"], sorted(map(str, others.items()))

    written = [("abbreviations" in s.run.about["parameters"]) for s in matter.scores]
    return [(a, b) for a, with_ in enumerate(written) if not with_
            for b, other in enumerate(written) if other and rest(a) == rest(b)]  # fmt: skip


def section(matter: Matter, systems: Mapping[str, int]) -> Block | None:
    """A row for each pair; none where no pair was run, or no mention is an abbreviation."""
    found = pairs(matter)
    try:
        rows = abbreviation_effect([(matter.scores[a], matter.scores[b]) for a, b in found])
    except UsageError:
        return None
    if not rows:
        return None
    columns = [column("system"), column("n", "count"), column("as written", "percent"),
               column("written out", "percent"),
               column("difference", "points", interval=True), column("p", "chance"), column("z (BioEL)", "decimal"),
               column("p of z", "chance")]  # fmt: skip
    lines, dots = [], []
    for (a, b), row in zip(found, rows, strict=True):
        name = matter.labels[a]
        filters = [behind(matter.labels[at], slice="abbreviation") for at in (a, b)]
        lines.append([
            blocks.system(name), {"v": row["n"], "open": filters[0]}, {"v": row["value_without"], "open": filters[0]},
            {"v": row["value_with"], "open": filters[1]},
            blocks.figure({"value": row["difference"], "low": row["low"], "high": row["high"]},
                          behind(matter.labels[b], "differ", slice="abbreviation", against=name)),
            *(differing(row[key], matter.labels[b], name, slice="abbreviation")
              for key in ("permutation_p", "z", "z_p")),
        ])  # fmt: skip
        dots.append({"group": name, "system": name, "value": row["difference"], "low": row["low"], "high": row["high"],
                     "open": filters[1],
                     "tip": f"{name}: {points(row['difference'])} points, n {row['n']}"})  # fmt: skip
    chart = charts.dots(dots, "Change by writing out abbreviations", systems, difference=True, single=True,
                        title="recall@1 of abbreviated mentions, points gained")  # fmt: skip
    return blocks.section("abbreviations", [chart, blocks.table("Effect of abbreviations", columns, lines)])
