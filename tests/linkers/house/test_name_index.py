"""The index of names, against a count over the knowledge base."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

import linkassay
from linkassay.linkers.house.name_forms import plain_words
from linkassay.linkers.house.name_index import NameIndex


def test_what_is_above_the_entities_with_a_word(home: Path) -> None:
    """Against a count over all names and parents."""
    kb = linkassay.kb("mini")
    index = NameIndex.of(kb)
    having: dict[str, set[str]] = defaultdict(set)
    live = {row[0] for row in kb.sql("select id from entities where not obsolete")}
    for identifier, normal in kb.sql("select id, key from names"):
        if identifier in live:
            for word in plain_words(normal):
                having[word].add(identifier)
    above: dict[str, set[str]] = defaultdict(set)
    for child, parent in kb.sql("select child, parent from parents"):
        if parent in live:
            above[child].add(parent)
    children = Counter(parent for child, parents in above.items() if child in live for parent in parents)
    told = 0
    for word, holders in having.items():
        times = Counter(parent for holder in holders for parent in above[holder])
        for number, below, own in index.above_word(word):
            parent = index.entities.ids[number]
            assert below == pytest.approx(times[parent] / (1 + len(holders)))
            assert own == pytest.approx(times[parent] / (1 + children[parent]))
            told += 1
    assert told > 20
