"""Distinct texts of names by number, and the entities that each names: what a search over names is ranked by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from linkassay.kbs import Kb
from linkassay.linkers.entity_types import TYPED
from linkassay.linkers.protocol import Answer
from linkassay.store import MappedFolder, Texts

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]


class NamedEntities:
    """Texts and entities by number; the entities of text n are `members[starts[n]:starts[n + 1]]`, in their order."""

    def __init__(self, texts: Texts, ids: Texts, arrays: dict[str, Integers], types: list[str]) -> None:
        """`arrays`: `starts`, `members` and, for each entity, the number of its type in `types`; "" is of any type."""
        self.texts = texts
        self._ids, self._arrays, self._all_types = ids, arrays, types
        self._starts, self._members, self._type = (arrays[name] for name in _ARRAYS)
        named = np.bincount(self._type[self._members], minlength=len(types)) > 0
        #: The types of entities that have a name.
        self.types = {type_ for type_, some in zip(types, named.tolist(), strict=True) if some} - {""}
        #: Of each text the first of its entities.
        self.first: Integers = self._members[self._starts[:-1]]
        self._allowed: dict[str, NDArray[np.bool_]] = {}

    @classmethod
    def of(cls, kb: Kb, query: str) -> NamedEntities:
        """By a query that yields rows of `text` and `id`; a row may come again, rows of unknown ids do not count."""
        connection = kb.connect()
        entities = connection.sql(f"select id, type from {TYPED} order by id").to_arrow_table()
        ids = entities.column("id").combine_chunks()
        names, members = _members(connection, query, ids)
        if not _in_order(names, members):
            names, members = _members(connection, f"select text, id from ({query}) order by text, id", ids)
        other = np.ones(len(names), dtype=bool)  # than the text before it
        other[1:] = _neighbours(pc.not_equal, names)
        again = ~other
        again[1:] &= members[1:] == members[:-1]
        starts = np.flatnonzero(other)
        texts = Texts.of_arrow(names.take(starts))
        starts = np.append(starts - np.cumsum(again)[starts], len(again) - again.sum())
        types = entities.column("type").combine_chunks().dictionary_encode()
        arrays = starts.astype(np.int32), members[~again], np.asarray(types.indices).astype(np.int32)
        return cls(texts, Texts.of_arrow(ids), dict(zip(_ARRAYS, arrays, strict=True)), types.dictionary.to_pylist())

    def store(self, files: MappedFolder) -> None:
        """Write the entities, and which texts name them; not the texts, which a search has in a form of its own."""
        files.put_arrays(self._arrays)
        files.put_texts("ids", self._ids)
        files.put_record("types", self._all_types)

    @classmethod
    def opened(cls, files: MappedFolder) -> NamedEntities:
        """What was written; without its texts."""
        arrays = files.arrays(_ARRAYS)
        return cls(Texts.of(()), files.texts("ids"), arrays, files.record("types"))

    def numbers(self) -> dict[str, int]:
        """The number of each entity."""
        return {each: number for number, each in enumerate(self._ids)}

    def id(self, number: int) -> str:
        """The entity of a number."""
        return self._ids[number]

    def members(self, text: int) -> list[int]:
        """The entities that a text names, by number."""
        found: list[int] = self._members[self._starts[text] : self._starts[text + 1]].tolist()
        return found

    def with_further(self, starts: Integers, members: Integers) -> NamedEntities:
        """The same with further texts, numbered after these, whose entities are given as those of these are."""
        joined = {
            "starts": np.concatenate([self._starts, self._starts[-1] + starts[1:]]),
            "members": np.concatenate([self._members, members]),
            "type": self._type,
        }
        return NamedEntities(self.texts, self._ids, joined, self._all_types)

    def named_by(self, type_: str) -> NDArray[np.bool_]:
        """For each text whether it names an entity of this type, or one that may be of any."""
        if type_ not in self._allowed:
            wanted = [n for n, each in enumerate(self._all_types) if each in ("", type_)]
            fits = np.isin(self._type, wanted)[self._members]
            self._allowed[type_] = np.logical_or.reduceat(fits, self._starts[:-1]) if len(fits) else fits
        return self._allowed[type_]

    def ranked(self, texts: Integers, scores: Floats, type_: str) -> Answer:
        """The entities that texts name, best first, each once; those at the same score are tied."""
        best: dict[float, list[int]] = {}
        seen: set[int] = set()
        for text, score in zip(texts.tolist(), scores.tolist(), strict=True):
            for entity in self.members(text):
                if entity not in seen and (not type_ or self._all_types[self._type[entity]] in ("", type_)):
                    seen.add(entity)
                    best.setdefault(score, []).append(entity)
        return [(tuple(self._ids[entity] for entity in sorted(found)), score) for score, found in best.items()]


_ARRAYS = ("starts", "members", "type")


def _members(connection: Any, query: str, ids: pa.Array) -> tuple[pa.Array, Integers]:
    """The texts that a query yields, and the places of their ids among all."""
    rows = connection.sql(query).to_arrow_table()
    members = pc.fill_null(pc.index_in(rows.column("id"), value_set=ids), -1).to_numpy()
    names = rows.column("text").combine_chunks()
    known = members >= 0
    return (names, members) if known.all() else (names.filter(pa.array(known)), members[known])


def _in_order(names: pa.Array, members: Integers) -> bool:
    """Whether rows are ordered by text and then by entity."""
    later = _neighbours(pc.greater, names)
    return bool((later | _neighbours(pc.equal, names) & (members[1:] >= members[:-1])).all())


def _neighbours(compare: Any, names: pa.Array) -> NDArray[np.bool_]:
    """What comes of comparing each text with the one before it."""
    found: NDArray[np.bool_] = compare(names[1:], names[:-1]).to_numpy(zero_copy_only=False)
    return found
