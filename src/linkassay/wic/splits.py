"""Which pairs become test, dev and train: the constraints of the paper (WIC-11 to WIC-16), by construction.

Test comes first: each pair of terms once, each sentence once. What has a sentence or a pair of terms of test is lost
for the others (WIC-12). Labels are balanced within each group of each split (WIC-14). Nothing here depends on the
order of the input.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from linkassay.wic.contexts import Context
from linkassay.wic.groups import GROUPS
from linkassay.wic.pairing import Instance, TermPairing, TermPairings, instances
from linkassay.wic.settings import Settings, draw, mixed

SPLITS = ("train", "dev", "test")

#: (group, label) → pairs of contexts.
Sides = dict[tuple[str, bool], list[Instance]]


@dataclass
class Chosen:
    """Places of contexts and group of each pair of each split, and what was left out and why."""

    pairs: dict[str, list[tuple[Instance, str]]]
    left_out: Counter[str] = field(default_factory=Counter)


def split(contexts: Sequence[Context], pairings: TermPairings, settings: Settings) -> Chosen:
    """Choose test, then dev, then train."""
    allowed = _documents(contexts, settings)
    left_out: Counter[str] = Counter()
    test, used_terms = _test(pairings, settings, allowed["test"])
    used = {place for pairs in test.values() for instance in pairs for place in instance}
    free = {terms: each for terms, each in pairings.by_terms.items() if terms not in used_terms}
    left_out["pairs of terms in test"] = sum(
        pairing.pairs for terms in used_terms for pairing in pairings.by_terms[terms]
    )

    ranks = [draw(settings.seed, "pair", context.sentence) for context in contexts]

    def pool(name: str) -> Sides:
        usable = {place for place in range(len(contexts)) if place not in used and allowed[name](place)}
        return _pool(free.values(), ranks, settings.pair_cap, usable)

    if settings.document_disjoint:
        dev, _ = _dev(pool("dev"), settings, share=1.0)
        rest = pool("train")
    else:
        dev, rest = _dev(pool("train"), settings, share=settings.dev_share)
    train = _train(rest, settings, left_out)
    chosen = {"train": train, "dev": dev, "test": test}
    return Chosen({name: [(i, g) for (g, _), found in sides.items() for i in found] for name, sides in chosen.items()},
                  left_out)  # fmt: skip


def _documents(contexts: Sequence[Context], settings: Settings) -> dict[str, Callable[[int], bool]]:
    """For each split, which contexts may be in it: all, or those of documents that were drawn for it."""
    if not settings.document_disjoint:
        return {name: lambda place: True for name in SPLITS}
    limits = {"test": settings.test_share, "dev": settings.test_share + settings.dev_share, "train": 1.0}
    of: dict[str, str] = {}
    for document in {context.document for context in contexts}:
        at = draw(settings.seed, "document", document) / 2**64
        of[document] = next(name for name, limit in limits.items() if at < limit)
    return {name: (lambda place, name=name: of[contexts[place].document] == name) for name in SPLITS}  # type: ignore[misc]


def _test(
    pairings: TermPairings, settings: Settings, allowed: Callable[[int], bool]
) -> tuple[Sides, set[tuple[str, str]]]:  # fmt: skip
    """Each pair of terms and each sentence at most once; what is scarcest, the false pairs, first."""
    order = sorted(pairings.by_terms, key=lambda terms: (draw(settings.seed, "test", *terms), terms))
    by_side: dict[tuple[str, bool], list[tuple[str, str]]] = defaultdict(list)
    for terms in order:
        for label in {pairing.label for pairing in pairings.by_terms[terms]}:
            by_side[pairings.by_terms[terms][0].group, label].append(terms)
    taken: dict[tuple[str, bool], list[tuple[tuple[str, str], Instance]]] = {}
    used: set[int] = set()
    used_terms: set[tuple[str, str]] = set()
    for label in (False, True):
        for group in GROUPS:
            most = min(len(by_side[group.name, side]) for side in (False, True))
            wanted = min(int(settings.test * group.share / 2), int(settings.test_share * most))
            found = taken[group.name, label] = []
            for terms in by_side[group.name, label]:
                if len(found) == wanted:
                    break
                if terms not in used_terms and (pair := _unused(pairings.by_terms[terms], label, used, allowed)):
                    found.append((terms, pair))
                    used.update(pair)
                    used_terms.add(terms)
    balanced = {
        (group.name, label): taken[group.name, label][: min(len(taken[group.name, side]) for side in (False, True))]
        for group in GROUPS
        for label in (False, True)
    }
    return (
        {side: [pair for _, pair in found] for side, found in balanced.items()},
        {terms for found in balanced.values() for terms, _ in found},
    )


def _unused(
    pairings: Iterable[TermPairing], label: bool, used: set[int], allowed: Callable[[int], bool]
) -> Instance | None:
    for pairing in pairings:
        if pairing.label == label:
            first = next((p for p in pairing.first if p not in used and allowed(p)), None)
            second = next((p for p in pairing.second if p not in used and allowed(p) and p != first), None)
            if first is not None and second is not None:
                return first, second
    return None


def _pool(pairings: Iterable[Sequence[TermPairing]], ranks: Sequence[int], cap: int, usable: set[int]) -> Sides:
    """Up to `cap` pairs of each pairing, each group and label in an order by chance."""
    known: dict[int, list[int]] = {}

    def few(places: tuple[int, ...]) -> list[int]:
        """The first usable ones, as many as `cap` pairs can use; the same contexts are in many pairings."""
        if id(places) not in known:
            known[id(places)] = list(islice((p for p in places if p in usable), cap + 1))
        return known[id(places)]

    ranked: dict[tuple[str, bool], list[tuple[int, Instance]]] = defaultdict(list)
    for pairing in (pairing for each in pairings for pairing in each):
        same = pairing.first is pairing.second
        first, second = few(pairing.first), few(pairing.second)
        ranked[pairing.group, pairing.label] += [
            (mixed(ranks[one], ranks[two]), (one, two)) for one, two in islice(instances(first, second, same), cap)
        ]
    return {side: [pair for _, pair in sorted(found)] for side, found in ranked.items()}


def _dev(pool: Sides, settings: Settings, share: float) -> tuple[Sides, Sides]:
    """The first of each group and label, and the rest (WIC-13)."""
    dev, rest = {}, {}
    for group in GROUPS:
        sides = [(group.name, label) for label in (False, True)]
        most = min(len(pool.get(side, ())) for side in sides)
        size = min(int(settings.dev * group.share / 2), int(share * most))
        for side in sides:
            dev[side], rest[side] = pool.get(side, [])[:size], pool.get(side, [])[size:]
    return dev, rest


def _train(pool: Sides, settings: Settings, left_out: Counter[str]) -> Sides:
    """No sentence more often than the cap (WIC-13); as many true as false pairs in each group (WIC-14)."""
    times: Counter[int] = Counter()
    train: Sides = {}
    for group in GROUPS:
        # The scarcer label first: of the other no more are needed.
        sides = sorted(((group.name, label) for label in (False, True)), key=lambda side: len(pool.get(side, ())))
        size = int(settings.train * group.share / 2) if settings.train else None
        for side in sides:
            train[side] = list(islice(_capped(pool.get(side, ()), times, settings.sentence_cap, left_out), size))
            size = len(train[side])
        surplus = train[sides[0]][size:]
        del train[sides[0]][size:]
        times.subtract(place for pair in surplus for place in pair)
    sizes = {side: len(pool.get(side, ())) - len(found) for side, found in train.items()}
    left_out["pairs beyond balance or size"] = sum(sizes.values()) - left_out["pairs beyond the sentence cap"]
    return train


def _capped(pairs: Iterable[Instance], times: Counter[int], cap: int, left_out: Counter[str]) -> Iterator[Instance]:
    for one, two in pairs:
        if times[one] >= cap or times[two] >= cap:
            left_out["pairs beyond the sentence cap"] += 1
        else:
            times[one] += 1
            times[two] += 1
            yield one, two
