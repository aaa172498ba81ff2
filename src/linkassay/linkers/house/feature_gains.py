"""Why `house` puts one candidate before another: features in which they differ, by what each is worth (LINKER-15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.linkers.house.features import FEATURES
from linkassay.linkers.protocol import Reason

Floats = NDArray[np.floating[Any]]

#: A gain that is rounding.
_NOTHING = 1e-9


def feature_gains(scores: Callable[[Floats], Floats], first: Floats, second: Floats) -> list[Reason]:
    """What the first's score loses if it has the second's value of a feature; those that cost nothing are left out.

    By fixed weights the gains add up to the difference of scores; by trees, where features work together, they need
    not. `scores` gives those of rows of features.
    """
    differ = np.flatnonzero(first != second)
    swapped = np.repeat(first[None], len(differ) + 1, axis=0)
    swapped[np.arange(len(differ)), differ] = second[differ]
    found = scores(swapped)
    gains = found[-1] - found[:-1]
    order = np.lexsort((differ, -np.abs(gains).round(9)))
    return [
        Reason(f"feature {FEATURES[n]}", float(first[n]), float(second[n]), float(gain))
        for n, gain in zip(differ[order].tolist(), gains[order].tolist(), strict=True)
        if abs(gain) > _NOTHING
    ]
