"""The house linker and its parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkassay
from linkassay import runs
from linkassay.linkers.alternations import Alternations
from linkassay.linkers.base import Query
from linkassay.linkers.boosting import Ranker
from linkassay.linkers.house import FEATURES, House


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


def test_words_that_names_exchange_or_leave_out() -> None:
    organs = ["heart", "liver", "lung", "skin", "bone", "brain", "colon"]
    found = Alternations(
        [[f"{o} cancer", f"{o} neoplasms", f"cancer of the {o}", f"malignant {o} cancer"] for o in organs]
    )
    assert found.form("cancer of jaw") == found.form("jaw neoplasm") == found.form("malignant jaw neoplasms")
    assert found.form("jaw cancer") != found.form("heart cancer")
    numbered = Alternations([[f"{o} type 1", f"{o} type 2"] for o in organs])
    assert numbered.form("gout type 1") != numbered.form("gout type 2")


@pytest.fixture
def scores(home: Path) -> dict[str, float]:
    found = {
        n: linkassay.score(linkassay.link(n, "mini"), "recall@1").rows()[0]["value"] for n in ("normalised", "house")
    }
    return found


def test_it_beats_looking_names_up(scores: dict[str, float]) -> None:
    assert scores["house"] > scores["normalised"] + 0.1


def test_it_is_deterministic(home: Path) -> None:
    first = list(linkassay.link("house", "mini").predictions())
    again, _ = runs.link("house", linkassay.corpus("mini"), linkassay.kb("mini"), again=True)
    assert list(again.predictions()) == first


def test_without_training_data_it_ranks_by_fixed_weights(home: Path) -> None:
    linker = House()
    linker.prepare(linkassay.kb("mini"), ())
    linker.train(())
    name, identifier = linkassay.kb("mini").sql(
        "select name, id from names join entities using (id) where key not in (select key from names group by key "
        "having min(id) <> max(id)) and not obsolete order by id limit 1"
    )[0]
    [answer] = linker.link([Query(name, "", ((0, len(name)),), "d", name)], 5)
    assert answer[0][0] == (identifier,)
    assert len(set(FEATURES)) == len(FEATURES)
