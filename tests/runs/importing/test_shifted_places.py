"""How many claims stand how far from gold (IMPORT-6), held to plain looking."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkassay.runs.importing.shifted_places import near

PLACES = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-12, 14) | st.just(1 << 50), st.integers(-1, 3)).map(
        lambda each: (each[0], each[1], each[1] + each[2])
    ),
    max_size=30,
)
GOLD = PLACES.map(lambda places: [each for each in places if 0 <= each[1] < each[2] < 1 << 20])


def columns(places: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    document, start, end = np.array(places, dtype=np.int64).reshape(-1, 3).T
    return document, start, end


@given(PLACES, GOLD, st.sampled_from([1, 10]))
def test_counts_are_those_of_looking_at_every_place(
    claimed: list[tuple[int, int, int]], gold: list[tuple[int, int, int]], furthest: int
) -> None:
    expected = [
        sum((document, start + by, end + by) in set(gold) for document, start, end in claimed)
        for by in range(-furthest, furthest + 1)
    ]
    assert near(columns(claimed), columns(gold), furthest) == expected
