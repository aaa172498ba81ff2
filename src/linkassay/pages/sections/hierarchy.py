"""The profile of systems in the hierarchy of their knowledge base: characteristics, types, distances, locations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkassay import charts
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column
from linkassay.scoring.disambiguation import as_count
from linkassay.scoring.hierarchy import (
    CHARACTERISTICS,
    DISTANCES,
    LOCATION_BINS,
    MISMATCHES,
    mismatch_cells,
    mismatch_places,
)
from linkassay.scoring.results import Cohort
from linkassay.tables import fixed, percent

SHORT = ["0", *(f".{n}" for n in range(1, len(LOCATION_BINS) - 1)), "1"]  # names of bins that fit under a cell
#: The mentions behind each of `CHARACTERISTICS`: those that make it larger, or all.
OPENED = dict(zip(CHARACTERISTICS, ("credited", "any", "any", "overspecific", "underspecific", "orthogonal"),
                  strict=True))  # fmt: skip


#: What the page calls them, where its word is another: coverage is that of answers.
NAMES = {name: name for name in CHARACTERISTICS} | {"coverage": "exact or underspecific"}


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block | None:
    """Pictures of all mentions and tables of the evaluation sets; none without a hierarchy."""
    if not cohort.profiles:
        return blocks.section("hierarchy", [blocks.text(said) for said in cohort.trouble]) if cohort.trouble else None
    rows = {cohort.labels[at]: figures for at, figures in cohort.characteristics.items()}
    options = {
        set_: [
            blocks.table(f"Characteristics: {set_}", _columns(), _characteristics(rows, set_), kind="dense"),
            *blocks.remarks(f for mine in rows.values() for f in mine if f.about["set"] == set_),
        ]
        for set_ in cohort.sets
    }
    ways = {}
    for set_ in cohort.pictured:
        ways[f"by distance{_in(set_)}"] = _cells(cohort, set_, "distance", DISTANCES)
        ways[f"by location of gold{_in(set_)}"] = _cells(cohort, set_, "location", LOCATION_BINS, SHORT,
                                                         ": 0 a root, 1 a leaf")  # fmt: skip
    return blocks.section("hierarchy", [
        *(_chart(rows, systems, set_) for set_ in cohort.pictured), blocks.choice("Mentions", options),
        blocks.heading("Where the mismatches are"), blocks.choice("Mismatches", ways),
        blocks.heading("Match types"), *(_match_types(cohort, set_) for set_ in cohort.pictured),
    ])  # fmt: skip


def _in(set_: str) -> str:
    """What is added to the name of something that is not of all mentions."""
    return "" if set_ == "global" else f", {set_}"


def _inside(set_: str) -> dict[str, str]:
    """Filters of the mentions of a set, as far as there are any."""
    return {"slice": "novel"} if set_.startswith("novel") else {}


def _columns() -> list[dict[str, Any]]:
    return [
        column("system"),
        column("n", "weight"),
        *(column(NAMES[m], "percent", interval=True) for m in CHARACTERISTICS),
    ]


def _characteristics(rows: Mapping[str, Any], set_: str) -> list[list[Any]]:
    lines = []
    for label, mine in rows.items():
        of = {figure.about["measure"]: figure for figure in mine if figure.about["set"] == set_}
        inside = _inside(set_)
        cells = (blocks.figure(of[m], behind(label, OPENED[m], **inside)) for m in CHARACTERISTICS)
        lines.append([blocks.system(label), blocks.number(of["accuracy"], "n", behind(label, **inside)), *cells])
    return lines


def _chart(rows: Mapping[str, Any], systems: Mapping[str, int], set_: str) -> Block:
    dots = [
        {"group": NAMES[measure], "system": label, **blocks.dot(figure),
         "open": behind(label, OPENED[measure], **_inside(set_)),
         "tip": f"{label}, {NAMES[measure]}: {percent(figure.value or 0)} %, n {figure.n:g}"}
        for label, mine in rows.items() for figure in mine
        if figure.about["set"] == set_ and (measure := figure.about["measure"])
    ]  # fmt: skip
    return charts.dots(dots, f"Characteristics of each system{_in(set_)}", systems, title="%",
                       order=list(NAMES.values()))  # fmt: skip


def _match_types(cohort: Cohort, set_: str) -> Block:
    each = {cohort.labels[at]: found for at, found in cohort.match_types(set_).items()}
    names = list(next(iter(each.values())))
    opened = {"exact": "credited", "no answer": "none"}
    columns = [column("system"), *(column(name, "weight") for name in names)]
    rows = [
        [blocks.system(label), *(blocks.figure(of[n], behind(label, opened.get(n, n), **_inside(set_))) for n in names)]
        for label, of in each.items()
    ]
    return blocks.table(f"Match types{_in(set_)}", columns, rows)


def _cells(
    cohort: Cohort, set_: str, by: str, names: Sequence[str], short: Sequence[str] = (), scale: str = ""
) -> list[Block]:
    """Mismatches by type and by distance or location of gold: a picture of cells, and its figures; each opens its own.

    `by` is what the mentions are filtered by, `short` are names that fit under a cell.
    """
    short = short or names
    kinds = [kind for kind, _, _ in MISMATCHES]
    rows, shown = [], []
    for at, found in cohort.mismatches(by, set_).items():
        label = cohort.labels[at]
        most = max(figure.value or 0 for figure in found.values()) or 1.0
        places = mismatch_places(cohort.profiles[at]) if set_ == "global" else {}
        holds = Counter(cell for numbers in places.values() for cell in mismatch_cells(numbers))
        for kind in kinds:
            opened = [behind(label, kind, **{by: name}, **_inside(set_)) for name in names]
            mine = [found[kind, name] for name in names]
            rows.append([blocks.system(label), kind, *map(blocks.figure, mine, opened)])
            shown += [
                {"facet": label, "x": x, "y": kind, "depth": (n := figure.value or 0) / most, "kind": "worse",
                 "text": _short(n), "open": each,
                 "tip": f"{label}, {kind}, {by} {name}: {_of(n, holds[kind, by, name])}"}
                for x, name, figure, each in zip(short, names, mine, opened, strict=True)
            ]  # fmt: skip
    chart = charts.grid(shown, f"Mismatches by type and {by}, for each system{_in(set_)}", x=short, y=kinds,
                        titles=(f"{by}{scale}", ""), facets=[cohort.labels[at] for at in cohort.profiles])  # fmt: skip
    columns = [column("system"), column("type"), *(column(name, "weight") for name in names)]
    table_ = blocks.table(f"Mismatches by {by}{_in(set_)}", columns, rows)
    return [chart, blocks.details("The figures of the chart", [table_])]


def _of(n: float, mentions: int) -> str:
    """The number of a cell, and of how many mentions it is where that is known and another."""
    said = fixed(n, 0 if isinstance(as_count(n), int) else 1)
    return said if as_count(n) == mentions or not mentions else f"{said} of {mentions} mention{'s' * (mentions != 1)}"


def _short(n: float) -> str:
    """A number that fits into a cell; nothing for none."""
    return "" if n < 0.05 else fixed(n, 0) if n >= 9.95 or abs(n - np.round(n)) < 0.05 else fixed(n, 1)
