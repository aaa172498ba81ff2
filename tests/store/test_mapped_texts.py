"""Texts and their numbers with further ones behind them, and as Arrow arrays."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from linkassay.store import MappedFolder, TextNumbers, Texts
from tests.strategies import characters

some = st.lists(st.text(characters, max_size=5), unique=True, max_size=12)


@given(some, st.integers(0, 12))
def test_further_texts_have_the_next_numbers(texts: list[str], cut: int) -> None:
    both = TextNumbers.of(Texts.of(texts[:cut])).with_further(Texts.of(texts[cut:]))
    assert list(both.texts) == texts
    assert [both.get(text) for text in texts] == list(range(len(texts)))
    assert both.get("\x00 none of them") is None


@given(some)
def test_an_arrow_array_and_back(texts: list[str]) -> None:
    assert Texts.of(texts).to_arrow().to_pylist() == texts
    assert list(Texts.of_arrow(Texts.of(texts).to_arrow())) == texts


def test_numbers_that_were_made_are_written_as_they_are(tmp_path: Path) -> None:
    files, made = MappedFolder(tmp_path), TextNumbers.of(Texts.of(["b", "", "ä"]))
    files.put_numbers("made", made)
    files.put_numbers("given", ["b", "", "ä"])
    for name in ("made", "given"):
        assert [files.numbers(name)[text] for text in ("b", "", "ä")] == [0, 1, 2]
        assert files.numbers(name).digests.tolist() == made.digests.tolist()
