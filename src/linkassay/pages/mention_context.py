"""A mention in its text: the sentences around it, cut to a readable size, with the mention marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from linkassay.model import Document, Span, join_text
from linkassay.text import split_sentences

#: A piece of text and whether it belongs to the mention.
Piece: TypeAlias = tuple[str, bool]

REACH, LONGEST = 240, 320


def window(text: str, spans: Sequence[Span], mention: str) -> list[Piece]:
    """The text around `spans`, at most `REACH` characters on either side, cut at sentences or words.

    Without the text (a corpus of offsets only) the mention stands alone.

    >>> window("Cats purr. The old dog barks.", [(15, 22)], "old dog")
    [('Cats purr. The ', False), ('old dog', True), (' barks.', False)]
    """
    if join_text(text, tuple(spans)) != mention:
        return [(clip(mention), True)]
    first, last = spans[0][0], max(end for _, end in spans)
    pieces: list[Piece] = [(_before(text, first), False)]
    at = first
    for start, end in spans:
        if start > at:
            pieces.append((clip(text[at:start]), False))
        pieces.append((clip(text[start:end]), True))
        at = end
    pieces.append((_after(text, last), False))
    return [piece for piece in pieces if piece[0]]


def lines(document: Document) -> str:
    """The document's text with each passage on a line of its own, no offset changed.

    >>> from linkassay.model import Passage
    >>> lines(Document("1", "Cats They purr.", (Passage("title", 0, "Cats"), Passage("", 5, "They purr."))))
    'Cats\\nThey purr.'
    """
    letters = list(document.text)
    for passage in document.passages[1:]:
        if letters[passage.offset - 1 : passage.offset] and letters[passage.offset - 1].isspace():
            letters[passage.offset - 1] = "\n"
    return "".join(letters)


def clip(text: str, longest: int = LONGEST) -> str:
    """`text`, its middle left out if it is longer than `longest`.

    >>> clip("abcdefghij", 5)
    'ab … ij'
    """
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"


def _before(text: str, first: int) -> str:
    start = max(0, first - REACH)
    part = text[start:first]
    if start == 0:
        return part.lstrip()
    # The first sentence began out of reach. The next one may begin with the mention itself.
    begun = (at for at, _ in split_sentences(text[start : first + 40])[1:] if at <= len(part))
    if (begin := next(begun, None)) is not None:
        return part[begin:]
    return "…" + (part[word.end() :] if (word := re.search(r"\s+", part)) else part)


def _after(text: str, last: int) -> str:
    part = text[last : last + REACH]
    if last + REACH >= len(text):
        return part.rstrip()
    if ended := split_sentences(part)[:-1]:  # the last one may go on out of reach
        return part[: ended[-1][1]]
    return (part[: part.rindex(" ")] if " " in part else part) + "…"
