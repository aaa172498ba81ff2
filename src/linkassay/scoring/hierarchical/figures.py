"""Figures of profiles: measures × sets × slices with intervals over documents, and paired tests between systems."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from linkassay.runs import labels
from linkassay.scoring import bootstrap
from linkassay.scoring.defaults import RESAMPLES_COMPARED
from linkassay.scoring.hierarchical.measures import CHARACTERISTICS, Parts, kind
from linkassay.scoring.hierarchical.profile import Profile, same_items
from linkassay.scoring.hierarchical.relations import TYPES
from linkassay.scoring.score import whole
from linkassay.scoring.significance import holm, permutation
from linkassay.tables import Rows

__all__ = ["FOUR_SETS", "compare", "counts", "figures"]

#: The evaluation sets of the paper.
FOUR_SETS = ("global", "global-unique", "novel", "novel-unique")


class _Table:
    """Sums per document, one pair of columns for each figure that was asked for."""

    def __init__(self, profile: Profile) -> None:
        self.documents = len(profile.score.items.documents)
        self._profile, self._parts = profile, Parts(profile)
        self.columns: list[Any] = []

    def add(self, measure: str, weights: Any) -> tuple[int, int]:
        """Where the sums of one figure stand."""
        for values in kind(measure).parts(self._parts):
            self.columns.append(np.bincount(self._profile.document, weights * values, minlength=self.documents))
        return len(self.columns) - 2, len(self.columns) - 1

    def array(self) -> Any:
        return np.column_stack(self.columns)


def figures(
    profile: Profile,
    sets: Sequence[str] = FOUR_SETS,
    by: Sequence[str] = (),
    measures: Sequence[str] = CHARACTERISTICS,
) -> Rows:
    """A row for each set, slice and measure."""
    table, keys, at = _Table(profile), [], []
    for set_ in sets:
        for name, mask in profile.score.slices(by):
            weights = profile.weights(set_, mask)
            for measure in measures:
                keys.append((set_, name, measure))
                at.append(table.add(measure, weights))
    array = table.array()
    run = profile.score.run
    return Rows(
        {
            "run": run.path.name, "corpus": run.corpus, "system": run.system, "hierarchy": str(profile.choices),
            "set": set_, "slice": name, "measure": measure, "value": found.value,
            "n": whole(float(array[:, below].sum())), "low": found.low, "high": found.high,
        }
        for (set_, name, measure), (_, below), found in zip(
            keys, at, bootstrap.ratios([array], at, profile.score.resamples), strict=True
        )
    )  # fmt: skip


def counts(profile: Profile, set_: str = "global", mask: Any = None) -> dict[str, float]:
    """How many rows are of each match type (fractions for ties and repeats), and how many meet in no real node."""
    weights = profile.weights(set_, profile.score.in_scope if mask is None else mask)
    found = np.bincount(profile.related.type, weights, minlength=len(TYPES)).tolist()
    virtual = float(weights[profile.related.virtual].sum())
    return {name: whole(n) for name, n in zip(TYPES, found, strict=True)} | {"virtual root": whole(virtual)}


def compare(
    profiles: Sequence[Profile],
    sets: Sequence[str] = ("global",),
    measures: Sequence[str] = CHARACTERISTICS,
    resamples: int = RESAMPLES_COMPARED,
) -> Rows:
    """Each pair of systems on each measure, second minus first: bootstrap over documents, both from the same draws.

    Where the two share their denominators there is a permutation test as well. Holm is over all rows returned.
    """
    same_items(profiles)
    rows = Rows()
    names = labels([p.score.run for p in profiles])
    for (name, first), (other, second) in combinations(zip(names, profiles, strict=True), 2):
        for set_ in sets:
            found = _compared(first, second, set_, measures, resamples)
            rows += [{"first": name, "second": other, "set": set_} | row for row in found]
    for test in ("bootstrap_p", "permutation_p"):
        family = [row for row in rows if row[test] is not None]
        for row, p in zip(family, holm([row[test] for row in family]), strict=True):
            row[f"{test}_holm"] = p
    return rows


def _compared(
    first: Profile, second: Profile, set_: str, measures: Sequence[str], resamples: int
) -> list[dict[str, Any]]:
    tables = [_Table(each) for each in (first, second)]
    weights = [each.weights(set_, each.score.in_scope) for each in (first, second)]
    at = [[t.add(m, w) for t, w in zip(tables, weights, strict=True)] for m in measures]
    one, other = (table.array() for table in tables)
    width = one.shape[1]
    both = np.hstack([one, other])
    asked = [(b[0] + width, b[1] + width, *a) for a, b in at]
    found = []
    for measure, (top, below, base, base_below), d in zip(
        measures, asked, bootstrap.differences([both], asked, resamples), strict=True
    ):
        same = np.allclose(both[:, below], both[:, base_below])
        found.append({
            "measure": measure, "difference": d.value, "low": d.low, "high": d.high, "bootstrap_p": d.p,
            "permutation_p": permutation(both[:, top] - both[:, base], resamples).p if same else None,
        })  # fmt: skip
    return found
