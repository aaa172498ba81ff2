"""The exact search (NEURAL-4), held to a slow one that looks at everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.linkers.neural import nearest
from linkassay.linkers.neural.nearest import SAME, Nearest


def slow(rows: Any, vector: Any, top: int, allowed: Any) -> list[tuple[int, float]]:
    """All cosines one by one; sorted; each within `SAME` of the first of its group is of that group."""
    cosines = [
        (float(np.dot(row.astype(np.float64), vector.astype(np.float64))), n)
        for n, row in enumerate(rows)
        if allowed is None or allowed[n]
    ]
    groups: list[tuple[float, list[int]]] = []
    for cosine, n in sorted(cosines, key=lambda each: (-each[0], each[1])):
        if groups and groups[-1][0] - cosine <= SAME:
            groups[-1][1].append(n)
        else:
            groups.append((cosine, [n]))
    found: list[tuple[int, float]] = []
    for cosine, numbers in groups:
        if len(found) >= top:
            break
        found += [(n, cosine) for n in sorted(numbers)]
    return found


def unit(rows: Any) -> Any:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@settings(max_examples=150)
@given(st.integers(0, 10**6), st.integers(0, 90), st.integers(1, 4), st.integers(1, 30), st.booleans())
def test_as_a_slow_search_does(seed: int, count: int, width: int, top: int, some: bool) -> None:
    """Coordinates are small whole numbers: many vectors are equal, or equally near."""
    draw = np.random.default_rng(seed)
    rows = draw.integers(-2, 3, (count, width)) + 0.0
    rows[np.abs(rows).sum(axis=1) == 0] = 1
    rows = unit(rows) if count else rows.astype(np.float32)
    asked = unit(draw.integers(1, 4, (5, width)))
    allowed = draw.random(count) < 0.5 if some else None
    cuts = sorted(draw.integers(0, count + 1, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "_BLOCK", 16)
        patch.setattr(nearest, "_ASKED", 2)
        found = Nearest(np.split(rows, cuts)).search(asked, top, allowed)
    for vector, (numbers, scores) in zip(asked, found, strict=True):
        expected = slow(rows, vector, top, allowed)
        assert numbers.tolist() == [n for n, _ in expected]
        assert scores.tolist() == pytest.approx([cosine for _, cosine in expected], abs=1e-12)
        assert len(set(scores.tolist())) == len({cosine for _, cosine in expected})


def test_it_makes_no_difference_what_else_is_asked() -> None:
    draw = np.random.default_rng(7)
    rows, asked = unit(draw.normal(size=(5000, 48))), unit(draw.normal(size=(70, 48)))
    search = Nearest([rows[:3000], rows[3000:]]).search
    for vector, (numbers, scores) in zip(asked, search(asked, 9), strict=True):
        [(alone, alone_scores)] = search(vector[None], 9)
        assert numbers.tolist() == alone.tolist()
        assert scores.tolist() == alone_scores.tolist()


def test_vectors_that_differ_by_rounding_are_tied() -> None:
    row = unit(np.ones((1, 8)))
    nearly = np.nextafter(row, np.float32(0))
    [(numbers, scores)] = Nearest([nearly, -row, row]).search(row, 1)
    assert numbers.tolist() == [0, 2]
    assert scores[0] == scores[1]
    assert scores[0] == pytest.approx(1)


def test_nothing_to_search() -> None:
    [(numbers, scores)] = Nearest([]).search(unit(np.ones((1, 8))), 3)
    assert (len(numbers), len(scores)) == (0, 0)
