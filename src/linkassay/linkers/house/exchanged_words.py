"""Words that names of one entity exchange or leave out ("renal" for "kidney", "protein"), learned from a KB's names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from linkassay.store import MappedFolder

_MOST_NAMES, _MOST_WORDS = 12, 8
_LEAST_TIMES, _LEAST_SHARE = 5, 0.03


class ExchangedWords:
    """`form` of words: these without those that names often lack, each replaced by its most usual equal."""

    def __init__(self, equal: dict[str, str], dropped: Iterable[str]) -> None:
        """`equal`: what is put for a word; `dropped`: what is left out."""
        self._equal, self._dropped = equal, frozenset(dropped)

    @classmethod
    def of(cls, entities: Iterable[Sequence[frozenset[str]]]) -> ExchangedWords:
        """`entities`: the words of the names of each, at least two."""
        swapped: Counter[tuple[str, str]] = Counter()
        dropped: Counter[str] = Counter()
        spread: Counter[str] = Counter()
        for names in entities:
            bags = sorted({bag for bag in names[:_MOST_NAMES] if len(bag) <= _MOST_WORDS}, key=sorted)
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
        often = (w for w, n in dropped.items() if n >= _LEAST_TIMES and n >= 0.05 * spread[w] and _is_word(w))
        return cls(_equals(swapped, spread), often)

    def store(self, files: MappedFolder) -> None:
        """Write the words, which are few."""
        files.put_record("words", {"equal": self._equal, "dropped": sorted(self._dropped)})

    @classmethod
    def opened(cls, files: MappedFolder) -> ExchangedWords:
        """The words that were written."""
        return cls(**files.record("words"))

    def form(self, words: frozenset[str]) -> str:
        """Of the words of a text; if all of them may be left out, none is."""
        kept = {self._equal.get(word, word) for word in words - self._dropped} or words
        return " ".join(sorted(kept))


def _equals(swapped: Counter[tuple[str, str]], spread: Counter[str]) -> dict[str, str]:
    """For words that are often exchanged for a more frequent one the last of those that this leads to."""
    best: dict[str, tuple[int, int, str]] = {}
    for (word, usual), n in swapped.items():
        often = n >= _LEAST_TIMES and n >= _LEAST_SHARE * min(spread[word], spread[usual])
        if often and _is_word(word) and _is_word(usual) and (spread[usual], usual) > (spread[word], word):
            best[word] = max(best.get(word, (0, 0, "")), (n, spread[usual], usual))
    equal: dict[str, str] = {}
    for word in best:
        end = word
        while end in best:  # each is more frequent than the one before, so that this ends
            end = best[end][2]
        equal[word] = end
    return equal


def _is_word(word: str) -> bool:
    """Numbers and single letters tell types and parts apart and are never exchanged."""
    return len(word) > 2 and word.isalpha()
