"""Boosted trees: they learn to rank, and always the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkassay.linkers.house.boosted_trees import Ranker, _binned
from linkassay.store import MappedFolder


def ranking(groups: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ten rows a group; the right one is that with the highest product of two features."""
    rows = np.random.default_rng(seed).random((groups * 10, 6))
    best = (rows[:, 1] * rows[:, 4]).reshape(groups, 10).argmax(axis=1)
    right = np.zeros(len(rows), dtype=bool)
    right[np.arange(groups) * 10 + best] = True
    return rows, np.repeat(np.arange(groups), 10), right


def test_trees_learn_a_ranking_and_are_deterministic() -> None:
    rows, groups, right = ranking(400, 1)
    model = Ranker().fit(rows, groups, right)
    further, _, answers = ranking(300, 2)
    scores = model.scores(further)
    hits = answers.reshape(-1, 10)[np.arange(300), scores.reshape(-1, 10).argmax(axis=1)]
    assert hits.mean() > 0.75
    assert (Ranker().fit(rows, groups, right).scores(further) == scores).all()


few = st.lists(st.integers(-3, 3).map(float), max_size=6)


@given(st.lists(few, min_size=1, max_size=4), st.data())
def test_the_bin_of_a_value(columns: list[list[float]], data: st.DataObject) -> None:
    """That of the first edge which is not below it."""
    edges = [np.unique(column) for column in columns]
    width = len(edges)
    rows = np.array(
        data.draw(st.lists(st.lists(st.integers(-4, 4), min_size=width, max_size=width), max_size=5)), float
    )
    rows = rows.reshape(-1, width)
    found = _binned(rows, np.concatenate(edges), np.cumsum([len(each) for each in edges]))
    expected = [np.searchsorted(each, rows[:, n], side="left") for n, each in enumerate(edges)]
    assert found.T.tolist() == [column.tolist() for column in expected]


def test_stored_trees_score_the_same(tmp_path: Path) -> None:
    model = Ranker(trees=20, forests=3).fit(*ranking(50, 1))
    model.store(MappedFolder(tmp_path))
    further, _, _ = ranking(30, 2)
    assert (Ranker.opened(MappedFolder(tmp_path)).scores(further) == model.scores(further)).all()
