"""Intervals and resamples over documents, against the bootstrap loop one would write with NumPy; all must agree."""

from __future__ import annotations

import statistics
import time

import numpy as np

from bench.table import Row, row
from linkassay.scoring.statistics.bootstrap import resampled_sums
from linkassay.scoring.statistics.intervals import ratios

SYSTEMS, MENTIONS, RESAMPLES = 5, 40_000, 10_000


def loop(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Straightforward: draw the documents, pick their sums, add them up, divide; (systems × low, high)."""
    random, documents = np.random.default_rng(1), len(n)
    values = np.empty((RESAMPLES, len(right)))
    for resample in range(RESAMPLES):
        drawn = random.integers(0, documents, documents)
        values[resample] = right[:, drawn].sum(1) / n[drawn].sum()
    return np.percentile(values, [2.5, 97.5], axis=0).T


def drawn(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The same from the library's resamples, which its p-values are made of (STAT-19)."""
    sums = np.concatenate(list(resampled_sums(np.vstack([right, n]).T, RESAMPLES)))
    return np.percentile(sums[:, :-1] / sums[:, -1:], [2.5, 97.5], axis=0).T


def computed(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The library's intervals, which draw nothing (STAT-1)."""
    pairs = [(system, len(right)) for system in range(len(right))]
    return np.array([(e.low, e.high) for e in ratios([np.vstack([right, n]).T], pairs)])


def corpus(documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Mentions right in each document (systems × documents), and mentions in each; documents differ in difficulty."""
    random = np.random.default_rng(documents)
    n = random.multinomial(MENTIONS, random.dirichlet(np.full(documents, 3.0)))
    ease = random.beta(6, 2, documents)
    return random.binomial(n, np.linspace(0.7, 1, SYSTEMS)[:, None] * ease).astype(float), n.astype(float)


def rows() -> list[Row]:
    """Intervals and resamples over documents (SPEED-3), for few long and for many short documents."""
    found = []
    ways = {"loop": loop, "bootstrap 10 000 ×": drawn, "intervals of": computed}
    for documents in (500, 4_000):
        right, n = corpus(documents)
        taken: dict[str, list[float]] = {name: [] for name in ways}
        ends: dict[str, np.ndarray] = {}
        for _ in range(3):  # in turns, so that a busy moment of the machine meets all
            for name, work in ways.items():
                begin = time.perf_counter()
                ends[name] = work(right, n)
                taken[name].append(time.perf_counter() - begin)
        seconds = {name: statistics.median(each) for name, each in taken.items()}
        reference = ends["loop"]
        # An end of 10 000 resamples is known to about 0.027 standard errors, two differ by 0.04; four times that.
        width = (reference[:, 1] - reference[:, 0])[:, None] / 3.92
        for name, target in (("bootstrap 10 000 ×", 5), ("intervals of", 10)):
            off = float((np.abs(ends[name] - reference) / width).max())
            what = f"{name} {SYSTEMS} systems × 40 k mentions, {documents} documents"
            found.append(row(what, seconds[name], "s", target, True, yardstick=seconds["loop"], against="NumPy loop"))
            found.append(row(f"{name.split()[0]}: largest distance of interval ends", off, "standard errors", 0.16))
    return found
