"""The explorer in a real browser, from a real server: runs, what is chosen of them, what takes long or goes wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import linkassay
from linkassay.pages.page_data import gather_page
from linkassay.scoring.endtoend import score_run_end_to_end
from linkassay.serving.asked import MOST_RUNS
from linkassay.tables import percent
from tests.browser import click_on, find_all, find_button, find_one, open_report, resize, settle
from tests.serving.conftest import wait_for as patient
from tests.serving.test_server import running


def wait_for(what: Callable[[], Any]) -> Any:
    """What is true at last; jobs take long where others are at work, and each look at the page is work itself."""
    return patient(what, 90.0, pause=0.1)


@pytest.fixture(scope="module")
def served(linked_mini: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server of runs on two splits, and its home."""
    home = tmp_path_factory.mktemp("browsed") / "home"
    shutil.copytree(linked_mini, home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(home))
        linkassay.link("exact", "mini", split="train")
        with running(home) as (_, address):
            yield address, home


@pytest.fixture
def page(driver: Any, served: tuple[str, Path]) -> Iterator[Any]:
    """The explorer as it opens; at the end there must be no message in the console."""
    _open(driver, served[0])
    yield driver
    assert driver.get_log("browser") == []


def _open(driver: Any, address: str) -> None:
    resize(driver, 1280, 900)
    driver.get("about:blank")
    driver.get_log("browser")
    driver.get_log("performance")
    driver.get(address)
    _wait(driver, ".view h1, .view h2")


def _wait(page: Any, selector: str) -> Any:
    return wait_for(lambda: next((e for e in find_all(page, selector) if e.is_displayed()), None))


def _rows(page: Any) -> dict[str, str]:
    """The runs of the table, and what leads each."""
    script = (
        "return Object.fromEntries([...document.querySelectorAll('tr[data-run]')].map(r => "
        "[r.dataset.run, r.querySelector('[data-column=leading] .big')?.textContent ?? '']))"
    )
    return wait_for(lambda: page.execute_script(script))  # type: ignore[no-any-return]


def _choose(page: Any, *runs: str) -> None:
    for run in runs:
        click_on(page, _wait(page, f"tr[data-run='{run}'] .choose input"))


def _named(page: Any, system: str, split: str = "test") -> str:
    script = (
        "return [...document.querySelectorAll('tr[data-run]')].find(r => r.dataset.run.startsWith('mini/' + "
        "arguments[0] + '-') && r.querySelector('[data-column=split]').textContent === arguments[1]).dataset.run"
    )
    _rows(page)
    return str(page.execute_script(script, system, split))


def test_runs_come_first_and_nothing_else_is_asked(page: Any, served: tuple[str, Path]) -> None:
    assert [tab.text for tab in find_all(page, "#tabs a")] == ["Runs", "Report", "Documents", "Mentions"]
    assert page.title == "Runs · linkassay"
    assert len(_rows(page)) == 4
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if not url.startswith(served[0]) and url not in ("data:,", "about:blank")] == []
    assert f"{served[0]}api/runs" in asked


def test_page_and_server_show_the_same_figures(page: Any, served: tuple[str, Path], tmp_path: Path) -> None:
    def cells() -> list[list[str]]:
        found = page.execute_script(
            "return [...document.querySelectorAll('tr[data-run]')]"
            ".map(r => [...r.cells].slice(1).map(c => c.innerText))"
        )
        return [list(map(str, each)) for each in found]

    runs = [run for run in _rows(page) if run != _named(page, "exact", "train")]
    click_on(page, _wait(page, "thead [data-column=leading] button"))
    from_server = [each for each in cells() if "train" not in each]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(served[1]))
        data = gather_page([linkassay.score(run) for run in runs])
    open_report(page, data, tmp_path)
    page.execute_script("location.hash = '#runs&sort=-leading'")
    assert len(_rows(page)) == 3
    assert cells() == from_server


def test_chosen_runs_are_what_all_views_show(page: Any) -> None:
    exact, spotter = _named(page, "exact"), _named(page, "spotter")
    shown = _rows(page)
    find_one(page, ".finding input").send_keys("test")
    _choose(page, exact, spotter)
    assert f"&run={exact}&run={spotter}" in page.current_url
    assert [tab.text for tab in find_all(page, "#tabs a")][-1] == "Cases"
    click_on(page, find_button(page, "Report", "#tabs"))
    _wait(page, "#leaderboard")
    lines = {line.text.split("\n")[0].split(" ")[0]: line for line in find_all(page, "#leaderboard tbody tr")}
    assert sorted(lines) == ["exact", "spotter"]
    assert lines["exact"].find_element("css selector", ".big").text == shown[exact]
    assert page.title.endswith("· linkassay")
    assert page.title != "Runs · linkassay"
    figure = find_button(page, "exact, recall@1", "#leaderboard")
    assert f"&run={exact}&run={spotter}" in figure.get_attribute("href")
    click_on(page, figure)
    assert _wait(page, ".tally").text.startswith("334 mentions")
    click_on(page, find_button(page, "Documents", "#tabs"))
    wait_for(lambda: "Documents" in page.title and len(find_all(page, "mark, .mark, [data-mark]")) > 2)
    click_on(page, find_button(page, "Cases", "#tabs"))
    wait_for(lambda: find_all(page, ".tally") and "case" in find_one(page, ".tally").text)
    for _ in range(4):
        page.back()
        settle(page)
    _wait(page, "table.runs")
    assert find_one(page, ".finding input").get_attribute("value") == "test"
    assert [box.is_selected() for box in find_all(page, "tbody .choose input")].count(True) == 2


def test_views_ask_for_runs_and_for_one_corpus(page: Any) -> None:
    exact, train = _named(page, "exact"), _named(page, "exact", "train")
    click_on(page, find_button(page, "Mentions", "#tabs"))
    asked = _wait(page, ".asked")
    assert sorted(e.text for e in asked.find_elements("css selector", "a")) == ["mini, test", "mini, train"]
    page.back()
    _choose(page, exact, train)
    click_on(page, find_button(page, "Documents", "#tabs"))
    _wait(page, ".asked")
    assert "several corpora or splits" in find_one(page, ".asking .lead").text
    click_on(page, find_button(page, "mini, train", ".asked"))
    wait_for(lambda: "Documents" in page.title and find_all(page, "mark, .mark, [data-mark]"))
    assert page.current_url.count("run=") == 1


def test_figures_are_computed_kept_and_in_the_address(page: Any, served: tuple[str, Path]) -> None:
    page.execute_script("location.hash = '#runs&measures=mrr&by=type&find=exact+test'.replace('+', '%20')")
    click_on(page, _wait(page, ".figures button.act"))
    wait_for(lambda: find_all(page, "thead [data-column='=mrr']"))
    exact = _named(page, "exact")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(served[1]))
        rows = linkassay.score(exact, "mrr", by=["type"]).rows()
    wanted = {"=mrr" + ("" if row["slice"] == "all" else f"|{row['slice']}"): percent(row["value"]) for row in rows}
    found = page.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('tbody [data-column^=\"=mrr\"]')]"
        ".map(e => [e.dataset.column, e.querySelector('.big').textContent]))"
    )
    assert found == wanted
    assert find_one(page, ".command code").text == f"linkassay score {exact} --measures mrr --by type"
    address = page.current_url
    page.get("about:blank")
    page.get(address)
    wait_for(lambda: find_all(page, "thead [data-column='=mrr']"))
    drug = find_one(page, "tbody [data-column='=mrr|type=gene'] a").get_attribute("href")
    assert drug.endswith(f"#mentions&system=%3Dexact&outcome=any&type=%3Dgene&run={exact}")


def _computed(page: Any, address: str, column: str) -> str:
    """Ask for figures by an address; the command that is shown before, which has to be that of the server after."""
    page.get("about:blank")
    page.get(address)
    _wait(page, ".figures button.act")
    told = find_one(page, ".command code").text
    click_on(page, find_one(page, ".figures button.act"))
    wait_for(lambda: find_all(page, f"thead [data-column^='{column}']") or find_all(page, ".trouble"))
    assert find_all(page, ".trouble") == []
    assert find_one(page, ".command code").text == told
    return str(told)


def test_all_that_score_can_compute_is_asked_for(driver: Any, served: tuple[str, Path]) -> None:
    """Also what few ask for; and such figures stand beside the usual ones, not in their place."""
    _open(driver, served[0])
    exact, spotter = _named(driver, "exact"), _named(driver, "spotter")
    usual = {run: _rows(driver)[run] for run in (exact, spotter)}
    asked = {
        exact: [
            (f"scope=recognised({spotter})", "=recall@1||||recognised(mini/spotter", "--scope"),
            ("hierarchy=mini", "=accuracy|||||mini", "--hierarchy mini"),
            ("failures=10", "=generation-failure@10", "--failures 10"),
            ("abbreviations=none&by=abbreviation", "=recall@1|abbreviation|||abb", "--abbreviations none"),
            ("measures=mrr&by=type;%20length%20%3C%204", "=mrr|length < 4", "--by type --by 'length < 4'"),
            ("case=exact&exclude_ids=mesh%3AD001943", "=recall@1||||without", "--exact-case"),
            ("average=documents", "=recall(average=documents)@1", "--measures 'coverage(average=documents)"),
            ("average=types&measures=recall(ties=any,gold=any)%401", "=recall(", "--measures"),
        ],
        spotter: [
            ("task=end-to-end&spans=overlap", "=all_f1|||fair|spans overlap", "--spans overlap"),
            ("task=end-to-end&hierarchy=mini", "=accuracy|||fair||mini", "--hierarchy mini"),
        ],
    }  # fmt: skip
    for run, lines in asked.items():
        for said, column, option in lines:
            assert option in _computed(driver, f"{served[0]}#runs&run={run}&{said}", column), said
            assert {name: _rows(driver)[name] for name in usual} == usual, said
    assert driver.get_log("browser") == []


def test_figures_of_a_set_and_by_kind_open_what_they_count(driver: Any, served: tuple[str, Path]) -> None:
    _open(driver, served[0])
    exact, spotter = _named(driver, "exact"), _named(driver, "spotter")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(served[1]))
        (novel,) = linkassay.score(exact, "recall@1", set="novel").rows()
        cuts = score_run_end_to_end(linkassay.run(spotter), by=["mention-kind"]).cuts
    (named,) = (cut.counts for cut in cuts if cut.slice == "mention-kind=named")
    asked = [
        (f"{exact}&measures=recall%401&set=novel", "=recall(set=novel)@1", "mention", novel["n"]),
        (f"{spotter}&task=end-to-end&by=mention-kind", "=all_p|mention-kind=named||fair", "case",
         sum(named.total(each, "ignored") for each in ("all_tp", "all_fp"))),
    ]  # fmt: skip
    for said, column, what, many in asked:
        _computed(driver, f"{served[0]}#runs&run={said}&columns={quote(quote(column, safe=''), safe='')}", column)
        driver.get(find_one(driver, f"tbody [data-column='{column}'] a").get_attribute("href"))
        assert _wait(driver, ".tally b").text == f"{many} {what}s"
    assert driver.get_log("browser") == []


def test_what_cannot_be_computed_says_why(driver: Any, served: tuple[str, Path]) -> None:
    _open(driver, served[0] + "#runs&measures=nonsense")
    click_on(driver, _wait(driver, ".figures button.act"))
    said = _wait(driver, ".trouble").text
    assert "nonsense" in said
    assert "Try again" in said
    assert all("400" in entry["message"] for entry in driver.get_log("browser"))


def test_long_work_is_seen_and_can_be_cancelled(page: Any) -> None:
    exact = _named(page, "exact")
    page.execute_script("location.hash = arguments[0]", f"#runs&run={exact}&measures=mrr,recall@1..20&by=type")
    click_on(page, _wait(page, ".figures button.act"))
    job = _wait(page, ".job")
    assert "score 1 runs" in job.text or "scoring" in job.text or "looking" in job.text
    click_on(page, find_button(page, "Cancel", ".job"))
    assert "Cancelled." in _wait(page, ".trouble").text
    assert find_all(page, ".job") == []
    click_on(page, _wait(page, ".figures button.act"))
    wait_for(lambda: find_all(page, "thead [data-column='=recall@20']"))
    assert find_all(page, ".trouble") == []


def test_new_runs_appear_and_nothing_chosen_is_lost(driver: Any, served: tuple[str, Path], tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(served[1] / "runs", home / "runs")
    for room in ("corpora", "kbs"):
        shutil.copytree(served[1] / room, home / room)
    with pytest.MonkeyPatch.context() as patch, running(home) as (process, address):
        patch.setenv("LINKASSAY_HOME", str(home))
        _open(driver, address)
        exact = _named(driver, "exact")
        find_one(driver, ".finding input").send_keys("mini")
        _choose(driver, exact)
        before = driver.current_url
        linkassay.link("fuzzy", "mini")
        driver.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
        wait_for(lambda: [run for run in _rows(driver) if "/fuzzy-" in run])
        assert driver.current_url == before
        assert find_one(driver, f"tr[data-run='{exact}'] input").is_selected()
        assert driver.get_log("browser") == []
        process.terminate()
        process.wait(20)
        driver.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
        assert "does not answer" in wait_for(lambda: find_one(driver, ".late").text)
        assert len(_rows(driver)) == 5
        click_on(driver, find_button(driver, "Report", "#tabs"))
        assert "Is “linkassay serve” still running?" in _wait(driver, ".trouble").text
        driver.get_log("browser")  # of requests that nobody answered


def test_figures_of_more_runs_than_one_request_names(driver: Any, served: tuple[str, Path], tmp_path: Path) -> None:
    home = tmp_path / "home"
    for room in ("corpora", "kbs"):
        shutil.copytree(served[1] / room, home / room)
    exact = min((served[1] / "runs" / "mini").glob("exact-*"))
    for number in range(MOST_RUNS + 2):
        shutil.copytree(exact, home / "runs" / "mini" / f"exact-{number:012x}")
    with running(home) as (_, address):
        _open(driver, address + "#runs&measures=mrr")
        click_on(driver, _wait(driver, ".figures button.act"))
        wait_for(lambda: find_all(driver, "thead [data-column='=mrr']") or find_all(driver, ".trouble"))
        assert find_all(driver, ".trouble") == []
        assert len(find_all(driver, "tbody [data-column='=mrr'] .big")) == len(_rows(driver)) == MOST_RUNS + 2
        command = find_one(driver, ".command code").text
        assert command.startswith("linkassay score mini/exact-")
        assert (command.count(" mini/exact-"), command.endswith(" --measures mrr")) == (MOST_RUNS + 2, True)
        assert driver.get_log("browser") == []


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_figures_and_their_form_fit(page: Any, width: int) -> None:
    page.execute_script("location.hash = '#runs&task=end-to-end&compute=1'")
    wait_for(lambda: find_all(page, "thead [data-column^='=all_f1']"))
    resize(page, width, 900)
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
