"""What a system said of one mention and what that is worth, as an object."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from linkassay.explorer.outcome_words import why_by_place, why_without_gold
from linkassay.scoring.disambiguation import Group, expected_hit

GROUPS, IDS = 10, 12  # of one answer: groups shown, ids shown of a group
#: What a mention is worth is told at these ranks.
TOLD_AT = (1, 5)
_DIGITS = 4


def answer_object(
    ranked: Sequence[Group], gold: frozenset[str], nil: bool, code: str, places: Sequence[Sequence[int]],
    shown: frozenset[str],
) -> dict[str, Any]:  # fmt: skip
    """The object of an answer; with gold, if the system's knowledge base has other ids than are `shown` as gold."""
    groups: list[dict[str, Any]] = []
    before, found = 0, None
    for position, (group, score) in enumerate(ranked):
        right = [i for i in group if i in gold]
        first = bool(right) and found is None
        if first:
            found = (before, len(group), len(right))
        if position < GROUPS or first:
            ids = (right + [i for i in group if i not in gold])[:IDS]
            groups.append({
                "rank": before + 1, "size": len(group), "score": rounded([score])[0], "ids": ids,
                "right": min(len(right), IDS),
            })  # fmt: skip
        before += len(group)
    return {
        "verdict": code[0], "stage": code[1], "places": list(places[int(code[2:], 36)]),
        **outcome_object(before, found, nil), "groups": groups,
        **({} if gold == shown else {"gold": sorted(gold)}),
    }  # fmt: skip


def outcome_object(candidates: int, found: tuple[int, int, int] | None, nil: bool) -> dict[str, Any]:
    """What a ranking is worth; `found`: ids before the first group with gold, ids of it, gold ids of it."""
    hits = [expected_hit(*found, k) if found else 0.0 for k in TOLD_AT]
    return {
        "why": why_by_place(*found) if found else why_without_gold(candidates, nil), "hits": rounded(hits),
        "candidates": candidates, "rank": found[0] + 1 if found else None,
    }  # fmt: skip


def rounded(numbers: Iterable[float | None] | Any) -> list[float | None]:
    """Numbers with four digits that tell something; None for none, and for those that are not finite.

    >>> rounded([0.123456, 1.0, None, float("inf"), 123456.0, -0.00012346])
    [0.1235, 1.0, None, None, 123500.0, -0.0001235]
    """
    values = np.array([math.nan if each is None else each for each in numbers], dtype=np.float64)
    finite = np.isfinite(values)
    values[~finite] = 0
    size = np.floor(np.log10(np.abs(values), out=np.zeros(len(values)), where=values != 0))
    digits = _DIGITS - 1 - size
    plain = np.abs(digits) <= 22  # powers of ten up to there are exact, so that quotients are the nearest numbers
    up, down = (10.0 ** np.where(plain, np.maximum(sign * digits, 0), 0) for sign in (1, -1))
    found = np.round(values * up / down) * down / up
    return [
        None if not there else value if exact else float(f"{given:.{_DIGITS}g}")
        for value, given, there, exact in zip(
            found.tolist(), values.tolist(), finite.tolist(), plain.tolist(), strict=True
        )
    ]
