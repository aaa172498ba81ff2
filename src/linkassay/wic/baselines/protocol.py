"""What a baseline is, and the one way it is run: fitted on train and dev, then asked without labels (WIC-23)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkassay.errors import UsageError
from linkassay.wic.pair_files import TermPair

Floats = NDArray[np.floating[Any]]


class Baseline(Protocol):
    """Scores pairs of terms in context: at least `cut` means the same."""

    cut: float

    def fit(self, train: Sequence[TermPair], dev: Sequence[TermPair]) -> None:
        """Learn what there is to learn from train, and the cut from dev."""

    def scores(self, pairs: Sequence[TermPair]) -> Floats:
        """The higher, the more alike. Labels must not be looked at: they are hidden."""


@dataclass(frozen=True)
class Predicted:
    """What a baseline said of each pair, and the cut it had from dev."""

    labels: NDArray[np.bool_]
    scores: Floats
    cut: float


def run_baseline(
    baseline: Baseline, train: Sequence[TermPair], dev: Sequence[TermPair], test: Sequence[TermPair]
) -> Predicted:
    """Fit, then predict; test is shown only when everything is decided, and without labels."""
    baseline.fit(train, dev)
    scores = np.asarray(baseline.scores([blind(pair) for pair in test]), dtype=np.float64)
    return Predicted(scores >= baseline.cut, scores, baseline.cut)


def blind(pair: TermPair) -> TermPair:
    """The pair as a system may see it: without label, group, and all that would tell the label."""
    return TermPair(pair.term1, pair.term2, pair.sentence1, pair.sentence2, pair.span1, pair.span2, "", False)


def threshold(scores: ArrayLike, labels: ArrayLike) -> float:
    """The cut with the best accuracy, half-way between two scores; the lowest of the best ones.

    >>> threshold([0.1, 0.3, 0.4, 0.8], [False, False, True, True])
    0.35
    """
    values = np.asarray(scores, dtype=np.float64)
    right = np.asarray(labels, dtype=bool)
    if not len(values):
        return 0.5
    distinct, place = np.unique(values, return_inverse=True)
    true = np.bincount(place, right, len(distinct))
    false = np.bincount(place, ~right, len(distinct))
    # Right if everything from the n-th distinct score on is called the same.
    correct = np.concatenate([[0.0], np.cumsum(false)]) + true.sum() - np.concatenate([[0.0], np.cumsum(true)])
    best = int(np.argmax(correct))
    if best == 0:
        return float(distinct[0])
    if best == len(distinct):
        return float(np.nextafter(distinct[-1], np.inf))
    return float((distinct[best - 1] + distinct[best]) / 2)


def needs(pairs: Sequence[TermPair], what: str, why: str) -> None:
    """Refuse to go on without some pairs."""
    if not pairs:
        raise UsageError(f"no pairs in {what}: {why}")
