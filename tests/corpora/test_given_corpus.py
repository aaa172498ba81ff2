"""A corpus in memory answers as a stored one: splits, rows, SQL; its revision stands for its contents."""

from __future__ import annotations

import pytest

from linkassay.corpora import GivenCorpus
from linkassay.errors import UsageError
from linkassay.in_memory.gold_table import read_gold

ROWS = [{"mention": "a", "document": "1", "type": "t", "text": "A", "ids": ["x", ["y", "z"]]},
        {"mention": "b", "document": "2", "type": "u", "ids": []}]  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> GivenCorpus:
    return read_gold(ROWS).corpus


def test_documents_and_mentions_are_there(corpus: GivenCorpus) -> None:
    first, second = corpus["test"]
    assert [m.gold for m in first.mentions] == [(frozenset("x"), frozenset("yz"))]
    assert (first.text, second.id, second.mentions[0].gold) == ("", "2", ())
    assert len(corpus["test"]) == 2
    assert corpus.types == ("t", "u")
    with pytest.raises(UsageError, match="no split 'train'"):
        corpus["train"]


def test_it_can_be_asked_in_sql(corpus: GivenCorpus) -> None:
    assert corpus.sql("select entity from gold_ids order by entity") == [("x",), ("y",), ("z",)]
    assert list(corpus.rows("documents", "test", ["id"])) == [{"id": "1"}, {"id": "2"}]


def test_the_revision_stands_for_the_contents(corpus: GivenCorpus) -> None:
    assert read_gold(ROWS).corpus.revision == corpus.revision
    assert read_gold([*ROWS, {"mention": "c", "document": "2", "ids": []}]).corpus.revision != corpus.revision


def test_it_shows_itself_in_a_notebook(corpus: GivenCorpus) -> None:
    assert "<td>2</td>" in corpus._repr_html_()
