"""A list is opened where it has an id, whatever it is filtered and sorted by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import linkassay
from linkassay.explorer import View, build_view, open_view
from linkassay.runs import Run
from tests.standins.name_spotter import spotted


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    """Two systems on the embedded benchmark, one of which found mentions itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("pages")))
        linkassay.get("mini")
        runs = [Run(linkassay.link("tfidf", "mini").path), spotted()]
        build_view(runs)
        found = open_view(runs)
        assert found is not None
        yield found


@pytest.mark.parametrize(
    ("name", "filters"),
    [
        ("mentions", {}), ("mentions", {"sort": "-text", "outcome": "missed"}), ("mentions", {"sort": "rank"}),
        ("mentions", {"sort": "type", "find": "a"}), ("cases", {}), ("cases", {"sort": "-document"}),
        ("cases", {"sort": "text", "counted": "all_fn", "nil": "required"}),
    ],
)  # fmt: skip
def test_the_page_of_an_id(view: View, name: str, filters: dict[str, Any]) -> None:
    ask = getattr(view, name)
    ids = [row["id"] for row in ask(**filters, limit=1000)["rows"]]
    assert len(ids) > 20
    for place in (0, 6, 7, len(ids) // 2, len(ids) - 1):
        page = ask(**filters, at=ids[place], limit=7)
        assert page["offset"] == place - place % 7
        assert page["rows"][place % 7]["id"] == ids[place]
        assert page["total"] == len(ids)
    assert ask(**filters, at="no such id", limit=7)["offset"] == 0
