"""Texts as patterns of words that are looked for in other texts; which these are, by number, is the caller's.

A pattern is the same for all texts of the same plain words (`word_tokens`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkassay.linkers.spotting.word_tokens import Token, word_forms
from linkassay.model import Span
from linkassay.store import MappedFolder

if TYPE_CHECKING:
    from linkassay.linkers.spotting.aho_corasick import Automaton  # heavy: numba

Integers = NDArray[np.integer[Any]]

_MOST_WORDS = 16
#: Words whose numbers are kept at hand.
_KEPT = 1 << 16


class Spot(NamedTuple):
    """A pattern found in a text: its words (from, to), its place, and its number."""

    first: int
    last: int
    span: Span
    pattern: int


class Phrases:
    """Patterns, numbered from 1 on (with gaps), over words that have numbers of their own."""

    def __init__(self, words: Mapping[str, int], automaton: Automaton) -> None:
        """By what `of` made, or what was stored of that."""
        self._words, self._automaton = words, automaton
        #: One more than the highest number that a pattern may have.
        self.size = automaton.size
        self._number = lru_cache(_KEPT)(lambda form: words.get(form, -1))

    @classmethod
    def of(cls, texts: Iterable[str]) -> tuple[Phrases, Integers]:
        """Phrases of these texts, and the pattern of each text; 0 for those that cannot be looked for."""
        from linkassay.linkers.spotting.aho_corasick import Automaton

        known: dict[str, int] = {}
        lengths, symbols = array("i"), array("i")
        for text in texts:
            words = _sought(text)
            lengths.append(len(words))
            symbols.extend([known.setdefault(word, len(known)) for word in words])
        automaton, patterns = Automaton.of(np.asarray(lengths), np.asarray(symbols), len(known))
        return cls(known, automaton), patterns

    def store(self, files: MappedFolder) -> None:
        """Write words and patterns."""
        files.put_numbers("words", self._words)
        self._automaton.store(files.part("automaton"))

    @classmethod
    def opened(cls, files: MappedFolder) -> Phrases:
        """What was written."""
        from linkassay.linkers.spotting.aho_corasick import Automaton

        return cls(files.numbers("words"), Automaton.opened(files.part("automaton")))

    def pattern(self, text: str) -> int:
        """The pattern of a text, if it is one; else 0."""
        return self._automaton.node([self._number(word) for word in _sought(text)])

    def find(self, words: Sequence[Token]) -> list[Spot]:
        """All patterns among words that begin and end where words of the text do; by their ends, the longest first."""
        symbols: list[int] = []
        place: list[int] = []
        for n, word in enumerate(words):
            if word.begins and n:
                symbols.append(-1)
                place.append(n)
            symbols.append(self._number(word.form))
            place.append(n)
        spots = []
        for start, end, pattern in self._automaton.find(symbols):
            first, last = place[start], place[end - 1] + 1
            if not words[first].joined and (last == len(words) or not words[last].joined):
                spots.append(Spot(first, last, (words[first].start, words[last - 1].end), pattern))
        return spots


def _sought(text: str) -> list[str]:
    """The words by which a text is looked for; none where it is too short, too long, or of numbers alone."""
    words = word_forms(text)
    return words if len(words) <= _MOST_WORDS and len(text) > 1 and not all(map(str.isdigit, words)) else []
