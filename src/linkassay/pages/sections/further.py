"""Measures and slices that someone asked for beside those that every report shows."""

from __future__ import annotations

from collections.abc import Mapping

from linkassay.defaults import DEFAULT_MEASURES
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column
from linkassay.pages.sections.slices import type_name
from linkassay.scoring.disambiguation import Measure, Score
from linkassay.scoring.results import Cohort


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """A row for each system, slice and measure of the scores; none where they are just the usual ones."""
    if not any(_asked(score) for score in cohort.scores):
        return None
    labels = {score.run.key: label for score, label in zip(cohort.scores, cohort.labels, strict=True)}
    several = any(score.slice_names for score in cohort.scores)
    columns = [column("system"), *([column("mentions")] if several else []), column("measure"),
               column("figure", "percent", interval=True), column("n", "weight"),
               *([column("difference to all", "points"), column("p (Holm)", "chance")] if several else [])]  # fmt: skip
    lines = []
    for figure in cohort.asked:
        label, name = labels[figure.about["run"]], figure.about["slice"]
        kind: dict[str, str] = {} if name == "all" else {"slice": name}
        if name in cohort.slices["types"]:
            kind = {"type": type_name(name)}
        opened = behind(label, **kind)
        apart = [None if figure[key] is None else blocks.number(figure, key, opened)
                 for key in ("difference", "p_holm")] if several else []  # fmt: skip
        lines.append([blocks.system(label), *([name] if several else []), figure.about["measure"],
                      blocks.figure(figure, opened), blocks.number(figure, "n", opened), *apart])  # fmt: skip
    return blocks.section("further", [blocks.table("Further measures", columns, lines, kind="dense")])


def _asked(score: Score) -> bool:
    usual = {Measure.parse(text) for text in DEFAULT_MEASURES.split(",")}
    return bool(score.slice_names) or bool(set(score.measures) - usual)
