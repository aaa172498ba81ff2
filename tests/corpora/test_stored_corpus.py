"""A stored corpus, read whole or in part."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkassay
from linkassay.corpora.stored_corpus import Corpus


@pytest.mark.parametrize("name", ["mini", "mini/gene"])
def test_some_documents_are_those_of_the_split(name: str, home_with_mini: Path) -> None:
    """In the split's order, with all their annotations, whatever order they are asked for in."""
    split = linkassay.corpus(name)["test"]
    every = list(split)
    for wanted in (every[3::5], every[-1:], [], every):
        assert list(split.some([document.id for document in reversed(wanted)])) == wanted
    assert list(split.some(["no such document"])) == []


def test_other_documents_do_not_become_objects(home_with_mini: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    split = Corpus.open("mini")["test"]
    whole = next(iter(split))
    monkeypatch.setattr("linkassay.corpora.stored_corpus._mention", lambda row: made.append(row["document"]))
    list(split.some([whole.id]))
    assert set(made) == {whole.id}
