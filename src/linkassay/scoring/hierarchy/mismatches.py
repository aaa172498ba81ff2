"""The cells that mismatches of a profile belong to: by type and distance, by type and location (HIER-18).

They are counted as figures, and listed for each mention, so that a cell can be opened: one rule for both.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from linkassay.scoring.disambiguation.document_sums import about, as_count
from linkassay.scoring.figure import Figure
from linkassay.scoring.hierarchy.profile import Profile
from linkassay.scoring.hierarchy.relations import ORTHOGONAL, OUTSIDE, OVER, UNDER

#: Mismatches in the order in which they are drawn: name, number of the type, class of its colour.
MISMATCHES = (("underspecific", UNDER, "under"), ("orthogonal", ORTHOGONAL, "orthogonal"),
              ("overspecific", OVER, "over"))  # fmt: skip
FARTHEST = 10  # distances from here on share a column
DISTANCES: list[str] = [*map(str, range(1, FARTHEST)), f"{FARTHEST}+"]
BINS = 10
LOCATION_BINS: list[str] = [*(f"{n / BINS:.1f}–" for n in range(BINS)), "1"]  # 1 has a bin of its own

#: Kinds of mismatches that mentions are told apart by; "orthogonal" has those that meet only in the virtual root, too.
MISMATCH_KINDS: tuple[str, ...] = ("overspecific", "underspecific", "orthogonal", "virtual root", "outside")
_CELLS = len(DISTANCES) * len(LOCATION_BINS)


def _by_distance(profile: Profile, weights: Any) -> Any:
    """A row for each of `MISMATCHES`, a column for each of `DISTANCES`."""
    return _counted(profile, _distances(profile), weights, len(DISTANCES))


def _by_location(profile: Profile, weights: Any) -> Any:
    """A row for each of `MISMATCHES`, a column for each of `LOCATION_BINS`; beyond 1 belongs to the last."""
    return _counted(profile, _locations(profile), weights, len(LOCATION_BINS))


def mismatch_figures(profile: Profile, by: str, set_: str = "global") -> dict[tuple[str, str], Figure]:
    """How many mismatches are of each type and `distance`, or `location` of gold: (type, column) → figure."""
    count, names = {"distance": (_by_distance, DISTANCES), "location": (_by_location, LOCATION_BINS)}[by]
    table = count(profile, profile.weights(set_, profile.score.in_scope))
    n = as_count(float(table.sum()))
    subject = about(profile.score, f"mismatches by {by}") | {"hierarchy": str(profile.choices), "set": set_}
    return {
        (kind, name): Figure(subject | {"type": kind, by: name}, as_count(value), n)
        for (kind, _, _), values in zip(MISMATCHES, table.tolist(), strict=True)
        for name, value in zip(names, values, strict=True)
    }


def mismatch_places(profile: Profile) -> dict[int, tuple[int, ...]]:
    """Number of a mention → where its mismatches lie, as numbers that `place_of` reads.

    Ties and several gold ids may give more than one.
    """
    related = profile.related
    kind = np.full(len(profile), -1)
    for type_, name in ((OVER, "overspecific"), (UNDER, "underspecific"), (ORTHOGONAL, "orthogonal")):
        kind[related.type == type_] = MISMATCH_KINDS.index(name)
    kind[related.virtual] = MISMATCH_KINDS.index("virtual root")
    cell = np.where(kind >= 0, _distances(profile) * len(LOCATION_BINS) + _locations(profile), 0)
    kind[related.type == OUTSIDE] = MISMATCH_KINDS.index("outside")  # no distance, and so no cell
    keep = (kind >= 0) & (profile.weights("global", profile.score.in_scope) > 0)
    found: dict[int, list[int]] = {}
    pairs = np.column_stack([profile.mention[keep], (kind * _CELLS + cell)[keep]])
    for mention, number in np.unique(pairs, axis=0).tolist():
        found.setdefault(mention, []).append(number)
    return {key: tuple(numbers) for key, numbers in found.items()}


@cache
def place_of(number: int) -> tuple[str, str, str]:
    """What a number of `mismatch_places` stands for: of `MISMATCH_KINDS`, of `DISTANCES`, of `LOCATION_BINS`.

    >>> place_of(0), place_of(2 * len(DISTANCES) * len(LOCATION_BINS) + 3 * len(LOCATION_BINS) + 4)
    (('overspecific', '1', '0.0–'), ('orthogonal', '4', '0.4–'))
    """
    kind, cell = divmod(number, _CELLS)
    distance, location = divmod(cell, len(LOCATION_BINS))
    return MISMATCH_KINDS[kind], DISTANCES[distance], LOCATION_BINS[location]


def mismatch_cells(numbers: Iterable[int]) -> set[tuple[str, str, str]]:
    """The cells that a mention's places are in: filter, "distance" or "location", and which."""
    found = set()
    for kind, distance, location in map(place_of, numbers):
        for each in {kind, "orthogonal" if kind == "virtual root" else kind} - {"outside"}:
            found |= {(each, "distance", distance), (each, "location", location)}
    return found


def _distances(profile: Profile) -> Any:
    """Of each row the place of its distance in `DISTANCES`; that of a mismatch is at least 1."""
    return np.minimum(profile.related.distance, FARTHEST) - 1


def _locations(profile: Profile) -> Any:
    """Of each row the place of its gold's location in `LOCATION_BINS`."""
    return np.minimum(np.nan_to_num(profile.location) * BINS + 1e-9, BINS).astype(int)


def _counted(profile: Profile, bins: Any, weights: Any, size: int) -> Any:
    return np.array([
        np.bincount(bins[at], weights[at], minlength=size)
        for _, code, _ in MISMATCHES
        for at in [profile.related.type == code]
    ])  # fmt: skip
