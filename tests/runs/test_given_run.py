"""A run in memory answers as a stored one; no two that differ have the same key."""

from __future__ import annotations

import pytest

from linkassay.errors import UsageError
from linkassay.in_memory.answer_table import read_answers
from linkassay.in_memory.gold_table import read_gold
from linkassay.runs import GivenRun, labels

GOLD = read_gold([{"mention": "a", "document": "1", "ids": "x"}])


def run_of(identifier: str, system: str = "mine") -> GivenRun:
    said = read_answers([{"mention": "a", "rank": 1, "id": identifier, "score": 2}], GOLD)
    return GivenRun(GOLD.corpus, said.table, system, notes=["known"])


def test_its_predictions_and_corpus_are_there() -> None:
    run = run_of("x")
    [prediction] = run.predictions()
    assert (prediction.document, prediction.mention, prediction.groups, prediction.scores) == (
        "1",
        "a",
        (("x",),),
        (2.0,),
    )
    assert [batch.schema.names for batch in run.batches(["groups"])] == [["groups"]]
    assert run.open_corpus() is GOLD.corpus
    assert run.about["notes"] == ["known"]
    assert repr(run) == "<run gold/mine, given>"
    with pytest.raises(UsageError, match="name one with `kb=`"):
        run.open_kb()


def test_runs_that_differ_have_different_keys_and_labels() -> None:
    assert run_of("x").key == run_of("x").key != run_of("y").key
    assert len(set(labels([run_of("x"), run_of("y"), run_of("x", "other")]))) == 3
