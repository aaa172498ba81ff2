"""Rankings: what mentions of one document tell each other."""

from __future__ import annotations

from typing import cast

import numpy as np

from linkassay.linkers.house.asked_mentions import AskedMention, variant
from linkassay.linkers.house.boosted_trees import Ranker
from linkassay.linkers.house.ranking import agreed, first_opinions


def asked(text: str, long: str = "") -> AskedMention:
    return AskedMention(text, "disease", 0, len(text), variant(text), variant(long or text), [])


def test_a_short_form_is_answered_as_the_mention_that_it_stands_for() -> None:
    mentions = [asked("OAB", "Overactive bladder"), asked("overactive bladder"), asked("CHF", "congestive failure"),
                asked("Overactive Bladder")]  # fmt: skip
    answers = [[((f"t:{n}",), 1.0)] for n in range(4)]
    assert [answer[0][0] for answer in agreed(mentions, answers)] == [("t:1",), ("t:1",), ("t:2",), ("t:3",)]


def test_a_first_opinion_has_an_even_chance_at_least() -> None:
    class Given:
        def scores(self, rows: np.ndarray) -> np.ndarray:
            return np.asarray(rows[:, 0])

    mentions = [asked(text) for text in ("one", "two", "three", "none", "one")]
    made = [
        (np.arange(len(scores)) + 10 * n, np.array(scores, dtype=float).reshape(-1, 1))
        for n, scores in enumerate(([0, 2, 1], [0, 1], [0, 0, 0], [], [9]))
    ]
    rankers = cast(list[Ranker], [Given(), Given()])
    assert first_opinions(mentions, made, rankers) == {"one": {1}, "two": {11}}
    assert first_opinions(mentions, made, []) == {}
