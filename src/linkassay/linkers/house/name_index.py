"""The names of a knowledge base as arrays: which entities a text may name, by several forms and by 3-grams."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from linkassay.kbs import Kb, NodeLists
from linkassay.linkers.house.entity_table import EntityTable, coded_column
from linkassay.linkers.house.exchanged_words import ExchangedWords
from linkassay.linkers.house.name_forms import compact, initial, loose, loose_words, plain_words
from linkassay.linkers.house.names_by_form import NamesByForm, coded
from linkassay.linkers.house.related_words import RelatedWords
from linkassay.linkers.strings.ngram_index import NgramIndex
from linkassay.store import MappedFolder, TextNumbers, Texts

Integers = NDArray[np.integer[Any]]

#: Entities that alternations of words are learned from.
_MOST = 100_000

#: Entities with a word in a name from which on the word says nothing of what they are under.
_MOST_HOLDERS = 3_000

#: Entities above those with a word in a name that are kept, those above most of them.
_MOST_ABOVE = 12

#: The forms of keys that are looked up.
_FORMS = ("compact", "loose", "alike", "initial")


class NameRows(NamedTuple):
    """The names, by key: those of key n are rows `starts[n]` to `starts[n + 1]`."""

    starts: Integers
    entity: Integers
    kind: Integers
    primary: NDArray[np.bool_]


class NameIndex:
    """Keys by number, with the names and entities behind them."""

    def __init__(
        self, entities: EntityTable, key: TextNumbers, rows: NameRows, spelled: Texts, kinds: list[str],
        forms: dict[str, NamesByForm], alternations: ExchangedWords, related: RelatedWords, ngrams: NgramIndex,
        keys_of: NodeLists,
    ) -> None:  # fmt: skip
        """By what `of` made, or what was stored of that."""
        self.entities, self.key, self.keys = entities, key, key.texts
        #: The name rows; `spelled` says how each is written, `kinds` what the numbers of kinds mean.
        self.rows, self.spelled, self.kinds = rows, spelled, kinds
        #: The keys of each entity's names, and the entities of each key.
        self._keys_of, self._holders = keys_of, NodeLists.joined(rows.starts, rows.entity)
        self._forms, self.alternations, self.related, self.ngrams = forms, alternations, related, ngrams
        self._compact, self._loose, self._alike, self._initial = (forms[name] for name in _FORMS)
        self._above_word: dict[str, list[tuple[int, float, float]]] = {}

    @classmethod
    def of(cls, kb: Kb) -> NameIndex:
        """The names of a knowledge base."""
        entities = EntityTable.of(kb)
        listed = kb.connect().sql(
            'select key, id, name, kind, "primary" from names semi join (select id from entities where not obsolete) '
            'using (id) order by key, id, "primary" desc, kind, name'
        ).to_arrow_table()  # fmt: skip
        coded_keys = listed.column("key").combine_chunks().dictionary_encode()  # sorted, so in the order of numbers
        key_of = np.asarray(coded_keys.indices)
        key = TextNumbers.of(Texts.of_arrow(coded_keys.dictionary))
        kinds, kind = coded_column(listed.column("kind"))
        entity = entities.numbers(listed.column("id"))
        starts = np.searchsorted(key_of, np.arange(len(key) + 1)).astype(np.int32)
        rows = NameRows(starts, entity, kind, listed.column("primary").to_numpy())
        spelled = Texts.of_arrow(listed.column("name"))
        del listed
        keys_of = NodeLists(entity, key_of, len(entities.ids))
        as_loose = coded(map(loose, key.texts))
        names = _NamedBags(keys_of, Texts.of_arrow(as_loose.dictionary), np.asarray(as_loose.indices))
        alternations = ExchangedWords.of(names)
        alike = pa.array(map(alternations.form, map(loose_words, names.forms)), pa.large_string())
        forms = {
            "compact": coded(map(compact, key.texts)),
            "loose": as_loose,
            "alike": alike.take(as_loose.indices).dictionary_encode(),
            "initial": coded(map(initial, key.texts)),
        }
        return cls(
            entities, key, rows, spelled, kinds, {name: NamesByForm.of(each) for name, each in forms.items()},
            alternations, RelatedWords.of(as_loose.dictionary, names), NgramIndex.of(key.texts), keys_of,
        )  # fmt: skip

    def store(self, files: MappedFolder) -> None:
        """Write the index."""
        self.entities.store(files.part("entities"))
        files.put_numbers("keys", self.key)
        files.put_texts("spelled", self.spelled)
        files.put_record("kinds", self.kinds)
        for name, values in self.rows._asdict().items():
            files.put_array(f"rows.{name}", values)
        for name, form in self._forms.items():
            form.store(files.part(name))
        self._keys_of.store(files.part("keys_of"))
        self.alternations.store(files.part("alternations"))
        self.related.store(files.part("related"))
        self.ngrams.store(files.part("ngrams"))

    @classmethod
    def opened(cls, files: MappedFolder) -> NameIndex:
        """The index that was written."""
        return cls(
            EntityTable.opened(files.part("entities")), files.numbers("keys"),
            NameRows(*(files.array(f"rows.{name}") for name in NameRows._fields)), files.texts("spelled"),
            files.record("kinds"), {name: NamesByForm.opened(files.part(name)) for name in _FORMS},
            ExchangedWords.opened(files.part("alternations")), RelatedWords.opened(files.part("related")),
            NgramIndex.opened(files.part("ngrams")), NodeLists.opened(files.part("keys_of")),
        )  # fmt: skip

    def keys_of(self, entity: int) -> list[int]:
        """The keys of an entity's names; of one that was added none."""
        return self._keys_of[entity].tolist() if entity < len(self._keys_of.starts) - 1 else []

    def above_word(self, word: str) -> list[tuple[int, float, float]]:
        """Entities above those with a word in a name, which may well have it as a name themselves.

        Each with the share of the entities with the word that are below it, and of those below it that have the word.
        """
        found = self._above_word.get(word)
        if found is None:
            keys = self._loose.names.of(self.related.having(word))[1]
            holders = np.unique(self._holders.of(keys)[1])
            found = []
            if len(holders) <= _MOST_HOLDERS:
                above, times = np.unique(self.entities.above.of(holders)[1], return_counts=True)
                best = np.lexsort((above, -times))[:_MOST_ABOVE]
                below = self.entities.below
                found = [(int(above[n]), times[n] / (1 + len(holders)), times[n] / (1 + below[above[n]])) for n in best]
            self._above_word[word] = found
        return found

    def above_words(self, text: str) -> dict[int, tuple[float, float]]:
        """The two shares of `above_word`, averaged over the words of a text by their weights."""
        merit: dict[int, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
        bag = plain_words(text)
        whole = self.related.whole(bag) or 1.0
        for word in sorted(bag):
            weight = self.related.weight(word) / whole
            for entity, below, having in self.above_word(word):
                merit[entity] = merit[entity][0] + weight * below, merit[entity][1] + weight * having
        return merit

    def by_compact(self, form: str) -> Integers:
        """The keys with this compact form."""
        return self._compact.having(form)

    def by_loose(self, form: str) -> Integers:
        """The keys with this loose form."""
        return self._loose.having(form)

    def by_related(self, bag: frozenset[str], top: int) -> Integers:
        """The keys that have these words, or such that stand for them."""
        found: Integers = self._loose.names.of(self.related.texts(bag, top))[1]
        return found

    def by_alike(self, bag: frozenset[str]) -> Integers:
        """The keys that have these words up to such as names exchange or leave out."""
        return self._alike.having(self.alternations.form(bag))

    def by_initial(self, key: str) -> Integers:
        """The keys that this one may abbreviate, if its first word is a single letter."""
        return self._initial.having(key) if key[1:2] == " " else self._initial.names.members[:0]


class _NamedBags:
    """The words of the names of entities with several, spread over the knowledge base, at most `_MOST` of them."""

    def __init__(self, keys_of: NodeLists, forms: Texts, form_of: Integers) -> None:
        """`forms`: the distinct loose forms; `form_of`: the number of each key's."""
        self._keys_of, self.forms, self._form_of = keys_of, forms, form_of

    def __iter__(self) -> Iterator[list[frozenset[str]]]:
        several = np.flatnonzero(np.diff(self._keys_of.starts) > 1)
        for entity in several[:: -(-len(several) // _MOST) or 1].tolist():
            keys = np.unique(self._keys_of[entity])
            yield [loose_words(self.forms[form]) for form in self._form_of[keys].tolist()]
