"""Intervals over documents against a NumPy loop of the same method, and resamples against a loop that draws them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from bench.measure import Row, Taken, Target, alternate, faster, row
from linkassay.scoring.statistics.bootstrap import resampled_sums
from linkassay.scoring.statistics.intervals import ratios
from linkassay.scoring.statistics.student import quantile

SYSTEMS, MENTIONS, RESAMPLES = 5, 40_000, 10_000


def computed(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The library's intervals (STAT-1); (systems × low, high)."""
    pairs = [(system, len(right)) for system in range(len(right))]
    return np.array([(e.low, e.high) for e in ratios([np.vstack([right, n]).T], pairs)])


def left_out(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """STAT-1 as it is written: each document left out in a loop, what is left added up anew, then its formulas."""
    right, n = right[:, n > 0], n[n > 0]  # documents that have anything in the figure
    m, size = len(n), (n / n.sum()) ** 2
    value = right.sum(1) / n.sum()
    without = np.empty((m, len(right)))
    kept = np.ones(m, dtype=bool)
    for document in range(m):
        kept[document] = False
        without[document] = right[:, kept].sum(1) / n[kept].sum()
        kept[document] = True
    d = without - without.mean(0)
    second, fourth = (d**2).sum(0), (d**4).sum(0)
    freedom = np.minimum(2 * second**2 / (fourth - second**2 / m), m - 1)
    usual, careful = quantile(0.95, np.full(len(right), m - 1.0)) ** 2, quantile(0.95, freedom) ** 2
    trials = value * (1 - value) / (second * (m - 1) / m)
    w = np.maximum(np.minimum(careful / trials, usual * size.sum()), usual / trials)
    half = np.sqrt(w * value * (1 - value) + w**2 / 4)
    return np.stack([value + w / 2 - half, value + w / 2 + half], 1) / (1 + w)[:, None]


def resampled(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Percentiles of the library's resamples, which the p-values of paired tests are made of (STAT-19)."""
    sums = np.concatenate(list(resampled_sums(np.vstack([right, n]).T, RESAMPLES)))
    return np.percentile(sums[:, :-1] / sums[:, -1:], [2.5, 97.5], axis=0).T


def drawn(right: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Straightforward: draw the documents, pick their sums, add them up, divide."""
    random, documents = np.random.default_rng(1), len(n)
    values = np.empty((RESAMPLES, len(right)))
    for resample in range(RESAMPLES):
        some = random.integers(0, documents, documents)
        values[resample] = right[:, some].sum(1) / n[some].sum()
    return np.percentile(values, [2.5, 97.5], axis=0).T


def corpus(documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Mentions right in each document (systems × documents), and mentions in each; documents differ in difficulty."""
    random = np.random.default_rng(documents)
    n = random.multinomial(MENTIONS, random.dirichlet(np.full(documents, 3.0)))
    ease = random.beta(6, 2, documents)
    return random.binomial(n, np.linspace(0.7, 1, SYSTEMS)[:, None] * ease).astype(float), n.astype(float)


Way = Callable[[np.ndarray, np.ndarray], np.ndarray]


def taken(work: Way, right: np.ndarray, n: np.ndarray, times: int) -> Taken:
    """CPU seconds of one of so many times in a row: what is over in a moment is done often."""
    begin, begun = time.process_time(), time.perf_counter()
    for _ in range(times):
        ends = work(right, n)
    return Taken((time.process_time() - begin) / times, (time.perf_counter() - begun) / times, 0, ends)


def turns(documents: int, ways: Mapping[Way, int], rounds: int) -> dict[str, list[Taken]]:
    """Some ways in turns."""
    right, n = corpus(documents)
    sides = {way.__name__: lambda w=way, t=times: taken(w, right, n, t) for way, times in ways.items()}
    return alternate(f"intervals, {documents} documents", rounds, sides)


def rows() -> list[Row]:
    """Intervals and resamples over documents (SPEED-3), for few long and for many short documents."""
    found = []
    for documents in (500, 4_000):
        got = turns(documents, {computed: 20, left_out: 1, resampled: 1, drawn: 1}, 3)
        ends = {name: each[0].said for name, each in got.items()}
        # An end of 10 000 resamples is known to about 0.027 standard errors, two differ by 0.04; four times that.
        error = (ends["drawn"][:, 1] - ends["drawn"][:, 0])[:, None] / 3.92
        same = Target("off", 1e-9, value=float(np.abs(ends["computed"] - ends["left_out"]).max()))
        near = Target(
            "standard errors off", 0.16, value=float((np.abs(ends["resampled"] - ends["drawn"]) / error).max())
        )
        of = f"{SYSTEMS} systems × 40 k mentions, {documents} documents (inner function)"
        found += [
            row(f"intervals.ratios: intervals of {of}", got["computed"], *([faster(10)] if documents == 4_000 else []),
                same, peer=got["left_out"], against="NumPy loop of the same"),
            row(f"bootstrap.resampled_sums: 10 000 resamples of {of}", got["resampled"], faster(5), near,
                peer=got["drawn"], against="NumPy loop that draws"),
        ]  # fmt: skip
    return found


def quick_rows() -> list[Row]:
    """For the guard."""
    got = turns(4_000, {computed: 20, left_out: 1}, 5)
    return [row("intervals.ratios: 4 000 documents", got["computed"], peer=got["left_out"], against="NumPy loop")]
