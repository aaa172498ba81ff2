"""The p-value of a difference by bootstrap over documents (STAT-19): documents are drawn anew, for both at once.

It takes additive sums per document; rows are documents, columns are whatever adds up over them. Intervals are made
without drawing, in `intervals`; which of two systems is better is asked in `significance`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkassay.defaults import RESAMPLES_COMPARED
from linkassay.errors import UsageError
from linkassay.scoring.statistics.intervals import checked, columns, figures_of

Floats = NDArray[np.float64]

SEED = 20_231_101
#: Resamples handed out at once; with `CELLS` this bounds memory, whatever the number of documents and resamples.
STEP = 1_000
#: Drawn documents counted at once: small enough to stay in cache, and below what BLAS would spread over threads.
CELLS = 1 << 16
#: Differences of ratios below this are rounding, and count as none.
ROUNDING = 1e-12


def drawn_differences(
    corpora: Sequence[ArrayLike],
    pairs: Sequence[tuple[int, int, int, int]],
    resamples: int = RESAMPLES_COMPARED,
    seed: int = SEED,
) -> list[float | None]:
    """Of each (numerator, denominator, other numerator, other denominator) how likely its two ratios differ by chance.

    Over several corpora of the difference of the means of their ratios. Resamples in which a denominator is 0 are left
    out; there is no test where fewer than two documents of a corpus have a denominator (STAT-2).

    >>> drawn_differences([[[1, 1, 2], [2, 2, 2], [1, 1, 4]]], [(0, 2, 1, 2)])
    [1.0]
    """
    tables = checked(corpora)
    right, all_, other, of = columns(tables, pairs, 4)

    def apart(*sums: Floats) -> Floats:
        each = [np.where((s[:, all_] > 0) & (s[:, of] > 0), s[:, right] / s[:, all_] - s[:, other] / s[:, of], np.nan)
                for s in sums]  # fmt: skip
        return np.mean(each, axis=0)  # type: ignore[no-any-return]

    counted = np.min([np.count_nonzero(table, axis=0) for table in tables], axis=0)
    return _drawn(apart, tables, resamples, seed, np.minimum(counted[all_], counted[of]) >= 2)


def drawn_pairs(
    function: Callable[..., ArrayLike],
    corpora: Sequence[ArrayLike],
    pairs: Sequence[tuple[int, int]],
    resamples: int = RESAMPLES_COMPARED,
    seed: int = SEED,
) -> list[float | None]:
    """The same for figures that are functions of sums: each (first, second) of what `function` answers in a row.

    `function` gets one array (some resamples × columns) for each corpus, and answers a row of figures for each; NaN
    where undefined. There is no test if a corpus has fewer than two documents that are not all 0.
    """
    tables = checked(corpora)
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T

    def apart(*sums: Floats) -> Floats:
        found = figures_of(function, sums)
        return found[:, first] - found[:, second]

    enough = all(np.count_nonzero(table.any(axis=1)) >= 2 for table in tables)
    return _drawn(apart, tables, resamples, seed, np.full(len(first), enough))


def resampled_sums(columns: ArrayLike, resamples: int, seed: int = SEED, corpus: int = 0) -> Iterator[Floats]:
    """Sums of the columns over documents drawn with replacement, in blocks of at most `STEP` resamples × columns.

    The draws depend on the seed, the place of the corpus among several, and the number of documents, nothing else: the
    first resamples of many are the resamples of few, and a column's sums do not depend on the other columns. They are
    of rows, so they follow the order of the documents: give these in one fixed order, such as sorted by id.
    """
    (table,) = checked([columns])
    documents = len(table)
    if not documents or resamples < 1:
        raise UsageError(f"{resamples} resamples of {documents} documents: expected at least one of each")
    random = np.random.default_rng([seed, corpus])
    kind = np.uint16 if documents <= 1 << 16 else np.uint32
    rows = max(1, CELLS // documents)
    shift = np.arange(rows, dtype=np.intp)[:, None] * documents
    for begin in range(0, resamples, STEP):
        size = min(STEP, resamples - begin)
        sums = np.empty((size, table.shape[1]))
        for row in range(0, size, rows):
            # How often each resample has each document: true multinomial counts, several times faster than asking
            # NumPy for these, and one product with them sums all columns.
            part = min(rows, size - row)
            drawn = random.integers(0, documents, (part, documents), dtype=kind) + shift[:part]
            counts = np.bincount(drawn.ravel(), minlength=part * documents).reshape(part, documents)
            np.matmul(counts.astype(np.float64), table, out=sums[row : row + part])
        yield sums


def _drawn(
    function: Callable[..., ArrayLike], tables: list[Floats], resamples: int, seed: int, enough: NDArray[np.bool_]
) -> list[float | None]:
    """P of each figure of a function that is 0 where two are alike."""
    if not enough.any():
        return [None] * len(enough)
    streams = [resampled_sums(table, resamples, seed, corpus) for corpus, table in enumerate(tables)]
    values = np.concatenate([figures_of(function, sums).T for sums in zip(*streams, strict=True)], axis=1)
    return [_two_sided(row[~np.isnan(row)]) if keep else None for row, keep in zip(values, enough, strict=True)]


def _two_sided(values: Floats) -> float | None:
    """Twice the smaller share of resamples on either side of 0."""
    if len(values) < 2:
        return None
    below, above = int((values <= ROUNDING).sum()), int((values >= -ROUNDING).sum())
    return min(1.0, 2 * (1 + min(below, above)) / (1 + len(values)))
