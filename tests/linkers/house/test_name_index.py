"""The index of names, against a count over the knowledge base."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

import linkassay
from linkassay.linkers.house.name_forms import compact, initial, loose, plain_words
from linkassay.linkers.house.name_index import NameIndex
from linkassay.store import MappedFolder


def test_names_by_form_made_here_and_opened(home: Path, tmp_path: Path) -> None:
    """Against dictionaries of all names."""
    kb = linkassay.kb("mini")
    made = NameIndex.of(kb)
    made.store(MappedFolder(tmp_path))
    listed = kb.sql("select key, id, name, kind, \"primary\" from names semi join (select id from entities "
                    "where not obsolete) using (id) order by key, id, \"primary\" desc, kind, name")  # fmt: skip
    keys = sorted({row[0] for row in listed})
    for index in (made, NameIndex.opened(MappedFolder(tmp_path))):
        assert list(index.keys) == keys
        rows, ids = index.rows, index.entities.ids
        key_of = [keys[n] for n in range(len(keys)) for _ in range(rows.starts[n], rows.starts[n + 1])]
        kinds = [index.kinds[n] for n in rows.kind]
        found = zip(key_of, [ids[n] for n in rows.entity], index.spelled, kinds, rows.primary.tolist(), strict=True)
        assert list(found) == listed
        for entity, identifier in enumerate(ids):
            assert [keys[n] for n in index.keys_of(entity)] == sorted(row[0] for row in listed if row[1] == identifier)
        assert index.keys_of(len(ids)) == []
        forms = {form: defaultdict(list) for form in (compact, loose, initial, index.alternations.form)}
        for number, key in enumerate(keys):
            for form, numbers in forms.items():
                numbers[form(plain_words(key)) if form == index.alternations.form else form(key)].append(number)
        for number, key in enumerate(keys):
            assert index.key[key] == number
            assert index.by_compact(compact(key)).tolist() == forms[compact][compact(key)]
            assert index.by_loose(loose(key)).tolist() == forms[loose][loose(key)]
            bag = plain_words(key)
            assert index.by_alike(bag).tolist() == forms[index.alternations.form][index.alternations.form(bag)]
            short = initial(key)
            assert index.by_initial(short).tolist() == (forms[initial][short] if short else [])
        assert index.key.get("no such key") is None
        assert index.by_compact("nosuchkey").tolist() == index.by_loose("no such").tolist() == []


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
