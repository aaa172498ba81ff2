"""Figures from sums over documents: their values, intervals, and the difference of a slice with its p (STAT-7).

Every figure of given mentions is a ratio of two such sums, and this estimates it.

The one place where measures get their intervals, and slices their difference to all mentions with its test, for one
run or for several at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkassay import store
from linkassay.defaults import RESAMPLES
from linkassay.scoring.disambiguation.measures import Measure
from linkassay.scoring.figure import Figure, leak_of
from linkassay.scoring.statistics import bootstrap
from linkassay.text.abbreviations import SchwartzHearst

if TYPE_CHECKING:
    from linkassay.scoring.disambiguation.run_score import Score
    from linkassay.scoring.disambiguation.scored_mentions import ScoringOptions

#: The slice that holds every mention.
ALL = "all"
_UNITS = 500  # entities resampled at once


@dataclass(frozen=True)
class Sums:
    """One figure before it is summed: rows of document, unit, numerator and denominator; and what ties leave open."""

    document: Any
    unit: Any | None  # None: no average over units
    total: Any
    n: Any
    variance: float

    def columns(self, documents: int) -> tuple[Any, Any]:
        """Numerator and denominator of each document; an average over documents has their ratios and ones."""
        total = np.bincount(self.document, weights=self.total, minlength=documents)
        return total, np.bincount(self.document, weights=self.n, minlength=documents)

    @property
    def size(self) -> int | float:
        """What the figure is a share of: mentions, or units that have any (MEASURE-8)."""
        if self.unit is None:
            return as_count(float(self.n.sum()))
        return len(np.unique(self.unit[self.n > 0]))


@dataclass(frozen=True)
class Asked:
    """A figure that is wanted, by its sums."""

    score: Score
    measure: Measure
    slice: str
    sums: Sums


@dataclass(frozen=True)
class SliceTests:
    """How slices are tested against all mentions (STAT-7, SLICE-20).

    `most` bounds the resamples that a large family of tests is given so that one of them can still be sure after Holm's
    correction; 0: as many as were asked for. Slices of fewer documents than `fewest` are not
    tested: resamples of so few hardly differ, and would make anything sure.
    """

    most: int = 0
    fewest: int = 0

    def resamples(self, usual: int, tests: int) -> int:
        """Resamples for a family of so many tests."""
        return min(self.most, max(RESAMPLES, 50 * tests)) if self.most else usual


#: As many resamples as were asked for, every slice tested.
AS_ASKED = SliceTests()


def about(score: Score, measure: str, slice_: str = ALL) -> dict[str, Any]:
    """What a figure of a run is of."""
    run = score.run
    usual = {"run": run.key, "corpus": run.corpus, "system": run.system, "measure": measure, "slice": slice_}
    return usual | leak_of([run]) | under(score.scope, score.items.options, slice_)


def under(scope: Sequence[str], options: ScoringOptions, slice_: str) -> dict[str, str]:
    """Choices that are not the usual ones, under one name; abbreviations are written out for slices only."""
    conditions = list(scope)
    if options.exclude:
        conditions.append(f"without the gold ids {store.fingerprint(sorted(options.exclude))}")
    if options.fold:
        conditions.append("texts lower-cased")
    if slice_ != ALL and options.written_out != SchwartzHearst.name:
        conditions.append(f"abbreviations {options.written_out}")
    return {"under": ", ".join(conditions)} if conditions else {}


def estimated(asked: Sequence[Asked], tests: SliceTests = AS_ASKED) -> list[Figure]:
    """The figures in the order in which they are asked for, those of slices with their difference to all mentions.

    Runs of the same documents are resampled together, since the draws are the same. The difference needs the figure of
    all mentions beside that of the slice.
    """
    found: dict[int, Figure] = {}
    groups: dict[tuple[tuple[str, ...], int], list[int]] = {}
    for at, each in enumerate(asked):
        if each.sums.unit is None:
            groups.setdefault((tuple(each.score.items.documents), each.score.resamples), []).append(at)
        else:
            macro = _macro(each.sums, len(each.score.items.documents), each.score.resamples)
            found[at] = _figure(each, macro)
    for (documents, resamples), members in groups.items():
        mine = [asked[at] for at in members]
        table = np.column_stack([column for each in mine for column in each.sums.columns(len(documents))])
        estimates = bootstrap.ratios([table], [(2 * n, 2 * n + 1) for n in range(len(mine))], resamples)
        whole_at = {(id(e.score), e.measure): 2 * n for n, e in enumerate(mine) if e.slice == ALL}
        sliced = [n for n, e in enumerate(mine) if e.slice != ALL and (id(e.score), e.measure) in whole_at]
        pairs = [(2 * n, 2 * n + 1, base := whole_at[id(mine[n].score), mine[n].measure], base + 1) for n in sliced]
        family = len(sliced) // max(1, len({mine[n].measure for n in sliced}))
        apart = bootstrap.differences([table], pairs, tests.resamples(resamples, family)) if pairs else []
        differences = dict(zip(sliced, apart, strict=True))
        for n, (at, estimate) in enumerate(zip(members, estimates, strict=True)):
            found[at] = _figure(mine[n], estimate, differences.get(n), tests.fewest)
    return [found[at] for at in range(len(asked))]


def _figure(
    each: Asked, estimate: bootstrap.Estimate, difference: bootstrap.Difference | None = None, fewest: int = 0
) -> Figure:
    sums, n = each.sums, each.sums.size
    tested = np.count_nonzero(sums.n) >= fewest
    return Figure.of(
        about(each.score, str(each.measure), each.slice), estimate, n,
        tie_sd=sums.variance**0.5 / n if sums.variance > 1e-12 and n else None,
        difference=difference, p=difference.p if difference and tested else None,
        note="" if tested or difference is None else f"not tested: fewer than {fewest} documents",
    )  # fmt: skip


def _macro(sums: Sums, documents: int, resamples: int) -> bootstrap.Estimate:
    """The mean over units, each the ratio of its sums; documents are resampled, units that vanish left out (STAT-4)."""
    units, unit = np.unique(np.asarray(sums.unit), return_inverse=True)
    count = len(units)
    total, n = (np.bincount(unit, weights=w, minlength=count) for w in (sums.total, sums.n))
    defined = n > 0
    if not defined.any():
        return bootstrap.Estimate(None, None, None, 0)
    value = float((total[defined] / n[defined]).mean())
    if len(np.unique(sums.document)) < 2:
        return bootstrap.Estimate(value, None, None, 0)
    worth, present = np.zeros(resamples), np.zeros(resamples)
    order = np.argsort(unit, kind="stable")
    for begin in range(0, count, _UNITS):  # in blocks of units: the draws are the same for each
        rows = order[np.searchsorted(unit[order], begin) : np.searchsorted(unit[order], begin + _UNITS)]
        width = min(_UNITS, count - begin)
        at = sums.document[rows] * width + unit[rows] - begin
        columns = [np.bincount(at, weights=w[rows], minlength=documents * width).reshape(documents, width)
                   for w in (sums.total, sums.n)]  # fmt: skip
        drawn = np.concatenate(list(bootstrap.resampled_sums(np.column_stack(columns), resamples)))
        right, all_ = drawn[:, :width], drawn[:, width:]
        worth += np.divide(right, all_, out=np.zeros_like(right), where=all_ > 0).sum(axis=1)
        present += (all_ > 0).sum(axis=1)
    values = (worth / np.maximum(present, 1))[present > 0]
    low, high = np.percentile(values, [2.5, 97.5])
    return bootstrap.Estimate(value, float(low), float(high), len(values))


def as_count(n: float) -> int | float:
    """A number of mentions, whole where it is."""
    return round(n) if abs(n - round(n)) < 1e-6 else n
