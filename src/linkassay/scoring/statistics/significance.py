"""Whether a difference is more than chance (STAT-6, STAT-9 to STAT-12): two systems, and families of such questions.

Pure numbers in, frozen results out. Sums are per document; for intervals see `intervals`. The p-value of a slice
(STAT-7) comes with its difference, asked for by `disambiguation.document_sums`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkassay.defaults import RESAMPLES_COMPARED
from linkassay.errors import UsageError
from linkassay.scoring.statistics.bootstrap import CELLS, SEED

Floats = NDArray[np.float64]

#: Differences with a p below it are called sure.
ALPHA = 0.05
#: Sums of signs closer than this share of the largest possible sum are the same sum, rounded differently. Whole
#: numbers are exact far beyond it; taking near misses for ties can only raise p.
TIE = 1e-9


@dataclass(frozen=True)
class McNemar:
    """Mentions that only one of two systems got right, and how likely so uneven a division is by chance."""

    only_first: int
    only_second: int
    exact: float  # two-sided binomial: twice the smaller tail, at most 1
    corrected: float  # chi-square with one degree of freedom and continuity correction


@dataclass(frozen=True)
class Permutation:
    """Sum of differences, and the share of sign flips that bring one as large; exact if all flips were tried."""

    value: float
    p: float
    resamples: int
    exact: bool


@dataclass(frozen=True)
class ZTest:
    """Difference of two shares, its z, and the two-sided p times the number of systems; None where z is undefined."""

    difference: float
    z: float | None
    p: float | None
    systems: int


def mcnemar(only_first: float, only_second: float) -> McNemar:
    """McNemar's test (STAT-9). It is for outcomes that are right or wrong; expected scores have no such counts.

    >>> mcnemar(1, 5)
    McNemar(only_first=1, only_second=5, exact=0.21875, corrected=0.2206713619...)
    """
    for count in (only_first, only_second):
        if not (count >= 0 and float(count).is_integer()):
            raise UsageError(
                f"McNemar's test counts mentions that are right or wrong, found {count}: "
                "use the permutation test for expected scores, or a protocol without fractions"
            )
    b, c = int(only_first), int(only_second)
    chi = max(abs(b - c) - 1, 0) ** 2 / (b + c) if b + c else 0.0
    return McNemar(b, c, min(1.0, 2 * _binomial_tail(min(b, c), b + c)), math.erfc(math.sqrt(chi / 2)))


def permutation(differences: ArrayLike, resamples: int = RESAMPLES_COMPARED, seed: int = SEED) -> Permutation:
    """Paired permutation over documents (STAT-6): were two systems alike, a difference could be of either sign.

    `differences` are first minus second, one sum per document, of numerators that share a denominator. With n
    documents that differ, all 2ⁿ flips are tried if that is no more than `resamples`; otherwise p is
    (1 + flips at least as large) / (1 + resamples). Neither the order of documents nor that of systems matters.

    >>> permutation([1, 1, 0, 2])
    Permutation(value=4.0, p=0.25, resamples=8, exact=True)
    """
    given = np.asarray(differences, dtype=np.float64)
    if given.ndim != 1 or not np.isfinite(given).all():
        raise UsageError("expected one finite difference for each document")
    if resamples < 1:
        raise UsageError(f"{resamples} resamples: expected at least one")
    size = np.sort(np.abs(given[given != 0]))
    observed = abs(math.fsum(given)) - TIE * size.sum()
    as_large = 0
    for flips in _flips(len(size), resamples, seed):
        as_large += int((np.abs(size.sum() - 2 * (flips @ size)) >= observed).sum())
    return _permutation(math.fsum(given), as_large, len(size), resamples)


def swapped(
    function: Callable[[Floats], ArrayLike], first: ArrayLike, second: ArrayLike,
    resamples: int = RESAMPLES_COMPARED, seed: int = SEED,
) -> Permutation:  # fmt: skip
    """Paired permutation over documents of a figure that is a function of sums, such as F1; `value` is its difference.

    Were two systems alike, what they did in a document could be swapped: `first` and `second` are their columns of
    sums, one row per document, and `function` gets sums as rows and answers a figure for each. Second minus first, as
    exact and as random as `permutation`, which is the same test of sums that share a denominator. Where swapping leaves
    nothing that the figure is of, the difference is taken to be as large. Neither the order of documents nor that of
    systems matters.

    >>> f1 = lambda s: 2 * s[:, 0] / (2 * s[:, 0] + s[:, 1] + s[:, 2])  # true positives, false ones, missed
    >>> swapped(f1, [[1, 0, 1], [0, 1, 1], [2, 0, 0]], [[2, 0, 0], [1, 0, 0], [2, 0, 0]])
    Permutation(value=0.3333333333..., p=0.5, resamples=4, exact=True)
    """
    one, other = (np.asarray(each, dtype=np.float64) for each in (first, second))
    if one.ndim != 2 or one.shape != other.shape or not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise UsageError("expected the same documents and finite columns of sums for both systems")
    if resamples < 1:
        raise UsageError(f"{resamples} resamples: expected at least one")
    rows = np.flatnonzero((one != other).any(axis=1))
    column = np.argmax(one[rows] != other[rows], axis=1)
    # Either system's row may come first, and documents may have any order: one of these ways stands for all.
    lower = (one[rows, column] < other[rows, column])[:, None]
    low, high = np.where(lower, one[rows], other[rows]), np.where(lower, other[rows], one[rows])
    order = np.lexsort(np.hstack([low, high]).T)
    change = (high - low)[order]
    total = one.sum(axis=0) + other.sum(axis=0)
    base = np.delete(one, rows, axis=0).sum(axis=0) + low[order].sum(axis=0)

    def apart(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            found, rest = (np.asarray(function(each), dtype=np.float64) for each in (sums, total - sums))
        return rest - found

    value = float(apart(one.sum(axis=0)[None])[0])
    as_large = 0
    for flips in _flips(len(rows), resamples, seed):
        as_large += int((~(np.abs(apart(base + flips @ change)) < abs(value) - TIE)).sum())
    return _permutation(value, as_large, len(rows), resamples)


def _exact(size: int, resamples: int) -> bool:
    return size < 63 and 2**size <= resamples


def _flips(size: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of rows of 0 and 1: all there are of this size if they are no more than `resamples`, else random ones."""
    exact = _exact(size, resamples)
    tried = 2**size if exact else resamples
    random = np.random.default_rng(seed)
    rows = max(1, CELLS // max(1, size))
    for begin in range(0, tried, rows):
        part = min(rows, tried - begin)
        if exact:
            flips = (np.arange(begin, begin + part)[:, None] >> np.arange(size) & 1).astype(np.uint8)
        else:
            octets = random.integers(0, 256, (part, -(-size // 8)), dtype=np.uint8)
            flips = np.unpackbits(octets, axis=1, count=size)
        yield flips.astype(np.float64)


def _permutation(value: float, as_large: int, size: int, resamples: int) -> Permutation:
    if _exact(size, resamples):
        return Permutation(value, as_large / 2**size, 2**size, True)
    return Permutation(value, (1 + as_large) / (1 + resamples), resamples, False)


def bioel_slice(slice_right: float, slice_n: float, right: float, n: float, systems: int = 1) -> ZTest:
    """Preset `bioel`, a slice against overall: z = (p_slice − p)/√(p(1−p)/n_slice), p overall (STAT-11).

    >>> bioel_slice(45, 50, 160, 200).z
    1.7677669529663...
    """
    _counts((slice_right, slice_n), (right, n))
    p = right / n
    return _z_test(slice_right / slice_n - p, p * (1 - p) / slice_n, systems)


def bioel_abbreviation(
    right_without: float, n_without: float, right_with: float, n_with: float, systems: int = 1
) -> ZTest:
    """Preset `bioel`, abbreviation effect: unpooled two-proportion z, with expansion minus without (STAT-12).

    Of the abbreviated mentions only. The two runs are taken for independent samples, as in that paper.
    """
    _counts((right_without, n_without), (right_with, n_with))
    without, with_ = right_without / n_without, right_with / n_with
    return _z_test(with_ - without, without * (1 - without) / n_without + with_ * (1 - with_) / n_with, systems)


def bonferroni(family: Sequence[float]) -> list[float]:
    """Each p times the size of the declared family, at most 1, in the order given.

    >>> bonferroni([0.25, 0.5])
    [0.5, 1.0]
    """
    _probabilities(family)
    return [min(1.0, len(family) * p) for p in family]


def holm(family: Sequence[float]) -> list[float]:
    """Holm's step-down p-values over the declared family, in the order given; never above Bonferroni's.

    >>> holm([0.5, 0.25, 0.0625])
    [0.5, 0.5, 0.1875]
    """
    _probabilities(family)
    adjusted, largest = [0.0] * len(family), 0.0
    for rank, place in enumerate(sorted(range(len(family)), key=lambda i: family[i])):
        largest = max(largest, min(1.0, (len(family) - rank) * family[place]))
        adjusted[place] = largest
    return adjusted


def _binomial_tail(k: int, n: int) -> float:
    """P(X ≤ k) of a fair coin thrown n times: the largest term, then each from the one before it.

    For k ≤ n/2, where the terms fall and stop mattering after a few times √n; any n is quick.
    """
    if n <= 10_000:
        term = math.comb(n, k) / 2**n
    else:  # whole numbers of so many digits would be slow
        term = math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))
    total = 0.0
    while term > total * 1e-17:
        total += term
        term *= k / (n - k + 1)
        k -= 1
    return total


def _z_test(difference: float, variance: float, systems: int) -> ZTest:
    if variance <= 0:  # everything right or everything wrong: no spread to hold a difference against
        return ZTest(difference, None, None, systems)
    z = difference / math.sqrt(variance)
    return ZTest(difference, z, min(1.0, systems * math.erfc(abs(z) / math.sqrt(2))), systems)


def _counts(*pairs: tuple[float, float]) -> None:
    for right, n in pairs:
        if not (n > 0 and 0 <= right <= n):
            raise UsageError(f"{right} right of {n}: expected a number from 0 to n, and n above 0")


def _probabilities(family: Sequence[float]) -> None:
    wrong = [p for p in family if not 0 <= p <= 1]
    if wrong:
        raise UsageError(f"not a p-value: {wrong[0]}; leave undefined tests out of the family")
