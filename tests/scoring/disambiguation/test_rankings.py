"""How rankings are prepared (RANK-1 to RANK-4), held to the slow reference: lists, first ranks, ids looked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.scoring.disambiguation.rankings import Rankings, in_order, most_ids
from linkassay.scoring.hierarchy.choices import HierarchyChoices
from linkassay.scoring.hierarchy.profile import profiles
from tests import reference_scoring as reference
from tests.scoring_helpers import corpus, knowledge, run_of

#: Old ids: merged, merged into one that nothing else names, removed, split, split into an id that is old itself.
MOVED = {"m": ("a",), "n": ("z",), "r": (), "s": ("b", "c"), "t": ("a", "m")}
LISTS = pa.list_(pa.list_(pa.string()))
ENCODED = pa.list_(pa.list_(pa.dictionary(pa.int32(), pa.string())))
RANKINGS = st.lists(
    st.none() | st.lists(st.lists(st.sampled_from("abcdemnrst"), max_size=4), max_size=5), min_size=1, max_size=5
)


@settings(max_examples=400)
@given(RANKINGS, st.sampled_from([{}, MOVED]), st.booleans(), st.booleans(), st.booleans())
def test_rankings_are_the_reference(
    given_: list[reference.Groups | None], moved: dict[str, tuple[str, ...]], exclude: bool, scored: bool, encoded: bool
) -> None:
    """Ties, repeats in and over groups, moved ids, empty groups, rows without a ranking; in a slice of a column.

    Ids may be numbered, as a file has them.
    """
    column = pa.array([[["a"], ["q", "b"]], *given_, [["a", "c"]]], ENCODED if encoded else LISTS).slice(1, len(given_))
    assert most_ids(column) == max(sum(map(len, groups or [])) for groups in given_)
    rankings = Rankings.of(column, moved, exclude=exclude)
    wanted = [reference.prepare(groups or [], moved, exclude) for groups in given_]
    numbers = [[1 / rank for rank in range(1, len(groups or []) + 1)] if scored else [] for groups in given_]
    found = rankings.lists(pa.array(numbers, pa.list_(pa.float64())))
    assert [[group.ids for group in groups] for groups in found] == wanted
    assert [[group.ids for group in groups] for groups in rankings.lists()] == wanted

    for groups, raw, mine in zip(found, given_, numbers, strict=True):
        for ids, score in groups:
            first = next(n for n, group in enumerate(raw or []) if reference.prepare([group], moved, exclude)
                         and set(ids) <= set(reference.prepare([group], moved, exclude)[0]))  # fmt: skip
            assert score == (mine[first] if scored else None)

    row, ids_ = rankings.tops()
    tops = [(n, identifier) for n, groups in enumerate(wanted) if groups for identifier in groups[0]]
    assert list(zip(row.tolist(), ids_.to_pylist(), strict=True)) == tops

    asked = [(n, identifier) for n in range(len(given_)) for identifier in "abcmrxz"]
    hit, candidate = rankings.find(np.array([n for n, _ in asked]), pa.array([identifier for _, identifier in asked]))
    assert hit.tolist() == [any(identifier in group for group in wanted[n]) for n, identifier in asked]
    assert rankings.keep[candidate].all()
    codes = rankings.known.take(pa.array(rankings.code[candidate])).to_pylist()
    assert codes == [identifier for (_, identifier), there in zip(asked, hit.tolist(), strict=True) if there]


@given(st.lists(st.integers(0, 5), max_size=20), st.sampled_from([6, 2**62]))
def test_keys_come_in_order_equal_ones_as_they_stood(keys: list[int], limit: int) -> None:
    """Also where the numbers are too large to be packed into one."""
    found, order = in_order(np.array(keys, dtype=np.int64), limit)
    assert list(zip(found.tolist(), order.tolist(), strict=True)) == sorted(zip(keys, range(len(keys)), strict=True))


def test_an_explicit_nil_ranks_nothing_and_profiles_have_the_first_rank(home: Path, tmp_path: Path) -> None:
    """Whatever candidates come with it; a removed id stays an answer, and one that was split is its successors."""
    on = corpus(tmp_path, "hand", {"test": {"d": [("a", "t:1"), ("b", "t:1;t:2"), ("c", "t:2"), ("d", "t:1"),
                                                  ("e", "t:2")]}})  # fmt: skip
    kb = knowledge({"t:1": ["one"], "t:2": ["two"], "t:3": ["three"]}, "t:7\tt:1\nt:7\tt:2\nt:8\t\n",
                   t2={"parents": [["t:1"]]})  # fmt: skip
    answers = ["nil", [["t:7", "t:1"], ["t:3"]], [[], ["t:8"], ["t:2"]], None, [[], []]]
    score = linkassay.score(run_of(on, answers, kb=kb), abbreviations="none")
    assert score.nil.tolist() == [True, False, False, False, False]
    assert [items.tolist() for items, _ in score.rankings()] == [[1, 2, 4]]
    assert [items.tolist() for items, _ in score.rankings(np.arange(5) == 2)] == [[2]]
    (profile,) = profiles([score], HierarchyChoices("tiny"))
    rows = zip(profile.mention.tolist(), profile.gold_ids.to_pylist(), profile.predicted.to_pylist(), profile.weight)
    assert list(rows) == [
        (0, "t:1", None, 1), (1, "t:1", "t:1", 0.5), (1, "t:1", "t:2", 0.5), (1, "t:2", "t:1", 0.5),
        (1, "t:2", "t:2", 0.5), (2, "t:2", "t:8", 1), (3, "t:1", None, 1), (4, "t:2", None, 1),
    ]  # fmt: skip
