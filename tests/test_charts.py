"""A chart by itself: complete SVG in the light colours of the page, with a key where there are several systems."""

from __future__ import annotations

import builtins
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import altair
import pytest

import linkassay
from linkassay import charts
from linkassay.errors import UsageError

ROWS = [
    {"group": group, "system": system, "value": 0.5, "low": 0.25, "high": 0.75, "tip": f"{system} <says> {group}",
     "open": {"system": f"={system}"}}
    for group in ("recall@1", "a & b") for system in ("one", "<b>two</b>")
]  # fmt: skip


@pytest.fixture(scope="module")
def drawing() -> charts.Drawing:
    systems = {"one": 0, "<b>two</b>": 1}
    return charts.Drawing(charts.dots(ROWS, "Figures & more", systems), systems)


@pytest.fixture
def no_vl_convert(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were not installed."""
    import_ = builtins.__import__

    def refused(name: str, *more: Any, **named: Any) -> Any:
        if name == "vl_convert":
            raise ImportError(name)
        return import_(name, *more, **named)

    monkeypatch.delitem(sys.modules, "vl_convert", raising=False)
    monkeypatch.setattr(builtins, "__import__", refused)


def test_colours_are_those_of_the_page_by_day() -> None:
    style = (Path(linkassay.__file__).parent / "pages" / "page.css").read_text(encoding="utf-8")
    assert charts.LIGHT.items() <= dict(re.findall(r"--([\w-]+): light-dark\((#\w+),", style)).items()


def test_a_drawing_is_complete_and_escaped(drawing: charts.Drawing) -> None:
    (svg,) = drawing._repr_mimebundle_().values()
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(--" not in svg
    assert "href" not in svg
    assert "<b>" not in svg
    said = "".join(root.itertext())
    assert "Figures & more" in said
    assert "● one" in said
    assert "■ <b>two</b>" in said
    assert "one <says> a & b" in said


def test_a_drawing_of_one_system_needs_no_key() -> None:
    drawn = charts.dots(ROWS[:1], "One", {"one": 0}, single=True)
    assert "●" not in charts.Drawing(drawn, {"one": 0}).svg


def test_a_drawing_is_saved_as_svg(drawing: charts.Drawing, tmp_path: Path) -> None:
    path = drawing.save(str(tmp_path / "x.svg"))
    assert path.read_text(encoding="utf-8") == drawing.svg
    with pytest.raises(UsageError, match=r"ends in \.svg, not 'x\.png'"):
        drawing.save(tmp_path / "x.png")


@pytest.mark.usefixtures("no_vl_convert")
def test_without_the_extra_a_notebook_draws_the_description_or_shows_a_table(
    drawing: charts.Drawing, tmp_path: Path
) -> None:
    shown = drawing._repr_mimebundle_()
    spec = shown["application/vnd.vegalite.v5+json"]
    altair.Chart.from_dict(spec)
    assert "var(--" not in str(spec)
    assert "#mentions" not in str(spec)
    assert "<td>one &lt;says&gt; a &amp; b</td>" in shown["text/html"]
    assert "linkassay[pictures]" in shown["text/html"]
    with pytest.raises(UsageError, match=r'^a picture needs vl-convert: pip install "linkassay\[pictures\]"$'):
        drawing.save(tmp_path / "x.svg")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("no_vl_convert")
def test_the_demo_needs_no_extra(home: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from linkassay.cli import app

    out = tmp_path / "demo.html"
    done = CliRunner().invoke(app, ["demo", "-o", str(out)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "var vega=" in out.read_text(encoding="utf-8")
