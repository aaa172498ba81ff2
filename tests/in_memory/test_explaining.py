"""Why one candidate is before another (LINKER-15): what is said of any linker, and what linkers add."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.errors import LinkassayError, UsageError
from linkassay.in_memory import grounding
from linkassay.in_memory.explaining import matched_name
from linkassay.linkers import LINKERS, Candidate, Capabilities, Query
from tests.scoring_helpers import knowledge

NAMES = {"t:1": ["Diabetes mellitus", "DM", "dm type"], "t:2": ["Dermatomyositis", "DM"], "t:3": ["Gout", "D-M"],
         "t:4": ["Fever"]}  # fmt: skip


@pytest.fixture(autouse=True)
def _tiny(home: Path) -> Iterator[None]:
    knowledge(NAMES)
    grounding._kept.clear()
    yield
    grounding._kept.clear()


def explained(text: str = "DM", linker: str = "fuzzy", **given: Any) -> dict[str, tuple[Any, ...]]:
    rows = linkassay.explain(text, kb="tiny", linker=linker, **given)
    assert {tuple(row) for row in rows} == {("what", "first", "second", "gain")}
    return {row["what"]: (row["first"], row["second"], row["gain"]) for row in rows}


def test_of_any_linker_names_and_scores_are_told() -> None:
    assert explained() == {
        "id": ("t:1", "t:3", None),
        "name": ("Diabetes mellitus", "Gout", None),
        "rank": (1, 2, None),
        "score": (1.0, pytest.approx(0.8), pytest.approx(0.2)),
        "matched name": ("DM", "D-M", None),
        "match": ("same letters", "ratio 0.800", None),
    }
    found = linkassay.explain("DM", kb=linkassay.kb("tiny"), linker="fuzzy")
    assert "<td>matched name</td>" in found._repr_html_()
    assert list(found.to_pandas().columns) == ["what", "first", "second", "gain"]


def test_the_two_are_by_default_those_of_two_ranks_else_tied_ones() -> None:
    assert explained(linker="exact")["id"] == ("t:1", "t:2", None)
    assert explained(linker="exact")["score"] == (1.0, 1.0, 0.0)
    assert explained(first="t:2")["id"] == ("t:2", "t:3", None)
    assert explained(second="t:1")["id"] == ("t:2", "t:1", None)
    assert explained(first="t:4")["id"] == ("t:4", "t:1", None)
    assert explained(first="3", second="t:1")["rank"] == (2, 1, None)


def test_an_entity_that_was_not_ranked_has_its_names() -> None:
    found = explained(linker="exact", second="t:4")
    assert (found["rank"], found["score"]) == ((1, None, None), (1.0, None, None))
    assert found["matched name"] == ("DM", "Fever", None)
    assert explained("no such name", linker="exact", first="t:1", second="t:4")["rank"] == (None, None, None)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"first": "t:1", "second": "1"}, "first and second are both t:1"),
        ({"second": "t:9"}, "t:9 is neither a candidate nor an entity of tiny"),
        ({"text": "nothing", "linker": "exact"}, "'exact' has no candidate for 'nothing'; name the entities"),
        ({"text": "Fever", "linker": "exact"}, "'exact' has one candidate for 'Fever'; name the entities"),
        ({"text": ""}, "a text to ground is needed"),
        ({"linker": "spotter"}, "reads whole documents"),
    ],
)
def test_what_is_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        explained(**given)


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("DM", ["dm", "DM", "D M"], ("DM", "same letters")),
        ("DM-1", ["dm1", "dm 1", "DM 1"], ("dm 1", "same key")),
        ("gouty", ["fever", "GOUT"], ("GOUT", "ratio 0.889")),
        ("x", ["b", "a"], ("b", "ratio 0.000")),
        ("x", [], ("", "")),
    ],
)
def test_the_matched_name(text: str, names: list[str], expected: tuple[str, str]) -> None:
    assert matched_name(text, names) == expected


class Own:
    """Ranks all entities, and explains with whatever `said` is."""

    summary = "for tests"
    capabilities = Capabilities(links=True, explains=True)
    said: Any = None

    def prepare(self, kb: Any, train: Any) -> None:
        self.ids = [row[0] for row in kb.sql("select id from entities order by id")]

    def link(self, queries: Any, top: int) -> Any:
        return [[((each,), -float(n)) for n, each in enumerate(self.ids)][:top] for _ in queries]

    def explain(self, query: Query, first: Candidate, second: Candidate) -> Any:
        return self.said(query, first, second)


def test_a_linker_that_explains_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    load = LINKERS.load
    monkeypatch.setattr(LINKERS, "load", lambda name: Own if name == "own" else load(name))
    asked: list[Any] = []
    Own.said = lambda self, *given: asked.append(given) or [("place", 1, "two"), ("weight", 2.5, 1, 1.5)]
    found = explained(linker="own", second="t:4", context="a DM", type="disease")
    assert list(found)[-2:] == ["place", "weight"]
    assert (found["place"], found["weight"]) == ((1, "two", None), (2.5, 1, 1.5))
    [(query, first, second)] = asked
    assert query == Query("DM", "disease", ((2, 4),), "", "a DM")
    assert (first, second) == (Candidate("t:1", ("Diabetes mellitus", "DM", "dm type"), 1, 0.0),
                               Candidate("t:4", ("Fever",), 4, -3.0))  # fmt: skip
    for said, why in ((lambda *_: 1 / 0, "linker 'own' failed: ZeroDivisionError"),
                      (lambda *_: [("one", [2])], r"linker 'own': it explained with \[\('one', \[2\]\)\]; expected is"),
                      (lambda *_: None, "it explained with None; expected is a list of Reason")):  # fmt: skip
        Own.said = said
        with pytest.raises(LinkassayError, match=why):
            explained(linker="own")


def test_a_linker_of_a_file_is_loaded_anew_when_it_changes(tmp_path: Path) -> None:
    file, code = (
        tmp_path / "mine.py",
        """
from linkassay.linkers import Capabilities, Reason

class Mine:
    summary = "for tests"
    capabilities = Capabilities(links=True, explains=True)

    def prepare(self, kb, train):
        pass

    def link(self, queries, top):
        return [[(("t:1",), 2.0), (("t:2",), 1.0)] for _ in queries]

    def explain(self, query, first, second):
        return [Reason("says", "one", "other")]
""",
    )
    file.write_text(code)
    name = f"{file}:Mine"
    assert explained(linker=name)["says"] == ("one", "other", None)
    assert [row["id"] for row in linkassay.ground("x", kb="tiny", linker=name)] == ["t:1", "t:2"]
    file.write_text(code.replace('"one"', '"another one"'))
    assert explained(linker=name)["says"] == ("another one", "other", None)
