"""The page of `profile`: heat maps of type and distance, histograms of locations, characteristics, side by side.

One file without scripts that works from disk. Every picture stands on the numbers underneath it; all texts are
escaped. What is counted is decided in `scoring.hierarchy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from linkassay import store
from linkassay.runs import labels
from linkassay.scoring import Figure
from linkassay.scoring.disambiguation import SETS
from linkassay.scoring.hierarchy import (
    CHARACTERISTICS,
    DISTANCES,
    HIERARCHY_MEASURES,
    LOCATION_BINS,
    LOCATIONS,
    MISMATCHES,
    Profile,
    match_counts,
    mismatch_figures,
    profile_figures,
)
from linkassay.tables import fixed, percent, rounded

WIDTH, HEIGHT, LEFT = 460, 170, 36  # of a histogram

_PATTERNS = """<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>
<pattern id="orthogonal-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<path d="M0 0V6" class="hatch" stroke-width="2"/></pattern>
<pattern id="over-hatch" width="5" height="5" patternUnits="userSpaceOnUse"><path d="M0 0H5" class="hatch"
stroke-width="2"/></pattern></defs></svg>"""


def write_profile_page(
    profiles: Sequence[Profile], sets: Sequence[str], out: Path, keep: Callable[[Figure], Figure]
) -> Path:
    """Write the page; `keep` sees every figure before it is shown."""
    text = render_profile_page(profiles, sets, keep)
    out.parent.mkdir(parents=True, exist_ok=True)
    with store.new_file(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return out


def render_profile_page(
    profiles: Sequence[Profile], sets: Sequence[str], keep: Callable[[Figure], Figure] = lambda figure: figure
) -> str:
    """The page as text."""
    first = profiles[0]
    run, hierarchy = first.score.run, first.relations.hierarchy
    style = files("linkassay.pages").joinpath("hierarchy.css").read_text(encoding="utf-8")
    title = f"How wrong is wrong: {run.corpus}, {run.split}"
    about = (
        f"hierarchy {first.choices or run.kb}: {len(hierarchy):,} entities, {len(hierarchy.roots):,} roots, depth "
        f"{hierarchy.depth}; corpus revision {run.about['corpus_revision']}; denominator {first.choices.denominator}, "
        f"gold {first.choices.gold}, items {first.choices.items}; location: {LOCATIONS[first.choices.location]}"
    )
    body = "".join(_set(profiles, set_, keep) for set_ in sets)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>\n{style}</style></head>\n<body>{_PATTERNS}<main><h1>{escape(title)}</h1>"
        f'<p class="soft">{escape(about)}</p>{body}</main></body></html>\n'
    )


def _set(profiles: Sequence[Profile], set_: str, keep: Callable[[Figure], Figure]) -> str:
    """Everything about one evaluation set."""
    names = labels([p.score.run for p in profiles])
    heats, stacks = ([_table_of(p, by, set_, keep) for p in profiles] for by in ("distance", "location"))
    top = max(1.0, *(float(stack.sum(axis=0).max()) for stack in stacks))
    summaries = [{name: keep(figure) for name, figure in match_counts(p, set_).items()} for p in profiles]
    cards = "".join(
        f'<section class="card"><h3>{escape(name)}</h3>{_summary(types)}{_heat_map(heat)}{_histogram(stack, top)}'
        "</section>"
        for name, types, heat, stack in zip(names, summaries, heats, stacks, strict=True)
    )
    rows = [[keep(figure).row() for figure in profile_figures(p, [set_])] for p in profiles]
    return (
        f'<section><h2>{escape(set_)}</h2><p class="soft">{escape(SETS[set_].summary)}</p>'
        f'<div class="side">{cards}</div>{_characteristics(names, rows)}</section>\n'
    )


def _table_of(profile: Profile, by: str, set_: str, keep: Callable[[Figure], Figure]) -> Any:
    """A row for each of `MISMATCHES`, a column for each distance or location."""
    found = mismatch_figures(profile, by, set_)
    values = [keep(figure).value or 0.0 for figure in found.values()]
    return np.array(values, dtype=float).reshape(len(MISMATCHES), -1)


def _summary(found: Mapping[str, Figure]) -> str:
    return f'<p class="soft">{escape(", ".join(f"{name} {_number(n.value or 0)}" for name, n in found.items()))}</p>'


def _heat_map(cells: Any) -> str:
    """Mismatches by type and distance; a cell is as strong as its share of all mismatches."""
    whole, most = cells.sum() or 1.0, cells.max() or 1.0
    heads = "".join(f'<th scope="col">{d}</th>' for d in DISTANCES)
    lines = ""
    for (name, _, _), values in zip(MISMATCHES, cells, strict=True):
        lines += f'<tr><th scope="row">{name}</th>' + "".join(
            f'<td style="--share:{_strength(n / most):.1f}"{" class=strong" if n > most / 2 else ""} '
            f'title="{name}, distance {d}: {_number(n)}, {percent(n / whole)} % of mismatches">'
            f"{_number(n) if n else ''}</td>"
            for d, n in zip(DISTANCES, values.tolist(), strict=True)
        ) + "</tr>"  # fmt: skip
    return (
        '<div class="scroll"><table class="heat"><caption>mismatches by type and distance</caption><thead><tr>'
        f'<th scope="col">distance</th>{heads}</tr></thead><tbody>{lines}</tbody></table></div>'
    )


def _strength(share: float) -> float:
    """How much of the colour a cell gets; the middle, on which no number reads well, is left out."""
    return 80 * share if share <= 0.5 else 65 + 70 * (share - 0.5)


def _histogram(stacks: Any, top: float) -> str:
    """Bars of mismatches by location, stacked by type; all systems of a set share the scale."""
    step, floor = (WIDTH - LEFT) / len(LOCATION_BINS), HEIGHT - 24
    parts = []
    for share in (0, 0.5, 1):
        y = floor - share * (floor - 8)
        parts.append(f'<path class="axis" d="M{LEFT} {y:.1f}H{WIDTH}"/><text x="{LEFT - 6}" y="{y + 4:.1f}" '
                     f'text-anchor="end">{_number(rounded(share * top, 1))}</text>')  # fmt: skip
    for at, name in enumerate(LOCATION_BINS):
        x, y = LEFT + at * step + 2, float(floor)
        for (kind, _, class_), n in zip(MISMATCHES, stacks[:, at].tolist(), strict=True):
            high = n / top * (floor - 8)
            if high:
                y -= high
                box = f'x="{x:.1f}" y="{y:.1f}" width="{step - 4:.1f}" height="{high:.1f}"'
                parts.append(
                    f'<rect class="{class_}" {box}><title>{kind}, location {name}: {_number(n)}</title></rect>'
                )
                if class_ != "under":
                    parts.append(f'<rect {box} fill="url(#{class_}-hatch)" pointer-events="none"/>')
                parts.append(f'<rect class="outline" {box}/>')
        parts.append(f'<text x="{x + step / 2 - 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{name}</text>')
    rows = [[name, *map(_number, stack.tolist())] for (name, _, _), stack in zip(MISMATCHES, stacks, strict=True)]
    return (
        f"<h3>mismatches by location of the gold (0 a root, 1 a leaf)</h3>{_key()}"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Mismatches by location, stacked by type; the '
        f'numbers are in the table underneath">{"".join(parts)}</svg>'
        f"<details open><summary>numbers</summary>{_table(['location', *LOCATION_BINS], rows)}</details>"
    )


def _key() -> str:
    """What the colours and patterns stand for."""
    parts = []
    for at, (name, _, class_) in enumerate(MISMATCHES):
        box = f'x="{at * 120}" y="2" width="14" height="12"'
        hatch = f'<rect {box} fill="url(#{class_}-hatch)"/>' if class_ != "under" else ""
        parts.append(f'<rect class="{class_}" {box}/>{hatch}<rect class="outline" {box}/>'
                     f'<text x="{at * 120 + 20}" y="12">{name}</text>')  # fmt: skip
    return f'<svg viewBox="0 0 {WIDTH} 18" aria-hidden="true">{"".join(parts)}</svg>'


def _characteristics(names: Sequence[str], rows: Sequence[Sequence[dict[str, Any]]]) -> str:
    """A small chart for each characteristic: a dot for each system, with its interval."""
    charts, numbers = [], []
    for at, measure in enumerate(CHARACTERISTICS):
        found = [of[at] for of in rows]
        charts.append(f'<figure class="card" style="margin:0"><h3>{measure}</h3><p class="soft">'
                      f"{escape(HIERARCHY_MEASURES[measure].summary)}</p>{_dots(names, found)}</figure>")  # fmt: skip
    for name, of in zip(names, rows, strict=True):
        numbers.append([name, _number(of[0]["n"]), *(_percent(row) for row in of)])
    head = ["system", "n", *(f"{m}, %" for m in CHARACTERISTICS)]
    return (
        f'<div class="multiples">{"".join(charts)}</div><div class="card scroll">'
        f"{_table(head, numbers, 'in brackets 95 % intervals over documents')}</div>"
    )


def _dots(names: Sequence[str], found: Sequence[dict[str, Any]]) -> str:
    width, line, left = 260, 30, 6
    scale = (width - 2 * left) / 100
    bottom = len(names) * line + 6
    parts = [f'<path class="axis" d="M{left + tick * scale:.1f} 0V{bottom}"/><text x="{left + tick * scale:.1f}" '
             f'y="{bottom + 12}" text-anchor="middle">{tick}</text>' for tick in (0, 25, 50, 75, 100)]  # fmt: skip
    for at, (name, row) in enumerate(zip(names, found, strict=True)):
        y = at * line + 22
        parts.append(f'<text class="name" x="{left}" y="{y - 9}">{escape(name)}</text>')
        if row["value"] is None:
            parts.append(f'<text x="{left}" y="{y + 4}">undefined</text>')
            continue
        if row["low"] is not None:
            ends = " ".join(f"{left + 100 * row[k] * scale:.1f}" for k in ("low", "high")).split()
            parts.append(
                f'<path class="whisker" d="M{ends[0]} {y}H{ends[1]}M{ends[0]} {y - 4}v8M{ends[1]} {y - 4}v8"/>'
            )
        x = left + 100 * row["value"] * scale
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y}" r="4"><title>{_percent(row)}</title></circle>')
    return (f'<svg viewBox="0 0 {width} {bottom + 16}" role="img" aria-label="the numbers are in the table '
            f'underneath">{"".join(parts)}</svg>')  # fmt: skip


def _table(head: Iterable[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    heads = "".join(f'<th scope="col">{escape(h)}</th>' for h in head)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(c)}</td>" for c in rest)}</tr>'
        for first, *rest in rows
    )
    titled = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<div class="scroll"><table>{titled}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def _number(n: float) -> str:
    return fixed(n, 0) if abs(n - round(n)) < 1e-6 else fixed(n, 1)


def _percent(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return "–"
    interval = "" if row["low"] is None else f" ({percent(row['low'])}–{percent(row['high'])})"
    return f"{fixed(row['value'], 2, shift=2)}{interval}"
