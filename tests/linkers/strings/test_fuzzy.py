"""Edit distance: the same best ratio as RapidFuzz over all names, whatever the names (LINKER-4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

import linkassay
from linkassay.linkers.protocol import Query
from linkassay.linkers.strings.fuzzy import Fuzzy, Ratios

names = st.lists(st.text("abcα -é", max_size=12), unique=True, max_size=30)


@given(names, st.text("abcdα -", min_size=1, max_size=12), st.integers(1, 4))
def test_the_nearest_over_all_names(texts: list[str], text: str, top: int) -> None:
    every = sorted((fuzz.ratio(text, name) / 100 for name in texts), reverse=True)
    found, scores = Ratios.of(texts).best(text, top)
    assert scores.tolist() == pytest.approx(
        [s for s in every if s > 0 and s >= every[min(top, len(every)) - 1] - 1e-12]
    )
    assert [fuzz.ratio(text, texts[n]) / 100 for n in found] == pytest.approx(scores.tolist())
    assert len(set(found.tolist())) == len(found)


def test_long_texts() -> None:
    texts = ["a" * 300, "a" * 299 + "b", "b" * 300]
    found, scores = Ratios.of(texts).best("a" * 298 + "bb", 2)
    assert found.tolist() == [1, 0]
    assert scores.tolist() == pytest.approx([fuzz.ratio("a" * 298 + "bb", texts[n]) / 100 for n in (1, 0)])


@given(st.lists(st.text("abα", max_size=150), unique=True, max_size=8), st.text("abα", min_size=60, max_size=150))
def test_texts_longer_than_a_word_of_the_machine(texts: list[str], text: str) -> None:
    found, scores = Ratios.of(texts).best(text, 8)
    ratios = {n: fuzz.ratio(text, name) / 100 for n, name in enumerate(texts)}
    assert dict(zip(found.tolist(), scores.tolist(), strict=True)) == pytest.approx(
        {n: ratio for n, ratio in ratios.items() if ratio}
    )


def test_many_texts_are_answered_like_one() -> None:
    texts = [f"{word} {n}" for word in ("liver", "kidney", "lung") for n in range(70)]
    index = Ratios.of(texts)
    for text, (found, scores) in zip(texts, index.best_of(texts, 3), strict=True):
        alone = index.best(text, 3)
        assert (found.tolist(), scores.tolist()) == (alone[0].tolist(), alone[1].tolist())
        assert texts[found[0]] == text


def test_entities_tie_at_equal_ratio_and_types_restrict(home: Path) -> None:
    linker = Fuzzy()
    linker.prepare(linkassay.kb("mini"), ())
    corpus = linkassay.corpus("mini")
    queries = [Query(m.text, m.type, m.spans, d.id, d.text) for d in corpus["test"] for m in d.mentions]
    rows = linkassay.kb("mini").sql(
        "select lower(name), id, type from names join entities using (id) where not obsolete"
    )
    for query, answer in zip(queries, linker.link(queries, 3), strict=True):
        best: dict[str, float] = {}
        for name, identifier, type_ in rows:
            if type_ == query.type:
                best[identifier] = max(best.get(identifier, 0.0), fuzz.ratio(query.text.lower(), name) / 100)
        top = max(best.values())
        assert answer[0][1] == pytest.approx(top)
        assert set(answer[0][0]) == {i for i, score in best.items() if score > top - 1e-12}
        assert list(np.diff([score for _, score in answer]) < 0) == [True] * (len(answer) - 1)
