"""Intervals by bootstrap over documents, against the loop one would write with NumPy; the two must agree."""

from __future__ import annotations

import statistics
import time

import numpy as np

from bench.table import Row, row
from linkassay.scoring.statistics.bootstrap import ratios

SYSTEMS, MENTIONS, RESAMPLES = 5, 40_000, 10_000


def loop(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Straightforward: draw the documents, pick their sums, add them up, divide; (systems × low, high)."""
    random, documents = np.random.default_rng(1), len(n)
    values = np.empty((RESAMPLES, len(right)))
    for resample in range(RESAMPLES):
        drawn = random.integers(0, documents, documents)
        values[resample] = right[:, drawn].sum(1) / n[drawn].sum()
    return np.percentile(values, [2.5, 97.5], axis=0).T


def ours(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The same from the library."""
    pairs = [(system, len(right)) for system in range(len(right))]
    return np.array([(e.low, e.high) for e in ratios([np.vstack([right, n]).T], pairs, RESAMPLES)])


def corpus(documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Mentions right in each document (systems × documents), and mentions in each; documents differ in difficulty."""
    random = np.random.default_rng(documents)
    n = random.multinomial(MENTIONS, random.dirichlet(np.full(documents, 3.0)))
    ease = random.beta(6, 2, documents)
    return random.binomial(n, np.linspace(0.7, 1, SYSTEMS)[:, None] * ease).astype(float), n.astype(float)


def rows() -> list[Row]:
    """Bootstrap over documents (SPEED-3), for few long and for many short documents."""
    found = []
    for documents in (500, 4_000):
        right, n = corpus(documents)
        taken: dict[str, list[float]] = {"loop": [], "ours": []}
        for _ in range(3):  # in turns, so that a busy moment of the machine meets both
            for name, work in (("loop", loop), ("ours", ours)):
                begin = time.perf_counter()
                intervals = work(right, n)
                taken[name].append(time.perf_counter() - begin)
                if name == "loop":
                    reference = intervals
        theirs, mine = (statistics.median(taken[name]) for name in ("loop", "ours"))
        # An end of 10 000 resamples is known to about 0.027 standard errors, two differ by 0.04; four times that.
        width = (reference[:, 1] - reference[:, 0])[:, None] / 3.92
        off = float((np.abs(intervals - reference) / width).max())
        what = f"bootstrap 10 000 × {SYSTEMS} systems × 40 k mentions, {documents} documents"
        found.append(row(what, mine, "s", 5, True, yardstick=theirs, against="NumPy loop"))
        found.append(row("bootstrap: largest distance of interval ends", off, "standard errors", 0.16))
    return found
