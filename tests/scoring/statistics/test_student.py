"""Student's t against its density added up, and against the table of every textbook."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.scoring.statistics.student import quantile, two_sided


def tail_by_sum(t: float, df: float) -> float:
    """Both tails: 1 less the density between −t and t, added up in small steps (Simpson)."""
    x = np.linspace(0, t, 20_001)
    constant = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    density = constant * (1 + x * x / df) ** (-(df + 1) / 2)
    weights = np.full(len(x), 2.0)
    weights[1::2] = 4
    weights[[0, -1]] = 1
    return 1 - 2 * float((weights * density).sum()) * t / (3 * (len(x) - 1))


@given(st.floats(0.01, 20), st.floats(1, 3_000))
def test_tails_are_what_the_density_leaves(t: float, df: float) -> None:
    assert float(two_sided(t, df)) == pytest.approx(tail_by_sum(t, df), abs=1e-9)


@pytest.mark.parametrize(
    ("level", "df", "expected"),
    [(0.95, 1, 12.7062), (0.95, 2, 4.3027), (0.95, 5, 2.5706), (0.95, 24, 2.0639), (0.95, 120, 1.9799),
     (0.90, 10, 1.8125), (0.99, 3, 5.8409), (0.99, 1e9, 2.5758)],
)  # fmt: skip
def test_quantiles_are_those_of_the_table(level: float, df: float, expected: float) -> None:
    assert float(quantile(level, df)) == pytest.approx(expected, abs=5e-5)


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=5), st.floats(0.5, 0.999))
def test_quantile_and_tail_undo_each_other(df: list[float], level: float) -> None:
    assert two_sided(quantile(level, df), df) == pytest.approx(np.full(len(df), 1 - level), rel=1e-9)


def test_far_tails_stay_exact() -> None:
    """Cauchy's tail is known: 2/π · arctan(1/t)."""
    for t in (1e3, 1e6, 1e12):
        assert float(two_sided(t, 1)) == pytest.approx(2 / math.pi * math.atan(1 / t), rel=1e-9)
    assert quantile(0.95, [[1, 2], [3, 4]]).shape == (2, 2)
    assert quantile(0.95, []).size == 0
