"""The names of a knowledge base by letters and digits alone, and by their words; its entities and their foreign ids.

What a name is worth, and which entity a mention means, is for `genes` to say.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from linkassay.kbs import Kb
from linkassay.linkers.house.name_forms import compact, loose
from linkassay.store import MappedFolder, Texts

Integers = NDArray[np.integer[Any]]

_NAMES = """
    select n.name, n.key, n.kind, n."primary", id from names n join entities using (id) where not obsolete
    order by n.key, id, n."primary" desc, n.kind, n.name
"""
_ENTITIES = """
    select id, coalesce(foreign_id, '') as "foreign" from entities semi join names using (id) where not obsolete
    order by id
"""
#: Of each form where its rows begin; of each row its key, its kind, whether the name is primary, and its entity; of
#: each entity the form of its primary name (-1: none) and its foreign id. Then lists: what is of each form or entity
#: begins at `…_starts`: entities by the form of their primary name, keys of several words by entity, forms by words.
_ARRAYS = ("starts", "key", "kind", "primary", "entity", "symbol", "foreign", "alike_starts", "alike",
           "phrase_starts", "phrase", "loose_starts", "loose")  # fmt: skip
_TEXTS = ("names", "keys", "kinds", "ids", "foreigns")
_NUMBERS = ("forms", "words")


class GeneNames:
    """Rows of (name, entity) by form: the letters and digits of the name's key. Forms and entities are numbers."""

    def __init__(
        self, numbers: dict[str, Mapping[str, int]], texts: dict[str, Texts], arrays: dict[str, NDArray[Any]]
    ) -> None:
        """By what `of` made, or what was stored of that."""
        self._numbers, self._texts, self._arrays = numbers, texts, arrays
        self._forms, self._words = (numbers[name] for name in _NUMBERS)
        self.names, self.keys, kinds, self.ids, foreigns = (texts[name] for name in _TEXTS)
        self.kinds, self.foreigns = list(kinds), list(foreigns)
        # Views, a number of which is a Python number.
        self._views = {name: values.data for name, values in arrays.items()}
        self.key, self.kind, self.primary, self.entity, self._symbol, self._foreign = (
            self._views[name] for name in ("key", "kind", "primary", "entity", "symbol", "foreign")
        )

    @classmethod
    def of(cls, kb: Kb) -> GeneNames:
        """Those of a knowledge base."""
        connection = kb.connect()
        entities = connection.sql(_ENTITIES).to_arrow_table()
        table = connection.sql(_NAMES).to_arrow_table()
        ids = entities.column("id").combine_chunks()
        key, keys = _encoded(table.column("key"))
        kind, kinds = _encoded(table.column("kind"))
        primary = table.column("primary").to_numpy()
        entity = pc.index_in(table.column("id").combine_chunks(), ids).to_numpy(zero_copy_only=False)
        forms, form_of_key, words, forms_by_words = _read(keys)
        form = form_of_key[key]
        symbol = np.full(len(ids), -1, dtype=np.int32)
        symbol[entity[primary]] = form[primary]  # the last, if there are several
        several = np.fromiter((" " in each for each in keys), dtype=bool, count=len(keys))[key]
        order = np.argsort(form, kind="stable")
        foreigns = sorted(set(entities.column("foreign").to_pylist()))
        foreign = pc.index_in(entities.column("foreign").combine_chunks(), pa.array(foreigns, pa.string()))
        arrays = (
            _starts(form, len(forms)), key[order], kind[order], primary[order], entity[order], symbol,
            foreign.to_numpy(zero_copy_only=False), *_lists(form[primary], entity[primary], len(forms)),
            *_lists(entity[several], key[several], len(ids)), *_lists(*forms_by_words, len(words)),
        )  # fmt: skip
        names = Texts.of_arrow(table.column("name").take(pa.array(order)))
        texts = (names, keys, kinds, Texts.of_arrow(ids), Texts.of(foreigns))
        small = (values if values.dtype == bool else values.astype(np.int32) for values in arrays)
        return cls(
            dict(zip(_NUMBERS, (forms, words), strict=True)),
            dict(zip(_TEXTS, texts, strict=True)),
            dict(zip(_ARRAYS, small, strict=True)),
        )

    def store(self, files: MappedFolder) -> None:
        """Write names and entities."""
        for name, numbers in self._numbers.items():
            files.put_numbers(name, numbers)
        for name, texts in self._texts.items():
            files.put_texts(name, texts)
        files.put_arrays(self._arrays)

    @classmethod
    def opened(cls, files: MappedFolder) -> GeneNames:
        """What was written."""
        return cls(
            {name: files.numbers(name) for name in _NUMBERS},
            {name: files.texts(name) for name in _TEXTS},
            files.arrays(_ARRAYS),
        )

    def rows(self, key: str) -> Iterator[int]:
        """The rows of the form of a key; of the forms of the same words, if there are none and it has several."""
        form = self._forms.get(compact(key))
        if form is not None:
            forms: Sequence[int] = (form,)
        else:
            forms = self._list("loose", self._words.get(loose(key))) if " " in key else ()
        starts = self._views["starts"]
        return (row for form in forms for row in range(starts[form], starts[form + 1]))

    def alike(self, entity: int) -> Sequence[int]:
        """Entities whose primary names have the form of this one's, itself among them."""
        return self._list("alike", self._symbol[entity] if self._symbol[entity] >= 0 else None)

    def phrases(self, entity: int) -> Iterator[str]:
        """The keys of several words among those of an entity."""
        return (self.keys[key] for key in self._list("phrase", entity))

    def foreign(self, entity: int) -> str:
        """The foreign id of an entity; empty if it has none."""
        return self.foreigns[self._foreign[entity]]

    def foreign_of_id(self, identifier: str) -> str:
        """The same by an entity's id; empty if it is none's."""
        at = bisect_left(self.ids, identifier)
        return self.foreign(at) if at < len(self.ids) and self.ids[at] == identifier else ""

    def _list(self, name: str, number: int | None) -> Sequence[int]:
        if number is None:
            return ()
        starts = self._views[f"{name}_starts"]
        found: list[int] = self._views[name][starts[number] : starts[number + 1]].tolist()
        return found


def _read(keys: Texts) -> tuple[dict[str, int], Integers, dict[str, int], tuple[Integers, Integers]]:
    """Forms, the form of each key, the words of forms whose first key has several; (words, form) of these."""
    forms: dict[str, int] = {}
    words: dict[str, int] = {}
    form_of_key = np.empty(len(keys), dtype=np.int32)
    pairs = []
    for number, key in enumerate(keys):
        known = len(forms)
        form_of_key[number] = form = forms.setdefault(compact(key), known)
        if form == known and " " in key:
            pairs.append((words.setdefault(loose(key), len(words)), form))
    by_words = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return forms, form_of_key, words, (by_words[:, 0], by_words[:, 1])


def _encoded(column: pa.ChunkedArray) -> tuple[Integers, Texts]:
    """A column of texts as numbers of distinct ones, and these in the order in which they come first."""
    found = column.combine_chunks().dictionary_encode()
    return np.asarray(found.indices), Texts.of_arrow(found.dictionary)


def _starts(owner: Integers, owners: int) -> Integers:
    """Where what is of each owner begins, once it is in the order of owners."""
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=owners))])


def _lists(owner: Integers, values: Integers, owners: int) -> tuple[Integers, Integers]:
    """Where the values of each owner begin, and the values in the order of owners."""
    return _starts(owner, owners), values[np.argsort(owner, kind="stable")]
