"""The report of the embedded benchmark in a real browser: hierarchy, end to end, figures for orientation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import linkassay
from linkassay.explorer import embed
from linkassay.pages.page_data import gather_page
from linkassay.scoring.endtoend import CATEGORIES
from linkassay.scoring.hierarchy import mismatch_cells
from linkassay.scoring.results import Result
from tests.browser import choose, click_on, draw_charts, find_all, find_button, find_one, open_report, resize, settle
from tests.standins.name_spotter import spotted as spotted_run


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], Any]]:
    """A system that finds mentions itself, beside one that does not: what the page says, and what it holds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("spotted")))
        linkassay.get("mini")
        linked = [linkassay.link(name, "mini") for name in ("exact", "tfidf")]
        result = Result([*map(linkassay.score, linked), linkassay.score(spotted_run())])
        yield gather_page(result), embed(result.cohorts)


@pytest.fixture(scope="module")
def spotted(reported: tuple[dict[str, Any], Any]) -> dict[str, Any]:
    return reported[0]


@pytest.fixture
def page(driver: Any, reported: tuple[dict[str, Any], Any], tmp_path: Path) -> Any:
    """The report, opened from disk; at the end there must be no message in the console."""
    open_report(driver, reported[0], tmp_path, reported[1])
    yield driver
    assert driver.get_log("browser") == []


def test_every_cell_of_the_hierarchy_opens_its_mentions(
    page: Any, spotted: dict[str, Any], reported: tuple[dict[str, Any], Any]
) -> None:
    """Of both grids: what a cell says, and how many mentions its link shows in the list."""
    (section,) = (s for s in spotted["corpora"][0]["before"] if s["id"] == "hierarchy")
    scored = spotted["corpora"][0]["facts"][1][1]["v"]
    for by, size in (("by distance", 10), ("by location of gold", 11)):
        table = next(
            inner["rows"]
            for block in section["blocks"] if block["kind"] == "choice" and block["label"] == "Mismatches"
            for name, blocks in block["options"] if name == by
            for inner in blocks[1]["blocks"]
        )  # fmt: skip
        cells = [cell for row in table for cell in row[2:]]
        assert len(cells) == 3 * 3 * size
        tied = 0
        for cell, (tally, filters) in zip(cells, _opened(page, [cell["open"] for cell in cells]), strict=True):
            listed = int(tally.split(" ")[0])
            assert tally == f"{listed} mention{'' if listed == 1 else 's'} of {scored} scored."
            assert filters[:2] == [cell["open"]["system"], cell["open"]["outcome"]]
            assert cell["open"].get("distance", cell["open"].get("location")) in filters[2:4]
            assert listed == _in_cell(reported[1]["cohorts"][0], cell["open"])
            tied += listed != cell["v"]  # these count in parts
        assert 0 < tied < 20
    boxes = [label for label in find_all(page, ".filters label") if label.is_displayed()]
    assert [label.text.split("\n")[0] for label in boxes[:4]] == ["System", "Outcome", "Distance", "Location of gold"]
    for label, value in (("Outcome", "orthogonal"), ("Distance", "any distance"), ("Location of gold", "1")):
        choose(page, label, value)
        settle(page)
    assert page.current_url.endswith("outcome=orthogonal&location=1")
    assert re.search(r"In the hierarchy: .*orthogonal.*, distance \d", find_one(page, ".detail").text)
    assert re.search(r"up from gold and \d+ down again|no ancestor in common", find_one(page, ".tree figcaption").text)
    choose(page, "Outcome", "wrong")  # what is asked of a place goes with it
    settle(page)
    assert "location" not in page.current_url
    _go(page, "#report")
    click_on(page, find_button(page, "tfidf, virtual root", "#hierarchy"))
    (types,) = (b for b in section["blocks"] if b.get("caption") == "Match types")
    (row,) = (row for row in types["rows"] if row[0]["v"] == "tfidf")
    assert row[-1]["v"] == 6.5
    assert find_one(page, ".tally").text == f"8 mentions of {scored} scored."  # three of them tied
    click_on(page, find_button(page, "Reset"))
    assert page.current_url.endswith("#mentions")


def _in_cell(held: Any, opened: dict[str, str]) -> int:
    """How many mentions have a mismatch of a system in a cell."""
    about = held["cohort"]
    at = about["width"] * about["systems"].index(opened["system"][1:])
    by = "distance" if "distance" in opened else "location"
    cell = (opened["outcome"], by, opened[by])
    return sum(
        n for _, _, codes, n in held["combinations"]
        if cell in mismatch_cells(about["places"][int(codes[at + 2 : at + about["width"]], 36)])
    )  # fmt: skip


def _go(page: Any, address: str) -> None:
    page.execute_script("location.hash = arguments[0]", address)
    settle(page)


def _opened(page: Any, opens: list[dict[str, str]]) -> list[tuple[str, list[str]]]:
    """What the list says of how many there are, and the values of its boxes, where a figure leads."""
    found = []
    for each in opens:
        _go(page, "#mentions" + "".join(f"&{key}={quote(value, safe='')}" for key, value in each.items()))
        boxes = ".filters label:not([hidden]) select"
        found.append((
            find_one(page, ".tally").text,
            page.execute_script("return [...document.querySelectorAll(arguments[0])].map(e => e.value)", boxes),
        ))  # fmt: skip
    return found


@pytest.mark.parametrize("width", [360, 1280, 1600])
def test_figures_for_orientation(page: Any, spotted: dict[str, Any], width: int) -> None:
    resize(page, width, 900)
    (section,) = (s for s in spotted["corpora"][0]["before"] if s["id"] == "published")
    (choice,) = (b for b in section["blocks"] if b["kind"] == "choice")
    assert [name for name, _ in choice["options"]] == ["disease", "chemical", "gene", "species", "cell line", "variant"]
    for name, (table,) in choice["options"]:
        click_on(page, find_one(page, f"#published input[value='{name}']"))
        assert len(find_all(page, "#published tbody tr")) == len(table["rows"])
        assert len(find_all(page, "#published td a")) == 3  # a figure of the literature has no mentions here
        assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        inside = (
            "return [...document.querySelectorAll('#published *')].filter(e => !e.closest('.scroll, .canvas, .hidden')"
            " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"
        )
        assert page.execute_script(inside) == []
    draw_charts(page)
    marks = page.execute_script(
        "return [...document.querySelectorAll('#published svg.chart [data-tip]')].map(e => "
        "[e.dataset.tip, e.closest('a') !== null])"
    )
    assert {tip: linked for tip, linked in marks if linked == ("not comparable" in tip)} == {}
    assert sum(linked for _, linked in marks) == 3 * 6
    click_on(page, find_button(page, "exact, this corpus, recall@1", "#published"))
    n = int(find_one(page, ".tally").text.split(" ")[0])
    assert f"variant, n {n}" == choice["options"][-1][1][0]["rows"][0][3]


def test_an_end_to_end_figure_opens_its_labels_and_predictions(
    page: Any, spotted: dict[str, Any], reported: tuple[dict[str, Any], Any]
) -> None:
    (section,) = (s for s in spotted["corpora"][0]["before"] if s["id"] == "endtoend")
    tables = [section["blocks"][0]["options"][0][1][0], *(b for b in section["blocks"] if b["kind"] == "table")]

    def listed() -> list[str]:
        return [e.get_attribute("textContent") for e in find_all(page, "#cases .list .mention-text")]

    def many() -> int:
        return int(find_one(page, "#cases .tally").text.split(" ")[0])

    click_on(page, find_button(page, "spotter, FP", "#endtoend"))
    assert page.execute_script("return document.activeElement.id") == "cases-title"
    assert page.current_url.endswith("#cases&system=%3Dspotter&counted=all_fp")
    assert many() == tables[0]["rows"][0][-2]["v"]
    (lower,) = (row for row in tables[1]["rows"] if row[:2] == ["mention missed", "lower-cased"])
    _go(page, "#report")
    click_on(page, find_button(page, "mention missed, lower-cased, spotter: errors", "#endtoend"))
    every = sum(n for *_, n in reported[1]["cohorts"][0]["cases"][0]["totals"][0])
    assert find_one(page, "#cases .tally").text == f"{lower[2]['v']} cases of {every}."
    assert find_one(page, "#cases .tag").text == "mention missed: lower-cased"
    assert "Nothing was predicted on this span. Counts as a false negative." in find_one(page, "#cases .answer").text
    assert find_one(page, "#cases .context mark").text == listed()[0]
    click_on(page, find_button(page, "Next", "#cases .steps"))
    assert find_one(page, "#cases .where").text == f"2 of {lower[2]['v']}"
    second = find_one(page, "#cases .context mark").text
    address = page.current_url
    page.get("about:blank")
    page.get(address)
    settle(page)
    assert find_one(page, "#cases .context mark").text == second
    find_one(page, "#cases input").send_keys("no such text\n")
    settle(page)
    assert find_one(page, "#cases .empty").text == "No case passes these filters."
    click_on(page, find_button(page, "Reset", "#cases"))
    assert many() == every
    name = next(c.name for c in CATEGORIES if c.words == "lower-cased" and c.kind == "mention missed")
    _go(page, f"#cases&counted={name}_avoided")
    assert many() == lower[3]["v"] - lower[2]["v"]
    assert "mention missed: lower-cased" in find_one(page, "#cases .detail .fine").text
