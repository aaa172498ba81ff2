"""The report of the embedded benchmark in a real browser: hierarchy, end to end, figures for orientation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.pages.page_data import gather_page
from linkassay.tables import fixed
from tests.browser import choose, click_on, find_all, find_button, find_one, open_report, resize
from tests.standins.name_spotter import spotted as spotted_run


@pytest.fixture(scope="module")
def spotted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A system that finds mentions itself, beside one that does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("spotted")))
        linkassay.get("mini")
        linked = [linkassay.link(name, "mini") for name in ("exact", "tfidf")]
        yield gather_page([*map(linkassay.score, linked), linkassay.score(spotted_run())])


def test_every_cell_of_the_hierarchy_opens_its_mentions(driver: Any, spotted: dict[str, Any], tmp_path: Path) -> None:
    """Of both grids: what a cell says, and how many mentions its link shows in the list."""
    open_report(driver, spotted, tmp_path)
    (section,) = (s for s in spotted["corpora"][0]["before"] if s["id"] == "hierarchy")
    scored = spotted["corpora"][0]["facts"][1][1]["v"]
    for by, size in (("by distance", 10), ("by location of gold", 11)):
        click_on(driver, find_one(driver, f"#hierarchy input[value='{by}']"))
        found = driver.execute_async_script(
            "const done = arguments[0]; (async () => { const said = [];"
            "const canvas = document.querySelectorAll('#hierarchy .canvas')[1];"
            "for (const link of canvas.querySelectorAll('a')) {"
            "  location.hash = link.getAttribute('href');"
            "  await new Promise((go) => addEventListener('hashchange', () => setTimeout(go), { once: true }));"
            "  said.push([link.querySelector('title').textContent,"
            "    document.querySelector('#mentions .tally').textContent,"
            "    document.querySelectorAll('#mentions .list li').length,"
            "    [...document.querySelectorAll('#mentions .filters label:not([hidden]) select')].map(e => e.value)]);"
            "} done(said); })()"
        )
        assert len(found) == 3 * 3 * size
        table = next(
            inner["rows"]
            for block in section["blocks"] if block["kind"] == "choice" and block["label"] == "Mismatches"
            for name, blocks in block["options"] if name == by
            for inner in blocks[1]["blocks"]
        )  # fmt: skip
        cells = {
            (row[0]["v"], row[1], cell["open"].get("distance", cell["open"].get("location"))): cell
            for row in table for cell in row[2:]
        }  # fmt: skip
        tied = 0
        for tip, tally, listed, filters in found:
            what, _, said = tip.rpartition(": ")
            number, _, of = said.partition(" of ")  # ties count in parts
            system, kind, bin_ = what.split(", ")
            cell = cells.pop((system, kind, bin_.split(" ")[1]))
            assert fixed(cell["v"], 0 if isinstance(cell["v"], int) else 1) == number
            assert tally == f"{listed} mention{'' if listed == 1 else 's'} of {scored} scored."
            assert filters[:2] == [f"={system}", kind]
            assert bin_.split(" ")[1] in filters[2:4]
            assert listed == int(of.removesuffix("s").removesuffix(" mention") or cell["v"]), tip
            tied += bool(of)
        assert cells == {}
        assert 0 < tied < 20
    boxes = [label for label in find_all(driver, "#mentions .filters label") if label.is_displayed()]
    assert [label.text.split("\n")[0] for label in boxes[:4]] == ["System", "Outcome", "Distance", "Location of gold"]
    choose(driver, "Outcome", "orthogonal")
    choose(driver, "Distance", "any distance")
    choose(driver, "Location of gold", "1")
    assert driver.current_url.endswith("outcome=orthogonal&location=1")
    assert re.search(r"In the hierarchy: .*orthogonal.*, distance \d", find_one(driver, "#mentions .detail").text)
    choose(driver, "Outcome", "wrong")  # what is asked of a place goes with it
    assert "location" not in driver.current_url
    click_on(driver, find_button(driver, "tfidf, virtual root", "#hierarchy"))
    (types,) = (b for b in section["blocks"] if b.get("caption") == "Match types")
    (row,) = (row for row in types["rows"] if row[0]["v"] == "tfidf")
    assert row[-1]["v"] == 6.5
    assert find_one(driver, "#mentions .tally").text == f"8 mentions of {scored} scored."  # three of them tied
    click_on(driver, find_button(driver, "Reset", "#mentions"))
    assert driver.current_url.endswith("#mentions")
    assert driver.get_log("browser") == []


@pytest.mark.parametrize("width", [360, 1280, 1600])
def test_figures_for_orientation(driver: Any, spotted: dict[str, Any], tmp_path: Path, width: int) -> None:
    open_report(driver, spotted, tmp_path)
    resize(driver, width, 900)
    (section,) = (s for s in spotted["corpora"][0]["before"] if s["id"] == "published")
    (choice,) = (b for b in section["blocks"] if b["kind"] == "choice")
    assert [name for name, _ in choice["options"]] == ["disease", "chemical", "gene", "species", "cell line", "variant"]
    for name, (table,) in choice["options"]:
        click_on(driver, find_one(driver, f"#published input[value='{name}']"))
        assert len(find_all(driver, "#published tbody tr")) == len(table["rows"])
        assert len(find_all(driver, "#published td a")) == 3  # a figure of the literature has no mentions here
        assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        inside = (
            "return [...document.querySelectorAll('#published *')].filter(e => !e.closest('.scroll, .canvas, .hidden')"
            " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"
        )
        assert driver.execute_script(inside) == []
    marks = driver.execute_script(
        "return [...document.querySelectorAll('#published svg.chart title')].map(e => "
        "[e.textContent, e.closest('a') !== null])"
    )
    assert {tip: linked for tip, linked in marks if linked == ("not comparable" in tip)} == {}
    assert sum(linked for _, linked in marks) == 3 * 6
    click_on(driver, find_button(driver, "exact, this corpus, recall@1", "#published"))
    n = len(find_all(driver, "#mentions .list li"))
    assert f"variant, n {n}" == choice["options"][-1][1][0]["rows"][0][3]
    assert driver.get_log("browser") == []


def test_an_end_to_end_figure_opens_its_labels_and_predictions(
    driver: Any, spotted: dict[str, Any], tmp_path: Path
) -> None:
    open_report(driver, spotted, tmp_path)
    (section,) = (s for s in spotted["corpora"][0]["before"] if s["id"] == "endtoend")
    tables = [section["blocks"][0]["options"][0][1][0], *(b for b in section["blocks"] if b["kind"] == "table")]

    def listed() -> list[str]:
        return [e.get_attribute("textContent") for e in find_all(driver, "#cases .list .mention-text")]

    click_on(driver, find_button(driver, "spotter, FP", "#endtoend"))
    assert driver.execute_script("return document.activeElement.id") == "cases-title"
    assert driver.current_url.endswith("#cases&system=%3Dspotter&counted=all_fp")
    assert len(listed()) == tables[0]["rows"][0][-2]["v"]
    (lower,) = (row for row in tables[1]["rows"] if row[:2] == ["mention missed", "lower-cased"])
    click_on(driver, find_button(driver, "mention missed, lower-cased, spotter: errors", "#endtoend"))
    assert len(listed()) == lower[2]["v"]
    every = sum(n for _, way, _, n in section["blocks"][-1]["totals"] if way == 0)
    assert find_one(driver, "#cases .tally").text == f"{lower[2]['v']} cases of {every}."
    assert find_one(driver, "#cases .tag").text == "mention missed: lower-cased"
    assert "Nothing was predicted on this span. Counts as a false negative." in find_one(driver, "#cases .answer").text
    assert find_one(driver, "#cases .context mark").text == listed()[0]
    click_on(driver, find_button(driver, "Next", "#cases"))
    assert find_one(driver, "#cases .where").text == f"2 of {lower[2]['v']}"
    second = find_one(driver, "#cases .context mark").text
    address = driver.current_url
    driver.get("about:blank")
    driver.get(address)
    assert find_one(driver, "#cases .context mark").text == second
    find_one(driver, "#cases input").send_keys("no such text")
    assert find_one(driver, "#cases .empty").text == "No case passes these filters."
    click_on(driver, find_button(driver, "Reset", "#cases"))
    assert len(listed()) == every
    assert driver.get_log("browser") == []
