"""The candidates of mentions: entities that names, training or the rest of the document speak for, with features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkassay.linkers.house.asked_mentions import AskedDocument, AskedMention
from linkassay.linkers.house.document_context import DocumentContext
from linkassay.linkers.house.features import FEATURES, KEY, LONG_KEY, Priors, feature_table, of_kb, of_text, of_training
from linkassay.linkers.house.name_index import NameIndex
from linkassay.linkers.house.string_features import StringFeatures
from linkassay.linkers.house.training_memory import Recalled, TrainingMemory
from linkassay.linkers.rules.species_words import SpeciesWords
from linkassay.store import MappedFolder

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

#: The candidates of one mention, and a row of features for each.
Candidates: TypeAlias = tuple[Integers, Floats]

#: Candidates by string similarity for one mention; those that training mentions add are not limited.
CANDIDATES = 25

#: Entities taken from those above such that have a mention's words in a name.
ABOVE = 5

#: What nothing is held to be.
NO_OPINIONS: Mapping[str, set[int]] = MappingProxyType({})

_NOT_ABOVE = 0.0, 0.0
_NO_CANDIDATES = np.empty(0, dtype=np.int64), np.empty((0, len(FEATURES)))


class CandidateFinder:
    """A knowledge base and what was learned of it, made ready to be asked for candidates."""

    def __init__(self, index: NameIndex, species: SpeciesWords) -> None:
        self.index, self.species = index, species
        self.strings = StringFeatures(index, CANDIDATES)
        self.memory = TrainingMemory(index.related)
        self.priors = Priors.unknown(index)

    def learn(self, documents: Sequence[AskedDocument]) -> None:
        """From documents whose mentions have gold."""
        self.memory.learn(documents)
        self.strings.learn((document.id, m.key, m.gold) for document in documents for m in document.mentions)
        self.priors = Priors.learned(self.index, [mention for document in documents for mention in document.mentions])

    def store_training(self, files: MappedFolder) -> None:
        """Write what was learned."""
        files.put_texts("added", self.index.entities.added)
        files.put_record("words", {"related": self.index.related.learned, "swaps": self.strings.swaps})
        self.memory.store(files.part("memory"))
        self.priors.store(files.part("priors"))

    def open_training(self, files: MappedFolder) -> None:
        """Be as after `learn`, by what was written then."""
        words = files.record("words")
        self.index.entities.add(files.texts("added"))
        self.index.related.know(words["related"])
        self.strings.know(words["swaps"])
        self.memory.open(files.part("memory"))
        self.priors = Priors.opened(files.part("priors"))

    def look(
        self, document: AskedDocument, *, learning: bool = False, further: Sequence[set[int]] = ()
    ) -> DocumentLook:
        """At a document; `learning`: as if it were none of those learned from; `further`: candidates from elsewhere."""
        return DocumentLook(self, document, without=document.id if learning else "", further=further)


class _Evidence(NamedTuple):
    """What speaks for entities as candidates of one mention, the rest of its document aside."""

    recalled: Recalled
    above: Mapping[int, tuple[float, float]]
    entities: set[int]


class DocumentLook:
    """The mentions of one document with all that speaks for their candidates; `without`: what not to remember of."""

    def __init__(
        self, finder: CandidateFinder, document: AskedDocument, without: str, further: Sequence[set[int]] = ()
    ) -> None:
        self._finder, self._document = finder, document
        self._meant = finder.memory.entities(without)
        self._species = finder.species.of(document.text)
        self._evidence = [self._evidence_for(mention, without) for mention in document.mentions]
        for evidence, more in zip(self._evidence, further):
            evidence.entities.update(more)
        self._context = DocumentContext(finder.index.entities, document.mentions, self._sure())

    def candidates(
        self, *, hiding: bool = False, opinions: Mapping[str, set[int]] = NO_OPINIONS
    ) -> Iterator[Candidates]:
        """For each mention its candidates and their features.

        `hiding`: as if the knowledge base had no name that is the same; nothing for texts that other documents have,
        or that are no name. `opinions`: what mentions whose text is neither a name nor known from training are at first
        sight.
        """
        other_names = self._context.other_names(self._document.text, opinions)
        long_forms = self._context.fitting_long_forms(opinions)
        for mention, evidence in zip(self._document.mentions, self._evidence, strict=True):
            if hiding and (evidence.recalled.long or evidence.recalled.plain or not self._context.sure[mention.key]):
                yield _NO_CANDIDATES
                continue
            alias, fits = (known.get(mention.key, {}) for known in (other_names, long_forms))
            candidates, strings = self._finder.strings.of(
                mention.plain, mention.long, mention.type,
                {*evidence.entities, *self._context.topics, *alias, *fits}, hiding=hiding,
            )  # fmt: skip
            entities = candidates.tolist()
            yield candidates, feature_table(strings, {
                **of_training(entities, evidence.recalled, self._meant),
                **of_kb(self._finder.index.entities, self._finder.priors, mention, candidates, strings),
                **of_text(mention),
                **self._context.features(mention, entities, hiding=hiding),
                **self._of_species(mention, candidates),
                "alias": [alias.get(entity, 0.0) for entity in entities],
                "fits": [fits.get(entity, 0.0) for entity in entities],
                "over": [evidence.above.get(entity, _NOT_ABOVE)[0] for entity in entities],
                "over own": [evidence.above.get(entity, _NOT_ABOVE)[1] for entity in entities],
            })  # fmt: skip

    def _evidence_for(self, mention: AskedMention, without: str) -> _Evidence:
        recalled = self._finder.memory.recall(mention, without)
        above = self._finder.index.above_words(mention.key)
        best = sorted(above, key=lambda entity: (-sum(above[entity]), entity))[:ABOVE]
        return _Evidence(recalled, above, {*recalled.entities(), *best})

    def _sure(self) -> dict[str, set[int]]:
        """For each key the entities that have it as a name, or that it meant at least twice in training."""
        found: dict[str, set[int]] = {}
        for mention, evidence in zip(self._document.mentions, self._evidence, strict=True):
            if mention.key not in found:
                also = evidence.entities
                candidates, strings = self._finder.strings.of(mention.plain, mention.long, mention.type, also)
                named = candidates[(strings[:, KEY] > 0) | (strings[:, LONG_KEY] > 0)].tolist()
                found[mention.key] = {*named, *(entity for entity, n in evidence.recalled.long.items() if n >= 2)}
        return found

    def _of_species(self, mention: AskedMention, candidates: Integers) -> dict[str, ArrayLike]:
        """What the text says of the candidates' foreign ids, e.g. of the species of genes."""
        foreign = self._finder.index.entities.foreign[candidates]
        share, near, nearest = self._species.at(mention.start, mention.marks)
        return {"foreign cue": share[foreign], "foreign near": near[foreign], "foreign nearest": nearest[foreign]}
