"""The profile of systems in the hierarchy of their knowledge base: characteristics, types, distances, locations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkassay.reporting import blocks, charts
from linkassay.reporting.blocks import Block, behind, column
from linkassay.reporting.matter import Matter
from linkassay.reporting.mismatches import BIN_NAMES, FARTHEST, MISMATCHES, by_distance, by_location
from linkassay.scoring.hierarchical.figures import FOUR_SETS, counts, figures
from linkassay.scoring.hierarchical.measures import CHARACTERISTICS
from linkassay.scoring.hierarchical.profile import Profile
from linkassay.tables import fixed, percent

__all__ = ["section"]

SHORT = ["0", *(f".{n}" for n in range(1, len(BIN_NAMES) - 1)), "1"]  # names of bins that fit under a cell
DISTANCES = [f"{d}+" if d == FARTHEST else str(d) for d in range(1, FARTHEST + 1)]


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
        blocks.choice("Mismatches", {"by distance": [_distances(found)], "by location of gold": [_locations(found)]}),
        _match_types(found),
    ])  # fmt: skip


def _columns() -> list[dict[str, Any]]:
    return [column("system"), column("n", "weight"), *(column(m, "percent", interval=True) for m in CHARACTERISTICS)]


def _characteristics(rows: Mapping[str, Any], set_: str) -> list[list[Any]]:
    lines = []
    for label, mine in rows.items():
        of = {row["measure"]: row for row in mine if row["set"] == set_ and row["slice"] == "all"}
        opened = dict(zip(CHARACTERISTICS, ("credited", "any", "any", "overspecific", "underspecific", "orthogonal"),
                          strict=True))  # fmt: skip
        inside = {"slice": "novel"} if set_.startswith("novel") else {}
        cells = (blocks.figure(of[m], behind(label, opened[m], **inside)) for m in CHARACTERISTICS)
        lines.append([blocks.system(label), {"v": of["accuracy"]["n"], "open": behind(label, **inside)}, *cells])
    return lines


def _chart(rows: Mapping[str, Any], systems: Mapping[str, int]) -> Block:
    dots = [
        {"group": row["measure"], "system": label, **{k: row[k] for k in ("value", "low", "high")},
         "open": behind(label),
         "tip": f"{label}, {row['measure']}: {percent(row['value'] or 0)} %, n {row['n']:g}"}
        for label, mine in rows.items() for row in mine if row["set"] == "global" and row["slice"] == "all"
    ]  # fmt: skip
    return charts.dots(dots, "Characteristics of each system", systems, title="%", order=CHARACTERISTICS)


def _distances(found: Mapping[str, Profile]) -> Block:
    shown: list[dict[str, Any]] = []
    for label, profile in found.items():
        table = by_distance(profile, profile.weights("global", profile.score.in_scope))
        most = table.max() or 1.0
        for (kind, _, _), values in zip(MISMATCHES, table, strict=True):
            for distance, n in zip(DISTANCES, values[1:].tolist(), strict=True):
                shown.append({
                    "facet": label, "x": distance, "y": kind, "depth": n / most, "kind": "worse",
                    "text": _short(n), "open": behind(label, kind),
                    "tip": f"{label}, {kind}, distance {distance}: {_short(n) or '0'}",
                })  # fmt: skip
    return charts.grid(shown, "Mismatches by type and distance, for each system", x=DISTANCES,
                       y=[kind for kind, _, _ in MISMATCHES], titles=("distance", ""), facets=list(found),
                       step=24)  # fmt: skip


def _match_types(found: Mapping[str, Profile]) -> Block:
    each = {label: counts(profile) for label, profile in found.items()}
    names = list(next(iter(each.values())))
    opened = {"exact": "credited", "no answer": "none", "virtual root": "orthogonal"}
    columns = [column("system"), *(column(name, "weight") for name in names)]
    rows = [
        [blocks.system(label), *({"v": of[n], "open": behind(label, opened.get(n, n))} for n in names)]
        for label, of in each.items()
    ]
    return blocks.table("Match types", columns, rows)


def _locations(found: Mapping[str, Profile]) -> Block:
    """Mismatches in tenths of the way from a root to a leaf."""
    columns = [column("system"), column("type"), *(column(name, "weight") for name in BIN_NAMES)]
    rows, shown = [], []
    for label, profile in found.items():
        table = by_location(profile, profile.weights("global", profile.score.in_scope))
        top = float(table.max()) or 1.0
        for (kind, _, _), values in zip(MISMATCHES, table, strict=True):
            rows.append([blocks.system(label), kind, *({"v": n, "open": behind(label, kind)} for n in values.tolist())])
            for name, n in zip(SHORT, values.tolist(), strict=True):
                shown.append({
                    "facet": label, "x": name, "y": kind, "depth": n / top, "kind": "worse", "text": _short(n),
                    "open": behind(label, kind), "tip": f"{label}, {kind}, location {name}: {_short(n) or 0}",
                })  # fmt: skip
    chart = charts.grid(shown, "Mismatches by location of gold, for each system", x=SHORT,
                        y=[kind for kind, _, _ in MISMATCHES], titles=("location: 0 a root, 1 a leaf", ""),
                        facets=list(found), step=24)  # fmt: skip
    table_ = blocks.details("The figures of the chart", [blocks.table("Mismatches by location", columns, rows)])
    return {"kind": "group", "blocks": [chart, table_]}


def _short(n: float) -> str:
    """A number that fits into a cell; nothing for none."""
    return "" if n < 0.05 else fixed(n, 0) if n >= 9.95 or abs(n - np.round(n)) < 0.05 else fixed(n, 1)
