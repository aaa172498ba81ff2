"""How sure a figure is: intervals and p-values of differences by bootstrap over documents (STAT-1 to STAT-3).

It takes additive sums per document.

Nothing here knows mentions, runs or measures: rows are documents, columns are whatever adds up over them. Which of two
systems is better is asked in `significance`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkassay.defaults import RESAMPLES, RESAMPLES_COMPARED
from linkassay.errors import UsageError

Floats = NDArray[np.float64]

SEED = 20_231_101
LEVEL = 0.95
#: Resamples handed out at once; with `CELLS` this bounds memory, whatever the number of documents and resamples.
STEP = 1_000
#: Drawn documents counted at once: small enough to stay in cache, and below what BLAS would spread over threads.
CELLS = 1 << 16
#: Differences of ratios below this are rounding, and count as none.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Estimate:
    """A figure with its percentile interval; None where it is undefined or documents say too little."""

    value: float | None
    low: float | None
    high: float | None
    resamples: int  # those in which the figure is defined: what the interval rests on


@dataclass(frozen=True)
class Difference(Estimate):
    """First minus second. p, two-sided: twice the smaller share of resamples on either side of 0 (STAT-5)."""

    p: float | None


def ratios(
    corpora: Sequence[ArrayLike],
    pairs: Sequence[tuple[int, int]],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = LEVEL,
) -> list[Estimate]:
    """Each (numerator, denominator) pair of columns as a ratio of sums; over several corpora, the mean of their ratios.

    All pairs see the same resamples; a ratio's interval does not depend on what else is asked for. Resamples in which
    a denominator is 0 are left out. Fewer than two documents with a denominator, in any corpus, say nothing of how
    much documents differ: then there is no interval (STAT-2).

    >>> ratios([[[1, 2], [2, 2], [0, 4]]], [(0, 1)])[0].value
    0.375
    """
    tables = _tables(corpora)
    right, all_ = _columns(tables, pairs, 2)
    points, drawn = _distribution(_macro_ratio(right, all_), tables, resamples, seed, _supported(tables, all_))
    return [
        Estimate(_number(point), *_percentiles(values, level), len(values))
        for point, values in zip(points, drawn, strict=True)
    ]


def differences(
    corpora: Sequence[ArrayLike],
    pairs: Sequence[tuple[int, int, int, int]],
    resamples: int = RESAMPLES_COMPARED,
    seed: int = SEED,
    level: float = LEVEL,
) -> list[Difference]:
    """Each (numerator, denominator, other numerator, other denominator) as a difference of two ratios.

    Paired: both ratios come from the same resample, so two systems on the same documents, or a slice and the whole or
    the rest it is cut from, are compared as they vary together. Otherwise as `ratios`.

    >>> differences([[[1, 1, 2], [2, 0, 2], [1, 1, 4]]], [(0, 2, 1, 2)])[0].value
    0.25
    """
    tables = _tables(corpora)
    right, all_, other, of = _columns(tables, pairs, 4)
    first, second = _macro_ratio(right, all_), _macro_ratio(other, of)
    points, drawn = _distribution(
        lambda *sums: first(*sums) - second(*sums),
        tables, resamples, seed, _supported(tables, all_) & _supported(tables, of),
    )  # fmt: skip
    return [
        Difference(_number(point), *_percentiles(values, level), len(values), _two_sided(values))
        for point, values in zip(points, drawn, strict=True)
    ]


def estimates(
    function: Callable[..., ArrayLike],
    corpora: Sequence[ArrayLike],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = LEVEL,
) -> list[Estimate]:
    """Any figures that are functions of sums, such as F1, or a micro average over corpora.

    `function` gets one array (some resamples × columns) for each corpus and answers one figure per resample, or a row
    of figures; NaN where undefined. There is no interval if a corpus has fewer than two documents that are not all 0.

    >>> f1 = lambda s: 2 * s[:, 0] / (2 * s[:, 0] + s[:, 1] + s[:, 2])  # true positives, false ones, missed
    >>> estimates(f1, [[[2, 0, 1], [1, 1, 0]]])[0].value
    0.75
    """
    tables = _tables(corpora)
    enough = all(np.count_nonzero(table.any(axis=1)) >= 2 for table in tables)
    points, drawn = _distribution(function, tables, resamples, seed, np.array(enough))
    return [
        Estimate(_number(point), *_percentiles(values, level), len(values))
        for point, values in zip(points, drawn, strict=True)
    ]


def paired(
    function: Callable[..., ArrayLike],
    corpora: Sequence[ArrayLike],
    pairs: Sequence[tuple[int, int]],
    resamples: int = RESAMPLES_COMPARED,
    seed: int = SEED,
    level: float = LEVEL,
) -> list[Difference]:
    """Differences of figures that are functions of sums: each (first, second) of what `function` answers in a row.

    Both come from the same resample, as in `differences`; `function` is as in `estimates`.

    >>> f1s = lambda s: 2 * s[:, [0, 3]] / (2 * s[:, [0, 3]] + s[:, [1, 4]] + s[:, [2, 5]])  # of two systems
    >>> paired(f1s, [[[2, 0, 1, 1, 0, 2], [1, 1, 0, 1, 1, 0]]], [(0, 1)])[0].value
    0.1785714285...
    """
    tables = _tables(corpora)
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T

    def apart(*sums: Floats) -> Floats:
        found = _figures(function, sums)
        return found[:, first] - found[:, second]

    enough = all(np.count_nonzero(table.any(axis=1)) >= 2 for table in tables)
    points, drawn = _distribution(apart, tables, resamples, seed, np.array(enough))
    return [
        Difference(_number(point), *_percentiles(values, level), len(values), _two_sided(values))
        for point, values in zip(points, drawn, strict=True)
    ]


def resampled_sums(columns: ArrayLike, resamples: int, seed: int = SEED, corpus: int = 0) -> Iterator[Floats]:
    """Sums of the columns over documents drawn with replacement, in blocks of at most `STEP` resamples × columns.

    The draws depend on the seed, the place of the corpus among several, and the number of documents, nothing else: the
    first resamples of many are the resamples of few, and a column's sums do not depend on the other columns. They are
    of rows, so they follow the order of the documents: give these in one fixed order, such as sorted by id.
    """
    (table,) = _tables([columns])
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


def _distribution(
    function: Callable[..., ArrayLike], tables: list[Floats], resamples: int, seed: int, enough: NDArray[np.bool_]
) -> tuple[Floats, list[Floats]]:
    """Figures of the documents as they are, and each one's values in the resamples where it is defined."""
    points = _figures(function, [table.sum(axis=0, keepdims=True) for table in tables])[0]
    drawn = np.empty((len(points), 0))
    wanted = np.broadcast_to(enough, points.shape)
    if wanted.any():
        streams = [resampled_sums(table, resamples, seed, corpus) for corpus, table in enumerate(tables)]
        drawn = np.concatenate([_figures(function, sums).T for sums in zip(*streams, strict=True)], axis=1)
    return points, [row[~np.isnan(row)] if keep else row[:0] for row, keep in zip(drawn, wanted, strict=True)]


def _figures(function: Callable[..., ArrayLike], sums: Iterable[Floats]) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        figures = np.asarray(function(*sums), dtype=np.float64)
    return figures[:, None] if figures.ndim == 1 else figures


def _macro_ratio(right: NDArray[np.intp], all_: NDArray[np.intp]) -> Callable[..., Floats]:
    def of(*sums: Floats) -> Floats:
        each = [np.where(s[:, all_] > 0, s[:, right] / s[:, all_], np.nan) for s in sums]
        return np.mean(each, axis=0)  # type: ignore[no-any-return]

    return of


def _supported(tables: list[Floats], denominators: NDArray[np.intp]) -> NDArray[np.bool_]:
    documents = [np.count_nonzero(table, axis=0)[denominators] for table in tables]
    return np.min(documents, axis=0) >= 2  # type: ignore[no-any-return]


def _percentiles(values: Floats, level: float) -> tuple[float | None, float | None]:
    if len(values) < 2:
        return None, None
    low, high = np.percentile(values, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)


def _two_sided(values: Floats) -> float | None:
    if len(values) < 2:
        return None
    below, above = int((values <= ROUNDING).sum()), int((values >= -ROUNDING).sum())
    return min(1.0, 2 * (1 + min(below, above)) / (1 + len(values)))


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _tables(corpora: Sequence[ArrayLike]) -> list[Floats]:
    tables = [np.ascontiguousarray(corpus, dtype=np.float64) for corpus in corpora]
    if not tables:
        raise UsageError("no corpus to resample")
    for number, table in enumerate(tables):
        if table.ndim != 2:
            raise UsageError(f"corpus {number}: expected documents × columns, found {table.ndim} dimension(s)")
        if not np.isfinite(table).all():
            bad = np.argwhere(~np.isfinite(table))[0][0]
            raise UsageError(f"corpus {number}: a sum of document {bad} is no finite number")
    return tables


def _columns(tables: list[Floats], pairs: Sequence[tuple[int, ...]], width: int) -> NDArray[np.intp]:
    """The first, second… of all pairs, after a look whether these columns exist."""
    columns = np.array(pairs, dtype=np.intp).reshape(-1, width)
    if columns.size and not (columns.min() >= 0 and columns.max() < min(table.shape[1] for table in tables)):
        raise UsageError(f"columns {columns.min()} to {columns.max()} asked for; a corpus has fewer")
    return columns.T
