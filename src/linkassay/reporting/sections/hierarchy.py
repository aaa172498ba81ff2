"""The profile of systems in the hierarchy of their knowledge base: characteristics, types, distances, locations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkassay.reporting import blocks, charts
from linkassay.reporting.blocks import Block, behind, column
from linkassay.reporting.matter import Matter
from linkassay.reporting.mismatches import BIN_NAMES, DISTANCES, MISMATCHES, by_distance, by_location, cells, places
from linkassay.scoring.hierarchical.figures import FOUR_SETS, counts, figures
from linkassay.scoring.hierarchical.measures import CHARACTERISTICS
from linkassay.scoring.hierarchical.profile import Profile
from linkassay.scoring.score import whole
from linkassay.tables import fixed, percent

__all__ = ["section"]

SHORT = ["0", *(f".{n}" for n in range(1, len(BIN_NAMES) - 1)), "1"]  # names of bins that fit under a cell
#: The mentions behind each of `CHARACTERISTICS`: those that make it larger, or all.
OPENED = dict(zip(CHARACTERISTICS, ("credited", "any", "any", "overspecific", "underspecific", "orthogonal"),
                  strict=True))  # fmt: skip


def section(matter: Matter, systems: Mapping[str, int]) -> Block | None:
    """Pictures of all mentions and tables of the four evaluation sets; none without a hierarchy."""
    found = {matter.labels[at]: profile for at, profile in matter.profiles.items()}
    if not found:
        return blocks.section("hierarchy", [blocks.text(said) for said in matter.trouble]) if matter.trouble else None
    rows = {label: figures(profile) for label, profile in found.items()}
    options = {
        set_: [blocks.table(f"Characteristics: {set_}", _columns(), _characteristics(rows, set_), kind="dense")]
        for set_ in FOUR_SETS
    }
    return blocks.section("hierarchy", [
        _chart(rows, systems), blocks.choice("Mentions", options), blocks.heading("Where the mismatches are"),
        blocks.choice("Mismatches", {
            "by distance": _cells(found, "distance", by_distance, DISTANCES),
            "by location of gold": _cells(found, "location", by_location, BIN_NAMES, SHORT, ": 0 a root, 1 a leaf"),
        }),
        blocks.heading("Match types"), _match_types(found),
    ])  # fmt: skip


def _columns() -> list[dict[str, Any]]:
    return [column("system"), column("n", "weight"), *(column(m, "percent", interval=True) for m in CHARACTERISTICS)]


def _characteristics(rows: Mapping[str, Any], set_: str) -> list[list[Any]]:
    lines = []
    for label, mine in rows.items():
        of = {row["measure"]: row for row in mine if row["set"] == set_ and row["slice"] == "all"}
        inside = {"slice": "novel"} if set_.startswith("novel") else {}
        cells = (blocks.figure(of[m], behind(label, OPENED[m], **inside)) for m in CHARACTERISTICS)
        lines.append([blocks.system(label), {"v": of["accuracy"]["n"], "open": behind(label, **inside)}, *cells])
    return lines


def _chart(rows: Mapping[str, Any], systems: Mapping[str, int]) -> Block:
    dots = [
        {"group": row["measure"], "system": label, **{k: row[k] for k in ("value", "low", "high")},
         "open": behind(label, OPENED[row["measure"]]),
         "tip": f"{label}, {row['measure']}: {percent(row['value'] or 0)} %, n {row['n']:g}"}
        for label, mine in rows.items() for row in mine if row["set"] == "global" and row["slice"] == "all"
    ]  # fmt: skip
    return charts.dots(dots, "Characteristics of each system", systems, title="%", order=CHARACTERISTICS)


def _match_types(found: Mapping[str, Profile]) -> Block:
    each = {label: counts(profile) for label, profile in found.items()}
    names = list(next(iter(each.values())))
    opened = {"exact": "credited", "no answer": "none"}
    columns = [column("system"), *(column(name, "weight") for name in names)]
    rows = [
        [blocks.system(label), *({"v": of[n], "open": behind(label, opened.get(n, n))} for n in names)]
        for label, of in each.items()
    ]
    return blocks.table("Match types", columns, rows)


def _cells(
    found: Mapping[str, Profile],
    by: str,
    counted: Callable[[Profile, Any], Any],
    names: Sequence[str],
    short: Sequence[str] = (),
    scale: str = "",
) -> list[Block]:
    """Mismatches by type and by distance or location of gold: a picture of cells, and its figures; each opens its own.

    `by` is what the mentions are filtered by, `short` are names that fit under a cell.
    """
    short = short or names
    kinds = [kind for kind, _, _ in MISMATCHES]
    rows, shown = [], []
    for label, profile in found.items():
        table = counted(profile, profile.weights("global", profile.score.in_scope))
        most = float(table.max()) or 1.0
        holds = Counter(cell for numbers in places(profile).values() for cell in cells(numbers))
        for kind, values in zip(kinds, table.tolist(), strict=True):
            opened = [behind(label, kind, **{by: name}) for name in names]
            figures_ = [{"v": whole(n), "open": each} for n, each in zip(values, opened, strict=True)]
            rows.append([blocks.system(label), kind, *figures_])
            shown += [
                {"facet": label, "x": x, "y": kind, "depth": n / most, "kind": "worse", "text": _short(n), "open": each,
                 "tip": f"{label}, {kind}, {by} {name}: {_of(n, holds[kind, by, name])}"}
                for x, name, n, each in zip(short, names, values, opened, strict=True)
            ]  # fmt: skip
    chart = charts.grid(shown, f"Mismatches by type and {by}, for each system", x=short, y=kinds,
                        titles=(f"{by}{scale}", ""), facets=list(found), step=24)  # fmt: skip
    columns = [column("system"), column("type"), *(column(name, "weight") for name in names)]
    table_ = blocks.table(f"Mismatches by {by}", columns, rows)
    return [chart, blocks.details("The figures of the chart", [table_])]


def _of(n: float, mentions: int) -> str:
    """The number of a cell, and of how many mentions it is where that is another."""
    said = fixed(n, 0 if isinstance(whole(n), int) else 1)
    return said if whole(n) == mentions else f"{said} of {mentions} mention{'s' * (mentions != 1)}"


def _short(n: float) -> str:
    """A number that fits into a cell; nothing for none."""
    return "" if n < 0.05 else fixed(n, 0) if n >= 9.95 or abs(n - np.round(n)) < 0.05 else fixed(n, 1)
