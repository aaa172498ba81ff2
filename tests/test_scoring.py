"""Recall@k with ties, held to a slow obvious reference, and the score of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.corpora.get import Own, get_own
from linkassay.kbs.base import KbSpec, Part
from linkassay.kbs.build import build
from linkassay.scoring.recall import Score
from linkassay.scoring.ties import expected_hit, prepare_groups
from tests.helpers import raw

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


# ---- the score of a run, by hand


DOCUMENTS = {  # document → (text, gold) of its mentions; names of the KB below decide what is predicted
    "d1": [("gout", "t:1"), ("MS", "t:3"), ("rash", "t:4")],
    "d2": [("gout", "t:1"), ("ache", "t:5")],
    "d3": [("MS", "t:2"), ("old rash", "t:9")],
}


@pytest.fixture
def scored(home: Path, tmp_path: Path) -> Score:
    lines = []
    for name, mentions in DOCUMENTS.items():
        text, found = "", []
        for surface, gold in mentions:
            text += " " if text else ""
            found.append({"spans": [[len(text), len(text) + len(surface)]], "type": "disease", "gold": [[gold]]})
            text += surface
        lines.append(json.dumps({"id": name, "text": text, "mentions": found}) + "\n")
    (tmp_path / "c.jsonl").write_text("".join(lines))
    get_own(Own("hand", "jsonl", (tmp_path / "c.jsonl",), kb="tiny"))
    names = {"t:1": ["gout"], "t:2": ["MS"], "t:3": ["multiple sclerosis", "MS"], "t:4": ["rash", "old rash"]}
    entities = [{"id": i, "type": "disease", "names": [[n, "label"] for n in ns]} for i, ns in names.items()]
    files = [raw("kb.jsonl", "".join(json.dumps(e) + "\n" for e in entities)), raw("history.tsv", "t:9\tt:4\n")]
    parts = (
        Part("kb.jsonl", "linkassay.kbs.jsonl:read_entities"),
        Part("history.tsv", "linkassay.kbs.jsonl:read_history"),
    )
    build(KbSpec("tiny", "Tiny", "t", ("disease",), "CC0", "", "", parts, packaged=lambda: files))
    return linkassay.score(linkassay.link("exact", "hand", kb="tiny"))


def test_figures_by_hand(scored: Score) -> None:
    """gout right twice, MS tied between two (1/2 each), rash right, old rash right by history, ache not answered."""
    rows = {r["measure"]: r for r in scored.rows() if r["slice"] == "all"}
    assert rows["recall@1"]["value"] == pytest.approx((1 + 0.5 + 1 + 1 + 0 + 0.5 + 1) / 7)
    assert rows["recall@5"]["value"] == pytest.approx(6 / 7)
    assert rows["coverage"]["value"] == pytest.approx(6 / 7)
    assert {r["n"] for r in rows.values()} == {7}


def test_intervals_are_percentiles_over_resampled_documents(scored: Score) -> None:
    """Held to all 27 ways of drawing three documents from three, each as likely as the others."""
    sums = {"d1": (2.5, 3), "d2": (1, 2), "d3": (1.5, 2)}
    means = sorted(sum(sums[d][0] for d in draw) / sum(sums[d][1] for d in draw) for draw in product(sums, repeat=3))
    [row] = [r for r in scored.rows() if (r["slice"], r["measure"]) == ("all", "recall@1")]
    assert means[0] <= row["low"] <= means[2]
    assert means[-3] <= row["high"] <= means[-1]
    assert row["low"] < row["value"] < row["high"]


def test_one_document_gives_no_interval(scored: Score) -> None:
    alone = replace(scored, judged=[j for j in scored.judged if j.mention.document == "d1"])
    assert {(r["low"], r["high"]) for r in alone.rows()} == {(None, None)}
