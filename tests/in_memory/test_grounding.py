"""One text is linked as a run would link it; linkers are prepared once and few of them are kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.errors import LinkassayError, UsageError
from linkassay.in_memory import grounding
from linkassay.linkers.strings.exact import Exact
from tests.scoring_helpers import knowledge


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    grounding._kept.clear()
    yield
    grounding._kept.clear()


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The knowledge bases that `exact` was prepared for."""
    found: list[str] = []
    prepare = Exact.prepare

    def counted(self: Any, kb: Any, train: Any) -> None:
        found.append(kb.name)
        prepare(self, kb, train)

    monkeypatch.setattr(Exact, "prepare", counted)
    return found


def test_candidates_have_rank_id_name_and_score(home: Path) -> None:
    kb = knowledge({"t:1": ["one", "DM"], "t:2": ["two", "DM"], "t:3": ["three"]})
    found = linkassay.ground("DM", kb="tiny", linker="exact")
    assert found == [
        {"rank": 1, "id": "t:1", "name": "one", "score": 1.0},
        {"rank": 1, "id": "t:2", "name": "two", "score": 1.0},
    ]
    assert "<td>t:1</td>" in found._repr_html_()
    assert linkassay.ground("none of these", kb=kb, linker="exact") == []
    assert linkassay.ground("DM", kb=kb, linker="exact", context="a DM, b") == found


def test_it_answers_as_a_run_does(home: Path) -> None:
    run = linkassay.link("tfidf", "mini", top=3)
    texts = {m.id: (m.text, m.type) for document in linkassay.corpus("mini")["test"] for m in document.mentions}
    for prediction in list(run.predictions())[:20]:
        text, type_ = texts[prediction.mention]
        found = linkassay.ground(text, kb="mini", linker="tfidf", top=3, type=type_)
        groups = tuple(
            tuple(r["id"] for r in found if r["rank"] == rank) for rank in sorted({r["rank"] for r in found})
        )
        assert groups == prediction.groups


def test_a_linker_is_prepared_once_and_few_are_kept(home: Path, prepared: list[str]) -> None:
    kb = knowledge({"t:1": ["one"]})
    threads = [threading.Thread(target=linkassay.ground, args=("one",), kwargs={"kb": kb, "linker": "exact"})
               for _ in range(6)]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert prepared == ["tiny"]
    for linker in ("normalised", "fuzzy", "tfidf", "capitals"):
        linkassay.ground("one", kb=kb, linker=linker)
    assert len(grounding._kept) == grounding.KEPT
    linkassay.ground("one", kb=kb, linker="exact")
    assert prepared.count("tiny") >= 2


def test_another_revision_is_another_linker(home: Path) -> None:
    knowledge({"t:1": ["one"]})
    assert [row["id"] for row in linkassay.ground("one", kb="tiny", linker="exact")] == ["t:1"]
    knowledge({"t:9": ["one"]})
    assert [row["id"] for row in linkassay.ground("one", kb="tiny", linker="exact")] == ["t:9"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"linker": "exat"}, "did you mean 'exact'"),
        ({"linker": "spotter"}, "reads whole documents"),
        ({"linker": "command", "cmd": "true"}, "reads whole documents"),
        ({"linker": "exact", "depth": 3}, "cannot be made with the options"),
        ({"linker": "exact", "depth": object()}, "texts, numbers, lists and tables"),
        ({"kb": "other"}, "unknown knowledge base 'other'"),
        ({"top": 0}, "top is how many ranks"),
        ({"context": "something else"}, "the context does not have 'one'"),
        ({"text": " "}, "a text to ground is needed"),
    ],
)
def test_what_is_refused(home: Path, given: dict[str, Any], why: str) -> None:
    knowledge({"t:1": ["one"]})
    asked = {"text": "one", "kb": "tiny"} | given
    with pytest.raises(UsageError, match=why):
        linkassay.ground(asked.pop("text"), **asked)


def test_a_linker_that_fails_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    knowledge({"t:1": ["one"]})
    for answer, why in (([], "gave no answer"), ([[("t:1", 1.0)]], "expected is a list of"), (None, "gave no answer")):
        monkeypatch.setattr(Exact, "link", lambda *_, answer=answer: answer)
        with pytest.raises(LinkassayError, match=why):
            linkassay.ground("one", kb="tiny", linker="exact")
    monkeypatch.setattr(Exact, "link", lambda *_: 1 / 0)
    with pytest.raises(LinkassayError, match="linker 'exact' failed: ZeroDivisionError"):
        linkassay.ground("one", kb="tiny", linker="exact")
