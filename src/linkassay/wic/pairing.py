"""Terms with entities, and which of them make pairs: grouped, labelled (WIC-9) and pruned without writing out a pair.

All contexts with the same lower-cased term and entity are alike for group, label and pruning, so these are decided
once for two such sets of contexts, a *pairing*; the pairs of a pairing are enumerated only as far as they are needed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from linkassay.wic.contexts import Context
from linkassay.wic.entity_facts import PRUNING, CloseEntities
from linkassay.wic.settings import draw

#: Places of two contexts.
Instance = tuple[int, int]


@dataclass(frozen=True)
class TermPairing:
    """Contexts (places) of two terms with two entities; the same ones twice where term and entity are the same."""

    terms: tuple[str, str]
    group: str
    label: bool
    first: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def pairs(self) -> int:
        """How many pairs of contexts there are."""
        n = len(self.first)
        return n * (n - 1) // 2 if self.first is self.second else n * len(self.second)


@dataclass
class TermPairings:
    """Cells by pair of terms, and how many pairs of contexts each rule left out, by group."""

    by_terms: dict[tuple[str, str], list[TermPairing]] = field(default_factory=dict)
    possible: Counter[tuple[str, str]] = field(default_factory=Counter)  # (group, label)
    pruned: dict[str, Counter[str]] = field(default_factory=lambda: {rule: Counter() for rule in PRUNING})


def pair_terms(
    contexts: Sequence[Context], terms: Sequence[str], pairs: Mapping[tuple[int, int], str], relations: CloseEntities,
    seed: int,
) -> TermPairings:  # fmt: skip
    """Label and prune: the same entity is a true pair; different ones that are too close are none."""
    by_entity = _by_entity(contexts, seed)
    pairings = TermPairings()
    for (one, two), group in sorted(pairs.items()):
        kept = []
        for entity, first in by_entity[terms[one]].items():
            for other, second in by_entity[terms[two]].items():
                if one == two and other < entity:
                    continue  # the same two sets of contexts the other way round
                pairing = TermPairing((terms[one], terms[two]), group, entity == other, first, second)
                if not pairing.pairs:
                    continue
                if rule := "" if pairing.label else relations.between(entity, other):
                    pairings.pruned[rule][group] += pairing.pairs
                else:
                    pairings.possible[group, str(pairing.label)] += pairing.pairs
                    kept.append(pairing)
        if kept:
            pairings.by_terms[terms[one], terms[two]] = kept
    return pairings


def instances(first: Sequence[int], second: Sequence[int], same: bool) -> Iterator[Instance]:
    """Every pair of contexts once, such that the first n use all contexts as evenly as can be.

    >>> list(instances([1, 2], [3, 4], False)), list(instances([1, 2, 3], [1, 2, 3], True))
    ([(1, 3), (2, 4), (1, 4), (2, 3)], [(1, 2), (2, 3), (3, 1)])
    """
    n, m = len(first), len(second)
    if same:
        for shift in range(1, n // 2 + 1):
            for at in range(n // 2 if 2 * shift == n else n):
                yield first[at], first[(at + shift) % n]
    else:
        for shift in range(m):
            for at in range(n):
                yield first[at], second[(at + shift) % m]


def _by_entity(contexts: Sequence[Context], seed: int) -> dict[str, dict[str, tuple[int, ...]]]:
    """Lower-cased term → entity → places of contexts in an order by chance."""
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, context in enumerate(contexts):
        found[context.term.lower()][context.entity].append(place)
    ranks = [draw(seed, "context", context.sentence) for context in contexts]
    return {
        term: {e: tuple(sorted(places, key=lambda p: (ranks[p], p))) for e, places in sorted(entities.items())}
        for term, entities in found.items()
    }
