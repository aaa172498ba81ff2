"""Words inside evaluation spans, held to looking at every word of the text (CAT-14)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.model import Document, Span
from linkassay.scoring.endtoend.mention_kinds import is_lower_cased
from linkassay.scoring.endtoend.word_count import _WORD, count_words

TEXTS = st.text(st.sampled_from("ab B1.,'’s \n$-_é"), max_size=30)
#: What spaCy has rules for, across white space too, and what it takes apart.
PIECES = ["don't", "can", "8", "am", "8am", ":)", ":", ")", "(o:", "(", "o", "U.S.", "e.g.", "well-known", "Ada", "'s",
          "http://a.b/c", "@ada", "#1", "10km", "—", "..", ".", "\n", "  ", "\t", "\u00a0", "é"]  # fmt: skip


def _spans(text: str, data: st.DataObject) -> tuple[Span, ...]:
    span = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted).map(tuple)
    drawn: tuple[Span, ...] = data.draw(st.lists(span, min_size=1, max_size=2).map(tuple))
    return drawn


def _assert_counted(text: str, spans: tuple[Span, ...], words: Iterator[tuple[int, str]], by_spacy: bool) -> None:
    inside = [w for at, w in words if any(start <= at and at + len(w) <= end for start, end in spans)]
    found = count_words([Document("d", text, evaluation_spans=spans)], by_spacy=by_spacy)
    assert found["ner_fp_all_total"].tolist() == [len(inside)]
    assert found["ner_fp_lowercased_total"].tolist() == [sum(map(is_lower_cased, inside))]


@given(TEXTS, st.data())
def test_counts_are_those_of_looking_at_every_word(text: str, data: st.DataObject) -> None:
    words = ((match.start(), match[0]) for match in _WORD.finditer(text))
    _assert_counted(text, _spans(text, data), words, by_spacy=False)


@pytest.fixture(scope="module")
def tokenizer() -> Callable[[str], Iterator[tuple[int, str]]]:
    """One of spaCy that nobody else has asked."""
    spacy = pytest.importorskip("spacy")
    own = spacy.blank("en").tokenizer
    return lambda text: ((t.idx, t.text) for t in own(text) if not t.is_punct and not t.is_space)


@given(st.lists(st.sampled_from(PIECES) | st.sampled_from([" ", " "]) | st.text(max_size=3), max_size=16), st.data())
def test_counts_of_spacy_are_its_own(
    tokenizer: Callable[[str], Iterator[tuple[int, str]]], pieces: list[str], data: st.DataObject
) -> None:
    text = "".join(pieces)
    _assert_counted(text, _spans(text, data), tokenizer(text), by_spacy=True)


def test_spacy_takes_no_piece_apart_again_and_again() -> None:
    """It keeps none that comes after a special case of its own."""
    pytest.importorskip("spacy")
    random = Random(1)
    letters = "bcdfghklmnprst"
    words = ["".join(random.choices(letters, k=6)) + "-" + "".join(random.choices(letters, k=6)) for _ in range(2_000)]
    documents = [Document(str(n), "Don't. " + " ".join(random.sample(words, 500))) for n in range(300)]
    count_words(documents[:1], by_spacy=True)
    begin = time.process_time()
    every = count_words(documents, by_spacy=True)["ner_fp_all_total"]
    assert set(every) == {2 + 1_000}
    assert time.process_time() - begin < 0.7
