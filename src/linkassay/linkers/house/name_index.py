"""The names of a knowledge base as arrays: which entities a text may name, by several forms and by 3-grams."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.errors import UsageError
from linkassay.kbs import Hierarchy, Kb, NodeLists
from linkassay.linkers.entity_types import TYPED
from linkassay.linkers.house.exchanged_words import ExchangedWords
from linkassay.linkers.house.name_forms import compact, initial, loose, plain_words
from linkassay.linkers.house.related_words import RelatedWords
from linkassay.linkers.strings.ngram_index import NgramIndex

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

#: Entities that alternations of words are learned from.
_MOST = 100_000

#: Entities with a word in a name from which on the word says nothing of what they are under.
_MOST_HOLDERS = 3_000

#: Entities above those with a word in a name that are kept, those above most of them.
_MOST_ABOVE = 12


class NameIndex:
    """Entities and keys by number; obsolete entities and those without a name are left out."""

    def __init__(self, kb: Kb) -> None:
        rows = kb.sql(
            "select id, any_value(typed.type), any_value(category), any_value(foreign_id), count(*) from entities "
            f"join {TYPED} typed using (id) join names using (id) group by id order by id"
        )
        self.ids = [row[0] for row in rows]
        self.number = {identifier: n for n, identifier in enumerate(self.ids)}
        self.types, self.type = _coded(row[1] for row in rows)
        self.categories, self.category = _coded(row[2] for row in rows)
        self.foreigns, self.foreign = _coded(row[3] for row in rows)
        self.name_count: Integers = np.array([row[4] for row in rows], dtype=np.int64)
        listed = kb.sql(
            'select key, id, name, kind, "primary" from names semi join (select id from entities where not obsolete) '
            'using (id) order by key, id, "primary" desc, kind, name'
        )
        self.keys: list[str] = []
        key_of = np.empty(len(listed), dtype=np.int64)
        for n, row in enumerate(listed):
            if not self.keys or row[0] != self.keys[-1]:
                self.keys.append(row[0])
            key_of[n] = len(self.keys) - 1
        self.key = {key: n for n, key in enumerate(self.keys)}
        #: The name rows of each key; `entity`, `kind`, `primary` and `spelled` say what each row is.
        self.rows = np.searchsorted(key_of, np.arange(len(self.keys) + 1))
        self.entity = np.array([self.number[row[1]] for row in listed], dtype=np.int64)
        self.kinds, self.kind = _coded(row[3] for row in listed)
        self.primary = np.array([row[4] for row in listed], dtype=bool)
        #: The keys of each entity's names, and the entities of each key.
        self.keys_of = NodeLists(self.entity, key_of, len(self.ids))
        self._holders = NodeLists(key_of, self.entity, len(self.keys), ordered=True)
        self.spelled = [row[2] for row in listed]
        self.compact, self._compacted = self._form(compact)
        self.loose, self._loosened = self._form(loose)
        self.alternations = ExchangedWords(self._named())
        self.related = RelatedWords(self.loose, self._named())
        self.alike, self._likened = self._form(self.alternations.form)
        self.initial, self._initialed = self._form(initial)
        self.ngrams = NgramIndex.of(self.keys)
        self.depth, self.children, self.parents = self._hierarchy(kb)
        edges = kb.sql("select distinct child, parent from parents")
        pairs = [(self.number[c], self.number[p]) for c, p in edges if c in self.number and p in self.number]
        child, parent = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        #: Parents of any relation, e.g. the headings that a supplementary concept is mapped to.
        self._above = NodeLists(child, parent, len(self.ids))
        self._below: Integers = np.bincount(parent, minlength=len(self.ids))
        self._above_word: dict[str, list[tuple[int, float, float]]] = {}
        #: From 0 to 1 by the number in an id, which grows with time in most knowledge bases.
        self.age = _ages(self.ids)

    def add(self, ids: Iterable[str]) -> None:
        """Further entities, of which nothing but the id is known."""
        new = sorted(set(ids) - self.number.keys())
        for identifier in new:
            self.number[identifier] = len(self.ids)
            self.ids.append(identifier)
        self.type, self.category, self.foreign, self.name_count, self.children, self._below = (
            np.pad(column, (0, len(new)))
            for column in (self.type, self.category, self.foreign, self.name_count, self.children, self._below)
        )
        self.depth = np.pad(self.depth, (0, len(new)), constant_values=-1)
        for lists in (self.keys_of, self.parents, self._above):
            lists.starts = np.pad(lists.starts, (0, len(new)), mode="edge")
        self.age = _ages(self.ids)

    def above_word(self, word: str) -> list[tuple[int, float, float]]:
        """Entities above those with a word in a name, which may well have it as a name themselves.

        Each with the share of the entities with the word that are below it, and of those below it that have the word.
        """
        found = self._above_word.get(word)
        if found is None:
            keys = self._loosened.of(self.related.having(word))[1]
            holders = np.unique(self._holders.of(keys)[1])
            found = []
            if len(holders) <= _MOST_HOLDERS:
                above, times = np.unique(self._above.of(holders)[1], return_counts=True)
                best = np.lexsort((above, -times))[:_MOST_ABOVE]
                found = [(int(above[n]), times[n] / (1 + len(holders)), times[n] / (1 + self._below[above[n]]))
                         for n in best]  # fmt: skip
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

    def _named(self) -> Iterator[list[str]]:
        """The keys of entities with several names, spread over the knowledge base, at most `_MOST` of them."""
        several = np.flatnonzero(np.diff(self.keys_of.starts) > 1)
        for entity in several[:: -(-len(several) // _MOST) or 1].tolist():
            yield [self.keys[n] for n in sorted(set(self.keys_of[entity].tolist()))]

    def _form(self, form: Callable[[str], str]) -> tuple[dict[str, int], NodeLists]:
        known: dict[str, int] = {}
        numbers = np.array([known.setdefault(form(key), len(known)) for key in self.keys], dtype=np.int64)
        return known, NodeLists(numbers, np.arange(len(self.keys)), len(known))

    def by_compact(self, form: str) -> Integers:
        """The keys with this compact form."""
        return self._compacted[self.compact[form]] if form in self.compact else self.rows[:0]

    def by_loose(self, form: str) -> Integers:
        """The keys with this loose form."""
        return self._loosened[self.loose[form]] if form in self.loose else self.rows[:0]

    def by_related(self, bag: frozenset[str], top: int) -> Integers:
        """The keys that have these words, or such that stand for them."""
        found: Integers = self._loosened.of(self.related.texts(bag, top))[1]
        return found

    def by_alike(self, form: str) -> Integers:
        """The keys that are the same up to words which names exchange or leave out."""
        return self._likened[self.alike[form]] if form in self.alike else self.rows[:0]

    def by_initial(self, key: str) -> Integers:
        """The keys that this one may abbreviate, if its first word is a single letter."""
        return self._initialed[self.initial[key]] if key[1:2] == " " and key in self.initial else self.rows[:0]

    def _hierarchy(self, kb: Kb) -> tuple[Integers, Integers, NodeLists]:
        """Depth, number of children and parents of each entity; nothing where the KB has no hierarchy."""
        size = len(self.ids)
        depth, children = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.int64)
        empty = np.empty(0, dtype=np.int64)
        try:
            graph = Hierarchy.of(kb)
        except UsageError:
            return depth, children, NodeLists(empty, empty, size)
        own = np.array([self.number.get(identifier, -1) for identifier in graph.ids.to_pylist()], dtype=np.int64)
        there = own >= 0
        depth[own[there]] = graph.depths[there]
        children[own[there]] = np.diff(graph.children.starts)[there]
        child, parent = graph.parents.of(np.arange(len(graph)))
        child, parent = own[child], own[parent]
        kept = (child >= 0) & (parent >= 0)
        return depth, children, NodeLists(child[kept], parent[kept], size)


def _coded(values: Iterable[str]) -> tuple[list[str], Integers]:
    known = {"": 0}
    numbers = np.array([known.setdefault(value or "", len(known)) for value in values], dtype=np.int64)
    return list(known), numbers


def _ages(ids: list[str]) -> Floats:
    numbers = np.array([float("".join(c for c in i.partition(":")[2] if c.isdigit())[:15] or 0) for i in ids])
    ages: Floats = np.linspace(0.0, 1.0, max(1, len(ids)))[np.argsort(np.argsort(numbers, kind="stable"))]
    return ages
