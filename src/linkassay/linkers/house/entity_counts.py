"""How often texts meant entities in training."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from linkassay.store import MappedFolder


class EntityCounts:
    """Counts of entities by text; what one document says can be taken out again."""

    def __init__(self) -> None:
        self._all: dict[str, Counter[int]] = defaultdict(Counter)
        self._of: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)

    def add(self, document: str, text: str, entity: int) -> None:
        """In a document a text means an entity."""
        self._all[text][entity] += 1
        self._of[document, text][entity] += 1

    @property
    def texts(self) -> Sequence[str]:
        """All texts, sorted."""
        return sorted(self._all)

    def counts(self, text: str, without: str = "") -> Counter[int]:
        """What a text meant, and how often; `without`: leaving a document out."""
        found = self._all.get(text)
        if not found:
            return Counter()
        own = self._of.get((without, text)) if without else None
        return found - own if own else found

    def store(self, files: MappedFolder) -> None:
        """Write the counts; what each document says of them is for learning alone."""
        texts = self.texts
        counts = [self.counts(text) for text in texts]
        files.put_numbers("texts", texts)
        files.put_array("starts", np.cumsum([0, *map(len, counts)]))
        files.put_array("entities", np.array([entity for each in counts for entity in each], dtype=np.int32))
        files.put_array("times", np.array([times for each in counts for times in each.values()], dtype=np.int32))


class StoredCounts(EntityCounts):
    """Counts that were written; those of a text are read when it is asked for."""

    def __init__(self, files: MappedFolder) -> None:
        super().__init__()
        self._numbers = files.numbers("texts")
        self._starts, self._entities, self._times = (files.array(name) for name in ("starts", "entities", "times"))

    @property
    def texts(self) -> Sequence[str]:
        """All texts, sorted."""
        return self._numbers.texts

    def counts(self, text: str, without: str = "") -> Counter[int]:
        """What a text meant, and how often."""
        if text not in self._all and (number := self._numbers.get(text)) is not None:
            part = slice(*self._starts[number : number + 2])
            pairs = zip(self._entities[part].tolist(), self._times[part].tolist(), strict=True)
            self._all[text] = Counter(dict(pairs))
        return super().counts(text, without)
