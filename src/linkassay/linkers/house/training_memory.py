"""What texts meant in training: the same ones, such with the same words, similar ones, and single words of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from linkassay.linkers.house.asked_mentions import AskedDocument, AskedMention
from linkassay.linkers.house.name_forms import plain_words
from linkassay.linkers.house.related_words import RelatedWords
from linkassay.linkers.strings.ngram_index import NgramIndex

#: Training texts that are like a mention, and entities taken from them.
NEIGHBOURS = 10


class Recalled(NamedTuple):
    """What training says of a mention: how often, or how surely, each entity was meant."""

    plain: Counter[int]  # by the same text
    long: Counter[int]  # by the same text written out
    loose: Counter[int]  # by the same words
    similar: dict[int, float]
    by_words: dict[int, float]

    def entities(self) -> set[int]:
        """Those that are candidates; of those that single words speak for, the likeliest."""
        likely = sorted(self.by_words, key=lambda entity: (-self.by_words[entity], entity))[:NEIGHBOURS]
        return {*self.plain, *self.long, *self.loose, *self.similar, *likely}


class TrainingMemory:
    """Counts of training mentions; what a document says itself can be left out of each answer (`without`)."""

    def __init__(self, related: RelatedWords) -> None:
        self._related = related
        self._texts, self._forms, self._words, self._entities = _Counts(), _Counts(), _Counts(), _Counts()
        self._known: list[str] = []
        self._similar = NgramIndex.of(self._known)
        self._neighbours: dict[str, list[tuple[str, float]]] = {}

    def learn(self, documents: Iterable[AskedDocument]) -> None:
        """Take the mentions of training documents in."""
        for document in documents:
            for mention in document.mentions:
                for entity in sorted(mention.gold):
                    for variant in (mention.plain, mention.long):
                        self._texts.add(document.id, variant.key, entity)
                        self._forms.add(document.id, variant.loose, entity)
                    for word in plain_words(mention.key):
                        self._words.add(document.id, word, entity)
                    self._entities.add(document.id, "", entity)
        self._known = self._texts.texts()
        self._similar = NgramIndex.of(self._known)
        self._neighbours.clear()

    def entities(self, without: str) -> Counter[int]:
        """How often each entity was meant, by whatever text."""
        return self._entities.counts("", without)

    def recall(self, mention: AskedMention, without: str) -> Recalled:
        """What training says of a mention."""
        return Recalled(
            self._texts.counts(mention.plain.key, without),
            self._texts.counts(mention.long.key, without),
            self._forms.counts(mention.long.loose, without),
            self._by_similar_texts(mention.long.key, without),
            self._by_words(mention.long.key, without),
        )

    def _by_similar_texts(self, text: str, without: str) -> dict[int, float]:
        """What texts like this one meant in training, each by similarity times share."""
        if text not in self._neighbours:
            numbers, cosines = self._similar.near(text, NEIGHBOURS)
            self._neighbours[text] = [(self._known[n], float(c)) for n, c in zip(numbers, cosines, strict=True)]
        merit: dict[int, float] = {}
        for other, cosine in self._neighbours[text]:
            counts = self._texts.counts(other, without)
            total = sum(counts.values())
            for entity, n in counts.items():
                merit[entity] = max(merit.get(entity, 0.0), cosine * n / total)
        best = sorted(merit, key=lambda entity: (-merit[entity], entity))[:NEIGHBOURS]
        return {entity: merit[entity] for entity in best}

    def _by_words(self, text: str, without: str) -> dict[int, float]:
        """What the words of a text meant in training: for each entity its share, averaged over the words by weight."""
        merit: dict[int, float] = defaultdict(float)
        whole = 0.0
        for word in sorted(plain_words(text)):
            weight = self._related.weight(word)
            whole += weight
            counts = self._words.counts(word, without)
            total = sum(counts.values())
            for entity, n in counts.items():
                merit[entity] += weight * n / (total + 1)
        return {entity: value / whole for entity, value in merit.items()} if whole else {}


class _Counts:
    """How often a text meant an entity in training; what one document says can be taken out again."""

    def __init__(self) -> None:
        self._all: dict[str, Counter[int]] = defaultdict(Counter)
        self._of: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)

    def add(self, document: str, text: str, entity: int) -> None:
        self._all[text][entity] += 1
        self._of[document, text][entity] += 1

    def texts(self) -> list[str]:
        return sorted(self._all)

    def counts(self, text: str, without: str = "") -> Counter[int]:
        found = self._all.get(text)
        if not found:
            return Counter()
        own = self._of.get((without, text)) if without else None
        return found - own if own else found
