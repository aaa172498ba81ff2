"""The n-gram index against a plain computation of the same cosines (LINKER-5)."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkassay
from linkassay.kbs.building.build import build_kb
from linkassay.linkers.protocol import Query
from linkassay.linkers.strings import ngram_index
from linkassay.linkers.strings.ngram_index import NgramIndex
from linkassay.linkers.strings.tfidf import Tfidf
from linkassay.text.normalise import name_key
from tests.kbs.building.test_build import entity, spec


def reference(names: list[str], text: str) -> list[float]:
    """Cosines of a text with all names."""
    bags = [Counter(f"  {n} "[i : i + 3] for i in range(len(n) + 1)) for n in [*names, text]]
    spread = Counter(gram for bag in bags[:-1] for gram in bag)
    vectors = [{g: c * (math.log((1 + len(names)) / (1 + spread[g])) + 1) for g, c in bag.items()} for bag in bags]
    lengths = [math.sqrt(sum(w * w for w in vector.values())) for vector in vectors]
    asked = vectors[-1]
    return [
        sum(w * asked.get(g, 0.0) for g, w in vector.items()) / (length * lengths[-1])
        for vector, length in zip(vectors[:-1], lengths, strict=False)
    ]


texts = st.text("abcα名😀\ud800 ", min_size=1, max_size=8)


@given(st.lists(texts, unique=True, max_size=25), texts, st.integers(1, 5), st.data())
def test_the_nearest_names(names: list[str], text: str, top: int, data: st.DataObject) -> None:
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names))), dtype=bool)
    cosines = [c if ok and c > 1e-9 else 0.0 for c, ok in zip(reference(names, text), allowed, strict=True)]
    index = NgramIndex.of(names)
    for _ in range(2):  # what one question leaves behind would show in the next
        found, scores = index.nearest(text, top, allowed)
        ranked = sorted((c for c in cosines if c), reverse=True)
        least = ranked[top - 1] if len(ranked) >= top else 0.0
        assert [s for s in scores.tolist() if s > least + 1e-5] == pytest.approx(
            [c for c in ranked if c > least + 1e-5], abs=1e-5
        )
        assert len(found) >= min(top, len(ranked))
        assert [cosines[n] for n in found] == pytest.approx(scores.tolist(), abs=1e-5)


@given(st.lists(texts, unique=True, max_size=25), texts)
def test_near_is_nearest_where_all_postings_are_looked_at(names: list[str], text: str) -> None:
    index = NgramIndex.of(names)
    near, scores = index.near(text, 30)
    nearest, exact = index.nearest(text, 30)
    assert dict(zip(near.tolist(), scores.tolist(), strict=True)) == dict(
        zip(nearest.tolist(), exact.tolist(), strict=True)
    )


@pytest.mark.parametrize("top", [1, 5, 40])
def test_blocks_that_are_passed_over_hold_nothing_nearer(monkeypatch: pytest.MonkeyPatch, top: int) -> None:
    monkeypatch.setattr(ngram_index, "_BLOCK", 64)
    draw = random.Random(top)
    names = sorted({"".join(draw.choices("abcdefgh", k=draw.randint(1, 25))) * draw.choice((1, 1, 2, 4))
                    for _ in range(1_500)})  # fmt: skip
    asked = [*draw.sample(names, 8), *(name[2:] + "x" for name in draw.sample(names, 8))]
    index = NgramIndex.of(names)
    for text in asked:
        found, scores = index.nearest(text, top)
        cosines = reference(names, text)
        floor = sorted(cosines)[-top]
        assert {n for n, c in enumerate(cosines) if c > max(floor, 0) + 1e-6} <= set(found.tolist())
        assert scores.tolist() == pytest.approx([cosines[n] for n in found], abs=1e-6)
        assert all(cosines[n] > floor - 1e-6 for n in found)


def test_many_texts_are_answered_like_one_with_a_score_for_each_rank() -> None:
    names = [f"{word} {n}" for word in ("liver", "kidney", "lung") for n in range(70)]
    index = NgramIndex.of(names)
    for text, (found, scores) in zip(names, index.nearest_of(names, 3), strict=True):
        nearest, cosines = index.nearest(text, len(found))
        assert (found.tolist(), scores.tolist()) == (nearest.tolist(), cosines.tolist())
        assert names[found[0]] == text
        assert len(set(scores.tolist())) >= 3


def test_ranks_are_of_entities_and_types_restrict(home: Path) -> None:
    kb = linkassay.kb("mini")
    linker = Tfidf()
    linker.prepare(kb, ())
    rows = kb.sql("select distinct key, id, type from names join entities using (id) where not obsolete order by all")
    keys = sorted({row[0] for row in rows})
    mentions = [m for d in linkassay.corpus("mini")["test"] for m in d.mentions]
    queries = [Query(m.text, m.type, m.spans, "", "") for m in mentions[:: -(-len(mentions) // 4)]]
    for query, answer in zip(queries, linker.link(queries, 3), strict=True):
        cosine = dict(zip(keys, reference(keys, name_key(query.text)), strict=True))
        best: dict[str, float] = {}
        for name, identifier, type_ in rows:
            if type_ == query.type and cosine[name] > 1e-6:
                best[identifier] = max(best.get(identifier, 0.0), round(cosine[name], 6))
        ranks = sorted(set(best.values()), reverse=True)[:3]
        assert [score for _, score in answer] == pytest.approx(ranks, abs=2e-6)
        assert [set(ids) for ids, _ in answer] == [{i for i, s in best.items() if s == rank} for rank in ranks]


@pytest.mark.parametrize("linker", ["exact", "normalised", "fuzzy", "tfidf"])
def test_entities_without_a_type_are_of_their_parents_else_of_any(home: Path, linker: str) -> None:
    above = {parent: [[parent, "mapped_to"]] for parent in ("t:1", "t:3")}
    build_kb(spec([
        entity("t:1", "gout"), entity("t:2", "gout", type=""), entity("t:3", "gout", type="chemical"),
        entity("t:4", "gout", type="", parents=above["t:1"]), entity("t:5", "gout", type="", parents=above["t:3"]),
        entity("t:6", "gout", type="", parents=[*above["t:1"], *above["t:3"]]),  # which of the two is not said
    ]))  # fmt: skip
    made = linkassay.linker(linker)
    made.prepare(linkassay.kb("tiny"), ())
    asked = [Query("gout", type_, ((0, 4),), "", "") for type_ in ("disease", "chemical", "species")]
    best = [answer[0][0] for answer in made.link(asked, 1)]
    assert best == [("t:1", "t:2", "t:4", "t:6"), ("t:2", "t:3", "t:5", "t:6"), tuple(f"t:{n}" for n in range(1, 7))]
