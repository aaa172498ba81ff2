"""Counts of what texts meant: with and without a document, stored and opened."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from linkassay.linkers.house.entity_counts import EntityCounts, StoredCounts
from linkassay.store import MappedFolder

facts = st.lists(st.tuples(st.sampled_from(["d1", "d2"]), st.text("ab", max_size=2), st.integers(0, 3)), max_size=30)


@given(facts)
def test_counts(said: list[tuple[str, str, int]]) -> None:
    counts = EntityCounts()
    for fact in said:
        counts.add(*fact)
    texts = sorted({text for _, text, _ in said})
    with TemporaryDirectory() as folder:
        counts.store(MappedFolder(Path(folder)))
        opened = StoredCounts(MappedFolder(Path(folder)))
        assert list(counts.texts) == list(opened.texts) == texts
        for text in (*texts, "c"):
            expected = Counter(entity for _, other, entity in said if other == text)
            assert counts.counts(text) == opened.counts(text) == opened.counts(text) == expected
            others = Counter(entity for document, other, entity in said if other == text and document != "d1")
            assert counts.counts(text, "d1") == others
