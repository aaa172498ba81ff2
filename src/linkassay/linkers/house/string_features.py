"""How the names of an entity compare with a mention: candidates by string alone, with their string features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from linkassay.linkers.house.asked_mentions import Variant
from linkassay.linkers.house.name_forms import plain_words
from linkassay.linkers.house.name_index import NameIndex

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

#: Each is the best over an entity's names; `primary` and `kind` are those of the best name.
STRING_FEATURES = (
    "exact",
    "key",
    "compact",
    "loose",
    "alike",
    "initial",
    "cosine",
    "ratio",
    "covered",
    "covers",
    "related",
    "relates",
    "primary",
    "kind",
)
_EXACT, _KEY, _RATIO, _COVERED, _RELATED, _PRIMARY = map(
    STRING_FEATURES.index, ("exact", "key", "ratio", "covered", "related", "primary")
)
_NOTHING = [0.0] * len(STRING_FEATURES)

#: Keys of one loose form that are looked at.
_MOST_ALIKE = 200
#: Names of an entity that are compared if none came up.
_MOST_NAMES = 10
#: Documents that must show an exchange of words, and exchanges of one word that are tried.
_LEAST_DOCUMENTS, _MOST_SWAPS = 3, 3


class StringFeatures:
    """Candidates of a mention by its text and its text written out; what was asked once is kept."""

    def __init__(self, index: NameIndex, limit: int) -> None:
        self._kb, self._limit = index, limit
        self._known: dict[tuple[str, bool], dict[int, list[float]]] = {}
        #: Words that mentions put for others, those first that are put for them most often.
        self.swaps: dict[str, list[str]] = {}
        self._names: dict[int, tuple[str, frozenset[str]]] = {}
        self._ranked: dict[tuple[str, str, str, bool], list[int]] = {}
        self._others: dict[tuple[str, int, bool], list[float]] = {}

    def learn(self, examples: Iterable[tuple[str, str, frozenset[int]]]) -> None:
        """Words that mentions put for words of names ("cancer" for "neoplasm"), from (document, key, gold)."""
        examples = list(examples)
        self._kb.related.learn(
            (document, key, [self._kb.keys[n] for n in self._kb.keys_of(entity)])
            for document, key, gold in examples
            for entity in sorted(gold)
        )
        seen: set[tuple[str, str, str]] = set()
        for document, key, gold in examples:
            bag = plain_words(key)
            for entity in gold:
                for number in self._kb.keys_of(entity):
                    other = plain_words(self._kb.keys[number])
                    if len(bag) == len(other) > 1 and len(bag & other) == len(bag) - 1:
                        seen.add((document, next(iter(bag - other)), next(iter(other - bag))))
        times = Counter((word, usual) for _, word, usual in seen)
        swaps: dict[str, list[str]] = {}
        for (word, usual), n in sorted(times.items(), key=lambda item: (-item[1], item[0])):
            if n >= _LEAST_DOCUMENTS and word.isalpha() and usual.isalpha():
                swaps.setdefault(word, []).append(usual)
        self.know(swaps)

    def know(self, swaps: dict[str, list[str]]) -> None:
        """Go by what was learned."""
        self.swaps = swaps
        self._known.clear()
        self._ranked.clear()
        self._others.clear()

    def _swapped(self, bag: frozenset[str]) -> Iterator[int]:
        """Keys whose words are those of a mention but for one that is known to stand for another."""
        for word in sorted(bag & self.swaps.keys()):
            for usual in self.swaps[word][:_MOST_SWAPS]:
                yield from self._kb.by_loose(" ".join(sorted(bag - {word} | {usual})))[:_MOST_ALIKE].tolist()

    def of(
        self, plain: Variant, long: Variant, type_: str, also: set[int], *, hiding: bool = False
    ) -> tuple[Integers, Floats]:
        """Entities in a fixed order, and a row of features for each: of `plain`, then of `long`.

        `hiding`: as if there were no names with the same letters or the same words.
        """
        first = self._matches(plain, hiding)
        second = first if plain.key == long.key else self._matches(long, hiding)
        asked = plain.text, long.text, type_, hiding
        ranked = self._ranked.get(asked)
        if ranked is None:
            ranked = self._ranked[asked] = self._ranking(first, second, type_)
        entities = [*ranked, *sorted(also - set(ranked))]
        rows = [
            (first.get(e) or self._other(plain, e, hiding)) + (second.get(e) or self._other(long, e, hiding))
            for e in entities
        ]
        return np.array(entities, dtype=np.int64), np.array(rows, dtype=np.float64).reshape(
            -1, 2 * len(STRING_FEATURES)
        )

    def _ranking(self, first: dict[int, list[float]], second: dict[int, list[float]], type_: str) -> list[int]:
        """The best of what a text and its text written out may name."""
        kb = self._kb.entities
        unfit = (
            {number for number, name in enumerate(kb.types) if name not in ("", type_)}
            if type_ and type_ in kb.types
            else ()
        )

        def order(entity: int) -> tuple[float, int]:
            a, b = first.get(entity, _NOTHING), second.get(entity, _NOTHING)
            merit = max(_merit(row) + 0.1 * row[_EXACT] for row in (a, b))
            return (merit - (1.0 if kb.type[entity] in unfit else 0.0), -entity)

        return sorted({*first, *second}, key=order, reverse=True)[: self._limit]

    def _other(self, variant: Variant, entity: int, hiding: bool) -> list[float]:
        """An entity none of whose names came up: how that of its names compares that is nearest."""
        found = self._others.get((variant.key, entity, hiding))
        if found is None:
            bag = plain_words(variant.key)
            hidden = self._same(variant) if hiding else ()
            lines = (
                [*_NOTHING[:_RATIO], *self._common(variant.key, bag, number), *_NOTHING[_PRIMARY:]]
                for number in self._kb.keys_of(entity)[:_MOST_NAMES]
                if number not in hidden
            )
            found = self._others[variant.key, entity, hiding] = max(lines, key=_merit, default=_NOTHING)
        return found

    def _matches(self, variant: Variant, hiding: bool) -> dict[int, list[float]]:
        found = self._known.get((variant.text, hiding))
        if found is None:
            found = self._known[variant.text, hiding] = self._compared(variant, hiding)
        return found

    def _same(self, variant: Variant) -> set[int]:
        """The names with the same letters or the same words."""
        return {*self._kb.by_compact(variant.compact).tolist(), *self._kb.by_loose(variant.loose).tolist()}

    def _compared(self, variant: Variant, hiding: bool) -> dict[int, list[float]]:
        kb = self._kb
        near, cosines = kb.ngrams.near(variant.key, 2 * self._limit)
        cosine = dict(zip(near.tolist(), cosines.tolist(), strict=True))
        own = kb.key.get(variant.key, -1)
        same_letters = set(kb.by_compact(variant.compact).tolist())
        same_words = set(kb.by_loose(variant.loose)[:_MOST_ALIKE].tolist())
        bag = plain_words(variant.key)
        alike = set(kb.by_alike(bag)[:_MOST_ALIKE].tolist())
        initialed = set(kb.by_initial(variant.key)[:_MOST_ALIKE].tolist())
        alike.update(self._swapped(bag))
        related = kb.by_related(bag, self._limit).tolist()
        best: dict[int, list[float]] = {}
        listed = {*cosine, *same_letters, *same_words, *alike, *initialed, *related, *([own] if own >= 0 else [])}
        if hiding:
            listed -= self._same(variant)
        for number in sorted(listed):
            line = [
                0.0, float(number == own), float(number in same_letters), float(number in same_words),
                float(number in alike), float(number in initialed),
                cosine.get(number, 0.0), *self._common(variant.key, bag, number),
            ]  # fmt: skip
            merit = _merit(line)
            for row in range(kb.rows.starts[number], kb.rows.starts[number + 1]):
                exact = float(number == own and kb.spelled[row] == variant.text)  # the same text has the same key
                full = [exact, *line[1:], float(kb.rows.primary[row]), float(kb.rows.kind[row])]
                entity = int(kb.rows.entity[row])
                before = best.get(entity)
                if before is None:
                    best[entity] = full
                else:
                    ahead = merit + exact > _merit(before) + before[_EXACT]
                    tops = [max(a, b) for a, b in zip(full[:_PRIMARY], before[:_PRIMARY], strict=True)]
                    best[entity] = tops + (full if ahead else before)[_PRIMARY:]
        return best

    def _common(self, key: str, bag: frozenset[str], number: int) -> tuple[float, ...]:
        """Ratio of a key and a name's, and what of the words of each the other has, as such or by related ones."""
        found = self._names.get(number)
        if found is None:
            text = self._kb.keys[number]
            found = self._names[number] = text, plain_words(text)
        name, other = found
        both = len(bag & other)
        related = self._kb.related.common(bag, other)
        return (fuzz.ratio(key, name) / 100, both / max(1, len(bag)), both / max(1, len(other)), *related)


def _merit(line: list[float]) -> float:
    """A first opinion, by which candidates are chosen and the names of an entity compared."""
    return sum(line[_KEY:_COVERED]) + line[_RELATED] * line[_RELATED + 1]
