"""Charts: Vega-Lite descriptions, rendered offline, as trees of plain SVG elements that the page's script builds.

A `Drawing` is one by itself. Colours are the style sheet's variables, so that one picture serves light and dark. What
Vega returns is taken apart and only known elements and attributes are kept; a link leads into the page or is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote
from xml.etree import ElementTree

from linkassay.errors import UsageError

__all__ = [
    "NEUTRAL",
    "Chart",
    "Drawing",
    "bars",
    "dots",
    "draw",
    "grid",
    "lines",
    "look",
    "scatter",
    "without_charts",
]

#: A chart as JSON-ready data: `alt`, `systems` of its key, `width`, `height`, and the `tree` of its elements.
Chart: TypeAlias = dict[str, Any]

WIDTH = 460  # as wide as a chart is drawn; the page scales it to its place
HUES = 8  # of systems, in the style sheet
#: Marks of systems. With the hues they tell 48 systems apart; up to six differ without any colour.
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
#: Of lines, for each round of hues.
DASHES = ([1, 0], [7, 4], [2, 3], [9, 3, 2, 3], [4, 2], [12, 4])
NEUTRAL = -1  # the colour of what is no system of the report

_CONFIG = {
    "background": None,
    "font": "Liberation Sans",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--soft)", "titleColor": "var(--soft)", "gridColor": "var(--line)", "domain": False,
        "ticks": False, "labelFontSize": 14, "titleFontSize": 14, "titleFontWeight": "normal", "labelPadding": 7,
        "titlePadding": 8, "labelLimit": 190, "domainColor": "var(--strong-line)",
    },
    "header": {"labelColor": "var(--ink)", "labelFontSize": 14, "labelFontWeight": "bold", "title": None,
               "labelAnchor": "start", "labelLimit": 400},
    "text": {"fontSize": 13},
    "point": {"filled": True, "opacity": 1},
    "rule": {"strokeWidth": 2, "opacity": 0.5},
}  # fmt: skip

#: Elements and attributes that a chart may consist of. Everything else Vega writes is left out.
_TAGS = {"svg", "g", "path", "line", "text", "rect", "a"}
_ATTRIBUTES = {
    "d", "transform", "x", "y", "x1", "x2", "y1", "y2", "fill", "stroke", "stroke-width", "stroke-dasharray",
    "stroke-linecap", "opacity", "fill-opacity", "stroke-opacity", "text-anchor", "font-size", "font-weight",
}  # fmt: skip
_DEFAULTS = {"opacity": "1", "stroke-width": "1", "text-anchor": "start", "font-weight": "normal"}
_NOWHERE = "#nowhere"  # the link of a mark that has no mentions, such as a published figure
_LINK = re.compile(rf"https://vega\.github\.io/vega-datasets/(#(?:mentions|cases)[^\s]*|{_NOWHERE})")
_NUMBER = re.compile(r"-?\d+\.\d{3,}")


_DRAWN = ContextVar("drawn", default=True)


@contextmanager
def without_charts() -> Iterator[None]:
    """Inside of it charts are empty: for those who want the tables only, and not the time that pictures take."""
    before = _DRAWN.set(False)
    try:
        yield
    finally:
        _DRAWN.reset(before)


def draw(spec: Mapping[str, Any], alt: str, systems: Sequence[str] = ()) -> Chart:
    """Render a description: `alt` says what the picture is of, `systems` are those in its key."""
    if not _DRAWN.get():
        return {"kind": "chart", "alt": alt, "systems": list(systems), "width": 0, "height": 0, "tree": []}
    import vl_convert

    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "padding": 2, "config": _CONFIG, **spec}
    svg = vl_convert.vegalite_to_svg(json.dumps(whole), vl_version="5.20", allowed_base_urls=[])
    root = ElementTree.fromstring(svg)  # noqa: S314 - what was rendered a moment ago, not what someone sent
    return {
        "kind": "chart", "alt": alt, "systems": list(systems), "width": float(root.get("width", WIDTH)),
        "height": float(root.get("height", WIDTH)), "tree": [node for c in root for node in _tree(c, False)],
    }  # fmt: skip


def address(filters: Mapping[str, str]) -> str:
    """The part of the page's address that opens the mentions, or cases, which pass these filters.

    >>> address({"system": "=a b", "outcome": "any"}), address({"part": "cases", "system": "=a"})
    ('#mentions&system=%3Da%20b&outcome=any', '#cases&system=%3Da')
    """
    asked = [f"{key}={quote(value, safe='')}" for key, value in filters.items() if key != "part"]
    return "#" + "&".join([filters.get("part", "mentions"), *asked])


def look(at: int) -> tuple[int, str, list[int]]:
    """Hue, shape and dash of a system, by its place among all of the report; the same in all charts and tables.

    >>> look(0), look(8), look(9)[:2]
    ((0, 'circle', [1, 0]), (0, 'square', [7, 4]), (1, 'triangle-up'))
    """
    turn, hue = divmod(at, HUES)
    return hue, SHAPES[(hue + turn) % len(SHAPES)], DASHES[turn % len(DASHES)]


def dots(
    rows: Sequence[Mapping[str, Any]],
    alt: str,
    systems: Mapping[str, int],
    *,
    title: str = "",
    order: Sequence[str] = (),
    difference: bool = False,
    single: bool = False,
) -> Chart:
    """A dot with its interval for each `group` (a line of the chart) and `system`; `single`: one system a group.

    Rows have `group`, `system`, `value`, `low`, `high`, `tip`; an optional `open` (filters), and `sure` (drawn
    full, else hollow). Shares are drawn in percent from 0 to 100, differences in points around 0.
    """
    shown = [r for r in rows if r["value"] is not None]
    names = [name for name in systems if any(r["system"] == name for r in shown)]
    groups = list(order) or list(dict.fromkeys(r["group"] for r in shown))
    data = [
        {
            "group": r["group"], "system": r["system"], "value": 100 * r["value"], "tip": r["tip"],
            "low": 100 * (r["value"] if r.get("low") is None else r["low"]),
            "high": 100 * (r["value"] if r.get("high") is None else r["high"]),
            "sure": bool(r.get("sure", True)), "link": address(r["open"]) if r.get("open") else _NOWHERE,
        }
        for r in shown
    ]  # fmt: skip
    scale: dict[str, Any] = {"zero": True, "nice": True} if difference else {"domain": [0, 100]}
    y = {"field": "group", "type": "nominal", "sort": groups, "title": None, "scale": {"paddingInner": 0.2},
         "axis": {"labelColor": "var(--ink)", "grid": False, "labelLimit": 260}}  # fmt: skip
    height, beside = 22 * len(groups), list[dict[str, Any]]()
    if not single:
        height, y, beside = _packed(data, groups, names)
    shared: dict[str, Any] = {"y": y, "color": _colours(systems)}
    x = {"field": "value", "type": "quantitative", "scale": scale, "title": title or None,
         "axis": {"tickCount": 5, "grid": True}}  # fmt: skip
    point = {
        "mark": {"type": "point", "size": 55, "strokeWidth": 2},
        "encoding": {
            **shared, "x": x, **_LINKED, "stroke": _colours(systems), "shape": _shapes(systems),
            "fillOpacity": {"condition": {"test": "datum.sure", "value": 1}, "value": 0},
        },
    }  # fmt: skip
    interval = {
        "mark": {"type": "rule", "aria": False},
        "encoding": {**shared, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
    }
    layers: list[dict[str, Any]] = [*beside, interval, point]
    if difference:
        nought = {"mark": {"type": "rule", "aria": False, "stroke": "var(--strong-line)", "opacity": 1, "size": 1},
                  "encoding": {"x": {"datum": 0, "type": "quantitative"}}}  # fmt: skip
        layers.insert(0, nought)
    spec = {"data": {"values": data}, "width": WIDTH - 150, "height": height, "layer": layers}
    return draw(spec, alt, [] if single else names)


def _packed(
    data: list[dict[str, Any]], groups: Sequence[str], names: Sequence[str]
) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    """Lines of systems under each other, those of a group together and none for a system that it lacks.

    Gives the data their places `at`; returns the height, the axis, and the layer with the names of the groups.
    """
    at, titles = 0.0, []
    for group in groups:
        mine = [d for d in data if d["group"] == group]
        lines_ = [name for name in names if any(d["system"] == name for d in mine)]
        room = max(26, 10 * len(lines_) + 16)
        for each in mine:
            each["at"] = at + room / 2 + 10 * (lines_.index(each["system"]) - (len(lines_) - 1) / 2)
        titles.append({"name": group, "at": at + room / 2})
        at += room
    y = {
        "field": "at",
        "type": "quantitative",
        "scale": {"domain": [0, at], "reverse": True, "nice": False},
        "axis": None,
    }
    named = {
        "data": {"values": titles},
        "mark": {"type": "text", "align": "right", "baseline": "middle", "dx": -8, "limit": 190, "fontSize": 14,
                 "color": "var(--ink)", "aria": False},
        "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "name"}},
    }  # fmt: skip
    return int(at), y, [named]


def lines(rows: Sequence[Mapping[str, Any]], alt: str, systems: Mapping[str, int], *, x: str, y: str) -> Chart:
    """A line for each `system` through (`x`, `value`), values in percent; rows have a `tip` and `open`."""
    data = [{**r, "value": 100 * r["value"], "link": address(r["open"])} for r in rows]
    low = min((d["value"] for d in data), default=0.0)
    floor = max(0, 10 * int((low - 5) // 10))
    names = [name for name in systems if any(r["system"] == name for r in data)]
    encoding: dict[str, Any] = {
        "x": {"field": "x", "type": "ordinal", "title": x, "axis": {"labelAngle": 0, "grid": False}},
        "y": {"field": "value", "type": "quantitative", "title": y, "scale": {"domain": [floor, 100]},
              "axis": {"tickCount": 5}},
        "color": _colours(systems),
    }  # fmt: skip
    spec = {
        "data": {"values": data}, "width": WIDTH - 70, "height": 230,
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2.25, "aria": False},
             "encoding": {**encoding, "detail": {"field": "system"}, "strokeDash": _each(systems, 2)}},
            {"mark": {"type": "point", "size": 46}, "encoding": {**encoding, "shape": _shapes(systems), **_LINKED}},
        ],
    }  # fmt: skip
    return draw(spec, alt, names)


def bars(
    rows: Sequence[Mapping[str, Any]], alt: str, kinds: Mapping[str, str], *, x: str, order: Sequence[str]
) -> Chart:
    """A bar for each `group`, of pieces: `kind`, `value` (a share of 1), `tip`, `open`. `kinds`: kind → colour."""
    data = [{**r, "value": 100 * r["value"], "link": address(r["open"]), "at": list(kinds).index(r["kind"])}
            for r in rows]  # fmt: skip
    spec = {
        "data": {"values": data}, "width": WIDTH - 150, "height": {"step": 34},
        "mark": {"type": "bar", "size": 18},
        "encoding": {
            "y": {"field": "group", "type": "nominal", "sort": list(order), "title": None,
                  "axis": {"labelColor": "var(--ink)"}},
            "x": {"field": "value", "type": "quantitative", "title": x, "scale": {"domain": [0, 100]},
                  "axis": {"tickCount": 5}},
            "order": {"field": "at"}, "color": _scale("kind", list(kinds), list(kinds.values())), **_LINKED,
        },
    }  # fmt: skip
    return draw(spec, alt) | {"key": [[name, colour] for name, colour in kinds.items()]}


def scatter(
    rows: Sequence[Mapping[str, Any]], alt: str, systems: Mapping[str, int], *, axes: Mapping[str, str], y: str
) -> Chart:
    """For each of `axes` (field → title) a plot of `value` in percent against it, logarithmic; rows have a `tip`."""
    names = [name for name in systems if any(r["system"] == name for r in rows)]
    plots: list[dict[str, Any]] = []
    for field, title in axes.items():
        data = [{**r, "value": 100 * r["value"], "link": address(r["open"])} for r in rows if r.get(field)]
        if not data:
            continue
        ends = [min(d[field] for d in data), max(d[field] for d in data)]
        marks = _decades(*ends)
        x = {"field": field, "type": "quantitative", "title": title,
             "scale": {"type": "log", "domain": [marks[0], marks[-1]]},
             "axis": {"values": marks, "format": "~s", "labelOverlap": True}}  # fmt: skip
        low = max(0, 10 * int((min(d["value"] for d in data) - 5) // 10))
        y_axis = {"field": "value", "type": "quantitative", "title": y if not plots else None,
                  "scale": {"domain": [low, 100]}, "axis": {"tickCount": 5}}  # fmt: skip
        plots.append({
            "data": {"values": data}, "width": (WIDTH - 130) / 2 + 30, "height": 190,
            "mark": {"type": "point", "size": 130},
            "encoding": {"x": x, "y": y_axis, "color": _colours(systems), "shape": _shapes(systems), **_LINKED},
        })  # fmt: skip
    return draw({"hconcat": plots, "spacing": 26}, alt, names)


def grid(
    rows: Sequence[Mapping[str, Any]],
    alt: str,
    *,
    x: Sequence[str],
    y: Sequence[str],
    titles: tuple[str, str] = ("", ""),
    facets: Sequence[str] = (),
    step: int = 0,
) -> Chart:
    """Cells of `x` and `y`: as deep as `depth` (0 to 1), with a `text`; `kind` is better or worse than nothing.

    With `facets` there is a grid for each `facet`.
    """
    data = [
        {
            **r,
            "link": address(r["open"]) if r.get("open") else _NOWHERE,
            "depth": r["depth"] and 0.1 + 0.9 * r["depth"],
        }
        for r in rows
    ]
    across = {"field": "x", "type": "nominal", "sort": list(x), "title": titles[0] or None,
              "axis": {"orient": "bottom", "labelAngle": 0 if max(map(len, x), default=0) < 6 else -40}}  # fmt: skip
    down = {"field": "y", "type": "nominal", "sort": list(y), "title": titles[1] or None,
            "axis": {"labelColor": "var(--ink)"}}  # fmt: skip
    cell = {
        "width": {"step": step or max(30, min(64, int((WIDTH - 150) / max(1, len(x)))))}, "height": {"step": 24},
        "layer": [
            {"mark": {"type": "rect", "stroke": "var(--card)", "strokeWidth": 2, "cornerRadius": 3},
             "encoding": {"x": across, "y": down, **_LINKED,
                          "fill": _scale("kind", ["better", "worse"], ["var(--better)", "var(--worse)"]),
                          "fillOpacity": {"field": "depth", "type": "quantitative", "legend": None,
                                          "scale": {"domain": [0, 1], "range": [0, 0.6]}}}},
            {"mark": {"type": "text", "color": "var(--ink)", "aria": False},
             "encoding": {"x": across, "y": down, "text": {"field": "text"}}},
        ],
    }  # fmt: skip
    if not facets:
        return draw({"data": {"values": data}, **cell}, alt) | ({"wide": True} if len(x) > 10 else {})
    cell["view"] = {"fill": "var(--sunk)"}
    size = {key: cell.pop(key) for key in ("width", "height")}
    spec = {
        "data": {"values": data}, "columns": 2 if len(facets) < 5 else 3, "spacing": {"row": 14, "column": 24},
        "spec": {**size, **cell}, "facet": {"field": "facet", "type": "nominal", "sort": list(facets)},
    }  # fmt: skip
    return draw(spec, alt) | {"wide": True}


_LINKED: dict[str, Any] = {"href": {"field": "link", "type": "nominal"}, "description": {"field": "tip"}}


def _colours(systems: Mapping[str, int]) -> dict[str, Any]:
    """Each system in its colour, the same in all charts."""
    hues = ["var(--soft)" if at == NEUTRAL else f"var(--s{look(at)[0]})" for at in systems.values()]
    return _scale("system", list(systems), hues)


def _shapes(systems: Mapping[str, int]) -> dict[str, Any]:
    return _each(systems, 1)


def _each(systems: Mapping[str, int], part: int) -> dict[str, Any]:
    """A part of the look of each system."""
    return _scale("system", list(systems), [look(max(0, at))[part] for at in systems.values()])


def _scale(field: str, domain: list[str], range_: list[Any]) -> dict[str, Any]:
    return {"field": field, "type": "nominal", "legend": None, "scale": {"domain": domain, "range": range_}}


def _decades(low: float, high: float) -> list[float]:
    """Round numbers from below `low` to above `high`: 1, 2, 5, 10 … if these are near, else 1, 3, 10 and so on.

    >>> _decades(0.5, 12), _decades(110, 240)
    ([0.3, 1.0, 3.0, 10.0, 30.0], [100.0, 200.0, 500.0])
    """
    bases = (1, 2, 5) if high < 12 * low else (1, 3) if high < 1e4 * low else (1,)
    steps = [base * 10.0**power for power in range(-6, 15) for base in bases]
    first = max(n for n, step in enumerate(steps) if step < low)
    last = min(n for n, step in enumerate(steps) if step > high)
    return [round(step, 9) for step in steps[first : last + 1]]


def _tree(element: ElementTree.Element, mark: bool) -> list[Any]:
    """An element as [tag, attributes, children]; nothing for what is not seen. `mark`: inside of the data's marks."""
    tag = element.tag.rpartition("}")[2]
    if tag not in _TAGS:
        raise ValueError(f"a chart has the element {tag!r}, which the page does not know")
    if not _is_drawn(tag, element):
        return []
    mark = mark or "role-mark" in element.get("class", "")
    attributes = _attributes(element)
    children: list[Any] = [element.text] if tag == "text" and element.text else []
    children += [node for child in element for node in _tree(child, mark)]
    if tag == "a":
        attributes["href"] = _place_in_page(element)
    elif mark and (tip := element.get("aria-label")):
        attributes["tip"] = tip
    if attributes.get("href") == _NOWHERE or (tag == "g" and not attributes):
        return children  # what only holds others together
    if tag in ("g", "a", "text") and not children:
        return []
    return [[tag, attributes, *children]]


def _is_drawn(tag: str, element: ElementTree.Element) -> bool:
    """Whether there is something to see of an element itself, whatever it holds."""
    if element.get("display") == "none" or not element.get("d", "M"):
        return False
    return tag != "path" or bool(element.get("fill") or element.get("stroke"))


def _attributes(element: ElementTree.Element) -> dict[str, str]:
    """Those that a chart may have and that say something, with short numbers."""
    kept = {
        name: _NUMBER.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), value)
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _DEFAULTS.get(name) != value
    }
    if kept.get("transform") == "translate(0,0)":
        del kept["transform"]
    return kept


def _place_in_page(link: ElementTree.Element) -> str:
    """Where in the page a link leads."""
    found = _LINK.fullmatch(link.get("{http://www.w3.org/1999/xlink}href", ""))
    if found is None:
        raise ValueError("a chart has a link that leaves the page")
    return found[1]


#: The style sheet's colours as they are by day: a picture by itself has no style sheet.
LIGHT = {
    "card": "#ffffff", "sunk": "#f3f1ed", "ink": "#1b2130", "soft": "#565d6d", "line": "#e3dfd8",
    "strong-line": "#c9c4ba", "better": "#2f7fd0", "worse": "#e0731d", "s0": "#0a66c2", "s1": "#c8550a",
    "s2": "#0b6b50", "s3": "#7b2d96", "s4": "#8f7a00", "s5": "#d42d6e", "s6": "#0f8ba0", "s7": "#5a3a22",
}  # fmt: skip
#: Shapes of marks as characters, in the order of `SHAPES`.
_SIGNS = "●■▲◆✚▼"
_LINE = 18  # of the key under a picture


@dataclass(frozen=True)
class Drawing:
    """A chart by itself: notebooks show it, `save` writes it. `systems` are those in its key, with their looks."""

    chart: Chart
    systems: Mapping[str, int]

    @property
    def svg(self) -> str:
        """The picture, complete."""
        named = list(self.systems.items()) if len(self.systems) > 1 else []
        width, height = self.chart["width"], self.chart["height"] + _LINE * len(named)
        body = "".join(map(_written, self.chart["tree"]))
        for line, (name, at) in enumerate(named, start=1):
            hue, shape, _ = look(at)
            y = self.chart["height"] + _LINE * line - 5
            body += (f'<text x="6" y="{y:g}" font-size="13" fill="{LIGHT[f"s{hue}"]}">{_SIGNS[SHAPES.index(shape)]} '
                     f'<tspan fill="{LIGHT["ink"]}">{escape(name)}</tspan></text>')  # fmt: skip
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" role="img" font-family="Liberation Sans, Arial, sans-serif">'
            f'<title>{escape(self.chart["alt"])}</title><rect width="100%" height="100%" fill="{LIGHT["card"]}"/>'
            f"{body}</svg>"
        )

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file that ends in .svg."""
        target = Path(path).expanduser()
        if target.suffix.lower() != ".svg":
            raise UsageError(f"a picture is saved as SVG: give a name that ends in .svg, not {target.name!r}")
        from linkassay.store import write_text  # when asked for: it takes a while to load

        write_text(target, self.svg)
        return target


def _written(node: Any) -> str:
    """An element of a chart's tree as SVG; a link has nowhere to lead, what a mark says is its title."""
    if isinstance(node, str):
        return escape(node)
    tag, attributes, *children = node
    inner = "".join(map(_written, children))
    if tag == "a":
        return inner
    tip = f"<title>{escape(attributes['tip'])}</title>" if "tip" in attributes else ""
    given = "".join(f' {name}="{escape(_light(value))}"' for name, value in attributes.items() if name != "tip")
    return f"<{tag}{given}>{tip}{inner}</{tag}>"


def _light(value: str) -> str:
    return re.sub(r"var\(--([\w-]+)\)", lambda found: LIGHT[found[1]], value)
