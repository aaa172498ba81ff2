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
from linkassay.scoring.disambiguation.measures import Measure
from linkassay.scoring.disambiguation.slices import compares_texts
from linkassay.scoring.disambiguation.support import unsupported
from linkassay.scoring.figure import Figure, leak_of
from linkassay.scoring.statistics import intervals
from linkassay.text.abbreviations import SchwartzHearst

if TYPE_CHECKING:
    from linkassay.scoring.disambiguation.run_score import Score
    from linkassay.scoring.disambiguation.scored_mentions import ScoringOptions

#: The slice that holds every mention.
ALL = "all"


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
    if options.fold is False and slice_ != ALL and compares_texts(slice_):
        conditions.append("texts as written")
    if slice_ != ALL and options.written_out != SchwartzHearst.name:
        conditions.append(f"abbreviations {options.written_out}")
    return {"under": ", ".join(conditions)} if conditions else {}


def estimated(asked: Sequence[Asked], fewest: int = 0) -> list[Figure]:
    """The figures in the order in which they are asked for, those of slices with their difference to all mentions.

    The difference needs the figure of all mentions beside that of the slice. Slices of fewer documents than `fewest`
    are not tested (SLICE-20).
    """
    found: dict[int, Figure] = {}
    groups: dict[tuple[str, ...], list[int]] = {}
    for at, each in enumerate(asked):
        if (unit := each.sums.unit) is None:
            groups.setdefault(tuple(each.score.items.documents), []).append(at)
        else:
            sums = each.sums
            found[at] = _figure(each, intervals.mean_of_units(sums.document, unit, sums.total, sums.n))
    for documents, members in groups.items():  # of the same documents, so that one table holds them all
        mine = [asked[at] for at in members]
        table = np.column_stack([column for each in mine for column in each.sums.columns(len(documents))])
        estimates = intervals.ratios([table], [(2 * n, 2 * n + 1) for n in range(len(mine))])
        whole_at = {(id(e.score), e.measure): 2 * n for n, e in enumerate(mine) if e.slice == ALL}
        sliced = [n for n, e in enumerate(mine) if e.slice != ALL and (id(e.score), e.measure) in whole_at]
        pairs = [(2 * n, 2 * n + 1, base := whole_at[id(mine[n].score), mine[n].measure], base + 1) for n in sliced]
        differences = dict(zip(sliced, intervals.differences([table], pairs), strict=True))
        for n, (at, estimate) in enumerate(zip(members, estimates, strict=True)):
            found[at] = _figure(mine[n], estimate, differences.get(n), fewest)
    return [found[at] for at in range(len(asked))]


def _figure(
    each: Asked, estimate: intervals.Estimate, difference: intervals.Difference | None = None, fewest: int = 0
) -> Figure:
    sums, n = each.sums, each.sums.size
    tested = np.count_nonzero(sums.n) >= fewest
    notes = [
        unsupported(each.score, each.measure, each.slice),
        each.score.without_interval if estimate.value is not None and estimate.low is None else "",
        "" if tested or difference is None else f"not tested: fewer than {fewest} documents",
    ]
    return Figure.of(
        about(each.score, str(each.measure), each.slice), estimate, n,
        tie_sd=sums.variance**0.5 / n if sums.variance > 1e-12 and n else None,
        difference=difference, p=difference.p if difference and tested else None,
        note="; ".join(filter(None, notes)),
    )  # fmt: skip


def as_count(n: float) -> int | float:
    """A number of mentions, whole where it is."""
    return round(n) if abs(n - round(n)) < 1e-6 else n
