"""Characteristics and similarity measures of a profile (HIER-10 to HIER-16): each a ratio of two sums over its rows.

Ratios of sums, also where a mean is meant, so that sets, slices, intervals and tests are those of all other scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkassay.errors import UsageError
from linkassay.registry import near_miss
from linkassay.scoring.hierarchy.profile import Profile
from linkassay.scoring.hierarchy.relations import EXACT, NO_ANSWER, ORTHOGONAL, OUTSIDE, OVER, TYPES, UNDER


class Parts:
    """What the rows of a profile are worth."""

    def __init__(self, profile: Profile) -> None:
        self._profile, self._related = profile, profile.related
        kind = self.type = self._related.type
        self.e, self.o, self.u, self.t, self.silent, self.outside = (
            (kind == code).astype(float) for code in (EXACT, OVER, UNDER, ORTHOGONAL, NO_ANSWER, OUTSIDE)
        )
        self.errors = self.o + self.u + self.t
        self.all = np.ones(len(kind))

    @cached_property
    def distance(self) -> Any:
        """Distance, 0 where there is none."""
        return np.maximum(self._related.distance, 0).astype(float)

    @cached_property
    def location(self) -> Any:
        """Location of the gold, 0 where there is none."""
        return np.nan_to_num(self._profile.location)

    @cached_property
    def lca_f(self) -> Any:
        """F1 of the two ways to the common ancestor, which is all they share: 2/(distance + 2) (Kosmopoulos 2015)."""
        return np.where(self._related.distance >= 0, 2 / (self.distance + 2), 0.0)

    @cached_property
    def wu_palmer(self) -> Any:
        """2h/(2h + distance), h being the steps from the common ancestor to a (virtual) root above all roots."""
        high = np.where(self._related.placed, self._related.depth + 1, 0)
        whole = 2 * high + self.distance
        return np.where(self.e > 0, 1.0, np.divide(2 * high, whole, out=np.zeros(len(whole)), where=whole > 0))

    @cached_property
    def _ancestors(self) -> tuple[Any, Any, Any]:
        """Sizes of the sets of each row: gold, predicted, both; each id belongs to its own set (Kiritchenko 2006)."""
        related, relations = self._related, self._profile.relations
        gold, said, both = self.all.copy(), 1 - self.silent, self.e.copy()
        for sizes, nodes in ((gold, related.gold), (said, related.predicted)):
            sizes[nodes >= 0] = relations.ancestor_counts(nodes[nodes >= 0])
        both[related.placed] = relations.common_ancestor_counts(
            related.gold[related.placed], related.predicted[related.placed]
        )
        return gold, said, both

    @property
    def gold_set(self) -> Any:
        """Size of the gold's ancestor set."""
        return self._ancestors[0]

    @property
    def said_set(self) -> Any:
        """Size of the prediction's ancestor set."""
        return self._ancestors[1]

    @property
    def both_sets(self) -> Any:
        """Size of what the two have in common."""
        return self._ancestors[2]


@dataclass(frozen=True)
class Kind:
    """A measure: what it is, whether more (1) or less (-1) of it is better, and its two sums."""

    summary: str
    better: int
    parts: Callable[[Parts], tuple[Any, Any]]
    share: bool = True  # a share of 1, shown in percent


#: Measure → what it is. The paper's N is all rows that count; T are the orthogonal ones.
HIERARCHY_MEASURES = {
    # HIER-10
    "accuracy": Kind("exact / all", 1, lambda p: (p.e, p.all)),
    "coverage": Kind("exact and underspecific / all", 1, lambda p: (p.e + p.u, p.all)),
    "specificity": Kind("exact and overspecific / all", 1, lambda p: (p.e + p.o, p.all)),
    "braveness": Kind("overspecific / errors inside of the hierarchy", 0, lambda p: (p.o, p.errors)),
    "cautiousness": Kind("underspecific / errors inside of the hierarchy", 0, lambda p: (p.u, p.errors)),
    "orthogonality": Kind("orthogonal / errors inside of the hierarchy", -1, lambda p: (p.t, p.errors)),
    # HIER-11
    "no-answer": Kind("nothing predicted / all", -1, lambda p: (p.silent, p.all)),
    "outside": Kind("wrong and not in the hierarchy / all", -1, lambda p: (p.outside, p.all)),
    # HIER-12
    "distance": Kind("mean distance, exact ones included", -1, lambda p: (p.distance, p.e + p.errors), False),
    "error-distance": Kind("mean distance of errors", -1, lambda p: (p.distance * p.errors, p.errors), False),
    "over-distance": Kind("mean distance of overspecific ones", -1, lambda p: (p.distance * p.o, p.o), False),
    "under-distance": Kind("mean distance of underspecific ones", -1, lambda p: (p.distance * p.u, p.u), False),
    "orthogonal-distance": Kind("mean distance of orthogonal ones", -1, lambda p: (p.distance * p.t, p.t), False),
    # HIER-13
    "error-location": Kind("mean location of the gold of errors; errors near a root weigh more", 1,
                           lambda p: (p.location * p.errors, p.errors), False),
    # HIER-14
    "h-precision": Kind("ancestors in common / ancestors of predictions", 1, lambda p: (p.both_sets, p.said_set)),
    "h-recall": Kind("ancestors in common / ancestors of gold", 1, lambda p: (p.both_sets, p.gold_set)),
    "h-f1": Kind("harmonic mean of both", 1, lambda p: (2 * p.both_sets, p.said_set + p.gold_set)),
    # HIER-15
    "lca-f": Kind("mean F1 of the ways to the common ancestor", 1, lambda p: (p.lca_f, p.all)),
    # HIER-16
    "wu-palmer": Kind("mean similarity of Wu and Palmer", 1, lambda p: (p.wu_palmer, p.all)),
}  # fmt: skip

#: Those of the paper's table 2 (HIER-10).
CHARACTERISTICS: tuple[str, ...] = ("accuracy", "coverage", "specificity", "braveness", "cautiousness", "orthogonality")


def accepted(types: Sequence[str]) -> str:
    """The measure that counts rows of these types as right."""
    return f"accepted({'+'.join(types)})"


def measure_kind(name: str) -> Kind:
    """A measure by its name; `accepted(exact+underspecific)` is the share of rows of these types."""
    inner = name.removeprefix("accepted(").removesuffix(")")
    if name == f"accepted({inner})":
        codes = [list(TYPES).index(_known("match type", each, list(TYPES))) for each in inner.split("+")]
        return Kind(f"{inner} / all", 1, lambda p: (np.isin(p.type, codes).astype(float), p.all))
    return HIERARCHY_MEASURES[_known("measure of a hierarchy", name, list(HIERARCHY_MEASURES))]


def parse_characteristics(text: str) -> list[str]:
    """Names with commas between them; none stands for all."""
    names = [name.strip() for name in text.split(",") if name.strip()] or list(HIERARCHY_MEASURES)
    for name in names:
        measure_kind(name)
    return list(dict.fromkeys(names))


def _known(what: str, name: str, known: list[str]) -> str:
    if name not in known:
        raise UsageError(f"unknown {what} {name!r}; {near_miss(name, known)}")
    return name
