"""What surrounds the views, in a real browser: tabs, the address, keys, the places where one was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from linkassay.pages import server_shell
from tests.browser import click_on, find_all, find_button, find_one, open_report, resize, settle
from tests.conftest import ReportRuns


@pytest.fixture
def page(driver: Any, report_runs: ReportRuns, tmp_path: Path) -> Iterator[Any]:
    """The report of one corpus, opened from disk; at the end there must be no message in the console."""
    open_report(driver, report_runs.data, tmp_path, report_runs.held)
    yield driver
    assert driver.get_log("browser") == []


def _keys(page: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(page).send_keys(*keys).perform()
    settle(page)


def _top(page: Any) -> float:
    return float(page.execute_script("return scrollY"))


def test_tabs_name_the_views_and_say_which_one_is_shown(page: Any) -> None:
    names = ["Report", "Runs", "Documents", "Mentions"]
    assert [tab.text for tab in find_all(page, "#tabs a")] == names
    titles = set()
    for name in names:
        click_on(page, find_button(page, name, "#tabs"))
        settle(page)
        assert [tab.text for tab in find_all(page, "#tabs [aria-current=page]")] == [name]
        assert find_one(page, ".sections").is_displayed() == (name == "Report")
        assert len(find_all(page, "h1")) == 1
        assert page.title.endswith(" · linkassay")
        titles.add(page.title)
    assert len(titles) == len(names)
    assert page.execute_script("return document.activeElement.textContent") == "Mentions"  # the tab keeps the focus


def test_back_and_forward_return_to_the_same_place(page: Any) -> None:
    page.execute_script("window.scrollTo(0, 1500)")
    page.execute_async_script("setTimeout(arguments[0], 250)")
    before = _top(page)
    assert before > 500
    find_button(page, "Runs", "#tabs").click()
    settle(page)
    assert _top(page) == 0
    page.back()
    page.execute_async_script("setTimeout(arguments[0], 250)")
    assert abs(_top(page) - before) <= 2
    page.forward()
    settle(page)
    assert page.title == "Runs · linkassay"


def test_parts_of_the_report_are_named_above_and_the_one_read_is_marked(page: Any) -> None:
    click_on(page, find_button(page, "Slices", "#nav"))
    page.execute_async_script("setTimeout(arguments[0], 250)")
    assert find_one(page, "#nav [aria-current]").text == "Slices"
    assert page.execute_script("return document.activeElement.id") == "slices-title"
    under = "return document.getElementById('slices').getBoundingClientRect().top - "
    assert page.execute_script(under + "document.querySelector('.bar').getBoundingClientRect().bottom") >= 0
    _keys(page, "j")
    first = page.execute_script("return document.activeElement.id")
    assert first not in ("slices-title", "")
    _keys(page, "k")
    assert page.execute_script("return document.activeElement.id") == "slices-title"


def test_keys_are_named_in_a_dialog_that_keeps_the_focus(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    _keys(page, "?")
    dialog = find_one(page, "dialog[open]")
    assert "next part" in dialog.text
    assert "these keys" in dialog.text
    for _ in range(5):
        _keys(page, Keys.TAB)
        inside = "return document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        assert page.execute_script(inside)
    _keys(page, "j")
    assert find_all(page, "dialog[open]")
    _keys(page, Keys.ESCAPE)
    assert find_all(page, "dialog") == []
    click_on(page, find_button(page, "Runs", "#tabs"))
    click_on(page, find_one(page, "#help"))
    assert "choose the run" in find_one(page, "dialog").text
    click_on(page, find_button(page, "Close", "dialog"))
    assert page.execute_script("return document.activeElement.id") == "help"
    _keys(page, "/", "?")
    assert find_all(page, "dialog") == []  # in a field it is a letter
    assert find_one(page, ".finding input").get_attribute("value") == "?"


def test_keys_work_from_a_box_of_options_unless_one_begins_so(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    click_on(page, find_button(page, "Mentions", "#tabs"))
    where = "return document.querySelector('.where').textContent"
    box = find_one(page, "select")
    page.execute_script("arguments[0].focus()", box)
    chosen, before = box.get_attribute("value"), page.execute_script(where)
    _keys(page, "j")
    assert (page.execute_script(where) != before, box.get_attribute("value")) == (True, chosen)
    page.execute_script("arguments[0].append(Object.assign(document.createElement('option'), {text: 'kuru'}))", box)
    taken = (
        "const event = new KeyboardEvent('keydown', { key: arguments[1], bubbles: true, cancelable: true });"
        "arguments[0].dispatchEvent(event); return event.defaultPrevented"
    )
    assert [page.execute_script(taken, box, key) for key in ("j", "k", "ArrowDown", "ArrowRight")] == [
        True,
        *[False] * 3,
    ]
    page.execute_script("arguments[0].blur()", box)
    settle(page)
    here = page.execute_script(where)
    _keys(page, Keys.ARROW_RIGHT)
    assert page.execute_script(where) != here
    _keys(page, Keys.ARROW_LEFT)
    assert page.execute_script(where) == here
    page.execute_script("arguments[0].focus()", box)
    _keys(page, "?")
    assert "next mention" in find_one(page, "dialog[open]").text


def test_the_first_stop_leads_to_what_is_shown(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    before = page.current_url
    _keys(page, Keys.TAB)
    assert page.execute_script("return document.activeElement.className") == "skip"
    _keys(page, Keys.ENTER)
    assert page.execute_script("return document.activeElement.id") == "main"
    assert page.current_url == before


def test_an_address_that_nobody_made_opens_something(page: Any) -> None:
    for address in ("#nonsense", "#runs&sort=-nothing&columns=x,%E0%A4%A&show=none&x=y", "#&&=", "#runs&__proto__=1"):
        page.execute_script("location.hash = arguments[0]", address)
        settle(page)
        assert find_all(page, "main h1")
        assert find_all(page, ".trouble") == []


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_the_bar_stays_small(page: Any, width: int) -> None:
    resize(page, width, 900)
    settle(page)
    assert find_one(page, ".bar").size["height"] <= (125 if width < 760 else 90)
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [360, 390])
def test_no_tab_is_cut_on_a_phone(page: Any, width: int) -> None:
    resize(page, width, 900)
    settle(page)
    ends = page.execute_script(
        "const list = document.getElementById('tabs'); for (const name of ['Documents', 'Cases'])"
        " if (![...list.children].some(item => item.textContent === name)) {"
        " const one = list.lastElementChild.cloneNode(true); one.firstChild.textContent = name; list.append(one); }"
        "return [list.scrollWidth, list.clientWidth, list.children.length]"
    )
    assert ends[0] <= ends[1]
    assert ends[2] == 5


def test_printed_without_what_is_for_the_screen(page: Any) -> None:
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not find_one(page, ".bar").is_displayed()
        assert find_one(page, "#leaderboard table").is_displayed()
        page.execute_script("location.hash = '#runs'")
        settle(page)
        assert find_one(page, "table.runs").is_displayed()
        assert not find_one(page, ".acts").is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_no_table_is_cut_on_paper(page: Any) -> None:
    """What a screen scrolls has to fit a page of A4, or be counted so that the browser makes it fit."""
    resize(page, 718, 1000)
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        wide = page.execute_script(
            "const right = (table) => table.getBoundingClientRect().right;"
            "return [...document.querySelectorAll('section.part')].map(part => [part.id,"
            "getComputedStyle(part).contain, Math.max(0, ...[...part.querySelectorAll('table')].map(right))])"
        )
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert len(wide) > 5
    assert [each for each in wide if each[1] != "none" or each[2] > 719] == []


def test_the_page_of_a_server_holds_nothing_inline() -> None:
    page, script, style = server_shell()
    assert 'src="/assets/script.js"' in page
    assert 'href="/assets/style.css"' in page
    assert "<style" not in page
    assert page.count("<script") == 1
    assert "style=" not in page
    assert '"use strict"' in script
    assert ".bar" in style
