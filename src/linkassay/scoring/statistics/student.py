"""Student's t for any degrees of freedom, whole or not, many at once: its tails and its quantiles."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: Terms of the continued fraction, and steps of Newton's method: far more than either ever takes.
_TERMS = 300
_STEPS = 60
_TINY = 1e-300


def two_sided(t: ArrayLike, df: ArrayLike) -> Floats:
    """How likely so large a t is, of either sign.

    >>> two_sided([0.0, 2.0, 12.706204736], [5, 10, 1]).round(6).tolist()
    [1.0, 0.073388, 0.05]
    """
    t, df = np.broadcast_arrays(np.asarray(t, dtype=np.float64), np.asarray(df, dtype=np.float64))
    return _incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t))


def quantile(level: float, df: ArrayLike) -> Floats:
    """The t that is larger than this share of all, signs aside.

    >>> quantile(0.95, [1, 2, 24, 1e9]).round(4).tolist()
    [12.7062, 4.3027, 2.0639, 1.96]
    """
    different, at = np.unique(np.asarray(df, dtype=np.float64), return_inverse=True)
    # Newton from the normal quantile, which is below every other: tails fall ever more slowly, so that no step
    # goes too far.
    t, done = np.full(len(different), NormalDist().inv_cdf((1 + level) / 2)), np.zeros(len(different), dtype=bool)
    constant = _log_gamma((different + 1) / 2) - _log_gamma(different / 2) - np.log(different * math.pi) / 2
    for _ in range(_STEPS):
        density = np.exp(constant - (different + 1) / 2 * np.log1p(t * t / different))
        step = (two_sided(t, different) - (1 - level)) / (2 * density)
        t = np.where(done, t, t + step)  # what is found stays, whatever the others take
        done |= np.abs(step) <= 1e-12 * t
        if done.all():
            break
    return t[at].reshape(np.shape(df))


def _incomplete_beta(a: Floats, b: float, x: Floats, rest: Floats) -> Floats:
    """The regularised incomplete beta function at x, `rest` being 1 − x; by its continued fraction."""
    turned = x > (a + 1) / (a + b + 2)  # where it converges slowly, and fast from the other side
    first, second = np.where(turned, b, a), np.where(turned, a, b)
    at, other = np.where(turned, rest, x), np.where(turned, x, rest)
    with np.errstate(divide="ignore"):
        logs = first * np.log(at) + second * np.log(other)
    front = np.exp(_log_gamma(a + b) - _log_gamma(a) - math.lgamma(b) + logs) / first
    found = front * _fraction(first, second, at)
    return np.asarray(np.where(turned, 1 - found, found))


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """Lentz's method, modified so that nothing is divided by 0."""
    c = np.ones(x.shape)
    d = 1 / _away(1 - (a + b) * x / (a + 1))
    found, done = d.copy(), np.zeros(x.shape, dtype=bool)
    for term in range(1, _TERMS):
        even = term * (b - term) * x / ((a + 2 * term - 1) * (a + 2 * term))
        odd = -(a + term) * (a + b + term) * x / ((a + 2 * term) * (a + 2 * term + 1))
        for part in (even, odd):
            d = 1 / _away(1 + part * d)
            c = _away(1 + part / c)
            found = np.where(done, found, found * c * d)
        done |= np.abs(c * d - 1) < 1e-15
        if done.all():
            break
    return found


def _away(value: Floats) -> Floats:
    return np.where(np.abs(value) < _TINY, _TINY, value)


def _log_gamma(value: Floats) -> Floats:
    different, at = np.unique(value, return_inverse=True)
    return np.array([math.lgamma(each) for each in different.tolist()])[at].reshape(value.shape)
