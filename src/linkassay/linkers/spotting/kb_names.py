"""The names of a knowledge base as patterns of words, and which entities each may mean."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from linkassay.kbs import Kb
from linkassay.linkers.entity_types import TYPED
from linkassay.linkers.spotting.phrases import Phrases
from linkassay.store import MappedFolder, Texts

_NAMES = f"""
    select n.name, id, max(n."primary"::int) = 1 as "primary" from names n join {TYPED} using (id)
    group by n.name, id order by name, "primary" desc, id
"""
_ENTITIES = f"""
    select id, typed.type, coalesce(category, '') as category from entities join {TYPED} typed using (id) order by id
"""
#: Of each pattern where its rows begin; of each row its name, its entity, whether the name is primary; of each entity
#: its type and its category.
_ARRAYS = ("starts", "name", "entity", "primary", "type", "category")


def strict(name: str) -> bool:
    """Whether the case of a name matters: it is short, or a code in capitals.

    >>> [strict(n) for n in ("Was", "AIDS", "BRCA1", "aspirin", "DIABETES MELLITUS", "HeLa", "p53")]
    [True, True, True, False, False, False, True]
    """
    letters = [c for c in name if c.isalpha()]
    return len(letters) <= 3 or (len(letters) <= 8 and not any(c.islower() for c in letters) and " " not in name)


class Names:
    """Rows of (name, entity) by their patterns; names, entities, types and categories are numbers."""

    def __init__(self, phrases: Phrases, texts: dict[str, Texts], arrays: dict[str, NDArray[Any]]) -> None:
        """By what `of` made, or what was stored of that."""
        self.phrases, self._texts, self._arrays = phrases, texts, arrays
        self._names, self._ids = texts["names"], texts["ids"]
        self._types, self._categories = list(texts["types"]), list(texts["categories"])
        #: The types of entities that have a name.
        self.types = frozenset(texts["named_types"])
        # Views, a number of which is a Python number.
        self._starts, self._name, self._entity, self._primary, self._type, self._category = (
            arrays[name].data for name in _ARRAYS
        )

    @classmethod
    def of(cls, kb: Kb) -> Names:
        """Those of a knowledge base."""
        connection = kb.connect()
        entities = connection.sql(_ENTITIES).to_arrow_table()
        table = connection.sql(_NAMES).to_arrow_table()
        ids = entities.column("id").combine_chunks()
        name, names = _encoded(table.column("name"))
        type_, types = _encoded(entities.column("type"))
        category, categories = _encoded(entities.column("category"))
        entity = pc.index_in(table.column("id").combine_chunks(), ids).to_numpy(zero_copy_only=False)
        phrases, patterns = Phrases.of(names)
        pattern = patterns[name]
        order = np.argsort(pattern, kind="stable")[np.count_nonzero(pattern == 0) :]
        starts = np.searchsorted(pattern[order], np.arange(phrases.size + 1)).astype(np.int32)
        primary = table.column("primary").to_numpy()[order]
        arrays = (starts, name[order], entity[order].astype(np.int32), primary, type_, category)
        named = Texts.of(types[n] for n in np.unique(type_[entity]).tolist())
        texts = {"names": names, "ids": Texts.of_arrow(ids), "types": types, "categories": categories,
                 "named_types": named}  # fmt: skip
        return cls(phrases, texts, dict(zip(_ARRAYS, arrays, strict=True)))

    def store(self, files: MappedFolder) -> None:
        """Write names and entities."""
        self.phrases.store(files.part("phrases"))
        for name, texts in self._texts.items():
            files.put_texts(name, texts)
        files.put_arrays(self._arrays)

    @classmethod
    def opened(cls, files: MappedFolder) -> Names:
        """What was written."""
        texts = {name: files.texts(name) for name in ("names", "ids", "types", "categories", "named_types")}
        return cls(Phrases.opened(files.part("phrases")), texts, files.arrays(_ARRAYS))

    def __contains__(self, identifier: str) -> bool:
        """Whether an id is that of an entity that is not obsolete, with a name or without."""
        at = bisect_left(self._ids, identifier)
        return at < len(self._ids) and self._ids[at] == identifier

    def rows(self, pattern: int) -> range:
        """The numbers of the rows of a pattern; none for one beyond those of names."""
        return range(self._starts[pattern], self._starts[pattern + 1]) if pattern < self.phrases.size else range(0)

    def sort(self, row: int) -> tuple[str, str]:
        """Type and category of the entity of a row."""
        entity = self._entity[row]
        return self._types[self._type[entity]], self._categories[self._category[entity]]

    def meant(self, pattern: int, text: str, types: frozenset[str], *, fold: bool = False) -> dict[str, float]:
        """Entities that have this text as a name, with a weight: more for the primary name and for the same letters.

        A name whose case matters counts only in its own (or with a plural's s), unless all are folded.
        """
        found: dict[str, float] = {}
        plain = _letters(text)
        for row in self.rows(pattern):
            name = self._names[self._name[row]]
            letters = _letters(name)
            same = letters == plain
            if not same and not fold and strict(name) and plain.removesuffix("s") != letters:
                continue
            if types and self.sort(row)[0] not in types:
                continue
            weight = (2.0 if self._primary[row] else 1.0) * (2.0 if same else 1.0)
            identifier = self._ids[self._entity[row]]
            found[identifier] = max(weight, found.get(identifier, 0.0))
        return found


def _encoded(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], Texts]:
    """A column of texts as numbers of distinct ones, and these in the order in which they come first."""
    found = column.combine_chunks().dictionary_encode()
    return np.asarray(found.indices).astype(np.int32), Texts.of_arrow(found.dictionary)


def _letters(text: str) -> str:
    return "".join(c for c in text if c.isalnum())
