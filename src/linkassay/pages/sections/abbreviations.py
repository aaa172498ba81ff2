"""The effect of writing out abbreviations: pairs of runs that differ in nothing else (BioEL table 8)."""

from __future__ import annotations

from collections.abc import Mapping

from linkassay import charts
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column, differing
from linkassay.scoring.results import Cohort
from linkassay.tables import points


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """A row for each pair; none where no pair was run, or no mention is an abbreviation."""
    if not cohort.effects:
        return None
    columns = [column("system"), column("n", "count"), column("as written", "percent"),
               column("written out", "percent"),
               column("difference", "points", interval=True), column("p", "chance"), column("z (BioEL)", "decimal"),
               column("p of z", "chance")]  # fmt: skip
    lines, dots = [], []
    for a, b, effect in cohort.effects:
        name, other = cohort.labels[a], cohort.labels[b]
        filters = [behind(label, slice="abbreviation") for label in (name, other)]
        lines.append([
            blocks.system(name), blocks.number(effect, "n", filters[0]),
            *(blocks.number(effect, f"value_{which}", of) for which, of in zip(("without", "with"), filters)),
            blocks.figure(effect, behind(other, "differ", slice="abbreviation", against=name)),
            *(differing(effect, key, other, name, slice="abbreviation") for key in ("permutation_p", "z", "z_p")),
        ])  # fmt: skip
        dots.append({"group": name, "system": name, **blocks.dot(effect), "open": filters[1],
                     "tip": f"{name}: {points(effect.value or 0)} points, n {effect.n}"})  # fmt: skip
    chart = charts.dots(dots, "Change by writing out abbreviations", systems, difference=True, single=True,
                        title="recall@1 of abbreviated mentions, points gained")  # fmt: skip
    return blocks.section("abbreviations", [chart, blocks.table("Effect of abbreviations", columns, lines)])
