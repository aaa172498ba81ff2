"""Texts and the entities that they name, whatever the order in which a query yields them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linkassay
from linkassay.linkers.strings.named_entities import NamedEntities

ROWS = ["('b', 'mesh:D003920')", "('a', 'mesh:D003922')", "('b', 'mesh:D003882')", "('a', 'mesh:D003922')",
        "('c', 'mesh:none')", "('b', 'mesh:D003920')", "('é', 'mesh:D003920')", "('z', 'mesh:D003920')"]  # fmt: skip
IN_ORDER = [ROWS[n] for n in (1, 3, 2, 0, 5, 4, 7, 6)]


@pytest.mark.parametrize("rows", [ROWS, ROWS[::-1], IN_ORDER, IN_ORDER[1:2]])
def test_each_text_once_and_each_of_its_entities_once(home: Path, rows: list[str]) -> None:
    linkassay.get("mini")
    found = NamedEntities.of(linkassay.kb("mini"), f"select * from (values {', '.join(rows)}) as v(text, id)")
    named = {
        text: [ids for ids, _ in found.ranked(np.array([n]), np.array([1.0]), "")] for n, text in enumerate(found.texts)
    }
    expected = {"a": ["D003922"], "b": ["D003882", "D003920"], "z": ["D003920"], "é": ["D003920"]}
    assert list(found.texts) == ([*expected] if len(rows) > 1 else ["a"])
    assert named == {text: [tuple(f"mesh:{id}" for id in expected[text])] for text in found.texts}


def test_a_knowledge_base_may_name_nothing(home: Path) -> None:
    linkassay.get("mini")
    found = NamedEntities.of(linkassay.kb("mini"), "select key as text, id from lookup where false")
    assert list(found.texts) == []
    assert found.types == set()
