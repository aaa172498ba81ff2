"""The report in a real browser, opened from disk: everything works, by mouse and by keyboard, and stays inside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.pages.page_data import gather_page
from linkassay.pages.page_table_texts import sections
from linkassay.pages.page_table_texts import tables as tables_of
from linkassay.scoring.disambiguation.run_score import Score
from tests.browser import click_on, draw_charts, find_all, find_button, find_one, open_report, resize, settle
from tests.conftest import ReportRuns
from tests.report_helpers import HOSTILE


@pytest.fixture(scope="module")
def scores(report_runs: ReportRuns) -> Iterator[list[Score]]:
    """Three systems on two tiny corpora."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(report_runs.home))
        yield [linkassay.score(run) for run in report_runs.runs]


@pytest.fixture(scope="module")
def data(report_runs: ReportRuns) -> dict[str, Any]:
    return report_runs.data


@pytest.fixture(scope="module")
def both(scores: list[Score]) -> dict[str, Any]:
    """Two corpora, and a cell that failed."""
    return gather_page(
        scores, [{"corpus": "own", "linker": "house", "error": f"broke on {HOSTILE}"}], {"file": "my.toml"}
    )


@pytest.fixture
def page(driver: Any, report_runs: ReportRuns, tmp_path: Path) -> Any:
    """The report of one corpus, opened from disk; at the end there must be no message in the console."""
    open_report(driver, report_runs.data, tmp_path, report_runs.held)
    yield driver
    assert driver.get_log("browser") == []


@pytest.fixture
def pages(driver: Any, both: dict[str, Any], tmp_path: Path) -> Any:
    """The report of two corpora."""
    open_report(driver, both, tmp_path)
    yield driver
    assert driver.get_log("browser") == []


def _systems(page: Any) -> list[str]:
    return [each.text for each in find_all(page, "#leaderboard table tbody th")]


def test_page_asks_for_nothing_but_itself(page: Any) -> None:
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    here = page.current_url
    assert [url for url in asked if url not in (here, "data:,")] == []
    assert here in asked
    assert [e.text for e in find_all(page, "h2")] == [
        "A warning", "Leaderboard", "Recall@k", "Failure stage", "Entity types", "Slices",
        "Unseen entities and synonyms", "Accuracy against time and memory", "Agreement of systems",
        "How wrong is wrong",
        "For orientation: the literature on the same kinds of entities", "What was run", "Terms",
    ]  # fmt: skip
    shown = [a.get_attribute("hash").partition("&")[0] for a in find_all(page, "#nav a")]
    assert shown == [f"#{s.get_attribute('id')}" for s in find_all(page, "section.part")]


def test_page_of_one_perfect_run_without_training_data(page: Any, scores: list[Score], tmp_path: Path) -> None:
    alone = gather_page([linkassay.score(linkassay.link("exact", "own", kb="tiny", split="train"))])
    assert alone["sentence"] == (
        "exact puts a right entity first for 100.0 % of 2 mentions (95 % interval 1.2–100.0 %)."
    )
    open_report(page, alone, tmp_path)
    assert [each.text for each in find_all(page, "#failures td .big")] == ["0", "0", "0", "0", "–"]
    assert not find_all(page, "#unseen, #agreement")


def test_hostile_text_is_shown_as_text(page: Any) -> None:
    from selenium.common.exceptions import NoAlertPresentException

    with pytest.raises(NoAlertPresentException):
        page.switch_to.alert  # noqa: B018
    assert len(find_all(page, "script")) == 4  # what it says, what it holds, what draws, and its own
    assert HOSTILE in find_one(page, "#types").text


@pytest.mark.parametrize("width", [360, 800, 1280, 1600])
def test_nothing_overflows_the_page(pages: Any, width: int) -> None:
    resize(pages, width, 900)
    for summary in find_all(pages, "summary"):
        pages.execute_script("arguments[0].parentElement.open = true", summary)
    draw_charts(pages)
    assert pages.execute_script("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    wide = pages.execute_script(
        "return [...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, .canvas, .hidden, .list') && "
        "e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className)"
    )
    assert wide == []


def test_sorting_by_click_and_key(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    assert _systems(page) == ["tfidf", "exact", "normalised"]
    click_on(page, find_button(page, "system", "#leaderboard thead"))
    assert _systems(page) == ["exact", "normalised", "tfidf"]
    assert find_one(page, "#leaderboard th").get_attribute("aria-sort") == "ascending"
    find_button(page, "recall", "#leaderboard thead").send_keys(Keys.ENTER)
    assert _systems(page) == ["tfidf", "exact", "normalised"]
    assert [th.get_attribute("aria-sort") for th in find_all(page, "#leaderboard thead th")] == [
        "none", "descending", "none", "none", "none", "none", "none",
    ]  # fmt: skip


def test_the_sections_are_named_in_one_line(page: Any, driver: Any) -> None:
    driver.set_window_size(1280, 900)
    tops = {round(link.rect["y"]) for link in find_all(page, "#nav a")}
    assert len(tops) == 1
    assert page.execute_script(
        "const list = document.getElementById('nav'); return list.scrollWidth <= list.clientWidth"
    )


def test_tables_scroll_in_their_card_and_keep_their_first_column(page: Any) -> None:
    resize(page, 390, 900)
    places = page.execute_script(
        "const box = document.querySelector('#leaderboard .scroll'); const left = () => ['thead th', 'tbody th', "
        "'tbody td'].map(s => box.querySelector(s).getBoundingClientRect().left); const before = left();"
        "box.scrollLeft = 90; return [before, left(), box.scrollLeft, document.documentElement.scrollWidth]"
    )
    before, after, scrolled, width = places
    assert scrolled == 90
    assert width <= 390
    assert after == [before[0], before[1], before[2] - 90]


def test_lines_of_a_table_run_through(page: Any) -> None:
    """The first column stays in place when a table scrolls, and its lines go on those of the others."""
    lines = page.execute_script(
        "return [...document.querySelectorAll('#leaderboard tr')].map(row => [...row.children].map(cell => {"
        "const { borderTopWidth, borderTopColor, borderBottomWidth, boxShadow: shade } = getComputedStyle(cell);"
        "return [cell.getBoundingClientRect().top, borderTopWidth, borderTopColor, borderBottomWidth, shade].join(' ');"
        "}))"
    )
    assert all(len(set(cells)) == 1 for cells in lines)
    assert lines[0][0].endswith("none")


def test_tables_copy_as_tsv_markdown_and_latex(page: Any, data: dict[str, Any]) -> None:
    """What Python wrote; after sorting, its lines in the order that is shown."""
    table = data["corpora"][0]["before"][0]["blocks"][0]
    names = ("TSV", "Markdown", "LaTeX")
    for name in names:
        click_on(page, find_button(page, f"“Leaderboard” as {name}"))
    click_on(page, find_one(page, "#leaderboard th button"))  # by name, which is another order
    order = [[row[0]["v"] for row in table["rows"]].index(name) for name in _systems(page)]
    assert sorted(order) != order
    for name in names:
        click_on(page, find_button(page, f"“Leaderboard” as {name}"))
    found = page.execute_script("return window.copied")
    for name, first, then in zip(names, found[:3], found[3:], strict=True):
        head, rows, tail = table["copy"][name]
        assert first == "\n".join([*head, *rows, *tail]) + "\n"
        assert then == "\n".join([*head, *(rows[at] for at in order), *tail]) + "\n"
    value = table["rows"][0][1]
    low, shown, high = (f"{100 * value[key]:.1f}" for key in ("low", "v", "high"))
    assert f"| {shown} ({low}–{high}) |" in found[1]
    assert f"& \\textbf{{{shown}}} {{\\scriptsize [{low}, {high}]}} &" in found[2]
    click_on(page, find_button(page, "“By entity type: recall@1” as LaTeX"))
    assert "$<$script$>$alert(1)$<$/script$>$" in page.execute_script("return window.copied.at(-1)")
    assert find_one(page, "#status").get_attribute("textContent") == "Copied as LaTeX"


def test_rows_that_stay_below_are_copied_below_whatever_the_order(page: Any, data: dict[str, Any]) -> None:
    (section,) = (s for s in data["corpora"][0]["before"] if s["id"] == "types")
    (table, *_) = (b for c in section["blocks"] if c["kind"] == "choice" for b in c["options"][0][1] if b["foot"])
    click_on(page, find_all(page, "#types th button")[1])
    click_on(page, find_button(page, f"“{table['caption']}” as TSV"))
    (copied,) = page.execute_script("return window.copied")
    foot = find_one(page, "#types tfoot th").text
    assert copied.splitlines()[-1].split("\t")[0] == foot == table["foot"][0][0]


def test_cells_show_what_python_wrote(pages: Any, both: dict[str, Any]) -> None:
    """Of tables in every part of the page, also of those that are opened first."""
    for summary in find_all(pages, "summary"):
        pages.execute_script("arguments[0].parentElement.open = true", summary)
    settle(pages)
    found = pages.execute_script(
        "return [...document.querySelectorAll('section.part table')].map(t => [t.caption.textContent,"
        "[...t.querySelectorAll('tbody tr, tfoot tr')].map(r => [...r.cells].map(c => ['.big', '.small', '.difference']"
        ".map(s => c.querySelector(s)?.firstChild.textContent ?? '')))])"
    )
    tables = {
        table["caption"]: table
        for of, section in sections(both)
        if of in ("", "own, test")
        for table in tables_of(section)
    }
    assert len(found) > 10
    for caption, rows in found:
        for row, texts in zip(rows, tables[caption]["shown"], strict=True):
            for column, cell, text in zip(tables[caption]["columns"], row, texts, strict=True):
                if column["form"] != "text":
                    assert cell == (list(text) if isinstance(text, tuple) else [text, "", ""]), caption


def test_every_table_can_be_copied_and_every_chart_saved(page: Any) -> None:
    for summary in find_all(page, "summary"):
        page.execute_script("arguments[0].parentElement.open = true", summary)
    assert len(find_all(page, "section.part table")) == len(find_all(page, "button[aria-label*='as TSV']"))
    assert draw_charts(page) == len(find_all(page, "button[aria-label*='as SVG']")) >= 8
    assert len(find_all(page, "svg.chart")) == draw_charts(page)
    for name in ("SVG", "PNG"):
        click_on(page, find_button(page, f"as {name}", "#curve"))
    found = page.execute_async_script(
        "const done = arguments[0]; const wait = () => window.saved.length < 2 ? setTimeout(wait, 50) :"
        "window.saved[0].text().then(text => done([text, window.saved[1].type, window.saved[1].size])); wait();"
    )
    svg, kind, size = found
    assert svg.startswith("<svg")
    assert "var(" not in svg  # colours of their own, so that it can stand alone
    assert "<title>Recall at k for each system</title>" in svg
    assert "<a" not in svg
    assert re.search(r'stroke="rgb\(\d+, \d+, \d+\)"', svg)
    assert (kind, size > 1000) == ("image/png", True)


def test_measure_of_the_types_can_be_chosen(page: Any, data: dict[str, Any]) -> None:
    click_on(page, find_one(page, "#types input[value=coverage]"))
    (row,) = (
        row
        for name, (block,) in data["corpora"][0]["before"][3]["blocks"][0]["options"]
        if name == "coverage"
        for row in block["rows"]
        if row[0] == "Drug"
    )
    label = find_button(page, "Drug, exact", "#types").get_attribute("textContent")
    assert label.startswith(f"Drug, exact {100 * row[3]['v']:.1f}")
    assert label.endswith(": show its mentions")


def test_charts_are_drawn_in_the_colours_of_the_page(page: Any) -> None:
    draw_charts(page)
    lines = "return [...document.querySelectorAll('#curve svg.chart path')].map(p => getComputedStyle(p).stroke)"
    light = set(page.execute_script(lines)) - {"none"}
    swatch = "return getComputedStyle(document.querySelector('#leaderboard .glyph .dot')).fill"
    assert page.execute_script(swatch) in light
    click_on(page, find_one(page, "#theme"))
    dark = set(page.execute_script(lines)) - {"none"}
    assert page.execute_script(swatch) in dark
    assert not light & dark
    click_on(page, find_one(page, "#theme"))


def test_dark_and_light(page: Any) -> None:
    def paper() -> str:
        return str(page.execute_script("return getComputedStyle(document.body).backgroundColor"))

    before = paper()
    click_on(page, find_one(page, "#theme"))
    assert paper() != before
    assert find_one(page, "#theme").get_attribute("aria-pressed") == "true"
    page.refresh()
    assert paper() != before  # the choice is kept
    click_on(page, find_one(page, "#theme"))
    assert paper() == before


def test_everything_is_reached_by_keyboard_alone(page: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    seen = []
    for _ in range(600):
        ActionChains(page).send_keys(Keys.TAB).perform()
        name = page.execute_script(
            "const e = document.activeElement; return e === document.body ? '' : "
            "e.getAttribute('aria-label') || e.textContent || e.tagName"
        )
        if not name:
            break
        seen.append(name)
    assert seen[0] == "Skip to the results"
    text = "\n".join(seen)
    for part in ("Leaderboard", "Dark", "exact, recall@1", "Copy the table “Failure stage” as TSV", "Definitions",
                 "Save the chart “Recall at k for each system” as SVG"):  # fmt: skip
        assert part in text
    find_button(page, "exact, recall@5", "#leaderboard").send_keys(Keys.ENTER)
    settle(page)
    for _ in range(20):
        ActionChains(page).send_keys(Keys.TAB).perform()
        if page.switch_to.active_element.get_attribute("aria-current"):
            break
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert find_one(page, ".where").text == "2 of 9"


def test_controls_have_names_and_landmarks_exist(pages: Any) -> None:
    nameless = pages.execute_script(
        "return [...document.querySelectorAll('button, a, input, select, svg[role=img], table')].filter(e => "
        "!(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map(e => e.outerHTML)"
    )
    assert nameless == []
    for landmark in ("header", "nav[aria-label]", "main", "footer", "section[aria-labelledby]"):
        assert find_all(pages, landmark)
    assert all(
        find_one(pages, f"#{s.get_attribute('aria-labelledby')}") for s in find_all(pages, "section[aria-labelledby]")
    )
    assert all(caption.get_attribute("textContent") for caption in find_all(pages, "table > caption"))
    twice = "const ids = [...document.querySelectorAll('[id]')].map(e => e.id); return ids.length - new Set(ids).size"
    assert pages.execute_script(twice) == 0
    assert len(find_all(pages, "h1")) == 1


# ---- several corpora


def test_the_overview_comes_first_and_a_corpus_is_chosen(pages: Any, both: dict[str, Any]) -> None:
    from selenium.webdriver.support.ui import Select

    parts = [s.get_attribute("id") for s in find_all(pages, "section.part")]
    assert parts[:4] == ["failed", "overview", "matrix", "leaderboard"]
    assert f"broke on {HOSTILE}" in find_one(pages, "#failed").text
    assert find_one(pages, "h2.title").text == "own"
    Select(find_one(pages, "#corpus-choice")).select_by_visible_text("other, test")
    settle(pages)
    assert find_one(pages, "h2.title").text == "other"
    assert pages.current_url.endswith("#corpus&corpus=%3Dother%40test")
    pages.refresh()
    assert find_one(pages, "h2.title").text == "other"
    address = find_button(pages, "exact, recall@1", "#leaderboard").get_attribute("hash")
    assert "corpus=%3Dother%40test" in address
    pages.back()
    pages.forward()
    settle(pages)
    assert find_one(pages, "h2.title").text == "other"


def test_every_number_of_a_table_is_a_link_but_those_of_no_mention(pages: Any) -> None:
    for summary in find_all(pages, "summary"):
        pages.execute_script("arguments[0].parentElement.open = true", summary)
    settle(pages)
    found = pages.execute_script(
        "return [...document.querySelectorAll('section.part:not(#cost):not(#run) td.number')]"
        ".filter(e => !e.querySelector('a') && e.textContent !== '–' && !e.closest('tr').textContent.includes('no: '))"
        ".map(e => e.closest('section').id + ': ' + e.closest('tr').textContent)"
    )
    assert found == []


def test_warnings_stand_before_all_figures(page: Any, data: dict[str, Any], driver: Any, tmp_path: Path) -> None:
    """In a box of their own, hostile text as text; without a warning there is no box."""
    assert {each["kind"] for each in data["warnings"]} >= {"few-documents"}
    shown = [each.text for each in find_all(page, ".warnings li")]
    assert len(shown) == len(data["warnings"])
    assert all(each["message"] in text for each, text in zip(data["warnings"], shown, strict=True))
    above, below = find_one(page, ".warnings"), find_one(page, "#leaderboard")
    assert above.rect["y"] < below.rect["y"]
    hostile = {"kind": "no-answer", "about": HOSTILE, "message": HOSTILE, "cure": HOSTILE}
    open_report(driver, data | {"warnings": [hostile]}, tmp_path)
    assert find_one(driver, ".warnings li").text.count(HOSTILE) == 3
    assert find_one(driver, ".warnings h2").text == "A warning"
    open_report(driver, data | {"warnings": []}, tmp_path)
    assert find_all(driver, ".warnings") == []
