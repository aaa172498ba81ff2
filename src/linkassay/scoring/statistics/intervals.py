"""How sure a figure is: its interval, and the p-value of a difference (STAT-1 to STAT-5).

Documents are left out one by one (jackknife): how far each moves the figure tells how far off it may be.

It takes additive sums per document. Nothing here knows mentions, runs or measures: rows are documents, columns are
whatever adds up over them. Nothing is drawn at random, and neither the order of documents nor what else is asked for
matters: the same sums have the same interval everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkassay.errors import UsageError
from linkassay.scoring.statistics.student import quantile, two_sided

Floats = NDArray[np.float64]
#: Documents × figures: how far leaving each out moves each, and what each is made of in it (0: nothing).
Block = tuple[Floats, Floats]

LEVEL = 0.95
#: Documents looked at together: bounds memory. Always as many, so that a figure's sums are added up in one order.
BLOCK = 512
#: What a document moves a figure by, below this, is rounding.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval; None where it is undefined or documents say too little."""

    value: float | None
    low: float | None
    high: float | None
    documents: int  # that have anything in it: what the interval rests on


@dataclass(frozen=True)
class Difference(Estimate):
    """First minus second, and p, two-sided: how likely one as large would be, were there none (STAT-5)."""

    p: float | None


def ratios(corpora: Sequence[ArrayLike], pairs: Sequence[tuple[int, int]], level: float = LEVEL) -> list[Estimate]:
    """Each (numerator, denominator) pair of columns as a ratio of sums; over several corpora, the mean of their ratios.

    Fewer than two documents with a denominator, in any corpus, say nothing of how much documents differ: then there is
    no interval (STAT-2). A ratio whose numerator is in no document below 0 or above its denominator is a share.

    >>> ratios([[[1, 2], [2, 2], [0, 4]]], [(0, 1)])[0].value
    0.375
    """
    tables = checked(corpora)
    right, all_ = columns(tables, pairs, 2)
    points = [_ratio(total(table), right, all_) for table in tables]
    known = _Known.of(_Moves.of(_of_ratios(table, right, all_, len(tables)), len(right)) for table in tables)
    share = np.all([_within(table, right, all_) for table in tables], axis=0)
    return _estimates(np.mean(points, axis=0), known, share, level)


def differences(
    corpora: Sequence[ArrayLike], pairs: Sequence[tuple[int, int, int, int]], level: float = LEVEL
) -> list[Difference]:
    """Each (numerator, denominator, other numerator, other denominator) as a difference of two ratios.

    Paired: a document is left out of both, so two systems on the same documents, or a slice and the whole or the rest
    it is cut from, are compared as they vary together. Otherwise as `ratios`.

    >>> differences([[[1, 1, 2], [2, 0, 2], [1, 1, 4]]], [(0, 2, 1, 2)])[0].value
    0.25
    """
    tables = checked(corpora)
    right, all_, other, of = columns(tables, pairs, 4)
    points = [_ratio(sums, right, all_) - _ratio(sums, other, of) for sums in map(total, tables)]
    known = _Known.of(
        _Moves.of(_of_both(table, (right, all_), (other, of), len(tables)), len(right)) for table in tables
    )
    enough = np.all([(np.count_nonzero(table, axis=0)[[all_, of]] >= 2).all(axis=0) for table in tables], axis=0)
    share = np.all([_within(table, right, all_) & _within(table, other, of) for table in tables], axis=0)
    return _differences(np.mean(points, axis=0), replace(known, enough=enough), share, level)


def estimates(
    function: Callable[..., ArrayLike],
    corpora: Sequence[ArrayLike],
    sizes: Sequence[ArrayLike] | None = None,
    level: float = LEVEL,
) -> list[Estimate]:
    """Any figures that are functions of sums, such as F1, or a micro average over corpora.

    `function` gets one array (rows of sums × columns) for each corpus and answers one figure per row, or a row of
    figures; NaN where undefined. `sizes` says of each corpus what figures are shares of in each document, as a column
    or as documents × figures; without it they are no shares, and every document counts that is not all 0.

    >>> f1 = lambda s: 2 * s[:, 0] / (2 * s[:, 0] + s[:, 1] + s[:, 2])  # true positives, false ones, missed
    >>> estimates(f1, [[[2, 0, 1], [1, 1, 0]]])[0].value
    0.75
    """
    tables = checked(corpora)
    point = figures_of(function, _totals(tables))[0]
    known = _Known.of(_moves_of_function(function, tables, _sized(tables, sizes, len(point)), point))
    inside = (point >= 0) & (point <= 1)
    return _estimates(point, known, inside & (sizes is not None), level)


def paired(
    function: Callable[..., ArrayLike],
    corpora: Sequence[ArrayLike],
    pairs: Sequence[tuple[int, int]],
    sizes: Sequence[ArrayLike] | None = None,
    level: float = LEVEL,
) -> list[Difference]:
    """Differences of figures that are functions of sums: each (first, second) of what `function` answers in a row.

    A document is left out of both, as in `differences`; `function` and `sizes` are as in `estimates`.

    >>> f1s = lambda s: 2 * s[:, [0, 3]] / (2 * s[:, [0, 3]] + s[:, [1, 4]] + s[:, [2, 5]])  # of two systems
    >>> paired(f1s, [[[2, 0, 1, 1, 0, 2], [1, 1, 0, 1, 1, 0]]], [(0, 1)])[0].value
    0.1785714285...
    """
    tables = checked(corpora)
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    count = len(figures_of(function, _totals(tables))[0])
    each = _sized(tables, sizes, count)
    sized = [size[:, first] + size[:, second] for size in each]
    enough = np.all([np.count_nonzero(size, axis=0) >= 2 for size in each], axis=0)

    def apart(*sums: Floats) -> Floats:
        found = figures_of(function, sums)
        return found[:, first] - found[:, second]

    point = apart(*_totals(tables))[0]
    known = replace(_Known.of(_moves_of_function(apart, tables, sized, point)), enough=enough[first] & enough[second])
    return _differences(point, known, np.full(len(point), sizes is not None), level)


def mean_of_units(
    document: ArrayLike, unit: ArrayLike, total: ArrayLike, n: ArrayLike, level: float = LEVEL
) -> Estimate:
    """The mean over units, such as entities, of the ratio of each unit's sums (STAT-4); rows in any order.

    A unit that only one document has is not in the mean without that document.

    >>> mean_of_units([0, 0, 1], [7, 8, 7], [1, 0, 1], [1, 1, 3]).value
    0.25
    """
    given = [np.asarray(each) for each in (document, unit, total, n)]
    kept = given[3] > 0
    document, unit = (np.unique(each[kept], return_inverse=True)[1] for each in given[:2])
    units = int(unit.max(initial=-1)) + 1
    if not units:
        return Estimate(None, None, None, 0)
    at, where = np.unique(document * units + unit, return_inverse=True)
    x, size = (np.bincount(where, weights=each[kept]) for each in given[2:])
    of, which = at // units, at % units
    total_of, size_of = (np.bincount(which, weights=each) for each in (x, size))
    ratio = total_of / size_of
    point = ratio.mean()
    left = size_of[which] - size
    stays = left > ROUNDING * size_of[which]
    change = np.where(stays, (total_of[which] - x) / np.where(stays, left, 1), 0.0) - ratio[which]
    gone = np.bincount(of, weights=~stays)
    without = (ratio.sum() + np.bincount(of, weights=change)) / np.where(gone < units, units - gone, np.nan)
    weight = np.bincount(of, weights=size / size_of[which]) / units
    moves = _Moves.of(iter([((without - point)[:, None], weight[:, None])]), 1)
    # Mentions of a rare unit weigh more than those of a common one: as many of equal weight would say as much.
    moves = replace(moves, mentions=np.array([units**2 / (1 / size_of).sum()]))
    share = (x >= 0).all() and (x <= size * (1 + ROUNDING)).all()
    return _estimates(np.array([point]), _Known.of([moves]), np.array([share]), level)[0]


@dataclass(frozen=True)
class _Moves:
    """What leaving out each document of one corpus does to some figures."""

    documents: Floats  # that have anything in a figure
    powers: Floats  # 4 × figures: sums of how far it moves, of the square of that, and so on
    mentions: Floats  # how much a share is of
    units: Floats  # documents of the same size that would weigh as these do

    @classmethod
    def of(cls, blocks: Iterable[Block], figures: int) -> _Moves:
        """From all documents, some at a time."""
        documents, sizes, squares = np.zeros((3, figures))
        powers = np.zeros((4, figures))
        for moves, size in blocks:
            inside = size > 0
            documents += inside.sum(axis=0)
            sizes += total(size)
            squares += total(size * size)
            far = np.where(inside & (np.abs(moves) > ROUNDING), moves, 0.0)
            square = far * far
            powers += [total(each) for each in (far, square, square * far, square * square)]
        return cls(documents, powers, sizes, sizes**2 / np.where(squares > 0, squares, np.nan))

    def variance(self) -> tuple[Floats, Floats]:
        """Of each figure its variance, and the degrees of freedom with which that is known (STAT-1).

        As many as documents but one where these move the figure alike, fewer where it hangs on some of them: large
        ones among small ones, or the few that have an error. Where none moves it, as if one did.
        """
        m, (s1, s2, *_) = np.maximum(self.documents, 2), self.powers
        varies = s2 - s1 * s1 / m > 1e-12 * s2  # else all move it alike, but for rounding
        s1, s2, s3, s4 = np.where(varies, self.powers, 1.0)  # one document that moves it by 1 has these sums
        mean = s1 / m
        second = s2 - s1 * mean
        fourth = s4 - 4 * mean * s3 + 6 * mean**2 * s2 - 3 * m * (mean * mean) ** 2
        spread = fourth - second**2 / m
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = np.where(spread > 0, 2 * second**2 / spread, m - 1)
        return np.where(varies, second * (m - 1) / m, 0.0), np.minimum(freedom, m - 1)


@dataclass(frozen=True)
class _Known:
    """How sure some figures are, over one or several corpora."""

    enough: NDArray[np.bool_]  # two documents or more in every corpus
    documents: Floats
    variance: Floats
    freedom: Floats
    most_freedom: Floats
    mentions: Floats
    units: Floats

    @classmethod
    def of(cls, corpora: Iterable[_Moves]) -> _Known:
        """Corpora are independent of each other (STAT-3): variances add."""
        found = list(corpora)
        variances, freedoms = (np.array(each) for each in zip(*(moves.variance() for moves in found), strict=True))
        variance = variances.sum(axis=0)
        each_known = (variances**2 / freedoms).sum(axis=0)
        documents = np.array([moves.documents for moves in found])
        mentions, units = (np.array([getattr(moves, name) for moves in found]) for name in ("mentions", "units"))
        with np.errstate(divide="ignore", invalid="ignore"):
            return cls(
                np.asarray((documents >= 2).all(axis=0)), documents.sum(axis=0), variance,
                np.where(each_known > 0, variance**2 / each_known, freedoms.min(axis=0)), (documents - 1).sum(axis=0),
                *(len(found) ** 2 / (1 / each).sum(axis=0) for each in (mentions, units)),
            )  # fmt: skip

    def only(self, which: NDArray[np.bool_]) -> _Known:
        """Some of the figures."""
        return replace(self, **{each.name: getattr(self, each.name)[which] for each in fields(self)})

    def share(self, value: Floats, level: float) -> tuple[Floats, Floats]:
        """Wilson's interval with as many trials as the variance speaks for: within 0 to 1, never a point (STAT-1)."""
        varies = self.variance > 0
        usual, careful = (quantile(level, df) ** 2 for df in (self.most_freedom, self.freedom))
        trials = np.where(varies, value * (1 - value) / np.where(varies, self.variance, 1), self.mentions)
        # What hangs on few documents is still no less sure than if each document were one trial.
        width = np.maximum(np.minimum(careful / trials, usual / self.units), np.where(varies, usual / trials, 0.0))
        centre, half = value + width / 2, np.sqrt(width * value * (1 - value) + width**2 / 4)
        return np.clip((centre - half) / (1 + width), 0, value), np.clip((centre + half) / (1 + width), value, 1)

    def other(self, value: Floats, level: float) -> tuple[Floats, Floats]:
        """So many standard errors to either side."""
        half = quantile(level, self.freedom) * np.sqrt(self.variance)
        return value - half, value + half

    def of_difference(self, value: Floats) -> _Known:
        """The same for a difference: where all documents agree on it exactly, as sure as their signs are."""
        agreed = (self.variance == 0) & (np.abs(value) > ROUNDING)
        variance = np.where(agreed, value**2 / self.documents, self.variance)
        return replace(self, variance=variance, freedom=np.where(agreed, self.most_freedom, self.freedom))

    def p(self, value: Floats) -> Floats:
        """How likely a difference as large is."""
        some = self.variance > 0
        t = np.where(some, np.abs(value), 0.0) / np.sqrt(np.where(some, self.variance, 1))
        return two_sided(t, self.freedom)


def _estimates(value: Floats, known: _Known, share: NDArray[np.bool_], level: float) -> list[Estimate]:
    low, high = np.full((2, len(value)), np.nan)
    use = known.enough & np.isfinite(value)
    for which, way in ((use & share, _Known.share), (use & ~share, _Known.other)):
        low[which], high[which] = way(known.only(which), value[which], level)
    return [
        Estimate(number(v), number(a), number(b), int(m))
        for v, a, b, m in zip(value, low, high, known.documents, strict=True)
    ]


def _differences(value: Floats, known: _Known, share: NDArray[np.bool_], level: float) -> list[Difference]:
    low, high, p = np.full((3, len(value)), np.nan)
    use = known.enough & np.isfinite(value)
    mine = known.only(use).of_difference(value[use])
    low[use], high[use] = mine.other(value[use], level)
    p[use] = mine.p(value[use])
    low, high = np.where(share, np.maximum(low, -1), low), np.where(share, np.minimum(high, 1), high)
    return [
        Difference(number(v), number(a), number(b), int(m), number(q))
        for v, a, b, m, q in zip(value, low, high, known.documents, p, strict=True)
    ]


def _of_ratios(table: Floats, right: Any, all_: Any, corpora: int) -> Iterator[Block]:
    sums = total(table)
    ratio = _ratio(sums, right, all_)
    for rows in _blocks(table):
        n = rows[:, all_]
        yield _moved(ratio, sums[all_], rows[:, right], n) / corpora, n


def _of_both(table: Floats, first: tuple[Any, Any], second: tuple[Any, Any], corpora: int) -> Iterator[Block]:
    for (one, n), (other, of) in zip(_of_ratios(table, *first, 1), _of_ratios(table, *second, 1), strict=True):
        yield (np.where(n > 0, one, 0.0) - np.where(of > 0, other, 0.0)) / corpora, n + of


def _moved(ratio: Floats, all_: Floats, x: Floats, n: Floats) -> Floats:
    """How far a ratio moves when x of n is left out."""
    apart = ratio * n - x
    apart[np.abs(apart) <= ROUNDING * n] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return apart / (all_ - n)


def _moves_of_function(
    function: Callable[..., ArrayLike], tables: list[Floats], sizes: Sequence[Floats], point: Floats
) -> Iterator[_Moves]:
    totals = _totals(tables)
    for at, (table, size) in enumerate(zip(tables, sizes, strict=True)):
        yield _Moves.of(_of_function(function, totals, at, table, size, point), len(point))


def _of_function(
    function: Callable[..., ArrayLike], totals: list[Floats], at: int, table: Floats, sizes: Floats, point: Floats
) -> Iterator[Block]:
    begin = 0
    for rows in _blocks(table):
        without = [np.broadcast_to(total, (len(rows), total.shape[1])) for total in totals]
        without[at] = totals[at] - rows
        yield figures_of(function, without) - point, sizes[begin : begin + len(rows)]
        begin += len(rows)


def _blocks(table: Floats) -> Iterator[Floats]:
    return (table[begin : begin + BLOCK] for begin in range(0, len(table), BLOCK))


def total(table: Floats) -> Floats:
    """The sum of each column, added up in an order that does not depend on other columns."""
    return np.ascontiguousarray(table.T).sum(axis=1)  # type: ignore[no-any-return]


def _sized(tables: list[Floats], sizes: Sequence[ArrayLike] | None, figures: int) -> list[Floats]:
    """What each figure is made of in each document, as documents × figures."""
    given = [table.any(axis=1) for table in tables] if sizes is None else sizes
    found = [np.asarray(each, dtype=np.float64) for each in given]
    return [np.broadcast_to(each[:, None] if each.ndim == 1 else each, (len(each), figures)) for each in found]


def _totals(tables: list[Floats]) -> list[Floats]:
    return [total(table)[None] for table in tables]


def _ratio(sums: Floats, right: Any, all_: Any) -> Floats:
    return np.where(sums[all_] > 0, sums[right] / np.where(sums[all_] > 0, sums[all_], 1), np.nan)


def _within(table: Floats, right: Any, all_: Any) -> NDArray[np.bool_]:
    """Whether ratios are shares: nowhere below 0 or above 1."""
    inside = np.ones(len(right), dtype=bool)
    for rows in _blocks(table):
        inside &= ((rows[:, right] >= -ROUNDING) & (rows[:, right] <= rows[:, all_] * (1 + 1e-9))).all(axis=0)
    return inside


def figures_of(function: Callable[..., ArrayLike], sums: Iterable[Floats]) -> Floats:
    """What a function of sums answers, as rows × figures."""
    with np.errstate(divide="ignore", invalid="ignore"):
        figures = np.asarray(function(*sums), dtype=np.float64)
    return figures[:, None] if figures.ndim == 1 else figures


def number(value: float) -> float | None:
    """A number, or None for one that is undefined."""
    return None if math.isnan(value) else float(value)


def checked(corpora: Sequence[ArrayLike]) -> list[Floats]:
    """The sums of each corpus as documents × columns, after a look whether they are such."""
    tables = [np.ascontiguousarray(corpus, dtype=np.float64) for corpus in corpora]
    if not tables:
        raise UsageError("no corpus to estimate from")
    for at, table in enumerate(tables):
        if table.ndim != 2:
            raise UsageError(f"corpus {at}: expected documents × columns, found {table.ndim} dimension(s)")
        if not np.isfinite(table).all():
            bad = np.argwhere(~np.isfinite(table))[0][0]
            raise UsageError(f"corpus {at}: a sum of document {bad} is no finite number")
    return tables


def columns(tables: list[Floats], pairs: Sequence[tuple[int, ...]], width: int) -> NDArray[np.intp]:
    """The first, second… of all pairs, after a look whether these columns exist."""
    found = np.array(pairs, dtype=np.intp).reshape(-1, width)
    if found.size and not (found.min() >= 0 and found.max() < min(table.shape[1] for table in tables)):
        raise UsageError(f"columns {found.min()} to {found.max()} asked for; a corpus has fewer")
    return found.T
