"""Shared 3-grams (LINKER-15): their parts add up to the cosines that the index gives."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkassay
from linkassay.linkers.protocol import Candidate, Query
from linkassay.linkers.strings.ngram_index import NgramIndex
from linkassay.linkers.strings.shared_grams import shared_grams
from linkassay.linkers.strings.tfidf import Tfidf
from tests.linkers.strings.test_tfidf import reference

texts = st.text("abcα ", min_size=1, max_size=8)


@given(st.lists(texts, unique=True, min_size=2, max_size=25), texts, st.data())
def test_parts_add_up_to_the_cosine_of_the_nearest_name(names: list[str], text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(names) - 1))
    cosines = reference(names, text)
    head, *grams = shared_grams(NgramIndex.of(names).weight, text, names[:cut], names[cut:])
    one, other = max(cosines[:cut]), max(cosines[cut:])
    assert (cosines[names.index(str(head.first))], cosines[names.index(str(head.second))]) == pytest.approx(
        (one, other)
    )
    assert head.gain == pytest.approx(one - other)
    assert sum(float(each.first or 0) for each in grams) == pytest.approx(one)
    assert sum(float(each.second or 0) for each in grams) == pytest.approx(other)
    gains = [abs(each.gain or 0) for each in grams]
    assert gains == sorted(gains, reverse=True)


def test_the_linker_explains_its_scores(home: Path) -> None:
    kb, linker = linkassay.kb("mini"), Tfidf()
    linker.prepare(kb, ())
    for text in ("DM", "beta-catenin", "Diabetes mellitus type two", "§"):
        query = Query(text, "", ((0, len(text)),), "", text)
        [answer] = linker.link([query], 3)
        for (first, score), (second, lower) in pairwise(answer):
            one, other = (Candidate(ids[0], tuple(kb.names_of(ids[0]))) for ids in (first, second))
            head, *grams = linker.explain(query, one, other)
            assert head.gain == pytest.approx(score - lower, abs=2e-6)
            assert sum(each.gain or 0 for each in grams) == pytest.approx(score - lower, abs=2e-6)
            assert [each.what for each in grams if " " in each.what.removeprefix("3-gram ")] == []


def test_an_entity_without_names_shares_nothing() -> None:
    [head] = shared_grams(NgramIndex.of(["a"]).weight, "a", [], [])
    assert head == ("nearest by 3-grams", "", "", 0)
