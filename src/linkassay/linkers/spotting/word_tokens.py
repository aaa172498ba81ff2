"""Texts as words that can be compared: letters and numbers apart, in one spelling, each with its place.

For spotting names in running text. `text.normalise` makes keys of whole names, `house.name_forms` other forms of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from linkassay.linkers.house.name_forms import plain_word

_PIECE = re.compile(r"(?!(?<=[^\W_]['’])s\b)[^\W\d_]+|\d+")  # but the s of a genitive
#: What ends a phrase between two words: a line break, a sign of a sentence's end, a bracket at a space, much space.
_BREAK = re.compile(r"[\n\r;!?\"“”]|[()\[\]{}]\s|\s[()\[\]{}]|^.{4,}$|\.\s+\Z|:\s", re.DOTALL)


class Token(NamedTuple):
    """A word or a number: its plain form, its place, whether it touches the one before, whether a phrase begins."""

    form: str
    start: int
    end: int
    joined: bool
    begins: bool


def word_forms(text: str) -> list[str]:
    """The plain forms of the words and numbers of a text, without their places."""
    return [plain_word(piece) for piece in _PIECE.findall(text)]


def tokens(text: str) -> Iterator[Token]:
    """The words and numbers of a text.

    >>> [t.form for t in tokens("IL-2 receptors, TNFβ, Crohn's")]
    ['il', '2', 'receptor', 'tnfbeta', 'crohn']
    >>> [(t.form, t.joined) for t in tokens("HER2 kinase")]
    [('her', False), ('2', True), ('kinase', False)]
    >>> [t.form for t in tokens("It ends. It begins (E. coli).") if t.begins]
    ['it', 'it', 'e']
    """
    last = -1
    short = False
    for match in _PIECE.finditer(text):
        start, end = match.span()
        gap = text[last:start] if last >= 0 else "\n"
        # A full stop ends no phrase after a single letter ("E. coli") nor before a small one ("St. john").
        stop = _BREAK.search(gap)
        begins = stop is not None and not (stop[0].startswith(".") and (short or text[start].islower()))
        yield Token(plain_word(match[0]), start, end, start == last, begins)
        last, short = end, end - start == 1
