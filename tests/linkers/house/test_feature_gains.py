"""What features are worth (LINKER-15): by fixed weights, and by trees."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkassay
from linkassay.linkers.house.feature_gains import feature_gains
from linkassay.linkers.house.features import FEATURES
from linkassay.linkers.house.linker import House
from linkassay.linkers.protocol import Candidate, Query, Reason


def test_a_gain_is_what_the_first_loses_with_the_value_of_the_second() -> None:
    def scores(rows: Any) -> Any:
        return rows[:, 0] * rows[:, 1] + 3 * rows[:, 2]

    first, second = np.zeros(len(FEATURES)), np.zeros(len(FEATURES))
    first[:4], second[:4] = (2, 5, 1, 9), (1, 5, 3, 8)
    names = [f"feature {name}" for name in FEATURES]
    assert feature_gains(scores, first, second) == [Reason(names[2], 1, 3, -6), Reason(names[0], 2, 1, 5)]
    assert feature_gains(scores, first, first) == []


def explained(linker: House, text: str) -> list[tuple[float, list[Reason]]]:
    """For neighbours in a ranking the difference of scores and the reasons."""
    query = Query(text, "disease", ((0, len(text)),), "", text)
    [answer] = linker.link([query], 5)
    pairs = pairwise(answer)
    return [(score - lower, linker.explain(query, Candidate(first), Candidate(second)))
            for ((first,), score), ((second,), lower) in pairs]  # fmt: skip


@pytest.mark.parametrize("trained", [False, True])
def test_the_linker_explains_its_scores(home: Path, trained: bool) -> None:
    linker = House()
    linker.prepare(linkassay.kb("mini"), ())
    linker.train(linkassay.corpus("mini")["train"] if trained else ())
    for text in ("DM", "type two diabetes", "skin lesion"):
        found = explained(linker, text)
        assert len(found) == 4
        for difference, reasons in found:
            assert {each.what.removeprefix("feature ") for each in reasons} <= set(FEATURES)
            assert all(each.first != each.second and each.gain for each in reasons)
            if not trained:
                assert sum(each.gain or 0 for each in reasons) == pytest.approx(difference)
    query = Query("DM", "", ((0, 2),), "", "DM")
    assert linker.explain(query, Candidate("mesh:D003920"), Candidate("t:none")) == []
