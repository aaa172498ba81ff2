"""The report and the views of mentions and cases show the same from a page and from a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import linkassay
from linkassay.explorer import embed
from linkassay.pages.page_data import gather_page
from linkassay.runs import Run
from linkassay.scoring.results import Result
from tests.browser import draw_charts, find_one, open_report, settle, texts
from tests.serving.test_server import running
from tests.standins.name_spotter import spotted

ADDRESSES = [
    "#mentions", "#mentions&outcome=any&system=%3Dtfidf", "#mentions&system=%3Dtfidf&outcome=ahead&against=%3Dexact",
    "#mentions&outcome=orthogonal&distance=2", "#mentions&outcome=wrong&location=1&type=%3Ddisease&slice=zero-shot",
    "#mentions&outcome=left", "#mentions&outcome=any&set=unseen-synonym",
    "#mentions&outcome=any&sort=-text", "#mentions&outcome=any&sort=rank&find=DM",
    "#mentions&outcome=any&document=mini-104", "#mentions&outcome=any&at=mini-104:377-379:disease",
    "#mentions&outcome=any&sort=type&at=mini-104:377-379:disease", "#cases", "#cases&counted=all_fp",
    "#cases&nil=required&counted=nothing", "#cases&counted=ner_fn_lowercased_avoided&sort=text",
    "#cases&group=mention-kind%3Dnamed", "#cases&group=type%3Ddisease&counted=all_f1&nil=required",
    "#cases&at=mini-104:377-379:disease&find=diabetes",
]  # fmt: skip


class Feeds(NamedTuple):
    """A page and a server of the same runs."""

    data: dict[str, Any]
    held: Any
    server: str
    runs: str  # as an address names them


@pytest.fixture(scope="module")
def feeds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Feeds]:
    home = tmp_path_factory.mktemp("feeds") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(home))
        runs = [Run(linkassay.link(name, "mini").path) for name in ("exact", "tfidf")] + [spotted()]
        result = Result(map(linkassay.score, runs))
        with running(home) as (_, address):
            named = "".join(f"&run=mini/{run.key}" for run in runs)
            yield Feeds(gather_page(result), embed(result.cohorts), address, named)


def _shown(page: Any) -> dict[str, Any]:
    """All that a reader sees and hears of the view."""
    settle(page)
    marks = "return [...document.querySelectorAll('.list [role=img]')].map(e => e.getAttribute('aria-label'))"
    return {
        "tally": find_one(page, ".tally").text, "where": find_one(page, ".where").text,
        "rows": texts(page, ".list li"), "marks": page.execute_script(marks),
        "head": find_one(page, ".list-head").get_attribute("textContent"), "card": find_one(page, ".detail").text,
        "pages": find_one(page, ".pager").text,
    }  # fmt: skip


def _wait(page: Any) -> None:
    """The server's first answer takes a while: it looks at all mentions."""
    page.execute_async_script(
        "const done = arguments[0]; const wait = () => document.querySelector('.list li, .empty') ? done() : "
        "setTimeout(wait, 50); wait();"
    )


def test_page_and_server_show_the_same(driver: Any, feeds: Feeds, tmp_path: Path) -> None:
    driver.set_script_timeout(60)
    open_report(driver, feeds.data, tmp_path, feeds.held)
    here = driver.current_url
    expected = {}
    for address in ADDRESSES:
        driver.get(here + address)
        _wait(driver)
        expected[address] = _shown(driver)
    assert sum(each["tally"].startswith("0 ") for each in expected.values()) == 0
    driver.get("about:blank")
    for address in ADDRESSES:
        driver.get(feeds.server + address + feeds.runs)
        _wait(driver)
        assert _shown(driver) == expected[address], address
    driver.back()
    assert _shown(driver) == expected[ADDRESSES[-2]]
    driver.forward()
    assert _shown(driver) == expected[ADDRESSES[-1]]
    assert driver.get_log("browser") == []


def _report(page: Any) -> dict[str, Any]:
    """All that the report says: its text with what is folded away, what its charts say, what can be chosen in it."""
    page.execute_async_script(
        "const done = arguments[0]; const wait = () => document.querySelector('#leaderboard') ? done() : "
        "setTimeout(wait, 50); wait();"
    )
    page.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
    assert draw_charts(page) > 4
    said = "return [...document.querySelectorAll(arguments[0])].map(e => arguments[1] ? e.dataset.tip : e.innerText)"
    return {
        "title": page.title, "text": page.execute_script(said, ".view.report", False),
        "parts": page.execute_script(said, "#nav a", False),
        "tips": page.execute_script(said, "svg.chart [data-tip]", True),
    }  # fmt: skip


def test_the_report_is_the_same(driver: Any, feeds: Feeds, tmp_path: Path) -> None:
    driver.set_script_timeout(90)
    open_report(driver, feeds.data, tmp_path, feeds.held)
    expected = _report(driver)
    assert len(expected["tips"]) > 50
    driver.get("about:blank")
    driver.get(f"{feeds.server}#report{feeds.runs}")
    found = _report(driver)
    assert found == expected
    assert driver.get_log("browser") == []
