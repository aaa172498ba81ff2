"""Features of strings: what is hidden when weights are learned."""

from __future__ import annotations

from pathlib import Path

import linkassay
from linkassay.linkers.house.asked_mentions import variant
from linkassay.linkers.house.name_index import NameIndex
from linkassay.linkers.house.string_features import STRING_FEATURES, StringFeatures
from tests.scoring_helpers import knowledge


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


def test_a_mention_without_a_type_prefers_no_type(home: Path) -> None:
    """Also where some entities have none: these do not come first for that."""
    kb = knowledge({"t:1": ["gout"], "t:2": ["gout"], "t:3": ["gout"]}, t2={"type": ""}, t3={"type": "gene"})
    strings, text = StringFeatures(NameIndex.of(kb), 20), variant("gout")
    places = {type_: strings.of(text, text, type_, set())[0].tolist() for type_ in ("", "disease", "gene")}
    assert places == {"": [0, 1, 2], "disease": [0, 1, 2], "gene": [1, 2, 0]}
