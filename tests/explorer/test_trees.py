"""The tree of a mention, in a small hierarchy."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from linkassay.explorer.trees import MOST_NODES, mention_tree

#: root ◀ a, b; a ◀ c, d; b ◀ d, e; other ◀ f.
PARENTS = {
    "root": [],
    "a": ["root"],
    "b": ["root"],
    "c": ["a"],
    "d": ["a", "b"],
    "e": ["b"],
    "other": [],
    "f": ["other"],
}


def edges(tree: Any) -> list[list[str]]:
    found: list[list[str]] = tree["edges"]
    return found


def test_ways_meet_where_they_are_shortest() -> None:
    tree = mention_tree(["c"], {0: ["d"], 2: ["e"]}, PARENTS.get)
    assert tree is not None
    assert edges(tree) == [["a", "root"], ["b", "root"], ["c", "a"], ["d", "a"], ["e", "b"]]
    assert [(node["id"], node["depth_from_top"]) for node in tree["nodes"]] == [
        ("root", 0), ("a", 1), ("b", 1), ("c", 2), ("d", 2), ("e", 2),
    ]  # fmt: skip
    assert {node["id"]: node["said"] for node in tree["nodes"] if node["said"]} == {"d": [0], "e": [2]}
    assert [node["id"] for node in tree["nodes"] if node["gold"]] == ["c"]


def test_an_answer_above_or_below_gold() -> None:
    assert edges(mention_tree(["c"], {0: ["a"]}, PARENTS.get)) == [["c", "a"]]
    assert edges(mention_tree(["a"], {0: ["d"]}, PARENTS.get)) == [["d", "a"]]


def test_of_several_golds_the_nearest_is_shown() -> None:
    assert edges(mention_tree(["c", "e"], {0: ["d"]}, PARENTS.get)) == [["c", "a"], ["d", "a"]]
    assert edges(mention_tree(["e", "c"], {0: ["d"]}, PARENTS.get)) == [["d", "b"], ["e", "b"]]


def test_without_a_common_ancestor_both_go_to_their_roots() -> None:
    assert edges(mention_tree(["c"], {0: ["f"]}, PARENTS.get)) == [["a", "root"], ["c", "a"], ["f", "other"]]


def test_what_is_not_in_the_hierarchy_has_no_tree() -> None:
    assert mention_tree(["x"], {0: ["a"]}, PARENTS.get) is None
    assert mention_tree(["a"], {0: ["x"]}, PARENTS.get) is None
    assert mention_tree(["a"], {}, PARENTS.get) is None


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=80), st.data())
def test_a_tree_is_small_and_leads_up(numbers: list[int], data: st.DataObject) -> None:
    parents: dict[str, list[str]] = {"n0": []}
    for at, number in enumerate(numbers, 1):  # parents come before their children: there is no circle
        parents[f"n{at}"] = sorted({f"n{number % at}", f"n{number // 7 % at}"})
    node = st.sampled_from(sorted(parents))
    gold, said = data.draw(st.lists(node, min_size=1, max_size=3)), data.draw(st.lists(node, min_size=1, max_size=30))
    tree = mention_tree(gold, dict(enumerate([each] for each in said)), parents.get)
    if tree is None:
        return
    depth = {node["id"]: node["depth_from_top"] for node in tree["nodes"]}
    assert len(depth) <= MOST_NODES
    for child, parent in tree["edges"]:
        assert parent in parents[child]
        assert depth[parent] < depth[child]
    assert all(said[at] == node["id"] for node in tree["nodes"] for at in node["said"])
