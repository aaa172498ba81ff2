"""Charts: Vega-Lite descriptions, which the page's script draws, and `Drawing`, a picture by itself.

Colours are the style sheet's variables, so that one description serves light and dark. How wide a chart is, its place
says: the script draws it for that width.
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

#: A chart as JSON-ready data: `alt`, `systems` of its key, and the `spec`, its description.
Chart: TypeAlias = dict[str, Any]

HUES = 8  # of systems, in the style sheet
#: Marks of systems. With the hues they tell 48 systems apart; up to six differ without any colour.
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
#: Of lines, for each round of hues.
DASHES = ([1, 0], [7, 4], [2, 3], [9, 3, 2, 3], [4, 2], [12, 4])
NEUTRAL = -1  # the colour of what is no system of the report

_CONFIG = {
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--soft)", "titleColor": "var(--soft)", "gridColor": "var(--line)", "domain": False,
        "ticks": False, "labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal", "labelPadding": 7,
        "titlePadding": 8, "domainColor": "var(--strong-line)",
    },
    "axisY": {"labelLimit": 260},
    "header": {"labelColor": "var(--ink)", "labelFontSize": 13, "labelFontWeight": "bold", "title": None,
               "labelAnchor": "start", "labelLimit": 400},
    "text": {"fontSize": 13},
    "point": {"filled": True, "opacity": 1},
    "rule": {"strokeWidth": 2, "opacity": 0.5},
}  # fmt: skip


_DRAWN = ContextVar("drawn", default=True)


@contextmanager
def without_charts() -> Iterator[None]:
    """Inside of it charts are empty: for those who want the tables only."""
    before = _DRAWN.set(False)
    try:
        yield
    finally:
        _DRAWN.reset(before)


def draw(spec: Mapping[str, Any], alt: str, systems: Sequence[str] = ()) -> Chart:
    """A chart from its description: `alt` says what the picture is of, `systems` are those in its key."""
    whole = {"padding": 2, "config": _CONFIG, **spec} if _DRAWN.get() else None
    return {"kind": "chart", "alt": alt, "systems": list(systems), "spec": whole}


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
            "sure": bool(r.get("sure", True)), "link": _link(r),
        }
        for r in shown
    ]  # fmt: skip
    scale: dict[str, Any] = {"zero": True, "nice": True} if difference else {"domain": [0, 100]}
    y = {"field": "group", "type": "nominal", "sort": groups, "title": None, "scale": {"paddingInner": 0.2},
         "axis": {"labelColor": "var(--ink)", "grid": False}}  # fmt: skip
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
    spec = {"data": {"values": data}, "height": height, "layer": layers}
    return draw(spec | ({} if single else {"params": [_NARROW]}), alt, [] if single else names)


#: Whether the chart has little room, which the one who draws it says: then names stand above marks, or tilt.
_NARROW = {"name": "narrow", "value": False}


def _packed(
    data: list[dict[str, Any]], groups: Sequence[str], names: Sequence[str]
) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    """Lines of systems under each other, those of a group together and none for a system that it lacks.

    Gives the data their places `at`; returns the height, the axis, and the layer with the names of the groups.
    """
    top, titles = 0.0, []
    for group in groups:
        mine = [d for d in data if d["group"] == group]
        lines_ = [name for name in names if any(d["system"] == name for d in mine)]
        first = top + 24  # below a name that stands above
        for each in mine:
            each["at"] = first + 11 * lines_.index(each["system"])
        last = first + 11 * max(0, len(lines_) - 1)
        titles.append({"name": group, "above": top + 9, "beside": (first + last) / 2})
        top = last + 10
    y = {
        "field": "at", "type": "quantitative", "axis": None,
        "scale": {"domain": [0, top], "reverse": True, "nice": False},
    }  # fmt: skip
    named = {
        "data": {"values": titles},
        "transform": [{"calculate": "narrow ? datum.above : datum.beside", "as": "at"}],
        "mark": {"type": "text", "baseline": "middle", "align": {"expr": "narrow ? 'left' : 'right'"},
                 "dx": {"expr": "narrow ? 0 : -10"}, "limit": {"expr": "narrow ? 0 : 260"},
                 "color": "var(--ink)", "aria": False},
        "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "name"}},
    }  # fmt: skip
    return int(top), y, [named]


def lines(rows: Sequence[Mapping[str, Any]], alt: str, systems: Mapping[str, int], *, x: str, y: str) -> Chart:
    """A line for each `system` through (`x`, `value`), values in percent; rows have a `tip` and `open`."""
    data = [{**_bare(r), "value": 100 * r["value"], "link": _link(r)} for r in rows]
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
        "data": {"values": data}, "height": 260,
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
    """A bar for each `group`, of pieces: `kind`, `value` (a number), `tip`, `open`. `kinds`: kind → colour."""
    data = [{**_bare(r), "link": _link(r), "at": list(kinds).index(r["kind"])} for r in rows]
    spec = {
        "data": {"values": data}, "height": 34 * len(order),
        "mark": {"type": "bar", "size": 18},
        "encoding": {
            "y": {"field": "group", "type": "nominal", "sort": list(order), "title": None,
                  "axis": {"labelColor": "var(--ink)"}},
            "x": {"field": "value", "type": "quantitative", "title": x, "axis": {"tickCount": 5, "tickMinStep": 1}},
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
        data = [{**_bare(r), "value": 100 * r["value"], "link": _link(r)} for r in rows if r.get(field)]
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
            "data": {"values": data}, "height": 240, "mark": {"type": "point", "size": 130},
            "encoding": {"x": x, "y": y_axis, "color": _colours(systems), "shape": _shapes(systems), **_LINKED},
        })  # fmt: skip
    return draw({"concat": plots, "columns": len(plots), "spacing": 30}, alt, names)


def grid(
    rows: Sequence[Mapping[str, Any]],
    alt: str,
    *,
    x: Sequence[str],
    y: Sequence[str],
    titles: tuple[str, str] = ("", ""),
    facets: Sequence[str] = (),
) -> Chart:
    """Cells of `x` and `y`: as deep as `depth` (0 to 1), with a `text`; `kind` is better or worse than nothing.

    With `facets` there is a grid for each `facet`. Cells are as wide as is said, or as there is room for.
    """
    data = [
        {
            **r,
            "link": _link(r),
            "depth": r["depth"] and 0.1 + 0.9 * r["depth"],
        }
        for r in rows
    ]
    across = {"field": "x", "type": "nominal", "sort": list(x), "title": titles[0] or None,
              "axis": {"orient": "bottom", "labelAngle": {"expr": "narrow ? -40 : 0"},
                       "labelAlign": {"expr": "narrow ? 'right' : 'center'"},
                       "labelBaseline": {"expr": "narrow ? 'middle' : 'top'"}}}  # fmt: skip
    down = {"field": "y", "type": "nominal", "sort": list(y), "title": titles[1] or None,
            "axis": {"labelColor": "var(--ink)"}}  # fmt: skip
    cell = {
        "width": {"step": 64}, "height": {"step": 26},
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
        return draw({"data": {"values": data}, "params": [_NARROW], **cell}, alt)
    cell["view"] = {"fill": "var(--sunk)"}
    size = {key: cell.pop(key) for key in ("width", "height")}
    spec = {
        "data": {"values": data}, "params": [_NARROW], "columns": len(facets), "spacing": {"row": 14, "column": 24},
        "spec": {**size, **cell}, "facet": {"field": "facet", "type": "nominal", "sort": list(facets)},
    }  # fmt: skip
    return draw(spec, alt)


def _link(row: Mapping[str, Any]) -> str | None:
    """Where a mark leads; a published figure, for one, has no mentions."""
    return address(row["open"]) if row.get("open") else None


def _bare(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without its filters, which are in its link."""
    return {key: value for key, value in row.items() if key != "open"}


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


#: The style sheet's colours as they are by day: a picture by itself has no style sheet.
LIGHT = {
    "card": "#ffffff", "sunk": "#f3f1ed", "ink": "#1b2130", "soft": "#565d6d", "line": "#e3dfd8",
    "strong-line": "#c9c4ba", "better": "#2f7fd0", "worse": "#e0731d", "s0": "#0a66c2", "s1": "#c8550a",
    "s2": "#0b6b50", "s3": "#7b2d96", "s4": "#8f7a00", "s5": "#d42d6e", "s6": "#0f8ba0", "s7": "#5a3a22",
}  # fmt: skip
#: Shapes of marks as characters, in the order of `SHAPES`.
_SIGNS = "●■▲◆✚▼"
_LINE = 18  # of the key under a picture
_NEEDED = 'a picture needs vl-convert: pip install "linkassay[pictures]"'


_WIDTH = 640  # of a picture
_SVG = "http://www.w3.org/2000/svg"
ElementTree.register_namespace("", _SVG)


@dataclass(frozen=True)
class Drawing:
    """A chart by itself: notebooks show it, `save` writes it. `systems` are those in its key, with their looks.

    Pictures are drawn by vl-convert, of the extra `pictures`; without it notebooks draw the description, or show it as
    a table.
    """

    chart: Chart
    systems: Mapping[str, int]

    @property
    def spec(self) -> dict[str, Any]:
        """Its Vega-Lite description, complete: in the colours of the page by day, and without links."""
        fit = {"width": _WIDTH, "autosize": {"type": "fit-x", "contains": "padding"}}
        whole = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", **fit, **self.chart["spec"]}
        bare: dict[str, Any] = _without_links(whole)
        return json.loads(re.sub(r"var\(--([\w-]+)\)", lambda m: LIGHT[m[1]], json.dumps(bare)))  # type: ignore[no-any-return]

    @property
    def svg(self) -> str:
        """The picture, complete."""
        try:
            import vl_convert
        except ImportError:
            raise UsageError(_NEEDED) from None
        inner = ElementTree.fromstring(  # noqa: S314 - what was rendered a moment ago, not what someone sent
            vl_convert.vegalite_to_svg(json.dumps(self.spec), vl_version="5.20", allowed_base_urls=[])
        )
        for element in list(inner.iter()):
            if tip := "graphics-symbol" in element.get("role", "") and element.get("aria-label"):
                ElementTree.SubElement(element, f"{{{_SVG}}}title").text = tip
        named = list(self.systems.items()) if len(self.systems) > 1 else []
        width, own = float(inner.get("width", _WIDTH)), float(inner.get("height", 0))
        height, body = own + _LINE * len(named), ElementTree.tostring(inner, encoding="unicode")
        for line, (name, at) in enumerate(named, start=1):
            hue, shape, _ = look(at)
            body += (f'<text x="6" y="{own + _LINE * line - 5:g}" font-size="13" fill="{LIGHT[f"s{hue}"]}">'
                     f'{_SIGNS[SHAPES.index(shape)]} <tspan fill="{LIGHT["ink"]}">{escape(name)}</tspan></text>'
                     )  # fmt: skip
        return (
            f'<svg xmlns="{_SVG}" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img" '
            f'font-family="Liberation Sans, Arial, sans-serif"><title>{escape(self.chart["alt"])}</title>'
            f'<rect width="100%" height="100%" fill="{LIGHT["card"]}"/>{body}</svg>'
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        try:
            return {"image/svg+xml": self.svg}
        except UsageError:
            return {"application/vnd.vegalite.v5+json": self.spec, "text/html": self._table()}

    def _table(self) -> str:
        """What the marks say, a row each, and how to get the picture."""
        said = dict.fromkeys(row["tip"] for row in self.spec["data"]["values"])
        lines_ = "".join(f"<tr><td>{escape(tip)}</td></tr>" for tip in said)
        return f"<table><caption>{escape(self.chart['alt'])}</caption>{lines_}</table><p>{escape(_NEEDED)}</p>"

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file that ends in .svg."""
        target = Path(path).expanduser()
        if target.suffix.lower() != ".svg":
            raise UsageError(f"a picture is saved as SVG: give a name that ends in .svg, not {target.name!r}")
        from linkassay.store import write_text  # when asked for: it takes a while to load

        write_text(target, self.svg)
        return target


def _without_links(node: Any) -> Any:
    """A description, or a part of it, whose marks lead nowhere."""
    if isinstance(node, dict):
        return {key: _without_links(value) for key, value in node.items() if key not in ("href", "link")}
    return [_without_links(each) for each in node] if isinstance(node, list) else node
