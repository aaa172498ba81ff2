"""Words of the text that is scored: what spurious mentions are counted against (CAT-14).

ELEVANT takes spaCy's tokenizer. Where its figures are meant and spaCy is installed that one is asked, and the totals
are ELEVANT's; without it our own comes near, and the figures say so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib.util import find_spec

import numpy as np

from linkassay.model import Document, Span
from linkassay.scoring.endtoend.mention_kinds import is_lower_cased

#: What is said of totals that our own tokenizer counts.
APPROXIMATE = (
    "words by our own tokenizer, some percent off ELEVANT's on tweets; for ELEVANT's: pip install 'linkassay[spacy]'"
)
#: The counts that are of words.
TOTALS = ("ner_fp_all_total", "ner_fp_lowercased_total", "ner_fp_other_total")
_ENDING = "(?:s|ll|re|ve|d|m)"
_WORD = re.compile(
    rf"[^\W_]+(?:[.,][^\W_]+|['’](?!{_ENDING}\b)[^\W_]+)*"  # also U.S, 3.14, O'Neill, don't
    rf"|(?<=\w)['’]{_ENDING}\b"  # 's
    r"|[$€£+=<>]"
)
#: A text → its words, each with its place.
_Words = Callable[[str], Iterator[tuple[int, str]]]


def count_words(documents: Iterable[Document], *, by_spacy: bool = False) -> dict[str, np.ndarray]:
    """Words inside the evaluation spans of each document: all, lower-cased and others, by the names of their counts."""
    words_in = _of_spacy() if by_spacy else _our_own
    every, lower = [], []
    for document in documents:
        spans = document.evaluation_spans or ((0, len(document.text)),)
        found = _inside(document.text, spans, words_in)
        every.append(len(found))
        lower.append(sum(map(is_lower_cased, found)))
    words, low = (np.array(numbers, dtype=np.int64) for numbers in (every, lower))
    return dict(zip(TOTALS, (words, low, words - low), strict=True))


def _inside(text: str, spans: tuple[Span, ...], words_in: _Words) -> list[str]:
    """The words that lie inside one of the spans; our own have no white space, so that a text may be cut there."""
    if len(spans) == 1:
        [(start, end)] = spans
        if words_in is _our_own and _is_between_words(text, start) and _is_between_words(text, end):
            return _WORD.findall(text[start:end])
        return [word for at, word in words_in(text) if start <= at and at + len(word) <= end]
    return [
        word for at, word in words_in(text) if any(start <= at and at + len(word) <= end for start, end in spans)
    ]  # fmt: skip


def _is_between_words(text: str, at: int) -> bool:
    return not 0 < at < len(text) or text[at - 1].isspace() or text[at].isspace()


def has_spacy() -> bool:
    """Whether words can be counted as ELEVANT counts them."""
    return find_spec("spacy") is not None


@lru_cache(maxsize=1)
def _of_spacy() -> _Words:
    """SpaCy's English tokenizer; neither punctuation nor white space is a word."""
    import spacy

    tokenizer = spacy.blank("en").tokenizer

    def words(text: str) -> Iterator[tuple[int, str]]:
        return ((t.idx, t.text) for t in tokenizer(text) if not t.is_punct and not t.is_space)

    return words


def _our_own(text: str) -> Iterator[tuple[int, str]]:
    return ((match.start(), match[0]) for match in _WORD.finditer(text))
