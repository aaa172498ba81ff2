"""Markup in a corpus, in ids of documents, in names of systems and of entities is text in every view of both feeds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import linkassay
from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from linkassay.explorer import embed
from linkassay.pages.page_data import gather_page
from linkassay.runs import Run
from linkassay.scoring.results import Result
from tests.browser import find_all, find_one, open_report, resize
from tests.report_helpers import HOSTILE, kb
from tests.serving.conftest import wait_for
from tests.serving.test_server import running

SYSTEM, DOCUMENT = '</script><img src=x onerror="alert(1)">', "<b onmouseover=alert(2)>"
#: View → what of these has to be seen in it.
VIEWS = {
    "runs": [SYSTEM], "runs&show=matrix": [SYSTEM], "runs&show=chart": [SYSTEM], "report": [SYSTEM],
    "documents": [SYSTEM, DOCUMENT, HOSTILE], "mentions&outcome=any": [SYSTEM, DOCUMENT, HOSTILE],
}  # fmt: skip


class Feeds(NamedTuple):
    """A page and a server of the same runs."""

    data: dict[str, Any]
    held: Any
    server: str
    runs: str  # as an address names them


@pytest.fixture(scope="module")
def feeds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Feeds]:
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder / "home"))
        kb("tiny")
        mention = {"spans": [[5, 5 + len(HOSTILE)]], "type": HOSTILE, "gold": [["t:4"]]}
        document = {"id": DOCUMENT, "text": f"Some {HOSTILE} here.", "mentions": [mention]}
        (folder / "test.jsonl").write_text(json.dumps(document) + "\n", encoding="utf-8")
        paths = (folder / "test.jsonl",)
        get_own_corpus(OwnCorpus(name="own", format="jsonl", paths=paths, kb="tiny", merge=False))
        runs = [Run(linkassay.link("exact", "own").path)]
        renamed = runs[0].path.with_name("hostile-1")
        shutil.copytree(runs[0].path, renamed)
        about = json.loads((renamed / "run.json").read_text(encoding="utf-8"))
        (renamed / "run.json").write_text(json.dumps(about | {"system": SYSTEM}), encoding="utf-8")
        runs.append(Run(renamed))
        result = Result(map(linkassay.score, runs))
        with running(folder / "home") as (_, address):
            yield Feeds(gather_page(result), embed(result.cohorts), address, "".join(f"&run=own/{r.key}" for r in runs))


@pytest.mark.parametrize("feed", ["page", "server"])
def test_markup_is_text(driver: Any, feeds: Feeds, tmp_path: Path, feed: str) -> None:
    resize(driver, 1280, 900)
    if feed == "page":
        open_report(driver, feeds.data, tmp_path, feeds.held)
    start = driver.current_url.partition("#")[0] if feed == "page" else feeds.server
    for view, expected in VIEWS.items():
        driver.get("about:blank")
        driver.get(f"{start}#{view}{feeds.runs}")
        ready = ".view .scroll tbody tr, svg.chart, #leaderboard, .doc-cell .sign, .list li"
        wait_for(lambda ready=ready: find_all(driver, ready) and not find_all(driver, "[aria-busy=true]"), 60)
        seen = find_one(driver, "body").get_attribute("innerText")
        assert [each for each in expected if each not in seen] == [], view
        assert find_all(driver, "main script, main img, [onerror], [onmouseover]") == [], view
    assert driver.get_log("browser") == []
