"""Fusion of ranked lists, held to slow ways to say the same (COMP-3, COMP-4)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.linkers.composed.fusion import LearnedFusion, by_reciprocal_ranks, mean_ranks
from linkassay.linkers.protocol import Answer
from linkassay.store import MappedFolder


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    ids = draw(st.lists(st.sampled_from("abcdefg"), unique=True, max_size=7))
    found: Answer = []
    while ids:
        size = draw(st.integers(1, len(ids)))
        found.append((tuple(ids[:size]), float(10 - len(found))))
        ids = ids[size:]
    return found


def slow(answers: list[Answer]) -> list[tuple[set[str], Fraction]]:
    """Sums as fractions; the rank of a tied id is the mean over the places that its group takes."""
    worth: dict[str, Fraction] = {}
    for answer in answers:
        places = iter(range(1, 100))
        for ids, _ in answer:
            taken = [next(places) for _ in ids]
            for each in ids:
                worth[each] = worth.get(each, Fraction(0)) + 1 / (60 + Fraction(sum(taken), len(taken)))
    return [({each for each in worth if worth[each] == value}, value) for value in sorted({*worth.values()})[::-1]]


@given(st.lists(answers(), min_size=1, max_size=3))
def test_reciprocal_ranks_as_fractions(each: list[Answer]) -> None:
    found = by_reciprocal_ranks(each)
    assert [set(ids) for ids, _ in found] == [ids for ids, _ in slow(each)]
    assert np.allclose([score for _, score in found], [float(value) for _, value in slow(each)], atol=1e-11)


@given(st.lists(answers(), min_size=2, max_size=2))
def test_the_order_of_generators_makes_no_difference(each: list[Answer]) -> None:
    assert by_reciprocal_ranks(each) == by_reciprocal_ranks(each[::-1])


def test_tied_ids_have_the_mean_of_their_ranks() -> None:
    assert mean_ranks([(("x",), 3.0), (("b", "a"), 2.0), (("c",), 1.0)]) == {"x": 1.0, "b": 2.5, "a": 2.5, "c": 4.0}


def test_whom_to_trust_is_learned(tmp_path: Path) -> None:
    """The second generator is right each time, the first one never: reciprocal ranks cannot tell."""
    right = [[(("a",), 1.0), (("b",), 0.5)], [(("b",), 1.0), (("a",), 0.5)]]
    learned = LearnedFusion(2)
    assert learned.fused(right)[0][0] == ("a", "b")
    learned.learn(([{"b"}], [right]) for _ in range(40))
    assert [ids for ids, _ in learned.fused(right)] == [("b",), ("a",)]
    learned.store(MappedFolder(tmp_path))
    again = LearnedFusion(2)
    again.open(MappedFolder(tmp_path))
    assert again.fused(right) == learned.fused(right)


@pytest.mark.parametrize("gold", [{"z"}, {"a", "b"}])
def test_where_there_is_nothing_to_choose_nothing_is_learned(gold: set[str], tmp_path: Path) -> None:
    found = [[(("a",), 1.0)], [(("b",), 1.0)]]
    learned = LearnedFusion(2)
    learned.learn([([gold], [found])])
    assert learned.fused(found) == by_reciprocal_ranks(found)
    learned.store(MappedFolder(tmp_path))
    again = LearnedFusion(2)
    again.open(MappedFolder(tmp_path))
    assert again.fused(found) == by_reciprocal_ranks(found)


def test_nothing_was_answered() -> None:
    assert by_reciprocal_ranks([[], []]) == []
    learned = LearnedFusion(2)
    learned.learn(([{"b"}], [[[(("a", "b"), 1.0)], [(("b",), 1.0)]]]) for _ in range(9))
    assert learned.fused([[], []]) == []
