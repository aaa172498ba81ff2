"""Tie, gold, obsolete and repeat policies, and ranking, held to the slow reference and to the laws (TIE-8)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import UsageError
from linkassay.scoring.disambiguation.gold_ranks import GoldIds, GoldRanks, rank_gold
from linkassay.scoring.disambiguation.protocols import GOLD, OBSOLETE, PROTOCOLS, Protocol
from linkassay.scoring.disambiguation.tie_policies import TIES, expected_hit
from tests import reference_scoring as reference
from tests.reference_scoring import Groups

MANY = settings(max_examples=400)
#: Old ids: merged into a, removed, split, merged into one that nothing else names.
MOVED = {"m": ("a",), "r": (), "s": ("b", "c"), "n": ("z",)}
IDS = "aabbcdemrsn"
LISTS = pa.list_(pa.list_(pa.string()))
KS = (1, 2, 4)


@dataclass(frozen=True)
class Case:
    """Items with a ranking (None: no prediction) and gold, and how the rankings arrive."""

    rankings: list[Groups | None]
    gold: list[list[frozenset[str]]]
    order: list[int]  # in which order rows arrive
    cut: int  # where the first batch ends

    def placed(self, *, exclude: bool = False, seeds: tuple[int, ...] = (), gold: GoldIds | None = None) -> GoldRanks:
        """The rankings in two batches, as slices of longer Arrow columns, in the order wished."""
        answered = [n for n in self.order if self.rankings[n] is not None]
        batches = []
        for rows in filter(None, (answered[: self.cut], answered[self.cut :])):
            column = pa.array([[["a"], ["q", "b"]], *(self.rankings[n] for n in rows), [["a", "c"]]], LISTS)
            batches.append((np.array(rows, dtype=np.int64), column.slice(1, len(rows))))
        names = pa.array([f"mention {n}" for n in range(len(self.gold))])
        return rank_gold(batches, gold or self.column(), MOVED, exclude=exclude, seeds=seeds, names=names)

    def column(self) -> GoldIds:
        rows = [[sorted(ids) for ids in alternatives] for alternatives in self.gold]
        return GoldIds.of(pa.array([[], *rows], LISTS).slice(1), MOVED)


def some_ranking(random: Random) -> Groups:
    return [random.choices(IDS, k=random.randint(0, 3)) for _ in range(random.randint(0, 4))]


def some_gold(random: Random) -> list[frozenset[str]]:
    return [frozenset(random.choices(IDS, k=random.randint(1, 2))) for _ in range(random.randint(1, 3))]


def some_case(seed: int) -> Case:
    """Two to five items: ties, repeats within and across groups, empty groups, composites, missing, obsolete ids."""
    random = Random(seed)
    size = random.randint(2, 5)
    answers = [some_ranking(random) if random.random() < 0.85 else None for _ in range(size)]
    order = random.sample(range(size), size)
    return Case(answers, [some_gold(random) for _ in range(size)], order, random.randint(0, size))


#: Drawn by one number: hundreds of examples in a second, at the price of shrinking.
SEEDS = st.integers(0, 2**64)
CASES = SEEDS.map(some_case)
RANDOMS = SEEDS.map(Random)


def items(case: Case, protocol: Protocol) -> list[tuple[Groups, list[frozenset[str]]]]:
    """What the reference sees of each item: prepared groups and current gold, each id an item for `pairs`."""
    found = []
    for groups, gold in zip(case.rankings, case.gold, strict=True):
        prepared = reference.prepare(groups or [], MOVED, protocol.obsolete == "exclude", protocol.repeats == "keep")
        now = reference.current_gold(gold, MOVED)
        if protocol.gold == "pairs":
            found += [(prepared, [frozenset([identifier])]) for identifier in sorted(union(now))]
        else:
            found.append((prepared, now))
    return found


def union(gold: list[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*gold)


def by_item(placed: GoldRanks, protocol: Protocol, values: Any) -> list[float]:
    """Values in the order of `items`: of pairs by item and id."""
    if protocol.gold != "pairs":
        return values.tolist()  # type: ignore[no-any-return]
    keys = zip(placed.gold.item.tolist(), placed.gold.ids.to_pylist(), values.tolist(), strict=True)
    return [value for _, _, value in sorted(keys)]


def assert_close(got: list[Any], wanted: list[Any]) -> None:
    """As `pytest.approx`, many times faster: entries are (…, value)."""
    assert len(got) == len(wanted)
    for mine, theirs in zip(got, wanted, strict=True):
        assert mine[:-1] == theirs[:-1]
        assert abs(mine[-1] - theirs[-1]) < 1e-12, (mine, theirs)


def protocols(obsolete: str, repeats: str) -> list[Protocol]:
    """All that the reference knows directly; `sample` is below."""
    known = [(ties, gold) for ties in TIES if ties != "sample" for gold in GOLD]
    return [
        Protocol(ties, gold, obsolete, repeats)
        for ties, gold in known
        if gold != "all" or ties in ("file-order", "any")
    ]


@MANY
@given(CASES, st.sampled_from(sorted(OBSOLETE)), st.sampled_from(["keep", "vanish"]))
def test_every_policy_is_the_reference(case: Case, obsolete: str, repeats: str) -> None:
    """Each example has two to five rankings, so that each combination sees some hundred of them."""
    placed = case.placed(exclude=obsolete == "exclude")
    got: list[Any] = []
    wanted: list[Any] = []
    for protocol in protocols(obsolete, repeats):
        outcome, expected = placed.outcome(protocol), items(case, protocol)
        for k in KS:
            got += [(protocol, k, value) for value in by_item(placed, protocol, outcome.at(k))]
            if protocol.gold == "all":
                wanted += [(protocol, k, reference.gold_all(*each, k, protocol.ties)) for each in expected]
            else:
                policy = reference.POLICIES[protocol.ties]
                wanted += [(protocol, k, policy(groups, union(gold), k)) for groups, gold in expected]
    assert_close(got, wanted)
    answered = [bool(groups) for groups, _ in items(case, Protocol(obsolete=obsolete))]
    assert placed.answered.tolist() == answered


@MANY
@given(CASES, st.sampled_from(sorted(OBSOLETE)), st.sampled_from(["keep", "vanish"]))
def test_reciprocal_ranks_are_the_reference(case: Case, obsolete: str, repeats: str) -> None:
    placed = case.placed(exclude=obsolete == "exclude")
    got: list[Any] = []
    wanted: list[Any] = []
    for protocol in protocols(obsolete, repeats):
        if protocol.gold == "all":
            continue
        outcome, expected = placed.outcome(protocol), items(case, protocol)
        for k in (None, 2):
            got += [(protocol, k, value) for value in by_item(placed, protocol, outcome.reciprocal(k))]
            each = [reference.reciprocal(groups, union(gold), k, protocol.ties) for groups, gold in expected]
            wanted += [(protocol, k, value) for value in each]
    assert_close(got, wanted)


def test_gold_all_has_a_reciprocal_rank_too() -> None:
    placed = Case([[["a", "b"], ["c"]]], [[frozenset("ac"), frozenset("be")]], [0], 0).placed()
    assert placed.outcome(Protocol("any", "all")).reciprocal(None).tolist() == [1 / 2]
    assert placed.outcome(Protocol("file-order", "all")).reciprocal(None).tolist() == [1 / 3]
    assert placed.outcome(Protocol("file-order", "all")).reciprocal(2).tolist() == [0]


# ---- one random order


def drawn_orders(case: Case, exclude: bool, seed: int) -> list[list[str]]:
    """The whole random order of each item, seen by asking for the rank of every id in it."""
    prepared = [reference.prepare(groups or [], MOVED, exclude) for groups in case.rankings]
    every = pa.array([[sorted(sum(groups, []))] if groups else [] for groups in prepared], LISTS)
    placed = case.placed(exclude=exclude, seeds=(seed,), gold=GoldIds.of(every))
    found: list[list[str]] = [[] for _ in prepared]
    ranks = zip(placed.gold.item.tolist(), placed.drawn[seed].tolist(), placed.gold.ids.to_pylist(), strict=True)
    for item, rank, identifier in sorted(ranks):
        found[item].append(identifier)
        assert rank == len(found[item])
    return found


@MANY
@given(CASES, st.booleans(), st.integers(0, 9))
def test_sample_is_file_order_of_one_order_consistent_with_the_groups(case: Case, exclude: bool, seed: int) -> None:
    orders = drawn_orders(case, exclude, seed)
    for order, groups in zip(orders, case.rankings, strict=True):
        prepared = reference.prepare(groups or [], MOVED, exclude)
        rest = list(order)
        for group in prepared:
            assert sorted(rest[: len(group)]) == sorted(group)
            del rest[: len(group)]
        assert not rest
    alone = [groups if n == 0 else None for n, groups in enumerate(case.rankings)]  # what else is scored has no say
    assert drawn_orders(Case(alone, case.gold, case.order, 1), exclude, seed)[0] == orders[0]
    placed = case.placed(exclude=exclude, seeds=(seed,))
    for gold in GOLD:
        protocol = Protocol("sample", gold, "exclude" if exclude else "wrong", seed=seed)
        outcome = placed.outcome(protocol)
        expected = items(case, protocol)
        if gold == "pairs":
            orders = [order for order, alternatives in zip(orders, case.gold, strict=True)
                      for _ in union(reference.current_gold(alternatives, MOVED))]  # fmt: skip
        for k in KS:
            wanted = [
                reference.gold_all([[i] for i in order], alternatives, k, "sample")
                if gold == "all"
                else float(bool(union(alternatives) & set(order[:k])))
                for order, (_, alternatives) in zip(orders, expected, strict=True)
            ]
            assert by_item(placed, protocol, outcome.at(k)) == wanted


def test_sample_draws_every_order_equally_often() -> None:
    n = 6_000
    gold = GoldIds.of(pa.array([[["a", "b", "c"]]] * n, LISTS))
    groups = pa.array([[["x"], ["a", "b", "c"]]] * n, LISTS)
    placed = rank_gold([(np.arange(n), groups)], gold, seeds=(3,), names=pa.array([f"m{i}" for i in range(n)]))
    counts = Counter(map(tuple, placed.drawn[3].reshape(n, 3).tolist()))
    assert set(counts) == set(permutations((2, 3, 4)))
    assert sum((count - n / 6) ** 2 / (n / 6) for count in counts.values()) < 25.7  # chi-square, 5 df, p = .0001


def test_the_mean_of_many_samples_approaches_expected() -> None:
    groups: Groups = [["x", "y", "z"], ["a", "b", "c", "d"], ["e"]]
    case = Case(
        [groups] * 4, [[frozenset("a")], [frozenset("ab")], [frozenset("xe")], [frozenset("q")]], [2, 0, 1, 3], 2
    )
    seeds = tuple(range(400))
    placed = case.placed(seeds=seeds)
    for k in range(1, 9):
        mean = np.mean([placed.outcome(Protocol("sample", seed=seed)).at(k) for seed in seeds], axis=0)
        assert mean == pytest.approx(placed.outcome(Protocol()).at(k), abs=0.09)
    mean = np.mean([placed.outcome(Protocol("sample", seed=seed)).reciprocal(None) for seed in seeds], axis=0)
    assert mean == pytest.approx(placed.outcome(Protocol()).reciprocal(None), abs=0.05)


# ---- the laws (TIE-8)


def at(placed: GoldRanks, name: str, k: int) -> Any:
    return placed.outcome(Protocol.parse(name)).at(k)


@MANY
@given(CASES)
def test_laws_of_protocols(case: Case) -> None:
    """Basic ≤ relaxed at every k, strict ≤ basic at k=1, recall never falls as k grows; BELB's three in their order."""
    placed = case.placed()
    outcomes = {name: placed.outcome(protocol) for name, protocol in PROTOCOLS.items() if name != "bioel/relaxed"}
    values = {name: np.array([outcome.at(k) for k in range(1, 8)]) + 0.0 for name, outcome in outcomes.items()}
    values["bioel/relaxed"] = values["belb/lenient"]  # the same protocol: see the presets below
    laws = [("bioel/basic", "bioel/relaxed"), ("belb/strict", "belb/standard"), ("belb/standard", "belb/lenient"),
            ("bioel/basic-code", "bioel/relaxed"), ("belb/strict", "bioel/strict")]  # fmt: skip
    for less, more in laws:
        assert (values[less] <= values[more] + 1e-12).all(), (less, more)
    assert (values["bioel/strict"][0] <= values["bioel/basic"][0] + 1e-12).all()
    for name, found in values.items():
        assert (np.diff(found, axis=0) >= -1e-12).all(), name
        assert ((found >= 0) & (found <= 1)).all(), name


@MANY
@given(CASES, CASES, RANDOMS)
def test_merging_disjoint_corpora_adds_counts_and_the_order_of_rows_does_not_matter(
    first: Case, second: Case, random: Random
) -> None:
    size = len(first.gold) + len(second.gold)
    order = random.sample(range(size), size)
    merged = Case(first.rankings + second.rankings, first.gold + second.gold, order, random.randint(0, size))
    one, two, both = (case.placed(seeds=(0,)) for case in (first, second, merged))
    assert both.answered.tolist() == [*one.answered, *two.answered]
    for ties in ("expected", "one-per-group", "file-order", "all"):
        protocol = Protocol(ties)
        apart = [*one.outcome(protocol).at(2), *two.outcome(protocol).at(2)]
        assert both.outcome(protocol).at(2).tolist() == apart
    protocol = Protocol("sample")  # an order hangs on the name of the mention; the second half got other names
    assert both.outcome(protocol).at(2).tolist()[: len(first.gold)] == one.outcome(protocol).at(2).tolist()


@MANY
@given(RANDOMS, st.sampled_from(["keep", "vanish"]))
def test_an_empty_group_is_never_a_hit_and_takes_no_rank(random: Random, repeats: str) -> None:
    groups, gold = some_ranking(random), some_gold(random)
    padded = list(groups)
    for _ in range(random.randint(1, 3)):
        padded.insert(random.randint(0, len(padded)), [])
    placed = Case([groups, padded, [[]] * random.randint(0, 3), None], [gold] * 4, [3, 1, 0, 2], 2).placed(seeds=(0,))
    for ties in TIES:
        outcome = placed.outcome(Protocol(ties, repeats=repeats))
        for k in (1, 2, 4):
            plain, with_empty, *none = outcome.at(k).tolist()
            assert plain == with_empty or ties == "sample"  # mentions of their own, each with its own order
            assert none == [0, 0]
        assert outcome.reciprocal(None)[2:].tolist() == [0, 0]


# ---- by hand


def test_the_closed_form_at_its_borders() -> None:
    assert expected_hit(2, 3, 1, 2) == 0  # s = 0
    assert expected_hit(2, 3, 1, 3) == pytest.approx(1 / 3)
    assert expected_hit(2, 3, 1, 5) == 1  # s = g
    assert expected_hit(0, 4, 2, 2) == pytest.approx(1 - 1 / 6)
    assert expected_hit(0, 4, 4, 1) == 1
    assert expected_hit(0, 1_000_000, 1, 10) == pytest.approx(1e-5)


def test_a_group_whose_ids_came_before_keeps_its_rank_if_so_wished() -> None:
    placed = Case([[["a"], ["a"], ["b"]]], [[frozenset("b")]], [0], 0).placed()
    for ties in ("any", "all", "single", "one-per-group"):
        assert [placed.outcome(Protocol(ties, repeats="vanish")).at(k).tolist() for k in (1, 2, 3)] == [[0], [1], [1]]
        assert [placed.outcome(Protocol(ties, repeats="keep")).at(k).tolist() for k in (1, 2, 3)] == [[0], [0], [1]]
    assert placed.outcome(Protocol("any"), names=True).at(2).tolist() == [0]  # as the run says
    assert placed.outcome(Protocol("any"), names=False).at(2).tolist() == [1]
    assert placed.outcome(Protocol("expected", repeats="keep")).at(2).tolist() == [1]  # counts ids, not ranks


def test_obsolete_predictions() -> None:
    """r was removed: wrong at its rank, or taken out; m was merged into a: the same id."""
    case = Case([[["r"], ["m"], ["a"], ["b"]]], [[frozenset("a")]], [0], 0)
    assert [case.placed().outcome(Protocol()).at(k).tolist() for k in (1, 2)] == [[0], [1]]
    assert case.placed(exclude=True).outcome(Protocol(obsolete="exclude")).at(1).tolist() == [1]


def test_a_removed_gold_id_is_no_gold() -> None:
    gold = GoldIds.of(pa.array([[["r"]], [["r", "a"]], [["s", "d"]]], LISTS), MOVED)
    assert gold.has_id.tolist() == [False, True, True]
    assert sorted(zip(gold.item.tolist(), gold.ids.to_pylist())) == [(1, "a"), (2, "b"), (2, "c"), (2, "d")]
    assert [sorted(ids) for ids in gold.by_item.to_pylist()] == [[], ["a"], ["b", "c", "d"]]


@pytest.mark.parametrize("ties", ["expected", "one-per-group", "all", "single"])
def test_gold_all_is_refused_where_it_is_not_defined(ties: str) -> None:
    with pytest.raises(UsageError, match=f"every id .* with ties={ties} that is not defined: use one of"):
        Protocol(ties, "all")


def test_presets_are_what_the_literature_calls_them() -> None:
    assert {name: protocol.ties for name, protocol in PROTOCOLS.items()} == {
        "belb/standard": "one-per-group", "belb/strict": "single", "belb/lenient": "any", "bioel/basic": "expected",
        "bioel/basic-code": "file-order", "bioel/relaxed": "any", "bioel/strict": "all",
    }  # fmt: skip
    assert {(p.gold, p.obsolete) for p in PROTOCOLS.values()} == {("any", "wrong")}
