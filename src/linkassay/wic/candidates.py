"""Which terms may be a pair: looked up in indexes, one for each group, never by going over all pairs of terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from linkassay.wic.groups import group_of, initials
from linkassay.wic.lemmas import lemma
from linkassay.wic.similar_texts import similar_pairs


def term_pairs(
    terms: Sequence[str], names: Sequence[frozenset[str]], threshold: float, workers: int = 1
) -> dict[tuple[int, int], str]:
    """Each pair of terms (places, the first not the larger; a term with itself too) that has a group, with its group.

    `terms` are distinct and lower-cased; `names` are the entities that have each term as a name.
    """
    found = {(n, n) for n in range(len(terms))}
    found |= _within(map(lemma, terms))
    found |= _abbreviated(terms)
    found |= _within_sets(names)
    found.update(similar_pairs(terms, threshold, workers))
    grouped = {}
    for one, two in sorted(found):
        if group := group_of(terms[one], terms[two], not names[one].isdisjoint(names[two]), threshold):
            grouped[one, two] = group
    return grouped


def _within(keys: Iterable[str]) -> set[tuple[int, int]]:
    """Pairs with the same key."""
    return _within_sets(frozenset((key,)) for key in keys)


def _within_sets(keys: Iterable[frozenset[str]]) -> set[tuple[int, int]]:
    """Pairs with a common key."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, own in enumerate(keys):
        for key in own:
            places[key].append(place)
    return {pair for same in places.values() for pair in combinations(same, 2)}


def _abbreviated(terms: Sequence[str]) -> set[tuple[int, int]]:
    """Terms and those that their initials are."""
    place = {term: n for n, term in enumerate(terms)}
    found = set()
    for n, term in enumerate(terms):
        short = place.get(initials(term))
        if short is not None:
            found.add((min(n, short), max(n, short)))
    return found
