"""Recall@k with ties, held to a slow obvious reference, and the score of a run."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.scoring.ties import expected_hit, prepare_groups

IDS = st.sampled_from("abcdefg")


def reference_expected(groups: list[list[str]], gold: frozenset[str], k: int) -> float:
    """Every order consistent with the groups, one by one."""
    orders = [sum(map(list, order), []) for order in product(*(permutations(g) for g in groups))]
    return sum(bool(gold & set(order[:k])) for order in orders) / len(orders)


@st.composite
def ranked(draw: st.DrawFn) -> list[list[str]]:
    ids = draw(st.lists(IDS, unique=True, max_size=6))
    cuts = draw(st.lists(st.integers(0, len(ids)), max_size=3).map(sorted))
    return prepare_groups(ids[a:b] for a, b in zip([0, *cuts], [*cuts, len(ids)], strict=True))


@settings(max_examples=400)
@given(ranked(), st.frozensets(IDS, min_size=1, max_size=3), st.integers(1, 7))
def test_expected_is_the_mean_over_all_orders(groups: list[list[str]], gold: frozenset[str], k: int) -> None:
    assert expected_hit(groups, gold, k) == pytest.approx(reference_expected(groups, gold, k))


@settings(max_examples=300)
@given(ranked(), st.frozensets(IDS, min_size=1))
def test_recall_never_falls_as_k_grows(groups: list[list[str]], gold: frozenset[str]) -> None:
    values = [expected_hit(groups, gold, k) for k in range(1, 9)]
    assert values == sorted(values)
    assert all(0 <= v <= 1 for v in values)


@given(st.lists(st.lists(IDS, max_size=4), max_size=5))
def test_preparing_keeps_each_id_at_its_first_rank_and_no_empty_group(groups: list[list[str]]) -> None:
    prepared = prepare_groups(groups)
    flat = sum(prepared, [])
    assert flat == list(dict.fromkeys(sum(groups, [])))
    assert all(prepared)


def test_an_empty_answer_is_no_hit() -> None:
    assert expected_hit([], frozenset("a"), 10) == 0
    assert expected_hit(prepare_groups([[]]), frozenset("a"), 10) == 0


def test_obsolete_ids_are_replaced_before_ranking() -> None:
    current = {"old": ("new",), "split": ("x", "y"), "gone": ()}
    groups = prepare_groups([["old"], ["new", "gone"], ["split"]], lambda i: current.get(i, (i,)))
    assert groups == [["new"], ["x", "y"]]
