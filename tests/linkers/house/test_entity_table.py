"""The table of entities against plain loops over the knowledge base, also with ids added to what was opened."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import linkassay
from linkassay.kbs.building.build import build_kb
from linkassay.linkers.house.entity_table import EntityTable
from linkassay.store import MappedFolder
from tests.kbs.building.test_build import entity, spec

ENTITIES = [
    entity("t:20", "Disease"),
    entity("t:3", "Gout", "podagra", parents=[["t:20", "is_a"]], foreign="ncbitaxon:9606", category="joint"),
    entity("t:x1", "Tophus", type="", parents=[["t:3", "is_a"], ["t:20", "mapped_to"]], category="joint"),
    entity("t:4", "Old gout", obsolete=True, parents=[["t:3", "is_a"]]),
    entity("t:5", "Uric acid", type="chemical", foreign="ncbitaxon:10090"),
]


def table(home: Path) -> list[EntityTable]:
    """Made here, and stored and opened."""
    build_kb(spec(ENTITIES))
    made = EntityTable.of(linkassay.kb("tiny"))
    home.mkdir(exist_ok=True)
    made.store(MappedFolder(home))
    return [made, EntityTable.opened(MappedFolder(home))]


def test_columns(home: Path, tmp_path: Path) -> None:
    for found in table(tmp_path / "index"):
        assert list(found.ids) == ["t:20", "t:3", "t:5", "t:x1"]
        assert [found.types[n] for n in found.type] == ["disease", "disease", "chemical", "disease"]
        assert [found.categories[n] for n in found.category] == ["", "joint", "", "joint"]
        assert [found.foreigns[n] for n in found.foreign] == ["", "ncbitaxon:9606", "ncbitaxon:10090", ""]
        assert found.types[0] == found.categories[0] == found.foreigns[0] == ""
        assert found.name_count.tolist() == [1, 2, 1, 1]
        assert found.depth.tolist() == [0, 1, -1, 2]
        assert found.children.tolist() == [1, 2, 0, 0]  # the obsolete one, too
        assert found.below.tolist() == [2, 1, 0, 0]
        assert [found.parents[n].tolist() for n in range(4)] == [[], [0], [], [1]]
        assert [found.above[n].tolist() for n in range(4)] == [[], [0], [], [0, 1]]
        assert found.age.tolist() == pytest.approx([1, 1 / 3, 2 / 3, 0])  # 20, 3, 5, 1
        assert found.added == []


def test_added_ids(home: Path, tmp_path: Path) -> None:
    for found in table(tmp_path / "index"):
        found.add(["t:9", "t:3", "u:2", "t:9"])
        found.add([])
        found.add(["u:2", "a:0"])
        assert found.added == ["t:9", "u:2", "a:0"]
        assert [found.number[i] for i in ("t:20", "t:x1", "t:9", "u:2", "a:0")] == [0, 3, 4, 5, 6]
        assert found.ids[5] == "u:2"
        for name in ("type", "category", "foreign", "name_count", "children", "below"):
            assert getattr(found, name)[4:].tolist() == [0, 0, 0]
        assert found.depth.tolist() == [0, 1, -1, 2, -1, -1, -1]
        assert found.parents[3].tolist() == [1]
        assert found.parents[6].tolist() == found.above[4].tolist() == []
        assert found.age.tolist() == pytest.approx([n / 6 for n in (6, 3, 4, 1, 5, 2, 0)])  # 20, 3, 5, 1; 9, 2, 0


def test_nothing_is_above_where_there_is_no_hierarchy(home: Path) -> None:
    build_kb(spec([entity("t:1", "Gout")]))
    found = EntityTable.of(linkassay.kb("tiny"))
    assert (found.depth.tolist(), found.children.tolist(), found.below.tolist()) == ([-1], [0], [0])
    assert found.parents[0].tolist() == found.above[0].tolist() == []


def test_every_entity_of_mini(home: Path) -> None:
    kb = linkassay.kb("mini")
    found = EntityTable.of(kb)
    live = dict(kb.sql("select id, coalesce(foreign_id, '') from entities where not obsolete"))
    names = Counter(identifier for (identifier,) in kb.sql("select id from names") if identifier in live)
    assert list(found.ids) == sorted(names)
    assert found.name_count.tolist() == [names[identifier] for identifier in found.ids]
    assert [found.foreigns[n] for n in found.foreign] == [live[identifier] for identifier in found.ids]
    above = Counter(
        parent for child, parent in set(kb.sql("select child, parent from parents")) if {child, parent} <= set(names)
    )
    assert found.below.tolist() == [above[identifier] for identifier in found.ids]
    assert above
