"""Type, distance and location, held to values derived by hand and to breadth-first search over sets."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import UsageError
from linkassay.kbs.hierarchy import Hierarchy
from linkassay.scoring.hierarchy.relations import LOCATIONS, TYPES, Relations
from tests import reference_hierarchy as reference

FRUIT = [
    ("Apple", "Fruit"), ("Pear", "Fruit"), ("Dessert apple", "Apple"), ("Cooking apple", "Apple"),
    ("Granny Smith", "Dessert apple"), ("Pink Lady", "Dessert apple"), ("Conference pear", "Pear"),
]  # fmt: skip


def relations(edges: reference.Edges) -> Relations:
    ids = sorted(reference.nodes(edges))
    child, parent = (np.array([ids.index(e[i]) for e in edges], dtype=np.int64) for i in (0, 1))
    return Relations(Hierarchy(pa.array(ids), child, parent))


def related(of: Relations, gold: str, said: str | None) -> tuple[str, int, bool]:
    found = of.of([gold], [said])
    return list(TYPES)[found.type[0]], int(found.distance[0]), bool(found.virtual[0])


@st.composite
def dags(draw: st.DrawFn) -> reference.Edges:
    """Parents stand before their children in the alphabet, so that there are no circles; several roots are common."""
    names = "abcdefghijklmno"[: draw(st.integers(2, 15))]
    pairs = [(names[j], names[i]) for j in range(len(names)) for i in range(j)]
    return draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=26, unique=True))


@pytest.mark.parametrize(
    ("gold", "said", "kind", "distance"),
    [
        ("Granny Smith", "Granny Smith", "exact", 0),
        ("Apple", "Dessert apple", "overspecific", 1),
        ("Apple", "Pink Lady", "overspecific", 2),
        ("Conference pear", "Fruit", "underspecific", 2),
        ("Pink Lady", "Conference pear", "orthogonal", 5),  # three up to Fruit, two down
        ("Granny Smith", "Pink Lady", "orthogonal", 2),
        ("Apple", None, "no answer", -1),
        ("Apple", "Nut", "outside", -1),
        ("Nut", "Apple", "outside", -1),
        ("Nut", "Nut", "exact", 0),
    ],
)
def test_the_fruit_example(gold: str, said: str | None, kind: str, distance: int) -> None:
    assert related(relations(FRUIT), gold, said) == (kind, distance, False)


def test_locations_of_the_fruit_example() -> None:
    fruit = relations(FRUIT)
    ids = fruit.hierarchy.ids.to_pylist()
    found = {reading: dict(zip(ids, fruit.locations(reading).tolist(), strict=True)) for reading in LOCATIONS}
    rest = {"Fruit": 0, "Dessert apple": 2 / 3, "Granny Smith": 1, "Pink Lady": 1, "Cooking apple": 1,
            "Conference pear": 1}  # fmt: skip
    # Apple: one step to Fruit, one to Cooking apple. Dessert apple: two steps up, one down.
    assert found["branch"] == pytest.approx(rest | {"Apple": 1 / 2, "Pear": 1 / 2})
    # As printed: the leaf nearest to Fruit is two steps below it, which divides every depth.
    assert found["nearest-leaf-of-root"] == pytest.approx(
        {"Fruit": 0, "Apple": 1 / 2, "Pear": 1 / 2, "Dessert apple": 1, "Cooking apple": 1, "Conference pear": 1,
         "Granny Smith": 3 / 2, "Pink Lady": 3 / 2}
    )  # fmt: skip
    # Apple: one step up, at most two down.
    assert found["longest"] == pytest.approx(rest | {"Apple": 1 / 3, "Pear": 1 / 2})
    with pytest.raises(UsageError, match="did you mean"):
        fruit.locations("longst")


def test_several_roots_meet_in_a_virtual_one() -> None:
    two = relations([("b", "a"), ("c", "b"), ("y", "x")])
    assert related(two, "c", "y") == ("orthogonal", 3 + 2, True)
    assert related(two, "a", "x") == ("orthogonal", 2, True)
    assert related(two, "c", "a") == ("underspecific", 2, False)


def test_a_short_cut_does_not_shorten_the_way_to_an_ancestor() -> None:
    # d is three below a along the chain; both are also children of z, two steps apart.
    edges = [("b", "a"), ("c", "b"), ("d", "c"), ("a", "z"), ("d", "z")]
    assert related(relations(edges), "d", "a") == ("underspecific", 3, False)
    assert related(relations(edges), "a", "d") == ("overspecific", 3, False)


def test_a_leaf_that_is_a_root_has_location_one() -> None:
    lonely = Relations(Hierarchy(pa.array(["a", "b", "lonely"]), np.array([1]), np.array([0])))
    for reading in LOCATIONS:
        assert lonely.locations(reading).tolist() == [0, 1, 1]


@settings(max_examples=300)
@given(dags())
def test_relations_are_those_of_breadth_first_search(edges: reference.Edges) -> None:
    names = sorted(reference.nodes(edges))
    pairs = [(t, p) for t in names for p in names]
    found = relations(edges).of([t for t, _ in pairs], [p for _, p in pairs])
    for n, (gold, said) in enumerate(pairs):
        mine = list(TYPES)[found.type[n]], int(found.distance[n]), bool(found.virtual[n])
        assert mine == reference.relation(edges, gold, said), (gold, said)
        assert found.depth[n] == reference.meeting_depth(edges, gold, said), (gold, said)


@settings(max_examples=200)
@given(dags())
def test_laws_of_relations(edges: reference.Edges) -> None:
    """HIER-1, HIER-2: types partition; over and under swap with gold and prediction; distance is 0 for exact only."""
    names = sorted(reference.nodes(edges))
    of = relations(edges)
    gold, said = [t for t in names for _ in names], [p for _ in names for p in names]
    one, other = of.of(gold, said), of.of(said, gold)
    swapped = {"overspecific": "underspecific", "underspecific": "overspecific"}
    kinds = list(TYPES)
    for n in range(len(gold)):
        kind = kinds[one.type[n]]
        assert kind in reference.TYPES
        assert kinds[other.type[n]] == swapped.get(kind, kind)
        assert (one.distance[n] == 0) == (kind == "exact")
    assert one.distance.tolist() == other.distance.tolist()


@settings(max_examples=300)
@given(dags())
def test_locations_are_those_of_breadth_first_search(edges: reference.Edges) -> None:
    of = relations(edges)
    names = of.hierarchy.ids.to_pylist()
    for reading in LOCATIONS:
        expected = [float(reference.location(edges, name, reading)) for name in names]
        assert of.locations(reading).tolist() == pytest.approx(expected), reading
    for name, found in zip(names, of.locations().tolist(), strict=True):
        assert 0 <= found <= 1
        assert (found == 1) == reference.is_leaf(edges, name)
    assert reference.location(FRUIT, "Apple") == Fraction(1, 2)  # the reference itself


def test_many_pairs_come_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from linkassay.kbs import common_ancestors

    fruit = relations(FRUIT)
    names = sorted(reference.nodes(FRUIT)) * 9
    whole = fruit.of(names, names[::-1])
    for name, value in (("BLOCK", 5), ("WAYS", 1)):
        monkeypatch.setattr(common_ancestors, name, value)
        parts = fruit.of(names, names[::-1])
        assert whole.type.tolist() == parts.type.tolist()
        assert whole.distance.tolist() == parts.distance.tolist()
