"""How alike two or more systems answer (STAT-14 to STAT-16): shared and own successes, correlation, ensemble, kappa.

What is right is decided elsewhere; here an outcome is a number from 0 to 1 for each mention, in the same order for all;
`weights` say what each mention counts for, one unless given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkassay.errors import UsageError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Overlap:
    """Two systems on n mentions. With expected scores, `both` is the sum of the smaller; the rest follows from it."""

    n: float
    both: float
    only_first: float
    only_second: float
    neither: float
    correlation: float | None  # phi for right or wrong, Pearson's for expected scores; None if one never varies


@dataclass(frozen=True)
class Oracle:
    """The best ensemble of some systems: for each mention, the system that answers it best."""

    n: float
    value: float | None  # share right
    none_right: float  # number of mentions no system gets right


def overlap(first: ArrayLike, second: ArrayLike, weights: ArrayLike | None = None) -> Overlap:
    """What two systems have in common and what only one gets right.

    >>> overlap([1, 1, 0, 0], [1, 0, 0, 0])
    Overlap(n=4, both=1.0, only_first=1.0, only_second=0.0, neither=2.0, correlation=0.5773502691...)
    """
    a, b = outcomes = _outcomes((first, second))
    w, smaller, larger = _weights(weights, outcomes), np.minimum(a, b), np.maximum(a, b)
    n = w.sum().item()
    correlation = float(pearson([n, (w * a).sum(), (w * b).sum(), (w * a) @ a, (w * b) @ b, (w * a) @ b]))
    both, first_, second_, neither = (float((w * x).sum()) for x in (smaller, a - smaller, b - smaller, 1 - larger))
    return Overlap(n, both, first_, second_, neither, None if np.isnan(correlation) else correlation)


def oracle(systems: ArrayLike, weights: ArrayLike | None = None) -> Oracle:
    """Best possible ensemble, from outcomes as systems × mentions: the mean of the best outcome of each mention.

    >>> oracle([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]])
    Oracle(n=4, value=0.5, none_right=2.0)
    """
    outcomes = _outcomes(systems)
    if not len(outcomes):
        raise UsageError("an ensemble needs at least one system")
    best, w = outcomes.max(axis=0), _weights(weights, outcomes)
    n = w.sum().item()
    return Oracle(n, float((w * best).sum()) / n if n else None, float((w * (1 - best)).sum()))


def pearson(sums: ArrayLike) -> Floats:
    """Pearson's correlation from (…, 6) sums: n, Σa, Σb, Σa², Σb², Σab; NaN if a or b never varies.

    The sums add over documents, so `intervals.estimates` gives its interval. Of outcomes 0 and 1 it is phi (STAT-15).
    """
    n, a, b, aa, bb, ab = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    spread_a, spread_b = n * aa - a * a, n * bb - b * b
    # What is left of a constant after rounding is no variation.
    varies = (spread_a > 1e-12 * n * aa) & (spread_b > 1e-12 * n * bb)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (n * ab - a * b) / np.sqrt(spread_a * spread_b)
    return np.where(varies, np.clip(r, -1, 1), np.nan)


def cohen_kappa(confusion: ArrayLike) -> Floats:
    """Cohen's kappa of (…, K, K) confusion counts, any number of classes; NaN if chance alone must agree (STAT-18).

    The counts add over documents, so `intervals.estimates` gives its interval.

    >>> round(float(cohen_kappa([[20, 5], [10, 15]])), 3)
    0.4
    """
    counts = np.asarray(confusion, dtype=np.float64)
    if counts.ndim < 2 or counts.shape[-1] != counts.shape[-2]:
        raise UsageError("kappa needs a square table: the same classes on both sides")
    n = counts.sum(axis=(-2, -1))
    agreed = n * np.trace(counts, axis1=-2, axis2=-1)
    chance = (counts.sum(axis=-1) * counts.sum(axis=-2)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n * n > chance, (agreed - chance) / (n * n - chance), np.nan)


def _weights(given: ArrayLike | None, outcomes: Floats) -> NDArray[Any]:
    size = outcomes.shape[1]
    weights = np.ones(size, dtype=np.int64) if given is None else np.asarray(given)
    if weights.shape != (size,) or not (weights >= 0).all():
        raise UsageError("expected one weight for each mention, none below 0")
    return weights


def _outcomes(systems: ArrayLike | tuple[ArrayLike, ArrayLike]) -> Floats:
    try:
        outcomes = np.asarray(systems, dtype=np.float64)
    except ValueError:  # rows of different length
        raise UsageError("systems must be compared on the same mentions, one outcome for each") from None
    if outcomes.ndim != 2 or not ((outcomes >= 0) & (outcomes <= 1)).all():
        raise UsageError("expected systems × mentions, each outcome from 0 (wrong) to 1 (right)")
    return outcomes
