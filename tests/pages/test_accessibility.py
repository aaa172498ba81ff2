"""The page breaks no rule of axe-core in any view, in light and dark, on a phone and on a desk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.explorer import embed
from linkassay.pages.page_data import gather_page
from linkassay.scoring.results import Result
from tests.accessibility import violations
from tests.browser import draw_charts, open_report, resize, settle


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Any]:
    """Two systems on the embedded benchmark, and one that finds mentions itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("accessible")))
        linkassay.get("mini")
        runs = [linkassay.link("exact", "mini"), linkassay.link("tfidf", "mini"),
                linkassay.link("spotter", "mini", give="text")]  # fmt: skip
        result = Result(linkassay.score(run) for run in runs)
        return gather_page(result), embed(result.cohorts)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_report(driver: Any, mini: tuple[dict[str, Any], Any], tmp_path: Path, theme: str, width: int) -> None:
    open_report(driver, mini[0], tmp_path)
    resize(driver, width, 900)
    driver.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
    assert draw_charts(driver) >= 8
    assert violations(driver) == []


@pytest.mark.parametrize("view", ["mentions", "documents", "cases"])
@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1280)])
def test_a_view(
    driver: Any, mini: tuple[dict[str, Any], Any], tmp_path: Path, view: str, theme: str, width: int
) -> None:
    open_report(driver, mini[0], tmp_path, mini[1])
    resize(driver, width, 900)
    driver.execute_script("document.documentElement.dataset.theme = arguments[0]; location.hash = arguments[1]",
                          theme, f"#{view}")  # fmt: skip
    settle(driver)
    assert view in driver.title.lower()
    assert violations(driver) == []


def test_a_violation_is_found(driver: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_text(
        "<!doctype html><title>x</title><main><button></button></main>", encoding="utf-8"
    )
    driver.get((tmp_path / "bad.html").as_uri())
    assert any(each.startswith("button-name (critical, 1 elements): <button></button>") for each in violations(driver))
