"""Features of strings: what is hidden when weights are learned."""

from __future__ import annotations

from pathlib import Path

import linkassay
from linkassay.linkers.house.asked_mentions import variant
from linkassay.linkers.house.name_index import NameIndex
from linkassay.linkers.house.string_features import STRING_FEATURES, StringFeatures


def test_names_of_the_same_letters_or_words_can_be_hidden(home: Path) -> None:
    kb = NameIndex.of(linkassay.kb("mini"))
    strings = StringFeatures(kb, 20)
    same = [STRING_FEATURES.index(name) for name in ("exact", "key", "compact", "loose")]
    for number in range(0, len(kb.keys), 37):
        entity = int(kb.rows.entity[kb.rows.starts[number]])
        same_text = variant(kb.spelled[kb.rows.starts[number]])
        for hiding in (False, True):
            entities, rows = strings.of(same_text, same_text, "", {entity}, hiding=hiding)
            assert entity in entities
            assert rows[:, same].any() != hiding
