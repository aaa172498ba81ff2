"""Scored mentions one by one, for pages that show them: what was predicted, what is gold, what that is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from linkassay.model import Mention
from linkassay.scoring.protocols import Protocol
from linkassay.scoring.score import Score

__all__ = ["KS", "Judged", "judged", "prepare_groups"]

KS = tuple(range(1, 11))


@dataclass(frozen=True)
class Judged:
    """One mention with what was predicted and what that is worth at each k of `KS`."""

    mention: Mention
    groups: list[list[str]]
    gold: frozenset[str]  # current ids of all alternatives
    hits: tuple[float, ...]
    unseen: str  # "entity", "synonym", "" (seen in training)
    answered: bool


def prepare_groups(
    groups: Iterable[Iterable[str]], current: Callable[[str], tuple[str, ...]] = lambda identifier: (identifier,)
) -> list[list[str]]:
    """Groups as they are ranked (SPEC §5.1): current ids, each at its first rank only; a removed id keeps its rank.

    >>> prepare_groups([["a", "a"], ["a", "b"], []])
    [['a'], ['b']]
    """
    seen: set[str] = set()
    prepared = []
    for group in groups:
        kept = []
        for identifier in group:
            for now in current(identifier) or (identifier,):
                if now not in seen:
                    seen.add(now)
                    kept.append(now)
        if kept:
            prepared.append(kept)
    return prepared


def judged(score: Score) -> list[Judged]:
    """The mentions in scope in the corpus's order, under the protocol `expected`."""
    items = score.items
    outcome = score.outcome(Protocol())
    hits = np.column_stack([outcome.at(k) for k in KS])
    kinds = np.full(len(items), "", dtype=object)
    if score.sets.has_training():
        for kind in ("entity", "synonym"):
            kinds[score.sets.unseen(f"unseen-{kind}")] = kind
    gold: list[set[str]] = [set() for _ in range(len(items))]
    for item, identifier in zip(items.gold.item.tolist(), items.gold.ids.to_pylist(), strict=True):
        gold[item].add(identifier)
    number = {identifier: n for n, identifier in enumerate(items.table["id"].to_pylist()) if score.in_scope[n]}
    moved = items.moved
    groups = {
        p.mention: prepare_groups(p.groups, lambda i: moved.get(i, (i,)))
        for p in score.run.predictions()
        if p.mention in number and not p.nil
    }
    found = []
    for document in items.corpus[items.split]:
        for mention in document.mentions:
            if (n := number.get(mention.id)) is not None:
                mine = groups.get(mention.id, [])
                found.append(Judged(mention, mine, frozenset(gold[n]), tuple(hits[n].tolist()), kinds[n], bool(mine)))
    return found
