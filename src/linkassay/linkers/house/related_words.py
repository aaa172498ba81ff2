"""How near words are in meaning, as far as names and training mentions show it, and names found by such words.

Two words are related if they begin alike ("ischemic", "ischemia"), if names of one entity exchange them ("renal",
"kidney"), or if training mentions put one for the other. For candidates and their features; it ranks nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import fsum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from linkassay.kbs import NodeLists
from linkassay.linkers.house.name_forms import plain_words
from linkassay.linkers.house.word_worths import WordWorths
from linkassay.store import MappedFolder, TextNumbers, Texts

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]

_MOST_NAMES, _MOST_WORDS, _MOST_EXCHANGED = 12, 8, 2
#: Entities, or documents, that must show an exchange.
_LEAST_ENTITIES, _LEAST_DOCUMENTS = 2, 3
#: Words that are tried for one word, the least relation that counts, and the letters that related words begin with.
_MOST_TRIED, _LEAST_RELATION, _BEGINNING = 12, 0.05, 5
#: Entries of the index of words that are looked at for one text.
_POSTINGS = 60_000
#: By word how much it tells; by text how long it is; the words in the order of their letters.
_ARRAYS = ("idf", "length", "sorted")


class RelatedWords:
    """Over texts by number, each given as its words joined by spaces (a loose form)."""

    def __init__(
        self, words: TextNumbers, places: NodeLists, arrays: dict[str, NDArray[Any]], exchanged: WordWorths
    ) -> None:
        """By what `of` made, or what was stored of that."""
        self._known, self._places, self._arrays, self._exchanged = words, places, arrays, exchanged
        self._idf, self._length, self._sorted = (arrays[name] for name in _ARRAYS)
        self._unknown = float(np.log(1 + len(self._length)))
        self._scores = np.zeros(len(self._length))
        #: What training mentions put for words.
        self.learned: dict[str, dict[str, float]] = {}
        self._near: dict[str, dict[str, float]] = {}
        self._weights: dict[str, float] = {}
        self._wholes: dict[frozenset[str], float] = {}

    @classmethod
    def of(cls, texts: Iterable[str] | pa.Array, entities: Iterable[Sequence[frozenset[str]]]) -> RelatedWords:
        """`entities`: the words of the names of each, at least two."""
        split = pc.split_pattern(texts if isinstance(texts, pa.Array) else pa.array(texts, pa.large_string()), " ")
        coded = pc.list_flatten(split).dictionary_encode()
        owner, number = pc.list_parent_indices(split).to_numpy().astype(np.int32), np.asarray(coded.indices)
        places = NodeLists(number, owner, len(coded.dictionary))
        idf = np.log((1 + len(split)) / (1 + np.diff(places.starts)))
        length = np.sqrt(np.bincount(owner, idf[number] ** 2, minlength=len(split))) + 1e-9
        order = pc.array_sort_indices(coded.dictionary).to_numpy().astype(np.int32)
        words = TextNumbers.of(Texts.of_arrow(coded.dictionary))
        arrays = dict(zip(_ARRAYS, (idf, length, order), strict=True))
        return cls(words, places, arrays, WordWorths.of(_exchanged(entities)))

    def store(self, files: MappedFolder) -> None:
        """Write what the names show; what was learned is not of them."""
        files.put_numbers("words", self._known)
        self._places.store(files.part("places"))
        files.put_arrays(self._arrays)
        self._exchanged.store(files.part("exchanged"))

    @classmethod
    def opened(cls, files: MappedFolder) -> RelatedWords:
        """What was written."""
        arrays = files.arrays(_ARRAYS)
        exchanged = WordWorths.opened(files.part("exchanged"))
        return cls(files.numbers("words"), NodeLists.opened(files.part("places")), arrays, exchanged)

    def learn(self, examples: Iterable[tuple[str, str, list[str]]]) -> None:
        """From (document, key of a mention, keys of the names of what it means)."""
        seen: set[tuple[str, str]] = set()
        put: set[tuple[str, str, str]] = set()
        for document, key, names in examples:
            bag = plain_words(key)
            seen.update((document, word) for word in bag)
            others = [plain_words(name) for name in names]
            other = max(others, key=lambda o: (len(bag & o) / max(1, len(bag | o)), sorted(o)), default=bag)
            left, right = bag - other, other - bag
            if 0 < len(left) <= _MOST_EXCHANGED and 0 < len(right) <= _MOST_EXCHANGED:
                put.update((document, word, usual) for word in left for usual in right)
        documents = Counter(word for _, word in seen)
        learned: dict[str, dict[str, float]] = defaultdict(dict)
        for (word, usual), n in Counter((word, usual) for _, word, usual in put).items():
            if n >= _LEAST_DOCUMENTS:  # less one, as a mention must not learn from its own document
                learned[word][usual] = (n - 1) / documents[word]
        self.know(learned)

    def know(self, learned: dict[str, dict[str, float]]) -> None:
        """Go by what was learned."""
        self.learned = learned
        self._near.clear()

    def near(self, word: str) -> dict[str, float]:
        """The words that may stand for this one, itself included, each with how much it is worth."""
        found = self._near.get(word)
        if found is None:
            table = self._exchanged.of_word(word)
            for other, worth in self.learned.get(word, {}).items():
                table[other] = max(table.get(other, 0.0), worth)
            if len(word) > _BEGINNING:
                for other in self._beginning_with(word[:_BEGINNING]):
                    worth = _begins_alike(word, other)
                    if worth > table.get(other, 0.5):
                        table[other] = worth
            table.pop(word, None)
            best = sorted(table.items(), key=lambda item: (-item[1], item[0]))[:_MOST_TRIED]
            found = self._near[word] = {word: 1.0} | {w: min(0.95, x) for w, x in best if x >= _LEAST_RELATION}
        return found

    def _beginning_with(self, letters: str) -> Iterator[str]:
        """The longer words with this beginning."""
        words, order = self._known.texts, self._sorted.data
        for at in range(bisect_right(order, letters, key=words.__getitem__), len(order)):
            word = words[order[at]]
            if not word.startswith(letters):
                break
            yield word

    def weight(self, word: str) -> float:
        """How much a word tells: more if it is rare."""
        found = self._weights.get(word)
        if found is None:
            number = self._known.get(word)
            found = self._weights[word] = self._unknown if number is None else float(self._idf[number])
        return found

    def whole(self, bag: frozenset[str]) -> float:
        """How much words tell together."""
        found = self._wholes.get(bag)
        if found is None:
            found = self._wholes[bag] = fsum(map(self.weight, bag))  # exact, so in any order
        return found

    def having(self, word: str) -> Integers:
        """The texts with this word."""
        number = self._known.get(word)
        return np.empty(0, dtype=np.int64) if number is None else self._places[number]

    def common(self, bag: frozenset[str], other: frozenset[str]) -> tuple[float, float]:
        """How much of the weight of each bag of words is found, or stood for, in the other."""
        met: list[float] = []
        reached: dict[str, float] = {}
        for word in bag:
            most = 0.0
            if word in other:
                most = reached[word] = 1.0
            else:
                near = self.near(word)
                for usual in other:
                    worth = near.get(usual, 0.0)
                    if worth:
                        most = max(most, worth)
                        reached[usual] = max(reached.get(usual, 0.0), worth)
            if most:
                met.append(self.weight(word) * most)
        back = fsum(self.weight(word) * worth for word, worth in reached.items())
        return fsum(met) / (self.whole(bag) + 1e-9), back / (self.whole(other) + 1e-9)

    def texts(self, bag: frozenset[str], top: int) -> Integers:
        """Texts with these words or such that stand for them, by a cosine; looked for by the rarest words only."""
        wanted: dict[int, float] = {}
        for word in sorted(bag):
            weight = self.weight(word)
            for other, worth in self.near(word).items():
                number = self._known.get(other)
                if number is not None:
                    wanted[number] = max(wanted.get(number, 0.0), worth * weight * float(self._idf[number]))
        starts, left = self._places.starts, _POSTINGS
        seen: list[Integers] = []
        for number in sorted(wanted, key=lambda n: (int(starts[n + 1] - starts[n]), n)):
            places = self._places[number]
            left -= len(places)
            if left < 0 and seen:
                break
            self._scores[places] += wanted[number]
            seen.append(places)
        if not seen:
            return np.empty(0, dtype=np.int64)
        found = np.unique(np.concatenate(seen))
        scores = (self._scores[found] / self._length[found]).round(9)
        self._scores[found] = 0.0
        if len(found) > top:
            least = np.partition(scores, len(scores) - top)[len(scores) - top]
            found, scores = found[scores >= least], scores[scores >= least]
        return found[np.lexsort((found, -scores))][:top]


def _exchanged(entities: Iterable[Sequence[frozenset[str]]]) -> dict[str, dict[str, float]]:
    """The share of the entities with a word in a name where another name has another word in its place."""
    spread: Counter[str] = Counter()
    times: Counter[tuple[str, str]] = Counter()
    for names in entities:
        bags = sorted({bag for bag in names[:_MOST_NAMES] if len(bag) <= _MOST_WORDS}, key=sorted)
        spread.update(set().union(*bags))
        pairs: set[tuple[str, str]] = set()
        for one, other in combinations(bags, 2):
            left, right = one - other, other - one
            if 0 < len(left) <= _MOST_EXCHANGED and 0 < len(right) <= _MOST_EXCHANGED:
                pairs.update((a, b) for a in left for b in right if _is_word(a) and _is_word(b))
        times.update(pair for a, b in pairs for pair in ((a, b), (b, a)))
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for (word, usual), n in times.items():
        if n >= _LEAST_ENTITIES and n >= _LEAST_RELATION * spread[word]:
            found[word][usual] = n / (spread[word] + 1)
    return dict(found)


def _begins_alike(word: str, other: str) -> float:
    """The share of the longer word that both begin with."""
    shorter, longer = sorted((len(word), len(other)))
    same = next((n for n in range(shorter) if word[n] != other[n]), shorter)
    return same / longer


def _is_word(word: str) -> bool:
    """Numbers and single letters tell types and parts apart and are never exchanged."""
    return len(word) > 2 and word.isalpha()
