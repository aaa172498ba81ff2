"""Figures of profiles: measures × sets × slices with intervals over documents, paired tests of systems (HIER-17)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from linkassay.defaults import RESAMPLES_COMPARED
from linkassay.runs import labels
from linkassay.scoring.disambiguation.document_sums import ALL, about, as_count
from linkassay.scoring.disambiguation.support import set_note, slice_note
from linkassay.scoring.figure import Figure, leak_of
from linkassay.scoring.hierarchy.measures import CHARACTERISTICS, Parts, measure_kind
from linkassay.scoring.hierarchy.profile import Profile, refuse_other_data
from linkassay.scoring.hierarchy.relations import TYPES
from linkassay.scoring.statistics import intervals
from linkassay.scoring.statistics.bootstrap import drawn_differences
from linkassay.scoring.statistics.significance import holm, permutation

#: The evaluation sets of the paper.
FOUR_SETS: tuple[str, ...] = ("global", "global-unique", "novel", "novel-unique")


class _Table:
    """Sums per document, one pair of columns for each figure that was asked for."""

    def __init__(self, profile: Profile) -> None:
        self.documents = len(profile.score.items.documents)
        self._profile, self._parts = profile, Parts(profile)
        self.columns: list[Any] = []

    def add(self, measure: str, weights: Any) -> tuple[int, int]:
        """Where the sums of one figure stand."""
        for values in measure_kind(measure).parts(self._parts):
            self.columns.append(np.bincount(self._profile.document, weights * values, minlength=self.documents))
        return len(self.columns) - 2, len(self.columns) - 1

    def array(self) -> Any:
        return np.column_stack(self.columns)


def profile_figures(
    profile: Profile,
    sets: Sequence[str] = FOUR_SETS,
    by: Sequence[str] = (),
    measures: Sequence[str] = CHARACTERISTICS,
) -> list[Figure]:
    """A figure for each set, slice and measure."""
    table, keys, at = _Table(profile), [], []
    for set_ in sets:
        for name, mask in profile.score.slices(by):
            weights = profile.weights(set_, mask)
            for measure in measures:
                keys.append((set_, name, measure))
                at.append(table.add(measure, weights))
    array = table.array()
    return [
        Figure.of(
            _about(profile, set_, name, measure),
            found,
            as_count(float(array[:, below].sum())),
            note=_note(profile, set_, name, found),
        )
        for (set_, name, measure), (_, below), found in zip(keys, at, intervals.ratios([array], at), strict=True)
    ]


def _note(profile: Profile, set_: str, name: str, found: intervals.Estimate) -> str:
    """What the figure cannot say with these data."""
    score = profile.score
    few = score.without_interval if found.value is not None and found.low is None else ""
    return "; ".join(filter(None, (set_note(score, set_), slice_note(score, name), few)))


def _about(profile: Profile, set_: str, name: str, measure: str) -> dict[str, Any]:
    return about(profile.score, measure, name) | {"hierarchy": str(profile.choices), "set": set_}


def match_counts(profile: Profile, set_: str = "global", name: str = ALL, mask: Any = None) -> dict[str, Figure]:
    """How many rows are of each match type (fractions for ties and repeats), and how many meet in no real node.

    `mask` are the mentions of the slice `name`.
    """
    weights = profile.weights(set_, profile.score.in_scope if mask is None else mask)
    found = np.bincount(profile.related.type, weights, minlength=len(TYPES)).tolist()
    found.append(float(weights[profile.related.virtual].sum()))
    n = as_count(float(weights.sum()))
    return {
        type_: Figure(_about(profile, set_, name, f"match type {type_}"), as_count(number), n)
        for type_, number in zip((*TYPES, "virtual root"), found, strict=True)
    }


def compare_profiles(
    profiles: Sequence[Profile],
    sets: Sequence[str] = ("global",),
    measures: Sequence[str] = CHARACTERISTICS,
    resamples: int = RESAMPLES_COMPARED,
) -> list[Figure]:
    """Each pair of systems on each measure, second minus first, both on the same documents.

    The tests draw documents (STAT-19), and where the two share their denominators swap them (STAT-6); Holm is over all
    figures returned.
    """
    refuse_other_data(profiles)
    found: list[tuple[dict[str, Any], intervals.Difference, dict[str, Any]]] = []
    names = labels([p.score.run for p in profiles])
    for (name, first), (other, second) in combinations(zip(names, profiles, strict=True), 2):
        for set_ in sets:
            for measure, difference, tests in _compared(first, second, set_, measures, resamples):
                subject = _about(first, set_, ALL, measure) | {"first": name, "second": other}
                subject |= leak_of([first.score.run, second.score.run])
                subject["run"] = f"{first.score.run.key} → {second.score.run.key}"
                found.append((subject, difference, tests))
    for test in ("bootstrap_p", "permutation_p"):
        family = [more for _, _, more in found if more[test] is not None]
        for more, p in zip(family, holm([more[test] for more in family]), strict=True):
            more[f"{test}_holm"] = p
    return [Figure.of(subject, difference, p=more["bootstrap_p"], more=more) for subject, difference, more in found]


def compared_row(figure: Figure) -> dict[str, Any]:
    """A pair of systems on one measure, as `score --hierarchy` gives it."""
    subject = {name: figure.about[name] for name in ("first", "second", "set", "measure")}
    apart = {"difference": figure.value, "low": figure.low, "high": figure.high}
    return subject | apart | dict(figure.more) | figure.remarked | {"key": figure.key}


def _compared(
    first: Profile, second: Profile, set_: str, measures: Sequence[str], resamples: int
) -> Iterator[tuple[str, intervals.Difference, dict[str, Any]]]:
    """Measure, difference, and the p of its tests; that by permutation where there is one."""
    tables = [_Table(each) for each in (first, second)]
    weights = [each.weights(set_, each.score.in_scope) for each in (first, second)]
    at = [[t.add(m, w) for t, w in zip(tables, weights, strict=True)] for m in measures]
    one, other = (table.array() for table in tables)
    width = one.shape[1]
    both = np.hstack([one, other])
    asked = [(b[0] + width, b[1] + width, *a) for a, b in at]
    apart, drawn = intervals.differences([both], asked), drawn_differences([both], asked, resamples)
    for measure, (top, below, base, base_below), difference, p in zip(measures, asked, apart, drawn, strict=True):
        same = np.allclose(both[:, below], both[:, base_below])
        swapped = permutation(both[:, top] - both[:, base], resamples).p if same else None
        yield measure, difference, {"bootstrap_p": p, "permutation_p": swapped}
