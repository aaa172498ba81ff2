"""Phrases against a plain search over the words of a text."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.linkers.spotting.phrases import Phrases, Spot
from linkassay.linkers.spotting.word_tokens import Token, tokens, word_forms
from linkassay.store import MappedFolder

words = st.sampled_from(["A", "a", "b", "bs", "α", "2", "12", "b2", "2a"])
phrases = st.lists(st.lists(words, min_size=1, max_size=3).map(" ".join), max_size=10)
texts = st.lists(st.tuples(words, st.sampled_from([" ", "-", ". ", ", ", "\n"])), max_size=20).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)


def searched(names: list[str], text: list[Token]) -> list[tuple[int, int, tuple[str, ...]]]:
    """Words from, to, and the forms of all names in a text, by their ends, the longest first."""
    sought = {tuple(word_forms(n)) for n in names if len(n) > 1 and not all(map(str.isdigit, word_forms(n)))}
    return [
        (first, last, forms)
        for last in range(1, len(text) + 1)
        for first in range(last)
        if (forms := tuple(word.form for word in text[first:last])) in sought
        and not any(word.begins for word in text[first + 1 : last])
        and not text[first].joined
        and not (last < len(text) and text[last].joined)
    ]


@given(phrases, texts)
def test_phrases_are_found_where_their_words_are(names: list[str], text: str) -> None:
    made, numbers = Phrases.of(names)
    read = list(tokens(text))
    number = {tuple(word_forms(name)): n for name, n in zip(names, numbers.tolist(), strict=True) if n}
    expected = [
        Spot(first, last, (read[first].start, read[last - 1].end), number[forms])
        for first, last, forms in searched(names, read)
    ]
    assert made.find(read) == expected
    assert [made.pattern(name) for name in names] == numbers.tolist()
    with TemporaryDirectory() as folder:
        made.store(MappedFolder(Path(folder)))
        opened = Phrases.opened(MappedFolder(Path(folder)))
        assert opened.find(read) == expected
        assert [opened.pattern(name) for name in [*names, text]] == [made.pattern(name) for name in [*names, text]]
        assert opened.size == made.size > max([0, *numbers.tolist()])


@pytest.mark.parametrize("text", ["", "-", "x", "12", "12 3", " ".join("abcdefghijklmnopq")])
def test_what_is_not_looked_for(text: str) -> None:
    made, numbers = Phrases.of([text, "a b"])
    assert numbers.tolist()[0] == made.pattern(text) == 0
    assert [spot.span for spot in made.find(list(tokens(text)))] == ([(0, 3)] if text.startswith("a b") else [])
