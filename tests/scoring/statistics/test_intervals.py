"""Intervals (STAT-1 to STAT-5) against a slow reference: each document left out in a loop, every formula as written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import UsageError
from linkassay.scoring.statistics import intervals
from linkassay.scoring.statistics.intervals import differences, estimates, mean_of_units, paired, ratios
from linkassay.scoring.statistics.student import quantile, two_sided

Row = Sequence[float]


def reference(
    figure: Callable[[list[Row]], float], documents: list[Row], size: Callable[[Row], float]
) -> tuple[float, float, int]:
    """Variance, degrees of freedom, and documents that have anything in the figure (STAT-1)."""
    mine = [n for n, row in enumerate(documents) if size(row) > 0]
    m = len(mine)
    left_out = [figure(documents[:n] + documents[n + 1 :]) for n in mine]
    mean = sum(left_out) / m
    apart = [each - mean if abs(each - mean) > 1e-12 else 0.0 for each in left_out]
    squares = sum(a**2 for a in apart)
    if not squares:  # as if one document had moved it
        return 0.0, degrees([1 - 1 / m] + [-1 / m] * (m - 1)), m
    return (m - 1) / m * squares, degrees(apart), m


def degrees(apart: list[float]) -> float:
    """2 V² / var(V), of m deviations from their mean."""
    m, squares, fourths = len(apart), sum(a**2 for a in apart), sum(a**4 for a in apart)
    spread = fourths - squares**2 / m
    return min(2 * squares**2 / spread if spread > 1e-12 * fourths else math.inf, m - 1)


def wilson(value: float, width: float) -> tuple[float, float]:
    centre, half = value + width / 2, math.sqrt(width * value * (1 - value) + width**2 / 4)
    return max(0, min(value, (centre - half) / (1 + width))), min(1, max(value, (centre + half) / (1 + width)))


def share_interval(documents: list[Row]) -> tuple[float, float]:
    """The interval of a share of (right, all) rows, as STAT-1 says it."""
    right, all_ = (sum(row[c] for row in documents) for c in (0, 1))
    value = right / all_
    ratio = lambda rows: sum(r[0] for r in rows) / sum(r[1] for r in rows)  # noqa: E731
    variance, freedom, m = reference(ratio, documents, lambda row: row[1])
    units = all_**2 / sum(row[1] ** 2 for row in documents)
    usual, careful = (float(quantile(0.95, df)) ** 2 for df in (m - 1, freedom))
    if variance == 0:
        return wilson(value, min(careful / all_, usual / units))
    trials = value * (1 - value) / variance
    return wilson(value, max(min(careful / trials, usual / units), usual / trials))


#: Right and all of a document.
DOCUMENTS = st.lists(
    st.integers(0, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=15
).filter(lambda rows: sum(n > 0 for _, n in rows) >= 2)


@given(DOCUMENTS)
def test_shares_are_those_of_the_loop(documents: list[tuple[int, int]]) -> None:
    (found,) = ratios([documents], [(0, 1)])
    assert found.documents == sum(n > 0 for _, n in documents)
    assert (found.low, found.high) == pytest.approx(share_interval(documents), rel=1e-7, abs=1e-9)  # type: ignore[arg-type]
    assert 0 <= found.low <= found.value <= found.high <= 1  # type: ignore[operator]
    assert found.low < found.high  # type: ignore[operator]


@given(DOCUMENTS, st.randoms())
def test_only_the_figures_own_sums_matter(documents: list[tuple[int, int]], random: object) -> None:
    """Neither order, nor documents that have nothing in it, nor what else is asked for, nor how much at once."""
    (alone,) = ratios([documents], [(0, 1)])
    shuffled = [*documents, (0, 0), (0, 0)]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    table = np.array([[7, 9, right, n] for right, n in shuffled])
    before, intervals.BLOCK = intervals.BLOCK, 3
    try:
        _, other = ratios([table], [(0, 1), (2, 3)])
    finally:
        intervals.BLOCK = before
    assert asdict(other) == pytest.approx(asdict(alone), rel=1e-7)


def test_the_same_sums_have_the_same_interval_to_the_last_digit() -> None:
    """However many figures are asked for, and of whatever kind these are."""
    random = np.random.default_rng(2)
    n = random.integers(0, 30, (1_300, 40)).astype(float)
    x = random.binomial(n.astype(int), random.random(40)).astype(float)
    pairs = [(at, 40 + at) for at in range(40)]
    together = ratios([np.hstack([x, n])], pairs)
    for at in range(40):
        (alone,) = ratios([np.column_stack([x[:, at], n[:, at]])], [(0, 1)])
        assert alone == together[at]


@given(DOCUMENTS)
def test_a_function_of_sums_has_the_interval_of_the_ratio(documents: list[tuple[int, int]]) -> None:
    (by_ratio,) = ratios([documents], [(0, 1)])
    of_nothing = lambda s: np.where(s[:, 1] > 0, s[:, 0] / s[:, 1], np.nan)  # noqa: E731
    (by_function,) = estimates(of_nothing, [documents], [[n for _, n in documents]])
    assert asdict(by_function) == pytest.approx(asdict(by_ratio), rel=1e-6, abs=1e-8)


PAIRED = st.lists(
    st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.integers(0, n), st.just(n))),
    min_size=2,
    max_size=12,
)


@given(PAIRED)
def test_differences_are_those_of_the_loop(documents: list[tuple[int, int, int]]) -> None:
    apart = lambda rows: (sum(r[1] for r in rows) - sum(r[0] for r in rows)) / sum(r[2] for r in rows)  # noqa: E731
    (found,) = differences([documents], [(1, 2, 0, 2)])
    value = apart(documents)
    variance, freedom, m = reference(apart, documents, lambda row: row[2])
    if not variance and abs(value) > 1e-13:  # all documents agree: their signs
        variance, freedom = value**2 / m, m - 1
    half = float(quantile(0.95, freedom)) * math.sqrt(variance)
    assert (found.value, found.low, found.high) == pytest.approx(
        (value, max(-1, value - half), min(1, value + half)), rel=1e-6, abs=1e-9
    )
    expected = float(two_sided(abs(value) / math.sqrt(variance), freedom)) if variance else 1.0
    assert found.p == pytest.approx(expected, rel=1e-5, abs=1e-12)
    assert (found.p < 0.05) == (found.low > 0 or found.high < 0) or found.p == pytest.approx(0.05)  # type: ignore[operator]
    both = lambda s: s[:, [0, 1]] / s[:, [2, 2]]  # noqa: E731
    (by_function,) = paired(both, [documents], [(1, 0)], [[n for *_, n in documents]])
    assert asdict(by_function) == pytest.approx(asdict(found), rel=1e-5, abs=1e-9)


#: Document, unit, right of n.
ROWS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 3)).flatmap(
        lambda row: st.tuples(st.just(row[0]), st.just(row[1]), st.integers(0, row[2]), st.just(row[2]))
    ),
    max_size=25,
)


@given(ROWS)
def test_the_mean_over_units_is_that_of_the_loop(rows: list[tuple[int, int, int, int]]) -> None:
    def mean(mine: list[Row]) -> float:
        units = {row[1] for row in mine if row[3]}
        each = [[sum(row[c] for row in mine if row[1] == u) for c in (2, 3)] for u in units]
        return sum(right / n for right, n in each) / len(each)

    columns = np.array(rows, dtype=float).reshape(-1, 4).T
    found = mean_of_units(columns[0].astype(int), columns[1].astype(int), *columns[2:])
    counted = sorted({row[0] for row in rows if row[3]})
    assert found.documents == len(counted)
    if not counted:
        assert asdict(found) == {"value": None, "low": None, "high": None, "documents": 0}
        return
    assert found.value == pytest.approx(mean(rows))  # type: ignore[arg-type]
    if len(counted) < 2:
        assert found.low is None
        return
    left_out = [mean([row for row in rows if row[0] != document]) for document in counted]
    as_documents: list[Row] = [[n, 1] for n in range(len(counted))]
    index = {tuple(each): n for n, each in enumerate(as_documents)}

    def without(kept: list[Row]) -> float:
        (gone,) = set(index) - {tuple(each) for each in kept}
        return left_out[index[gone]]

    variance, freedom, m = reference(without, as_documents, lambda row: row[1])
    n_of = {u: sum(row[3] for row in rows if row[1] == u) for u in {row[1] for row in rows if row[3]}}
    weights = [sum(row[3] / n_of[row[1]] for row in rows if row[0] == d and row[3]) / len(n_of) for d in counted]
    usual, careful = (float(quantile(0.95, df)) ** 2 for df in (m - 1, freedom))
    widest = usual * sum(w**2 for w in weights)
    value = found.value
    assert value is not None
    if variance:
        width = max(min(careful * variance / (value * (1 - value)), widest), usual * variance / (value * (1 - value)))
    else:
        width = min(careful * sum(1 / n for n in n_of.values()) / len(n_of) ** 2, widest)
    assert (found.low, found.high) == pytest.approx(wilson(value, width), rel=1e-6, abs=1e-9)


def test_all_right_and_all_wrong_are_no_points() -> None:
    """Of 25 mentions in as many documents about what is exact for 25 throws: 0.863 (Clopper and Pearson)."""
    right, wrong = ratios([[[1, 1, 0]] * 25], [(0, 1), (2, 1)])
    assert (right.value, right.high) == (1, 1)
    assert right.low == pytest.approx(0.863, abs=0.015)
    assert (wrong.value, wrong.low) == (0, 0)
    assert wrong.high == pytest.approx(1 - right.low)  # type: ignore[operator]


def test_better_is_never_less_sure() -> None:
    """The lower end rises with each mention that is right, up to the last."""
    lows = [ratios([[[20, 20]] * 24 + [[20 - wrong, 20]]], [(0, 1)])[0].low for wrong in (5, 3, 2, 1, 0)]
    assert lows == sorted(lows)  # type: ignore[type-var]
    assert lows[-1] < 0.99  # type: ignore[operator]


def test_documents_that_agree_are_still_no_proof() -> None:
    (half,) = ratios([[[2, 4]] * 5], [(0, 1)])
    assert half.low < 0.4 < 0.6 < half.high  # type: ignore[operator]
    (apart,) = differences([[[3, 1, 4]] * 2], [(0, 2, 1, 2)])
    assert apart.p > 0.1  # type: ignore[operator]
    (many,) = differences([[[3, 1, 4]] * 30], [(0, 2, 1, 2)])
    assert many.p < 0.001  # type: ignore[operator]
    (none,) = differences([[[3, 3, 4]] * 30], [(0, 2, 1, 2)])
    assert (none.value, none.low, none.high, none.p) == (0, 0, 0, 1)


def test_documents_that_move_a_figure_alike_are_no_variance() -> None:
    """Each document without the other gives 1/3: three units of 1/2, 1/3 and 0, or one of 1/3."""
    found = mean_of_units([0, 1, 1, 1, 1], [0, 0, 1, 1, 2], [1 / 3, 2 / 3, 2 / 3, 0, 0], [1, 1, 1, 1, 1])
    assert found.value == pytest.approx(5 / 18)
    assert 0 <= found.low < 0.1 < 0.8 < found.high <= 1  # type: ignore[operator]


def test_what_is_no_share_may_leave_0_to_1() -> None:
    """A mean distance, say: plus and minus so many standard errors."""
    table = np.array([[3, 1], [9, 2], [0, 1], [5, 1]])
    (found,) = ratios([table], [(0, 1)])
    mean = lambda rows: sum(r[0] for r in rows) / sum(r[1] for r in rows)  # noqa: E731
    variance, freedom, _ = reference(mean, table.tolist(), lambda row: row[1])
    half = float(quantile(0.95, freedom)) * math.sqrt(variance)
    assert (found.low, found.high) == pytest.approx((3.4 - half, 3.4 + half))
    (plain,) = estimates(lambda s: s[:, 0] / s[:, 1], [table])
    assert asdict(plain) == pytest.approx(asdict(found))


def test_corpora_are_independent() -> None:
    """The variance of a mean of two is a quarter of the sum of both."""
    random = np.random.default_rng(4)
    tables = [np.column_stack([random.normal(2, 1, size), np.ones(size)]) for size in (30, 60)]
    parts = [ratios([table], [(0, 1)])[0] for table in tables]
    (found,) = ratios(tables, [(0, 1)])
    assert found.value == pytest.approx(sum(part.value for part in parts) / 2)  # type: ignore[misc]
    halves = [(part.high - part.low) / 2 for part in parts]  # type: ignore[operator]
    assert (found.high - found.low) / 2 == pytest.approx(math.hypot(*halves) / 2, rel=0.02)  # type: ignore[operator]
    assert found.documents == 90
    (same,) = estimates(lambda a, b: (a[:, 0] / a[:, 1] + b[:, 0] / b[:, 1]) / 2, tables)
    assert asdict(same) == pytest.approx(asdict(found))


def test_levels() -> None:
    table = np.column_stack([np.arange(20) % 3, np.full(20, 3)])
    units = [np.arange(20), np.arange(20) % 4, table[:, 0], table[:, 1]]
    for narrow, wide in (
        [ratios([table], [(0, 1)], level)[0] for level in (0.8, 0.99)],
        [mean_of_units(*units, level) for level in (0.8, 0.99)],
    ):
        assert wide.low < narrow.low < narrow.high < wide.high  # type: ignore[operator]


def test_no_interval_from_fewer_than_two_documents() -> None:
    one = ratios([[[1, 2, 3, 4], [0, 0, 1, 2]]], [(0, 1), (2, 3)])
    assert asdict(one[0]) == {"value": 0.5, "low": None, "high": None, "documents": 1}
    assert one[1].low is not None
    assert asdict(ratios([[[0, 0]]], [(0, 1)])[0])["value"] is None
    assert ratios([np.zeros((0, 2))], [(0, 1)])[0].value is None
    assert differences([[[1, 2, 3, 4], [0, 0, 1, 2]]], [(0, 1, 2, 3)])[0].p is None
    assert estimates(lambda s: s[:, 0], [[[1], [0], [0]]])[0].low is None
    assert ratios([[[1, 2], [1, 2]], [[1, 2]]], [(0, 1)])[0].low is None
    assert mean_of_units([3, 3], [0, 1], [1, 0], [1, 1]).low is None
    # A document whose rows have no denominator is none (STAT-2).
    assert mean_of_units([3, 3, 4], [0, 1, 1], [1, 0, 0], [1, 1, 0]).low is None
    assert ratios([[[1, 2]]], []) == []


def test_slice_against_whole_and_rest_say_the_same() -> None:
    random = np.random.default_rng(5)
    n = random.integers(2, 9, 200)
    slice_n = random.binomial(n, 0.4)
    slice_right, rest_right = random.binomial(slice_n, 0.65), random.binomial(n - slice_n, 0.7)
    table = np.column_stack([slice_right, slice_n, rest_right, n - slice_n, slice_right + rest_right, n])
    whole, rest = differences([table], [(0, 1, 4, 5), (0, 1, 2, 3)])
    assert whole.p == pytest.approx(rest.p, rel=0.05)  # type: ignore[arg-type]
    assert whole.value == pytest.approx(rest.value * (n - slice_n).sum() / n.sum())  # type: ignore[operator]


@settings(max_examples=20)
@given(st.integers(0, 1_000))
def test_coverage_of_a_few_sets(seed: int) -> None:
    """Of 400 sets of 30 documents of skewed size about 95 % hold the truth (`python -m bench coverage`)."""
    random = np.random.default_rng(seed)
    n = np.ceil(random.lognormal(2.5, 1, (30, 400)))
    table = np.empty((30, 800))
    table[:, 0::2], table[:, 1::2] = random.binomial(n.astype(int), random.beta(6, 2, n.shape)), n
    found = ratios([table], [(2 * at, 2 * at + 1) for at in range(400)])
    held = sum(each.low <= 0.75 <= each.high for each in found)  # type: ignore[operator]
    assert 0.90 <= held / 400 <= 0.99


@pytest.mark.parametrize(
    ("corpora", "pairs"),
    [
        ([], [(0, 1)]),
        ([[1, 2]], [(0, 1)]),
        ([[[1, math.nan]]], [(0, 1)]),
        ([[[1, 2]]], [(0, 2)]),
        ([[[1, 2]]], [(-1, 0)]),
    ],
)
def test_bad_tables_are_refused(corpora: list[object], pairs: list[tuple[int, int]]) -> None:
    with pytest.raises(UsageError):
        ratios(corpora, pairs)  # type: ignore[arg-type]
