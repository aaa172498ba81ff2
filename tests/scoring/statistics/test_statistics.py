"""Statistics (STAT-6 to STAT-19) against obvious references: loops, enumeration, fractions, simulation, a table."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import UsageError
from linkassay.scoring.statistics import bootstrap
from linkassay.scoring.statistics.agreement import cohen_kappa, oracle, overlap, pearson
from linkassay.scoring.statistics.bootstrap import drawn_differences, drawn_pairs, resampled_sums
from linkassay.scoring.statistics.intervals import differences, estimates, ratios
from linkassay.scoring.statistics.significance import (
    bioel_abbreviation,
    bioel_slice,
    bonferroni,
    holm,
    mcnemar,
    permutation,
    swapped,
)

# --- bootstrap


def drawn(documents: int, resamples: int, corpus: int = 0) -> list[list[int]]:
    """The documents of each resample, drawn one block after the other as the library does, and nothing else shared."""
    random, rows = np.random.default_rng([bootstrap.SEED, corpus]), max(1, bootstrap.CELLS // documents)
    kind = np.uint16 if documents <= 65536 else np.uint32
    found: list[list[int]] = []
    while len(found) < resamples:
        left = min(bootstrap.STEP - len(found) % bootstrap.STEP, resamples - len(found), rows)
        found += random.integers(0, documents, (left, documents), dtype=kind).tolist()
    return found


def corpus_of(documents: int, systems: int = 2, seed: int = 3) -> np.ndarray:
    """Columns: right of each system, then mentions."""
    random = np.random.default_rng(seed)
    n = random.integers(0, 9, documents)
    return np.column_stack([*(random.binomial(n, 0.3 + 0.1 * s) for s in range(systems)), n]).astype(float)


@pytest.mark.parametrize("documents", [2, 7, 300])
def test_the_loop_with_the_same_draws_gives_the_same_p(documents: int) -> None:
    table = corpus_of(documents) + np.array([0, 0, 1])
    gaps = []
    for resample in drawn(documents, 1_500):
        first, second, n = (sum(table[d][c] for d in resample) for c in range(3))
        gaps.append(second / n - first / n)
    sides = min(sum(g <= 1e-12 for g in gaps), sum(g >= -1e-12 for g in gaps))
    assert drawn_differences([table], [(1, 2, 0, 2)], 1_500) == [min(1, 2 * (1 + sides) / 1_501)]


def test_draws_are_multinomial() -> None:
    """All 3³ = 27 ordered draws of three documents are alike, so the ten multisets have their multinomial shares."""
    codes = np.concatenate([sums[:, 0] for sums in resampled_sums([[1], [4], [16]], 54_000)]).astype(int)
    found = Counter(codes.tolist())
    expected = Counter(sum(4**d for d in draw) for draw in itertools.product(range(3), repeat=3))
    assert set(found) == set(expected)
    chi = sum((found[c] - 2_000 * k) ** 2 / (2_000 * k) for c, k in expected.items())
    assert chi < 27.9  # 9 degrees of freedom, p = 0.001


def test_more_documents_than_16_bits() -> None:
    documents = 65_537
    table = np.column_stack([np.arange(documents), np.ones(documents)])
    (sums,) = resampled_sums(table, 3)
    assert sums[:, 1].tolist() == [documents] * 3
    assert sums[:, 0].tolist() == [float(sum(d)) for d in drawn(documents, 3)]


def test_draws_depend_on_seed_and_documents_only() -> None:
    table = corpus_of(40, systems=3)
    few, many = (np.concatenate(list(resampled_sums(table, r))) for r in (1_300, 2_600))
    assert (few == many[:1_300]).all()
    alone = np.concatenate(list(resampled_sums(table[:, 1:2], 1_300)))
    assert (alone[:, 0] == few[:, 1]).all()
    assert (np.concatenate(list(resampled_sums(table, 1_300, seed=1))) != few).any()


def test_no_test_from_fewer_than_two_documents() -> None:
    assert drawn_differences([[[1, 2, 3, 4], [0, 0, 1, 2]]], [(0, 1, 2, 3)]) == [None]
    assert drawn_differences([[[1, 2, 2], [1, 2, 2]], [[1, 2, 2]]], [(0, 1, 2, 1)]) == [None]
    assert drawn_pairs(lambda s: s, [[[1, 2], [0, 0]]], [(0, 1)]) == [None]


def test_resamples_without_denominator_are_left_out() -> None:
    table = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0], [0, 0, 0]])
    defined = [d for d in drawn(4, 2_000) if {0, 1} & set(d)]
    assert 0 < len(defined) < 2_000
    sides = min(sum(d.count(0) <= d.count(1) for d in defined), sum(d.count(0) >= d.count(1) for d in defined))
    expected = min(1, 2 * (1 + sides) / (1 + len(defined)))
    assert drawn_differences([table], [(0, 2, 1, 2)], 2_000) == [expected]


def test_means_over_corpora_are_drawn_within_each() -> None:
    first, second = corpus_of(30, seed=1), corpus_of(8, seed=2)
    gaps = []
    for a, b in zip(drawn(30, 1_200, 0), drawn(8, 1_200, 1), strict=True):
        means = [
            sum(first[a][:, c]) / sum(first[a][:, 2]) + sum(second[b][:, c]) / sum(second[b][:, 2]) for c in (0, 1)
        ]
        gaps.append((means[1] - means[0]) / 2)
    sides = min(sum(g <= 1e-12 for g in gaps), sum(g >= -1e-12 for g in gaps))
    expected = min(1, 2 * (1 + sides) / 1_201)
    assert drawn_differences([first, second], [(1, 2, 0, 2)], 1_200) == [expected]


def test_the_same_system_twice_does_not_differ() -> None:
    assert drawn_differences([corpus_of(20)[:, [0, 0, 2]] / 3], [(0, 2, 1, 2)]) == [1]


def test_a_ratio_is_a_function_of_sums() -> None:
    """One seed, the same draws, the same p."""
    table = corpus_of(40)
    of_both = lambda s: s[:, [0, 1]] / s[:, [2, 2]]  # noqa: E731
    assert drawn_pairs(of_both, [table], [(1, 0)], 500) == drawn_differences([table], [(1, 2, 0, 2)], 500)


def test_nothing_is_drawn_from_nothing() -> None:
    for table, resamples in ((np.zeros((0, 2)), 10), (np.ones((3, 2)), 0)):
        with pytest.raises(UsageError, match="at least one of each"):
            next(resampled_sums(table, resamples))


# --- McNemar


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_exact_binomial(b: int, c: int) -> None:
    n, small = b + c, min(b, c)
    tail = sum(Fraction(math.comb(n, k), 2**n) for k in range(small + 1))
    assert mcnemar(b, c).exact == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-13)
    assert mcnemar(b, c).exact == mcnemar(c, b).exact


def test_mcnemar_of_many_mentions() -> None:
    n, term, tail = 10_100, 1, 0
    for k in range(4_951):
        tail += term  # C(n, k)
        term = term * (n - k) // (k + 1)
    assert mcnemar(4_950, 5_150).exact == pytest.approx(float(2 * Fraction(tail, 2**n)), rel=1e-10)
    assert 0 < mcnemar(499_000, 501_000).exact < 0.05
    assert mcnemar(0, 100_000).exact == 0


def test_mcnemar_corrected() -> None:
    assert mcnemar(10, 25).corrected == pytest.approx(0.017960, abs=1e-6)  # chi-square 14²/35 = 5.6
    assert mcnemar(0, 0) == mcnemar(0.0, 0)
    assert (mcnemar(0, 0).exact, mcnemar(3, 3).corrected, mcnemar(3, 4).corrected) == (1, 1, 1)


def test_mcnemar_refuses_expected_scores() -> None:
    for wrong in (0.5, -1, math.nan, math.inf):
        with pytest.raises(UsageError, match="right or wrong"):
            mcnemar(wrong, 1)


# --- permutation


@given(st.lists(st.fractions(-3, 3, max_denominator=6), max_size=9))
@settings(max_examples=200)
def test_permutation_enumerates_all_flips(values: list[Fraction]) -> None:
    """Thirds and sixths do not add up in binary: ties must be found all the same."""
    total, live = abs(sum(values)), [v for v in values if v]
    flips = [abs(sum(s * v for s, v in zip(signs, live))) for signs in itertools.product((1, -1), repeat=len(live))]
    found = permutation([float(v) for v in values], resamples=512)
    assert found.exact
    assert found.p == sum(f >= total for f in flips) / len(flips)


def test_sampled_permutation_comes_near_the_exact() -> None:
    values = np.random.default_rng(2).integers(1, 5, 16) * np.tile([1, 1, 1, -1], 4)
    exact, sampled = permutation(values, 1 << 16), permutation(values, 20_000)
    assert exact.exact
    assert not sampled.exact
    assert sampled.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p * (1 - exact.p) / 20_000) + 1e-4)


def test_permutation_is_never_zero_and_ignores_order() -> None:
    values = np.arange(1, 400) / 7
    found = permutation(values, 999)
    assert found.p == 1 / 1_000
    mixed = np.random.default_rng(1).permutation(np.where(values > 30, values, -values))
    assert permutation(mixed).p == permutation(-mixed[::-1]).p
    assert permutation(np.zeros(50)) == permutation([])
    assert permutation([]).p == 1
    for wrong, resamples in (([1, math.nan], 100), ([[1, 2]], 100), ([1, 2], 0)):
        with pytest.raises(UsageError):
            permutation(wrong, resamples)


def test_permutation_holds_its_level() -> None:
    """Of 400 pairs of systems that are alike, about 5 % seem to differ."""
    random = np.random.default_rng(4)
    low = 0
    for _ in range(400):
        n = random.integers(1, 12, 30)
        ease = random.beta(3, 2, 30)
        low += permutation(random.binomial(n, ease) - random.binomial(n, ease), 400).p <= 0.05
    assert 0.02 <= low / 400 <= 0.085


F1_SUMS = st.lists(st.integers(0, 3), min_size=3, max_size=3)


def _f1(sums: np.ndarray) -> np.ndarray:
    below = 2 * sums[:, 0] + sums[:, 1] + sums[:, 2]
    return np.where(below > 0, 2 * sums[:, 0] / np.where(below > 0, below, 1), 0.0)


def _exact_f1(sums: list[list[int]]) -> Fraction:
    tp, fp, fn = (sum(column) for column in zip(*sums))
    return Fraction(2 * tp, 2 * tp + fp + fn) if tp + fp + fn else Fraction(0)


@given(st.lists(st.tuples(F1_SUMS, F1_SUMS), min_size=1, max_size=6))
@settings(max_examples=150)
def test_swapped_tries_all_ways_to_swap_documents(both: list[tuple[list[int], list[int]]]) -> None:
    one, other = ([pair[side] for pair in both] for side in (0, 1))
    value = _exact_f1(other) - _exact_f1(one)
    ways = [
        _exact_f1([b if s else a for a, b, s in zip(one, other, swaps)])
        - _exact_f1([a if s else b for a, b, s in zip(one, other, swaps)])
        for swaps in itertools.product((False, True), repeat=len(one))
    ]
    found = swapped(_f1, one, other, resamples=64)
    assert found.exact
    assert found.value == pytest.approx(float(value))
    assert found.p == pytest.approx(sum(abs(way) >= abs(value) for way in ways) / len(ways))


def test_swapped_is_the_permutation_test_where_figures_are_sums() -> None:
    random = np.random.default_rng(3)
    one, other = random.integers(0, 5, (2, 14))
    table = [np.column_stack([each, np.full(14, 5)]) for each in (one, other)]
    share = lambda sums: sums[:, 0] / sums[:, 1]  # noqa: E731
    assert swapped(share, *table, resamples=1 << 14).p == permutation(other - one, 1 << 14).p


def test_swapped_sampled_is_never_zero_and_ignores_order() -> None:
    random = np.random.default_rng(5)
    one = random.integers(0, 4, (40, 3))
    other = one + np.array([2, 0, 0])
    assert swapped(_f1, one, other, 999).p == 1 / 1_000
    other = random.integers(0, 4, (40, 3))
    found = swapped(_f1, one, other, 999)
    assert not found.exact
    assert swapped(_f1, other[::-1], one[::-1], 999).p == found.p
    assert swapped(_f1, one, one).p == 1
    for wrong in ([[1, 2]], [[1, 2, math.nan]]):
        with pytest.raises(UsageError):
            swapped(_f1, [[1, 2, 3]], wrong)
    with pytest.raises(UsageError):
        swapped(_f1, one, other, 0)


# --- families

families = st.lists(st.floats(0, 1), max_size=12)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert bonferroni([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.16, 0.12, 1])
    assert holm([]) == bonferroni([]) == []


@given(families, st.randoms())
def test_holm_laws(family: list[float], random: object) -> None:
    adjusted = holm(family)
    assert all(p <= h <= b <= 1 for p, h, b in zip(family, adjusted, bonferroni(family), strict=True))
    order = sorted(range(len(family)), key=lambda i: family[i])
    assert [adjusted[i] for i in order] == sorted(adjusted)
    random.shuffle(order)  # type: ignore[attr-defined]
    assert holm([family[i] for i in order]) == [adjusted[i] for i in order]
    # As defined: the largest, over all p no larger, of p times the number of p not smaller (each rank its own).
    ranked = sorted(family)
    for p, h in zip(family, adjusted, strict=True):
        last = len(ranked) - 1 - ranked[::-1].index(p)
        assert h == max(min(1.0, (len(ranked) - r) * ranked[r]) for r in range(last + 1))


def test_no_family_with_undefined_members() -> None:
    for correct in (holm, bonferroni):
        with pytest.raises(UsageError, match="not a p-value"):
            correct([0.1, math.nan])


# --- preset bioel


def test_bioel_z_by_hand() -> None:
    found = bioel_slice(45, 50, 160, 200, systems=5)
    assert found.z == pytest.approx(0.1 / math.sqrt(0.8 * 0.2 / 50))
    assert found.p == pytest.approx(5 * 0.0770998, abs=1e-6)
    assert bioel_slice(41, 50, 160, 200, systems=5).p == 1
    effect = bioel_abbreviation(40, 100, 55, 100, systems=2)
    assert effect.z == pytest.approx(0.15 / math.sqrt((0.24 + 0.2475) / 100))
    assert effect.p == pytest.approx(2 * 0.0316815, abs=1e-5)
    assert bioel_slice(5, 5, 9, 9).p is None
    with pytest.raises(UsageError):
        bioel_slice(0, 0, 5, 9)


def test_bioel_table_5_marks_of_significance(shared: Path) -> None:
    """All 72 printed marks follow from the printed accuracies, differences and shares.

    The paper does not print the number of test mentions: 40 143 is BELB's count of the same split (its corpus table).
    The marks hold for about 38 000 to 41 800, so they show the formula and the order of the factor, not its last unit:
    7 to 10 systems would do as well as the 8 of the table; 1 would not.
    """
    lines = (shared.parent / "papers" / "bioel.txt").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split("\t")] for line in lines]
    at = next(i for i, row in enumerate(cells) if row[0] == "Semantic Group")
    systems, n = cells[at][1:9], 40_143
    main = next(i for i, row in enumerate(cells) if row[0] == "SapBERT" and len(row) >= 15)
    overall = {row[0]: float(row[5]) for row in cells[main : main + 9]}  # Table 4, MM-ST21PV, recall@1
    seen = 0
    for row in cells[at + 1 : at + 10]:
        for system, cell in zip(systems, row[1:9], strict=True):
            difference = float(re.match(r"-?[\d.]+", cell).group())  # type: ignore[union-attr]
            printed = 3 if "‡" in cell or "ddagger" in cell else 2 if "†" in cell or "dagger" in cell else "*" in cell
            size, p = float(row[9]) * n, overall[system]
            found = bioel_slice((p + difference) * size, size, p * n, n, len(systems)).p
            assert sum(found < limit for limit in (0.05, 0.01, 0.001)) == printed, (row[0], system)  # type: ignore[operator]
            seen += 1
    assert seen == 72


# --- agreement

outcomes = st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0, 1])), min_size=1, max_size=30)


@given(outcomes)
def test_overlap_counts(pairs: list[tuple[int, int]]) -> None:
    counts, (a, b) = Counter(pairs), zip(*pairs, strict=True)
    found = overlap(a, b)
    assert (found.both, found.only_first, found.only_second, found.neither) == (
        counts[1, 1], counts[1, 0], counts[0, 1], counts[0, 0],
    )  # fmt: skip
    both, first, second, neither = counts[1, 1], counts[1, 0], counts[0, 1], counts[0, 0]
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    phi = (both * neither - first * second) / math.sqrt(margins) if margins else None
    assert found.correlation == (phi if phi is None else pytest.approx(phi, abs=1e-12))
    assert oracle([a, b]).value == pytest.approx((both + first + second) / len(pairs))
    assert oracle([a, b]).none_right == neither


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_expected_scores_divide_without_rest(pairs: list[tuple[float, float]]) -> None:
    a, b = zip(*pairs, strict=True)
    found = overlap(a, b)
    assert found.both + found.only_first + found.only_second + found.neither == pytest.approx(len(pairs))
    assert found.both + found.only_first == pytest.approx(sum(a))
    assert oracle([a, b]).value == pytest.approx(np.maximum(a, b).mean())


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 3)), min_size=1, max_size=20))
def test_a_weight_is_a_number_of_repeats(rows: list[tuple[float, float, int]]) -> None:
    a, b, weights = zip(*rows, strict=True)
    repeated = [np.repeat(each, weights) for each in (a, b)]
    found, expected = overlap(a, b, weights), overlap(*repeated)
    assert (found.n, found.both, found.only_first, found.neither) == pytest.approx(
        (expected.n, expected.both, expected.only_first, expected.neither)
    )
    best, expected_best = oracle([a, b], weights), oracle(repeated)
    assert (best.n, best.value, best.none_right) == (
        expected_best.n, pytest.approx(expected_best.value), pytest.approx(expected_best.none_right),
    )  # fmt: skip


def test_two_linnaeus_systems_as_published_predictions_have_them() -> None:
    """BioSyn right and GenBioEL wrong 144, the reverse 6, of 1 139 of which BioSyn gets 92.80 %: phi is .5176."""
    first = [1] * 913 + [1] * 144 + [0] * 6 + [0] * 76
    second = [1] * 913 + [0] * 144 + [1] * 6 + [0] * 76
    found = overlap(first, second)
    assert (found.n, round(sum(first) / found.n, 4), round(sum(second) / found.n, 4)) == (1_139, 0.9280, 0.8068)
    assert found.correlation == pytest.approx(0.5176, abs=5e-5)
    assert mcnemar(found.only_first, found.only_second).exact < 1e-30


def test_pearson_of_expected_scores() -> None:
    a, b = np.random.default_rng(1).random((2, 50))
    assert overlap(a, b).correlation == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-12)
    for constant, size in itertools.product((0.1, 0.3, 0.7), range(3, 50)):
        assert overlap([constant] * size, b[:size]).correlation is None  # whatever is left by rounding
    assert overlap(a, a).correlation == pytest.approx(1)
    per_document = np.column_stack([np.ones(50), a, b, a * a, b * b, a * b])
    (found,) = estimates(pearson, [per_document])
    assert found.value == pytest.approx(overlap(a, b).correlation)
    assert found.low < found.value < found.high  # type: ignore[operator]


def test_bad_outcomes_are_refused() -> None:
    for wrong in ([[1, 0], [1]], [1, 0], [[1, 2]], [[math.nan]], np.zeros((0, 3))):
        with pytest.raises(UsageError):
            oracle(wrong)  # type: ignore[arg-type]
    for weights in ([1], [1, -1]):
        with pytest.raises(UsageError, match="one weight for each mention"):
            overlap([1, 0], [1, 1], weights)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=40))
def test_cohen_kappa_from_labels(pairs: list[tuple[int, int]]) -> None:
    n, table = len(pairs), np.zeros((3, 3))
    for a, b in pairs:
        table[a, b] += 1
    agreed = Fraction(sum(a == b for a, b in pairs), n)
    chance = sum(Fraction(sum(a == k for a, _ in pairs) * sum(b == k for _, b in pairs), n * n) for k in range(3))
    if chance == 1:
        assert math.isnan(cohen_kappa(table))
    else:
        assert float(cohen_kappa(table)) == pytest.approx(float((agreed - chance) / (1 - chance)))
    assert cohen_kappa(np.stack([table, table])).shape == (2,)


def test_cohen_kappa_needs_the_same_classes() -> None:
    with pytest.raises(UsageError, match="square"):
        cohen_kappa([[1, 2, 3], [4, 5, 6]])


def test_results_are_json() -> None:
    table = corpus_of(20)
    results = [
        ratios([table], [(0, 2)])[0], differences([table], [(0, 2, 1, 2)])[0], mcnemar(1, 5), permutation([1, 2]),
        permutation(np.arange(40), 100), bioel_slice(1, 2, 3, 7), overlap([1, 0], [1, 1]), oracle([[1, 0]]),
    ]  # fmt: skip
    for result in results:
        assert json.loads(json.dumps(asdict(result))) == asdict(result)
    assert all(type(p) is float for p in (*holm([0.1, 0.5]), results[1].p, results[4].p))  # type: ignore[attr-defined]
