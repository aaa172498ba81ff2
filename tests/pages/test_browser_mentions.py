"""The mentions behind a report's figures in a real browser: every figure opens to all of them, from the page alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.explorer import embed
from linkassay.pages.page_data import gather_page
from linkassay.scoring.results import Result
from tests.browser import choose, click_on, find_all, find_button, find_one, open_report, settle
from tests.conftest import ReportRuns
from tests.report_helpers import HOSTILE, corpus, kb

DRUGS = ["شلل", "omega \U0001f9ec", "gamma", "zeta"]


@pytest.fixture(scope="module")
def result(report_runs: ReportRuns) -> Iterator[Result]:
    """Three systems on two tiny corpora."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(report_runs.home))
        yield Result(linkassay.score(run) for run in report_runs.runs)


@pytest.fixture(scope="module")
def both(result: Result) -> tuple[dict[str, Any], Any]:
    """Two corpora: what the page says, and what it holds."""
    return gather_page(result), embed(result.cohorts)


@pytest.fixture
def page(driver: Any, report_runs: ReportRuns, tmp_path: Path) -> Any:
    """The report of one corpus, opened from disk; at the end there must be no message in the console."""
    open_report(driver, report_runs.data, tmp_path, report_runs.held)
    yield driver
    assert driver.get_log("browser") == []


@pytest.fixture
def pages(driver: Any, both: tuple[dict[str, Any], Any], tmp_path: Path) -> Any:
    """The report of two corpora."""
    open_report(driver, both[0], tmp_path, both[1])
    yield driver
    assert driver.get_log("browser") == []


def _go(page: Any, address: str) -> None:
    page.execute_script("location.hash = arguments[0]", address)
    settle(page)


def _reopen(page: Any) -> None:
    """Open the address that is shown anew."""
    address = page.current_url
    page.get("about:blank")
    page.get(address)
    settle(page)


def _pick(page: Any, label: str, value: str) -> None:
    choose(page, label, value)
    settle(page)


def _press(page: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(page).send_keys(*keys).perform()
    settle(page)


def _listed(page: Any) -> list[str]:
    script = "return [...document.querySelectorAll('.list .mention-text')].map(e => e.textContent)"
    return list(page.execute_script(script))


def _follow(page: Any, label: str, within: str) -> None:
    """Where a figure of the report leads, which is gone back to first."""
    _go(page, "#report")
    link = find_button(page, label, within)
    _go(page, page.execute_script("return arguments[0].getAttribute('href')", link))


def test_page_of_one_perfect_run_without_training_data(page: Any, result: Result, tmp_path: Path) -> None:
    alone = Result([linkassay.score(linkassay.link("exact", "own", kb="tiny", split="train"))])
    open_report(page, gather_page(alone), tmp_path, embed(alone.cohorts))
    _go(page, "#mentions")
    assert find_one(page, ".tally").text == "0 mentions of 2 scored."
    assert [label.text.split("\n")[0] for label in find_all(page, ".filters label") if label.is_displayed()] == [
        "System", "Outcome", "Type", "Slice", "Set", "Order", "Find",
    ]  # fmt: skip


def test_a_page_that_does_not_hold_all_says_so(
    page: Any, result: Result, report_runs: ReportRuns, tmp_path: Path
) -> None:
    held = embed(result.cohorts[:1], mentions="errors")
    open_report(page, report_runs.data, tmp_path, held)
    _go(page, "#mentions&outcome=any")
    assert find_one(page, ".tally").text == ("5 mentions shown of 9 that match; the page holds 5 of 9 scored mentions.")
    assert len(_listed(page)) == 5
    find_one(page, ".filters input").send_keys("no such text\n")
    settle(page)
    assert find_one(page, ".tally").text == "0 mentions found; the page holds 5 of 9 scored mentions."


def test_hostile_text_is_shown_as_text(page: Any) -> None:
    from selenium.common.exceptions import NoAlertPresentException

    with pytest.raises(NoAlertPresentException):
        page.switch_to.alert  # noqa: B018
    _go(page, "#mentions&outcome=any")
    _pick(page, "Type", HOSTILE)
    assert _listed(page) == [HOSTILE, "</script>"]
    assert f"Some {HOSTILE} & \"quoted\" 'text' --> </script><!-- here." in find_one(page, ".context").text
    assert find_one(page, ".context mark").text == HOSTILE


def test_long_lines_right_to_left_and_emoji(page: Any) -> None:
    _go(page, "#mentions&outcome=any")
    _pick(page, "Type", "Drug")
    assert _listed(page) == DRUGS
    click_on(page, find_all(page, ".list button")[2])
    assert len(find_one(page, ".context").text) < 600
    assert find_one(page, ".context mark").text == "gamma"
    click_on(page, find_all(page, ".list button")[0])
    assert find_one(page, ".gold").text.splitlines() == ["Gold", "gamma t:5", "The corpus says t:9, now t:5."]


def test_a_figure_opens_its_mentions(page: Any, report_runs: ReportRuns) -> None:
    sections = {s["id"]: s for s in report_runs.data["corpora"][0]["before"]}
    click_on(page, find_button(page, "exact, recall@1", "#leaderboard"))
    assert len(_listed(page)) == 9
    assert page.execute_script("return document.activeElement.id") == "mentions-title"
    page.back()
    settle(page)
    assert "system" not in page.current_url
    assert find_all(page, "#leaderboard")
    _follow(page, "Drug, exact", "#types")
    assert _listed(page) == DRUGS
    _follow(page, "unseen synonym, tfidf", "#unseen")
    assert len(_listed(page)) == sections["unseen"]["blocks"][1]["options"][0][1][0]["rows"][1][1]["v"]
    _follow(page, "exact, no answer", "#failures")
    assert len(_listed(page)) == sections["failures"]["blocks"][1]["rows"][1][4]["v"]
    _follow(page, "normalised, disambiguation", "#failures")
    assert _listed(page) == ["alpha", "Alpha"]
    assert find_one(page, "#status").get_attribute("textContent").startswith("2 mentions")
    _follow(page, "tfidf, exact, only first right", "#agreement")
    assert page.current_url.endswith("#mentions&system=%3Dtfidf&outcome=ahead&against=%3Dexact")
    assert len(_listed(page)) == 2


def test_filters_count_and_combine(page: Any) -> None:
    _go(page, "#mentions")
    _pick(page, "System", "every system")
    assert _listed(page) == ["zeta"]
    assert find_one(page, ".tally").text == "1 mention of 9 scored."
    _pick(page, "System", "any system")
    assert _listed(page) == ["alpha", "Alpha", "</script>", "omega \U0001f9ec", "zeta"]
    assert find_one(page, ".tally").text == "5 mentions of 9 scored."
    _pick(page, "Slice", "unseen synonym")
    assert "zeta" in _listed(page)
    assert "unseen synonym" in [tag.text for tag in find_all(page, ".detail .tag")]
    _pick(page, "Type", "Gene")
    assert _listed(page) == []
    assert find_one(page, ".empty").text == "No mention passes these filters."
    click_on(page, find_button(page, "Reset"))
    find_one(page, ".filters input").send_keys("ALPHA\n")
    settle(page)
    assert _listed(page) == ["alpha", "Alpha"]
    click_on(page, find_button(page, "Reset"))
    _pick(page, "System", "tfidf")
    _pick(page, "Outcome", "overspecific")
    assert "alpha" in _listed(page)
    assert "In the hierarchy: overspecific, distance 2." in find_one(page, ".answers").text
    assert "below gold" in find_one(page, ".tree figcaption").text
    _go(page, "#mentions&outcome=any&sort=-text")
    texts = [text.lower() for text in _listed(page)]
    assert texts == sorted(texts, reverse=True)


def test_state_is_in_the_address(page: Any) -> None:
    _go(page, "#mentions")
    _pick(page, "System", "tfidf")
    _pick(page, "Outcome", "any outcome")
    _pick(page, "Type", HOSTILE)
    click_on(page, find_button(page, "Next", ".steps"))
    shown = find_one(page, ".detail").text
    _reopen(page)
    assert _listed(page) == [HOSTILE, "</script>"]
    assert find_one(page, ".detail").text == shown
    assert find_one(page, ".context mark").text == "</script>"
    _go(page, "#mentions&system=%E0%A4%A&type=none&nonsense&at=<b>&corpus=none")
    assert find_one(page, ".where").text.startswith("1 of ")


def test_next_previous_and_keys(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    _go(page, "#mentions&outcome=any")
    assert find_one(page, ".where").text == "1 of 9"
    assert not find_button(page, "Previous", ".steps").is_enabled()
    click_on(page, find_button(page, "Next", ".steps"))
    assert find_one(page, ".where").text == "2 of 9"
    find_button(page, "Next", ".steps").send_keys("j")
    assert find_one(page, ".where").text == "3 of 9"
    find_button(page, "Next", ".steps").send_keys("k")
    assert find_one(page, ".where").text == "2 of 9"
    find_one(page, ".list [aria-current]").send_keys(Keys.END)
    assert find_one(page, ".where").text == "9 of 9"
    assert not find_button(page, "Next", ".steps").is_enabled()
    page.switch_to.active_element.send_keys(Keys.ARROW_UP)
    assert find_one(page, ".where").text == "8 of 9"
    assert page.switch_to.active_element.get_attribute("aria-current") == "true"
    settle(page)


def test_keys_go_on_after_a_click_and_from_anywhere(page: Any) -> None:
    _go(page, "#mentions&outcome=any")
    click_on(page, find_all(page, ".list button")[2])
    assert page.switch_to.active_element.get_attribute("aria-current") == "true"
    _press(page, "j")
    assert find_one(page, ".where").text == "4 of 9"
    page.execute_script("document.activeElement.blur(); window.scrollTo(0, document.body.scrollHeight)")
    _press(page, "k")
    assert find_one(page, ".where").text == "3 of 9"
    assert page.execute_script("return document.querySelector('.steps').getBoundingClientRect().top >= 0")
    _press(page, "/")
    assert page.switch_to.active_element == find_one(page, ".filters input")
    _press(page, "jk")  # in a field they are letters
    assert page.switch_to.active_element.get_attribute("value") == "jk"


def test_boxes_that_are_not_for_an_outcome_are_not_shown(page: Any) -> None:
    _go(page, "#mentions")
    shown = {label.text.split()[0] for label in find_all(page, ".filters label") if label.is_displayed()}
    assert not shown & {"Distance", "Location"}
    assert "Outcome" in shown


def test_mentions_that_are_not_scored_say_why(page: Any) -> None:
    _go(page, "#mentions&outcome=left")
    assert _listed(page) == ["gamma "]
    assert find_one(page, ".tally").text == "1 mention of 10."
    assert "none: the corpus gives no id" in find_one(page, ".gold").text
    assert {each.text for each in find_all(page, ".verdict")} == {"– not scored"}


# ---- several corpora


def test_a_figure_of_the_overview_opens_mentions_of_its_corpus(pages: Any, both: tuple[dict[str, Any], Any]) -> None:
    click_on(pages, find_button(pages, "tfidf, other", "#overview"))
    assert "of other" in find_one(pages, ".meta").text
    assert len(_listed(pages)) == both[0]["corpora"][1]["facts"][1][1]["v"]
    _reopen(pages)
    assert "of other" in find_one(pages, ".meta").text
    _follow(pages, "Drug, own, exact", "#matrix")
    assert "of own" in find_one(pages, ".meta").text
    assert _listed(pages) == DRUGS


def test_figures_over_all_corpora_open_mentions_of_all(pages: Any, both: tuple[dict[str, Any], Any]) -> None:
    click_on(pages, find_button(pages, "tfidf, mean of recall@1", "#overview"))
    assert pages.current_url.endswith("#mentions&system=%3Dtfidf&outcome=any&from=all")
    assert len(_listed(pages)) == sum(corpus["facts"][1][1]["v"] for corpus in both[0]["corpora"])
    _follow(pages, "Drug, all of them, exact", "#matrix")
    (row,) = (r for r in both[0]["overview"][1]["blocks"][0]["rows"] if r[:2] == ["Drug", "all of them"])
    assert len(_listed(pages)) == row[2]["v"]
    assert find_one(pages, ".tally").text.startswith(f"{row[2]['v']} mentions of ")
    assert "of own" in find_one(pages, ".detail .meta").text
    find_one(pages, ".list [aria-current]").send_keys("\ue010")  # End: the last is of the other corpus
    settle(pages)
    assert "of other" in find_one(pages, ".detail .meta").text
    _reopen(pages)
    assert "of other" in find_one(pages, ".detail .meta").text
    assert find_one(pages, ".where").text == f"{row[2]['v']} of {row[2]['v']}"
    _pick(pages, "Mentions of", "this corpus")
    assert _listed(pages) == DRUGS


def test_a_large_page_is_quick(driver: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """10 000 mentions of three systems: painted, filtered, sorted and searched while one looks."""
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "home"))
    kb("tiny")
    words = ["alpha", "beta", "gamma", "omega", "delta"]
    ids = {"alpha": "t:1", "beta": "t:3", "gamma": "t:5", "omega": "t:6", "delta": "t:4"}
    documents = []
    for number in range(2_000):
        tagged = [f"{word}{number}" if (number + at) % 3 else word for at, word in enumerate(words)]
        mentions = [(text, "Gene", ids[word]) for text, word in zip(tagged, words, strict=True)]
        documents.append((" and ".join(tagged), mentions))
    corpus(tmp_path, "large", "test", documents)
    runs = [linkassay.link(name, "large", kb="tiny") for name in ("exact", "normalised", "tfidf")]
    result = Result(linkassay.score(run) for run in runs)
    open_report(driver, gather_page(result), tmp_path, embed(result.cohorts))
    _go(driver, "#mentions&outcome=any")
    assert find_one(driver, ".tally").text == "10,000 mentions of 10,000 scored."
    for address in ("&system=every", "&outcome=wrong", "&sort=text", "&sort=-rank&outcome=any", "&find=alpha1"):
        took = driver.execute_async_script(
            "const [address, done] = arguments; const begin = performance.now();"
            "const seen = new MutationObserver(() => { seen.disconnect(); document.body.offsetHeight;"
            "  done(performance.now() - begin); });"
            "seen.observe(document.querySelector('.list'), { childList: true });"
            "location.hash = '#mentions' + address;",
            address,
        )
        assert took < 1_000, address  # 200 ms on a free machine
        settle(driver)
        assert 0 < len(find_all(driver, ".list li")) <= 100
    assert driver.get_log("browser") == []
