"""Words of the text that is scored: what spurious mentions are counted against (CAT-14).

ELEVANT takes spaCy's tokenizer. Where its figures are meant and spaCy is installed that one is asked, and the totals
are ELEVANT's; without it our own comes near, and the figures say so.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import chain
from typing import Any

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
#: Pieces of texts whose words are kept at most: some tens of megabytes.
_PIECES = 200_000
#: A text and spans of it → the words that lie inside one of these.
_Words = Callable[[str, Sequence[Span]], list[str]]


def count_words(documents: Iterable[Document], *, by_spacy: bool = False) -> dict[str, np.ndarray]:
    """Words inside the evaluation spans of each document: all, lower-cased and others, by the names of their counts."""
    words_in = _of_spacy() if by_spacy else _our_own
    is_lower = lru_cache(maxsize=_PIECES)(is_lower_cased)  # a text has most of its words many times
    every, lower = [], []
    for document in documents:
        found = words_in(document.text, document.evaluation_spans or ((0, len(document.text)),))
        every.append(len(found))
        lower.append(sum(map(is_lower, found)))
    words, low = (np.array(numbers, dtype=np.int64) for numbers in (every, lower))
    return dict(zip(TOTALS, (words, low, words - low), strict=True))


def _our_own(text: str, spans: Sequence[Span]) -> list[str]:
    """By our tokenizer; its words have no white space, so that a text may be cut there."""
    if len(spans) == 1:
        [(start, end)] = spans
        if _is_between_words(text, start) and _is_between_words(text, end):
            return _WORD.findall(text[start:end])
    return [match[0] for match in _WORD.finditer(text) if _is_inside(match.start(), match.end(), spans)]


def _is_inside(start: int, end: int, spans: Sequence[Span]) -> bool:
    return any(first <= start and end <= last for first, last in spans)


def _is_between_words(text: str, at: int) -> bool:
    return not 0 < at < len(text) or text[at - 1].isspace() or text[at].isspace()


def has_spacy() -> bool:
    """Whether words can be counted as ELEVANT counts them."""
    return find_spec("spacy") is not None


@lru_cache(maxsize=1)
def _of_spacy() -> _Words:
    """SpaCy's English tokenizer; neither punctuation nor white space is a word.

    It keeps what it made of a piece between white space, but not of those that follow a special case in a text, such as
    "don't": most. So it is given each piece by itself first, once; texts are then taken apart five times as fast.
    """
    import spacy

    tokenizer: Any = spacy.blank("en").tokenizer
    tokenizer.max_cache_size = _PIECES
    met: set[str] = set()

    def words(text: str, spans: Sequence[Span]) -> list[str]:
        if len(met) < _PIECES:
            new = set(text.split()) - met
            met.update(new)
            for piece in new:
                tokenizer(piece)
        tokens = tokenizer(text)
        found = [_numbers(tokens, *span) for span in spans]
        inside = found[0] if len(spans) == 1 else {*chain(*found)}
        some = tokens[inside.start : inside.stop] if isinstance(inside, range) else map(tokens.__getitem__, inside)
        return [token.text for token in some if not token.is_punct and not token.is_space]

    return words


def _numbers(tokens: Any, start: int, end: int) -> range:
    """Those of the tokens that lie inside a span."""
    first, last = (bisect_left(tokens, at, key=_place) for at in (start, end))
    if first < last and tokens[last - 1].idx + len(tokens[last - 1]) > end:
        last -= 1
    return range(first, max(first, last))


def _place(token: Any) -> int:
    return int(token.idx)
