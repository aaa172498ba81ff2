"""Documents show the same from a page and from a server, and lead to their mentions and cases and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import linkassay
from linkassay.explorer import embed
from linkassay.pages.page_data import gather_page
from linkassay.runs import Run
from linkassay.scoring.results import Result
from tests.browser import click_on, find_all, find_button, find_one, open_report, resize, settle
from tests.serving.test_server import running
from tests.standins.name_spotter import spotted

MINI = [
    "#documents", "#documents&id=mini-104", "#documents&id=mini-104&systems=spotter,tfidf,exact&mode=differ",
    "#documents&id=mini-104&nil=required&mode=errors&at=mini-104:377-379:disease", "#documents&sort=errors&find=cancer",
    "#documents&sort=differ", "#documents&sort=-mentions&hide=right", "#documents&sort=chars", "#documents&sort=id",
    "#documents&sort=fp", "#documents&sort=fn&nil=required",
    "#documents&id=mini-110&systems=spotter&mode=errors", "#documents&id=mini-110&systems=tfidf,spotter&mode=avoided",
    "#documents&id=nowhere",
]  # fmt: skip
WIKI = [
    "#documents", "#documents&sort=errors", "#documents&sort=errors&nil=required&mode=errors",
    "#documents&sort=mentions&mode=differ", "#documents&sort=chars&hide=right,optional",
]  # fmt: skip


class Feeds(NamedTuple):
    """A page and a server of the same runs."""

    data: dict[str, Any]
    held: Any
    server: str
    runs: str  # as an address names them


@contextmanager
def _fed(home: Path, runs: Sequence[Run]) -> Iterator[Feeds]:
    result = Result(map(linkassay.score, runs))
    with running(home) as (_, address):
        named = "".join(f"&run={run.corpus}/{run.key}" for run in runs)
        yield Feeds(gather_page(result), embed(result.cohorts), address, named)


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Feeds]:
    """Two systems that were given mentions, and one that found them."""
    home = tmp_path_factory.mktemp("feeds") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(home))
        runs = [Run(linkassay.link(name, "mini").path) for name in ("exact", "tfidf")] + [spotted()]
        with _fed(home, runs) as feeds:
            yield feeds


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Iterator[Feeds]:
    """Real predictions on a real benchmark with alternatives, optional mentions and NIL."""
    home = tmp_path_factory.mktemp("wiki") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(home))
        linkassay.get("wikidata", shared / "e2e" / "kb")
        linkassay.get("wiki_fair", shared / "e2e" / "benchmarks")
        runs = []
        for name in ("refined__aida_", "baseline"):
            articles = shared / "e2e" / "dev" / f"{name}.wiki-fair.linked_articles.jsonl.gz"
            runs.append(Run(linkassay.import_predictions("elevant", articles, corpus="wiki_fair", system=name).path))
        with _fed(home, runs) as feeds:
            yield feeds


def _wait(page: Any) -> None:
    """The server's first answer takes a while: it looks at all mentions. Then all rows are drawn."""
    page.execute_async_script(
        "const done = arguments[0]; const there = (selector) => document.querySelector(selector); let calm = 0;"
        "const ready = () => there('.doc-items li') && there('.doc-cell:not(:empty), .trouble') && "
        "!there('[aria-busy], .doc-cell:empty'); const wait = () => { calm = ready() ? calm + 1 : 0; "
        "if (calm > 3) done(); else setTimeout(wait, 40); }; wait();"
    )


def _shown(page: Any) -> dict[str, Any]:
    """All that a reader sees and hears of the view."""
    _wait(page)
    script = (
        "const [selector, name] = arguments; return [...document.querySelectorAll(selector)]"
        ".map((e) => name ? e.getAttribute(name) : e.textContent)"
    )
    parts = [
        (".doc-items li", ""), (".doc-tally", ""), (".doc-top", ""), (".doc-tools option", ""), (".doc-legend li", ""),
        (".doc-head", ""), (".doc-cell", ""), (".doc-cell .sign", "aria-label"), (".doc-card", ""), (".doc-at", ""),
        (".doc-cell .m, .doc-cell .tie", "class"),
    ]  # fmt: skip
    return {selector: page.execute_script(script, selector, name) for selector, name in parts}


def _compared(driver: Any, feeds: Feeds, addresses: Sequence[str], folder: Path) -> dict[str, dict[str, Any]]:
    driver.set_script_timeout(60)
    open_report(driver, feeds.data, folder, feeds.held)
    here = driver.current_url
    expected = {}
    for address in addresses:
        driver.get("about:blank")
        driver.get(here + address)
        expected[address] = _shown(driver)
    for address in addresses:
        driver.get("about:blank")
        driver.get(feeds.server + address + feeds.runs)
        assert _shown(driver) == expected[address], address
    return expected


def test_page_and_server_show_the_same(driver: Any, mini: Feeds, tmp_path: Path) -> None:
    expected = _compared(driver, mini, MINI, tmp_path)
    marks = expected["#documents&id=mini-104&nil=required&mode=errors&at=mini-104:377-379:disease"]
    assert "“DM”" in "".join(marks[".doc-cell .sign"])
    assert marks[".doc-card"][0].startswith("DM×diseaseGold, any ofDiabetes Mellitus mesh:D003920")
    assert expected["#documents&id=nowhere"][".doc-cell"] == []
    assert [entry for entry in driver.get_log("browser") if "nowhere" not in entry["message"]] == []


def test_real_documents_show_the_same(driver: Any, wiki: Feeds, tmp_path: Path) -> None:
    expected = _compared(driver, wiki, WIKI, tmp_path)
    for address, shown in expected.items():
        assert shown[".doc-cell"], address
        assert shown[".doc-cell .sign"], address
    looks = " ".join(each for shown in expected.values() for each in shown[".doc-cell .m, .doc-cell .tie"])
    for verdict in ("right", "wrong", "missed", "spurious", "optional", "nil", "unscored"):
        assert f"v-{verdict} " in looks
    assert driver.get_log("browser") == []


@pytest.mark.parametrize("feed", ["page", "server"])
def test_from_a_document_to_its_mentions_and_cases_and_back(
    driver: Any, mini: Feeds, tmp_path: Path, feed: str
) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    if feed == "page":
        open_report(driver, mini.data, tmp_path, mini.held)
        driver.execute_script("location.hash = '#documents&id=mini-110&systems=tfidf,spotter'")
    else:
        resize(driver, 1280, 900)
        driver.get("about:blank")
        driver.get(f"{mini.server}#documents&id=mini-110&systems=tfidf,spotter{mini.runs}")
    _wait(driver)
    assert driver.title == "mini-110 · Documents · linkassay"
    ActionChains(driver).send_keys("jj").perform()
    settle(driver)
    text = find_one(driver, ".card-text").text
    for words, place in (("All candidates", "mentions"), ("The case", "cases")):
        click_on(driver, find_button(driver, words, ".doc-card"))
        _until(driver, ".detail .context mark")
        assert driver.current_url.partition("#")[2].startswith(place)
        assert "".join(each.text for each in find_all(driver, ".detail .context mark")).replace(" ", "") == (
            text.replace(" ", "")
        )
        click_on(driver, find_button(driver, "open the document", ".detail"))
        _until(driver, ".doc-card .card-text")
        assert find_one(driver, ".card-text").text == text
        driver.back()
        _until(driver, ".detail .context mark")
        driver.back()
        _until(driver, ".doc-card .card-text")
        assert find_one(driver, "h1").text == "mini-110"
        assert find_one(driver, ".card-text").text == text
    assert driver.get_log("browser") == []


def _until(page: Any, selector: str) -> None:
    page.execute_async_script(
        "const [selector, done] = arguments; const wait = () => document.querySelector(selector) ? done() : "
        "setTimeout(wait, 30); wait();", selector,
    )  # fmt: skip
    settle(page)
