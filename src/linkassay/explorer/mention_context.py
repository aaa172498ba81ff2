"""A mention in its text: the sentences around it, cut to a readable size, with the mention marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from linkassay.model import Document, Span, join_text
from linkassay.text import split_sentences

#: A piece of text and whether it belongs to the mention.
Piece: TypeAlias = tuple[str, bool]

REACH, LONGEST = 240, 320
SHORT = 120  # a mention's own text, where it stands alone


class Window(NamedTuple):
    """How far a context reaches before and after a span, and whether it is cut there in the midst of a sentence."""

    before: int
    after: int
    cut_before: bool = False
    cut_after: bool = False


def window(text: str, spans: Sequence[Span], mention: str) -> list[Piece]:
    """The text around `spans`, at most `REACH` characters on either side, cut at sentences or words.

    Without the text (a corpus of offsets only) the mention stands alone.

    >>> window("Cats purr. The old dog barks.", [(15, 22)], "old dog")
    [('Cats purr. The ', False), ('old dog', True), (' barks.', False)]
    """
    if not stands(text, spans, mention):
        return alone(mention)
    return pieces(text, spans, reach(text, spans))


def stands(text: str, spans: Sequence[Span], mention: str) -> bool:
    """Whether a mention stands at its place in the text."""
    return bool(spans) and join_text(text, tuple(spans)) == mention


def alone(mention: str) -> list[Piece]:
    """The context of a mention whose text is all that there is."""
    return [(clip(mention), True)] if mention else []


def reach(text: str, spans: Sequence[Span]) -> Window:
    """How far the context of a mention reaches."""
    before, cut_before = _before(text, spans[0][0])
    after, cut_after = _after(text, max(end for _, end in spans))
    return Window(before, after, cut_before, cut_after)


def pieces(text: str, spans: Sequence[Span], window: Window) -> list[Piece]:
    """A context as pieces of text."""
    first, last = spans[0][0], max(end for _, end in spans)
    found: list[Piece] = [("…" * window.cut_before + text[first - window.before : first], False)]
    at = first
    for start, end in spans:
        if start > at:
            found.append((clip(text[at:start]), False))
        found.append((clip(text[start:end]), True))
        at = end
    found.append((text[last : last + window.after] + "…" * window.cut_after, False))
    return [piece for piece in found if piece[0]]


def lines(document: Document) -> str:
    """The document's text with each passage on a line of its own, no offset changed.

    >>> from linkassay.model import Passage
    >>> lines(Document("1", "Cats They purr.", (Passage("title", 0, "Cats"), Passage("", 5, "They purr."))))
    'Cats\\nThey purr.'
    """
    return with_lines(document.text, [passage.offset for passage in document.passages])


def with_lines(text: str, offsets: Iterable[int]) -> str:
    """A text whose passages begin at these offsets, each but the first on a line of its own."""
    further = list(offsets)[1:]
    letters = list(text) if further else []
    for offset in further:
        if letters[offset - 1 : offset] and letters[offset - 1].isspace():
            letters[offset - 1] = "\n"
    return "".join(letters) if further else text


def clip(text: str, longest: int = LONGEST) -> str:
    """`text`, its middle left out if it is longer than `longest`.

    >>> clip("abcdefghij", 5)
    'ab … ij'
    """
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"


def _before(text: str, first: int) -> tuple[int, bool]:
    start = max(0, first - REACH)
    part = text[start:first]
    if start == 0:
        return len(part.lstrip()), False
    # The first sentence began out of reach. The next one may begin with the mention itself.
    begun = (at for at, _ in split_sentences(text[start : first + 40])[1:] if at <= len(part))
    if (begin := next(begun, None)) is not None:
        return len(part) - begin, False
    return len(part) - (word.end() if (word := re.search(r"\s+", part)) else 0), True


def _after(text: str, last: int) -> tuple[int, bool]:
    part = text[last : last + REACH]
    if last + REACH >= len(text):
        return len(part.rstrip()), False
    if ended := split_sentences(part)[:-1]:  # the last one may go on out of reach
        return ended[-1][1], False
    return part.rindex(" ") if " " in part else len(part), True
