"""Mismatches of a profile counted for pictures: by type and distance, by type and location of the gold."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkassay.scoring.hierarchical.profile import Profile
from linkassay.scoring.hierarchical.relations import ORTHOGONAL, OVER, UNDER

__all__ = ["BIN_NAMES", "FARTHEST", "MISMATCHES", "by_distance", "by_location"]

#: Mismatches in the order in which they are drawn: name, number of the type, class of its colour.
MISMATCHES = (("underspecific", UNDER, "under"), ("orthogonal", ORTHOGONAL, "orthogonal"),
              ("overspecific", OVER, "over"))  # fmt: skip
FARTHEST = 10  # distances from here on share a column
BINS = 10
BIN_NAMES = [*(f"{n / BINS:.1f}–" for n in range(BINS)), "1"]  # 1 has a bin of its own


def by_distance(profile: Profile, weights: Any) -> Any:
    """A row for each of `MISMATCHES`, a column for each distance from 0."""
    related = profile.related
    cells = np.zeros((len(MISMATCHES), FARTHEST + 1))
    for row, (_, code, _) in enumerate(MISMATCHES):
        at = related.type == code
        cells[row] = np.bincount(np.minimum(related.distance[at], FARTHEST), weights[at], minlength=FARTHEST + 1)
    return cells


def by_location(profile: Profile, weights: Any) -> Any:
    """A row for each of `MISMATCHES`, a column for each of `BIN_NAMES`; beyond 1 belongs to the last."""
    bins = np.minimum(np.nan_to_num(profile.location) * BINS + 1e-9, BINS).astype(int)
    return np.array([
        np.bincount(bins[at], weights[at], minlength=BINS + 1)
        for _, code, _ in MISMATCHES
        for at in [profile.related.type == code]
    ])  # fmt: skip
