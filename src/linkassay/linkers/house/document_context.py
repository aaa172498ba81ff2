"""What the mentions of one document say of each other: company, topics, other names in brackets, short forms."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkassay.linkers.house.asked_mentions import AskedMention
from linkassay.linkers.house.entity_table import EntityTable

Floats = NDArray[np.floating[Any]]

#: The entities that a document names most often are candidates of all its mentions.
TOPICS = 4

#: What stands between a name and another one of the same in brackets.
_OPENS = ("(", "[")

#: A text that may be a short form.
_SHORT = re.compile(r"\w{1,6}")


class DocumentContext:
    """What a document is about, by what its mentions surely are: `sure`, the entities of each key, maybe none."""

    def __init__(self, kb: EntityTable, mentions: Sequence[AskedMention], sure: Mapping[str, set[int]]) -> None:
        self._kb, self._mentions, self.sure = kb, mentions, sure
        self._times = Counter(mention.key for mention in mentions)
        #: How often the document names an entity: a mention that may be several speaks for each by its share.
        self._often: Counter[int] = Counter()
        for mention in mentions:
            entities = sure[mention.key]
            self._often.update({entity: 1 / len(entities) for entity in entities})
        self.topics = sorted(self._often, key=lambda entity: (-self._often[entity], entity))[:TOPICS]
        #: By how many keys an entity is named, or is the parent of one that is.
        self._company: Counter[int] = Counter()
        self._parents: Counter[int] = Counter()
        foreign: Floats = np.zeros(len(kb.foreigns))
        for entities in sure.values():
            self._company.update(entities)
            self._parents.update({int(parent) for entity in entities for parent in kb.parents[entity]})
            origins = {int(kb.foreign[entity]) for entity in entities}
            for origin in origins:
                foreign[origin] += 1 / len(origins)
        self._foreign_company = foreign / max(1.0, foreign.sum())

    def features(self, mention: AskedMention, candidates: Sequence[int], *, hiding: bool) -> dict[str, ArrayLike]:
        """What the other mentions say of candidates; `hiding`: also of topics the mention's own part is taken away."""
        own = self.sure[mention.key]
        own_part = self._times[mention.key] / len(own) if hiding else 0.0
        company, often, parents = self._company, self._often, self._kb.parents  # `get`: a Counter takes long for none
        return {
            "company": [company.get(entity, 0) - (entity in own) for entity in candidates],
            "topic": [often.get(entity, 0) - (own_part if entity in own else 0.0) for entity in candidates],
            "relatives": [
                self._parents.get(entity, 0) + sum(company.get(parent, 0) for parent in parents[entity].tolist())
                for entity in candidates
            ],
            "foreign company": self._foreign_company[self._kb.foreign[candidates]],
        }

    def other_names(self, text: str, opinions: Mapping[str, set[int]]) -> dict[str, dict[int, float]]:
        """For mentions as in "A (B)" what the other of the two is held to be; for all mentions with the same key."""
        found: dict[str, dict[int, float]] = defaultdict(dict)
        ordered = sorted(self._mentions, key=lambda mention: (mention.start, mention.end))
        for one, other in pairwise(ordered):
            if text[one.end : other.start].strip() in _OPENS and text[other.end : other.end + 1] in ")]":
                _take_over(found[one.key], self._held(other.key, opinions))
                _take_over(found[other.key], self._held(one.key, opinions))
        return found

    def fitting_long_forms(self, opinions: Mapping[str, set[int]]) -> dict[str, dict[int, float]]:
        """For mentions that may be short forms and are no name what longer ones that have their letters surely are."""
        found: dict[str, dict[int, float]] = defaultdict(dict)
        variants = list(dict.fromkeys(mention.long for mention in self._mentions))
        for short in variants:
            if self.sure[short.key] or not _SHORT.fullmatch(short.text):
                continue
            for long in variants:
                if len(long.compact) > 2 * len(short.compact) and _has_letters(long.compact, short.compact):
                    _take_over(found[short.key], self._held(long.key, opinions))
        return found

    def _held(self, key: str, opinions: Mapping[str, set[int]]) -> set[int]:
        """What the mentions with a key are held to be: surely, else at first sight."""
        return self.sure[key] or opinions.get(key, set())


def _take_over(known: dict[int, float], entities: set[int]) -> None:
    """Each of the entities by its share, if that is more than is known of it."""
    for entity in entities:
        known[entity] = max(known.get(entity, 0.0), 1 / len(entities))


def _has_letters(long: str, short: str) -> bool:
    """Whether a text begins as a shorter one and has its letters in the same order."""
    rest = iter(long)
    return long[:1] == short[:1] and all(letter in rest for letter in short)
