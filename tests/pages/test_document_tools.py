"""What stands above the text of a document, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser import find_one, resize, settle
from tests.pages.documents_page import cohort, document, row, write_documents_page


@pytest.mark.parametrize("labels", [("house", "tfidf", "exact"), ("oracle", "refined__aida_", "rel__2014_")])
def test_pages_are_turned_beside_the_name_however_long_those_of_systems(
    driver: Any, tmp_path: Path, labels: tuple[str, ...]
) -> None:
    answers = {
        "cohort": cohort(*labels),
        "rows": [row("one", None, None, None)],
        "documents": {"one": document("A", [])},
    }
    resize(driver, 1180, 900)
    driver.get("about:blank")
    driver.get(write_documents_page(tmp_path, answers).as_uri())
    settle(driver)
    name, turn = (find_one(driver, each).rect for each in (".doc-names", ".doc-turn"))
    assert name["y"] < turn["y"] + turn["height"] / 2 < name["y"] + name["height"]
    assert turn["x"] > name["x"] + name["width"]
    assert driver.get_log("browser") == []
