"""Scored mentions one by one, for pages that show them: what is gold, and what the answer is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkassay.scoring.disambiguation.protocols import Protocol
from linkassay.scoring.disambiguation.run_score import Score

CUT_OFFS: tuple[int, ...] = tuple(range(1, 11))


@dataclass(frozen=True)
class MentionOutcome:
    """One mention and what its answer is worth at each k of `CUT_OFFS`."""

    id: str
    type: str
    gold: frozenset[str]  # current ids of all alternatives
    hits: tuple[float, ...]
    answered: bool


def mention_outcomes_of(score: Score) -> list[MentionOutcome]:
    """The mentions in scope, under the protocol `expected`."""
    items = score.items
    outcome = score.outcome(Protocol())
    hits = np.column_stack([outcome.at(k) for k in CUT_OFFS]).tolist()
    answered = score.gold_ranks(Protocol()).answered.tolist()
    gold = items.gold.by_item.to_pylist()
    ids, types = (items.table[column].to_pylist() for column in ("id", "type"))
    return [
        MentionOutcome(ids[n], types[n], frozenset(gold[n]), tuple(hits[n]), answered[n])
        for n in np.flatnonzero(score.in_scope).tolist()
    ]
