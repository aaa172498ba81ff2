"""Boosted trees: they learn to rank, and always the same."""

from __future__ import annotations

import numpy as np

from linkassay.linkers.house.boosted_trees import Ranker


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
