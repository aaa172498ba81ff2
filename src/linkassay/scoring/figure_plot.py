"""Figures as a chart: a dot with its interval for each measure and slice, in the look of each system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linkassay.errors import UsageError
from linkassay.runs import Run, labels
from linkassay.scoring.figure import Figure
from linkassay.tables import percent, points

if TYPE_CHECKING:
    from linkassay.charts import Drawing


def plot_figures(figures: Sequence[Figure], runs: Sequence[Run], measure: str = "") -> Drawing:
    """The figures of some runs; `measure` restricts them to one, as it is written in their rows."""
    from linkassay import charts

    there = list(dict.fromkeys(figure.about["measure"] for figure in figures))
    if measure and measure not in there:
        raise UsageError(f"no figure of {measure!r} to plot; there are: {', '.join(there) or 'none'}")
    names = {(run.corpus, run.key): label for run, label in zip(runs, labels(runs), strict=True)}
    shown = [figure for figure in figures if not measure or figure.about["measure"] == measure]
    several = {name: len({figure.about[name] for figure in shown}) > 1 for name in ("corpus", "measure", "slice")}
    parts = [name for name, so in several.items() if so] or ["measure"]
    rows = []
    for figure in shown:
        about = figure.about
        group, system = (
            " · ".join(about[name] for name in parts),
            names.get((about["corpus"], about["run"]), about["system"]),
        )
        rows.append(_row(group, system, figure))
    systems = {name: at for at, name in enumerate(dict.fromkeys(row["system"] for row in rows))}
    title = f"{measure or there[0]}, %" if not several["measure"] and there else "%"
    drawn = charts.dots(rows, "Figures with their 95 % intervals", systems, title=title, single=len(systems) == 1)
    return charts.Drawing(drawn, systems)


def plot_differences(rows: Sequence[Mapping[str, Any]], measure: str) -> Drawing:
    """Pairs of systems: the second minus the first, with intervals."""
    from linkassay import charts

    pairs = [dict(row) | {"system": f"{row['first']} → {row['second']}", "value": row["difference"]} for row in rows]
    drawn = charts.dots(
        [row | {"group": row["system"], "tip": f"{row['system']}: {points(row['value'])} points"} for row in pairs],
        f"Differences in {measure} with their 95 % intervals", {row["system"]: at for at, row in enumerate(pairs)},
        title=f"difference in {measure}, points", difference=True, single=True,
    )  # fmt: skip
    return charts.Drawing(drawn, {})


def _row(group: str, system: str, figure: Figure) -> dict[str, Any]:
    interval = "" if figure.low is None or figure.high is None else f", {percent(figure.low)} to {percent(figure.high)}"
    value = "" if figure.value is None else percent(figure.value)
    return {
        "group": group, "system": system, "value": figure.value, "low": figure.low, "high": figure.high,
        "tip": f"{system}, {group}: {value} %{interval}",
    }  # fmt: skip
