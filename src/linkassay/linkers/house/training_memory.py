"""What texts meant in training: the same ones, such with the same words, similar ones, and single words of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from linkassay.linkers.house.asked_mentions import AskedDocument, AskedMention
from linkassay.linkers.house.entity_counts import EntityCounts, StoredCounts
from linkassay.linkers.house.name_forms import plain_words
from linkassay.linkers.house.related_words import RelatedWords
from linkassay.linkers.strings.ngram_index import NgramIndex
from linkassay.store import MappedFolder

#: Training texts that are like a mention, and entities taken from them.
NEIGHBOURS = 10

#: What is counted: texts, their words without order, single words, and entities by whatever text.
_TABLES = ("texts", "forms", "words", "entities")


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
        self._go_by([EntityCounts() for _ in _TABLES], None)

    def _go_by(self, tables: Sequence[EntityCounts], similar: NgramIndex | None) -> None:
        """`similar`: an index of the texts; none if there are none."""
        self._texts, self._forms, self._words, self._entities = self._tables = tables
        self._known, self._similar = self._texts.texts, similar
        self._neighbours: dict[str, list[tuple[str, float]]] = {}

    def learn(self, documents: Iterable[AskedDocument]) -> None:
        """Go by the mentions of training documents."""
        texts, forms, words, entities = tables = [EntityCounts() for _ in _TABLES]
        for document in documents:
            for mention in document.mentions:
                for entity in sorted(mention.gold):
                    for variant in (mention.plain, mention.long):
                        texts.add(document.id, variant.key, entity)
                        forms.add(document.id, variant.loose, entity)
                    for word in plain_words(mention.key):
                        words.add(document.id, word, entity)
                    entities.add(document.id, "", entity)
        self._go_by(tables, NgramIndex.of(texts.texts))

    def store(self, files: MappedFolder) -> None:
        """Write what was learned."""
        for name, table in zip(_TABLES, self._tables, strict=True):
            table.store(files.part(name))
        if self._similar:
            self._similar.store(files.part("similar"))

    def open(self, files: MappedFolder) -> None:
        """Go by what was written."""
        tables = [StoredCounts(files.part(name)) for name in _TABLES]
        self._go_by(tables, NgramIndex.opened(files.part("similar")) if tables[0].texts else None)

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
        if not self._similar:
            return {}
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
