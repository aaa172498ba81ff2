"""Charts in a real browser: drawn for their place, without evaluating anything, and nothing else gets in."""

from __future__ import annotations

import base64
import copy
import re
from pathlib import Path
from typing import Any

import pytest

from linkassay import charts
from linkassay.explorer import embed
from linkassay.pages.report_page import render_report
from tests.browser import click_on, draw_charts, find_all, find_one, open_report, resize, settle
from tests.conftest import ReportRuns
from tests.report_helpers import HOSTILE

#: Every element and attribute of the charts, and what the attributes say of colours and links.
PARTS = """
const found = { tags: new Set(), attributes: new Set(), colours: new Set(), links: new Set() };
for (const element of document.querySelectorAll("svg.chart *")) {
  found.tags.add(element.localName);
  for (const { name, value } of element.attributes) {
    found.attributes.add(name);
    if (name === "fill" || name === "stroke") found.colours.add(value);
    if (name.endsWith("href")) found.links.add(value);
  }
}
return Object.fromEntries(Object.entries(found).map(([name, set]) => [name, [...set].sort()]));
"""


@pytest.fixture(scope="module")
def data(report_runs: ReportRuns) -> dict[str, Any]:
    return report_runs.data


@pytest.fixture
def page(driver: Any, data: dict[str, Any], report_runs: ReportRuns, tmp_path: Path) -> Any:
    """The report of one corpus with all its charts; at the end there must be no message in the console."""
    open_report(driver, data, tmp_path, report_runs.held)
    draw_charts(driver)
    yield driver
    assert driver.get_log("browser") == []


def _with(data: dict[str, Any], *blocks: dict[str, Any]) -> dict[str, Any]:
    """The same page, with other charts in its second section."""
    changed = copy.deepcopy(data)
    changed["corpora"][0]["before"][1]["blocks"] = list(blocks)
    return changed


def _rows(systems: list[str], groups: list[str]) -> list[dict[str, Any]]:
    return [{"group": group, "system": name, "value": 0.5, "low": 0.4, "high": 0.6, "tip": f"{name}, {group} <b>",
             "open": {"system": f"={name}"}} for group in groups for name in systems]  # fmt: skip


def test_charts_hold_nothing_but_known_elements_and_links_into_the_page(page: Any) -> None:
    found = page.execute_script(PARTS)
    assert set(found["tags"]) <= {"g", "path", "line", "text", "rect", "a"}
    assert not {name for name in found["attributes"] if name.startswith("on")} | {"style", "class", "id"} & set(
        found["attributes"]
    )
    assert found["links"]
    assert all(link.startswith("#mentions") for link in found["links"])
    assert all(each == "none" or re.fullmatch(r"var\(--[a-z0-9-]+\)", each) for each in found["colours"])


def test_what_vega_would_draw_beside_that_stays_outside(driver: Any, data: dict[str, Any], tmp_path: Path) -> None:
    """Images, links that leave the page, style: a description that asks for them gets none of it."""
    rows = [{"x": 1, "u": "javascript:alert(1)", "i": "data:,x"}, {"x": 2, "u": "https://a.b/", "i": ""}]
    chart = charts.draw({
        "data": {"values": rows}, "height": 60,
        "layer": [
            {"mark": {"type": "point", "cursor": "pointer"},
             "encoding": {"x": {"field": "x", "type": "quantitative"}, "href": {"field": "u", "type": "nominal"}}},
            {"mark": {"type": "image"},
             "encoding": {"x": {"field": "x", "type": "quantitative"}, "url": {"field": "i", "type": "nominal"}}},
        ],
    }, "Odd")  # fmt: skip
    open_report(driver, _with(data, chart), tmp_path)
    draw_charts(driver)
    assert len(find_all(driver, "#curve svg.chart path")) > 1
    assert find_all(driver, "#curve svg.chart a, #curve svg.chart image, #curve svg.chart [style]") == []
    assert driver.get_log("browser") == []


def test_a_system_has_one_colour_in_all_charts(page: Any, data: dict[str, Any]) -> None:
    """Marks say whose they are; each has the colour of its system."""
    found = page.execute_script(
        "return [...document.querySelectorAll('section:not(#failures):not(#hierarchy) svg.chart [data-tip]')].map(e => "
        "[e.dataset.tip, [e, ...e.children].flatMap(c => [c.getAttribute('fill'), c.getAttribute('stroke')])])"
    )
    seen: dict[str, set[str]] = {}
    for tip, colours in found:
        if (system := re.split("[,:]", tip)[0]) in data["systems"]:
            seen.setdefault(system, set()).update(each for each in colours if each not in (None, "none"))
    assert seen == {"tfidf": {"var(--s0)"}, "exact": {"var(--s1)"}, "normalised": {"var(--s2)"}}


def test_hostile_text_in_a_chart_stays_text(driver: Any, data: dict[str, Any], tmp_path: Path) -> None:
    systems = {HOSTILE: 0, "b\"'&": 1}
    group = f"</svg>{HOSTILE}"
    open_report(driver, _with(data, charts.dots(_rows(list(systems), [group]), HOSTILE, systems)), tmp_path)
    draw_charts(driver)
    tips = driver.execute_script(
        "return [...document.querySelectorAll('#curve svg.chart [data-tip]')].map(e => e.dataset.tip)"
    )
    assert tips == [f"{HOSTILE}, {group} <b>", f"b\"'&, {group} <b>"]
    assert group in [text.text for text in find_all(driver, "#curve svg.chart text")]
    links = [link.get_dom_attribute("href") for link in find_all(driver, "#curve svg.chart a")]
    assert links[0] == "#mentions&system=%3D%3Cscript%3Ealert%281%29%3C%2Fscript%3E"
    assert len(find_all(driver, "script")) == 4
    assert driver.get_log("browser") == []


def test_a_mark_opens_its_mentions(page: Any) -> None:
    link = page.execute_script(
        "return [...document.querySelectorAll('#failures svg.chart a')].find(a => "
        "a.dataset.tip.startsWith('normalised, disambiguation'))"
    )
    click_on(page, link)
    listed = "return [...document.querySelectorAll('.list .mention-text')].map(e => e.textContent)"
    assert page.execute_script(listed) == ["alpha", "Alpha"]


def test_a_mark_says_what_it_is_under_the_pointer_and_in_focus(page: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    marks = find_all(page, "#curve svg.chart a")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", marks[3])
    settle(page)
    ActionChains(page).move_to_element(marks[3]).perform()
    tip = find_one(page, ".tip")
    assert tip.text == marks[3].get_attribute("data-tip")
    assert 0 <= tip.rect["x"] <= 1280 - tip.rect["width"]
    ActionChains(page).send_keys(Keys.ESCAPE).perform()
    assert not tip.is_displayed()
    assert len([mark for mark in marks if mark.get_attribute("tabindex") == "0"]) == 1  # one stop of the Tab key
    page.execute_script("arguments[0].focus()", marks[0])
    assert tip.text == marks[0].get_attribute("aria-label")
    ActionChains(page).send_keys(Keys.ARROW_RIGHT).perform()
    assert page.switch_to.active_element == marks[1]
    assert tip.text == marks[1].get_attribute("data-tip")
    ActionChains(page).send_keys(Keys.END).perform()
    assert page.switch_to.active_element == marks[-1]
    ActionChains(page).send_keys(Keys.ENTER).perform()
    settle(page)
    assert "#mentions&system=" in page.current_url
    assert page.execute_script("return document.activeElement.id") == "mentions-title"


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_charts_are_as_wide_as_their_place_in_the_font_of_the_page(
    driver: Any, data: dict[str, Any], tmp_path: Path, width: int
) -> None:
    open_report(driver, data, tmp_path)
    resize(driver, width, 900)
    driver.execute_async_script("setTimeout(arguments[0], 600)")  # what is drawn already is drawn again
    draw_charts(driver)
    found = driver.execute_script(
        "return [...document.querySelectorAll('.canvas')].map(c => [c.closest('section').id, c.clientWidth,"
        "Number(c.firstChild.getAttribute('width')), c.firstChild.getBoundingClientRect().width,"
        "[...c.querySelectorAll('text')].map(t => parseFloat(getComputedStyle(t).fontSize))])"
    )
    for section, room, drawn, shown, sizes in found:
        assert drawn <= room + 1, section
        assert section == "agreement" or drawn > 0.9 * room, section
        assert abs(shown - drawn) < 1  # not scaled
        assert min(sizes) >= 12
    font = "return [document.body, document.querySelector('svg.chart text')].map(e => getComputedStyle(e).fontFamily)"
    assert len(set(driver.execute_script(font))) == 1
    inside = driver.execute_script(
        "return [...document.querySelectorAll('svg.chart')].flatMap(s => [...s.querySelectorAll('text')].filter(t => {"
        "const [a, b] = [t.getBoundingClientRect(), s.getBoundingClientRect()];"
        "return a.left < b.left - 2 || a.right > b.right + 2 }).map(t => t.textContent))"
    )
    assert inside == []
    assert driver.get_log("browser") == []


def test_a_long_title_of_an_axis_is_not_cut(driver: Any, data: dict[str, Any], tmp_path: Path) -> None:
    systems = {"tfidf": 0}
    title = "recall@1 of abbreviated mentions, points gained"
    chart = charts.dots(_rows(["tfidf"], ["tfidf"]), "change", systems, difference=True, single=True, title=title)
    open_report(driver, _with(data, chart), tmp_path)
    resize(driver, 390, 900)
    draw_charts(driver)
    driver.execute_async_script("setTimeout(arguments[0], 600)")
    ends = driver.execute_script(
        "const text = [...document.querySelectorAll('svg.chart text')].find(t => t.textContent === arguments[0]);"
        "return [text, text.closest('svg')].map(e => e.getBoundingClientRect()).flatMap(b => [b.left, b.right])",
        title,
    )
    assert ends[2] <= ends[0] < ends[1] <= ends[3] + 1


def test_charts_are_drawn_when_they_come_near_and_again_when_the_width_changes(
    driver: Any, data: dict[str, Any], tmp_path: Path
) -> None:
    open_report(driver, data, tmp_path)
    settle(driver)
    there = len(find_all(driver, ".canvas"))
    assert 0 < len(find_all(driver, ".canvas svg.chart")) < there
    draw_charts(driver)
    before = find_one(driver, "#curve svg.chart").get_attribute("width")
    resize(driver, 700, 900)
    driver.execute_async_script(
        "const done = arguments[0]; const wait = () => document.querySelector('#curve svg.chart').getAttribute('width')"
        " === arguments[1] ? setTimeout(wait, 30) : done(); wait();".replace("arguments[1]", repr(before))
    )
    assert float(find_one(driver, "#curve svg.chart").get_attribute("width")) < 700


def test_on_paper_there_is_every_chart_and_no_page_is_half_empty(
    driver: Any, data: dict[str, Any], tmp_path: Path
) -> None:
    open_report(driver, data, tmp_path)
    printed = driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": False})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")
    assert len(find_all(driver, ".canvas svg.chart")) == len(find_all(driver, ".canvas"))
    pages = len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"])))
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    resize(driver, 718, 1047)  # A4 without its margins
    height = driver.execute_script("return document.documentElement.scrollHeight")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert pages <= 1.25 * height / 1047 + 1
    draw_charts(driver)
    assert driver.get_log("browser") == []


def test_nothing_is_evaluated(driver: Any, data: dict[str, Any], tmp_path: Path) -> None:
    """The policy allows two scripts by their hashes and no evaluation; a page that needed it would draw nothing."""
    text = render_report(data, embed([]))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert policy[1].count("sha256-") == 3  # two scripts and the style
    assert "unsafe" not in policy[1]
    open_report(driver, data, tmp_path)
    assert draw_charts(driver) >= 8
    assert driver.get_log("browser") == []
