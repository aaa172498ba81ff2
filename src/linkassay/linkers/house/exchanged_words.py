"""Words that names of one entity exchange or leave out ("renal" for "kidney", "protein"), learned from a KB's names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from linkassay.linkers.house.name_forms import plain_words

_MOST_NAMES, _MOST_WORDS = 12, 8
_LEAST_TIMES, _LEAST_SHARE = 5, 0.03


class ExchangedWords:
    """`form` of a text: its words without those that names often lack, each replaced by its most usual equal."""

    def __init__(self, entities: Iterable[list[str]]) -> None:
        """`entities`: the keys of the names of each, at least two."""
        swapped: Counter[tuple[str, str]] = Counter()
        dropped: Counter[str] = Counter()
        spread: Counter[str] = Counter()
        for names in entities:
            bags = sorted(
                {bag for name in names[:_MOST_NAMES] if len(bag := plain_words(name)) <= _MOST_WORDS}, key=sorted
            )
            spread.update(set().union(*bags))
            swaps: set[tuple[str, str]] = set()
            drops: set[str] = set()
            for one, other in combinations(bags, 2):
                if one & other:
                    left, right = one - other, other - one
                    if len(left) == len(right) == 1:
                        swaps.add((next(iter(left)), next(iter(right))))
                    elif len(left) + len(right) == 1:
                        drops |= left | right
            swapped.update(pair for a, b in swaps for pair in ((a, b), (b, a)))
            dropped.update(drops)
        self._dropped = {w for w, n in dropped.items() if n >= _LEAST_TIMES and n >= 0.05 * spread[w] and _is_word(w)}
        self._equal: dict[str, str] = {}
        best: dict[str, tuple[int, int, str]] = {}
        for (word, usual), n in swapped.items():
            often = n >= _LEAST_TIMES and n >= _LEAST_SHARE * min(spread[word], spread[usual])
            if often and _is_word(word) and _is_word(usual) and (spread[usual], usual) > (spread[word], word):
                best[word] = max(best.get(word, (0, 0, "")), (n, spread[usual], usual))
        for word in best:
            end = word
            while end in best:  # each is more frequent than the one before, so that this ends
                end = best[end][2]
            self._equal[word] = end

    def form(self, key: str) -> str:
        """Empty if nothing but words that may be left out is in it."""
        bag = plain_words(key)
        kept = {self._equal.get(word, word) for word in bag - self._dropped} or bag
        return " ".join(sorted(kept))


def _is_word(word: str) -> bool:
    """Numbers and single letters tell types and parts apart and are never exchanged."""
    return len(word) > 2 and word.isalpha()
