"""Tables that need neither colours nor line breaks, as `rich` would write them: for files and pipes."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """A column of a table; numbers stand to the right."""

    head: str
    numeric: bool
    cells: list[str]


def plain_table(title: str, columns: list[Column], width: int) -> list[str]:
    """The lines of a table; none where it does not fit into the width, or has characters that are wide or no text.

    >>> plain_table("t", [Column("a", False, ["x", "yy"]), Column("n", True, ["1", "20"])], 80)
    ['t     ', 'a    n', 'x    1', 'yy  20']
    """
    texts = [[column.head, *column.cells] for column in columns]
    if not title or not all(map(_is_plain, (title, *(text for each in texts for text in each)))):
        return []
    shown = []
    for column, each in zip(columns, texts, strict=True):
        size = max(map(len, each))
        shown.append([text.rjust(size) if column.numeric else text.ljust(size) for text in each])
    lines = ["  ".join(row) for row in zip(*shown, strict=True)]
    if len(title) > len(lines[0]) or len(lines[0]) > width:
        return []
    return [title.ljust(len(lines[0])), *lines]


def _is_plain(text: str) -> bool:
    """Whether every character is known to take one place."""
    return text.isprintable() and (text.isascii() or all(c < "\u0300" or c in _NARROW for c in text))


#: What our own tables have beyond Latin letters.
_NARROW = frozenset("–—…≤≥†−→")
