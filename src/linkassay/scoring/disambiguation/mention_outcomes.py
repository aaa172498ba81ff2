"""Scored mentions one by one, for pages that show them: what is gold, and what the answer is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

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


def mention_outcomes_of(score: Score, only: Any = None) -> list[MentionOutcome]:
    """The mentions in scope, under the protocol `expected`; `only` says of each item whether it is wanted."""
    wanted = np.flatnonzero(score.in_scope if only is None else score.in_scope & only)
    hits = zip(*(hits_at(score, k)[wanted].tolist() for k in CUT_OFFS), strict=True)
    answered = score.gold_ranks(Protocol()).answered[wanted].tolist()
    rows = pa.array(wanted)
    gold = score.items.gold.by_item.take(rows).to_pylist()
    ids, types = (score.items.table[column].take(rows).to_pylist() for column in ("id", "type"))
    return [
        MentionOutcome(id_, type_, frozenset(mine), worth, said)
        for id_, type_, mine, worth, said in zip(ids, types, gold, hits, answered, strict=True)
    ]


def hits_at(score: Score, k: int) -> Any:
    """What the answer to each item is worth at k, under the protocol `expected`."""
    return score.outcome(Protocol()).at(k)
