"""Where mentions and cases of a page stand, how far their contexts reach, and the texts that they stand in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from linkassay.corpora import Corpus
from linkassay.explorer.annotations import pieces_of
from linkassay.explorer.embedded import Places
from linkassay.explorer.mention_context import Window, reach, stands, with_lines
from linkassay.model import Span, join_text

#: The least that a page holds between two parts of a text: closer ones are joined.
_GAP = 1
_NO_CONTEXT = Window(-1, -1)


@dataclass
class Placed:
    """Some mentions or cases, by document, and what is found out of them in its text."""

    document: Any
    spans: pa.Array
    texts: list[str]
    windows: list[Window] = field(default_factory=list)
    exceptions: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.counts, self.starts, self.ends = pieces_of(self.spans)
        self._begin = np.cumsum(self.counts) - self.counts

    def of(self, document: int) -> range:
        """The rows of a document."""
        return range(*np.searchsorted(self.document, [document, document + 1]).tolist())

    def span(self, row: int) -> tuple[Span, ...]:
        """The pieces of a span."""
        here = slice(self._begin[row], self._begin[row] + self.counts[row])
        return tuple(zip(self.starts[here].tolist(), self.ends[here].tolist(), strict=True))

    def columns(self) -> Places:
        """As the page has them."""
        cut = [window.cut_before + 2 * window.cut_after for window in self.windows]
        return {
            "document": self.document.tolist(), "pieces": None if (self.counts == 1).all() else self.counts.tolist(),
            "start": self.starts.tolist(), "end": self.ends.tolist(), "text": self.exceptions,
            "before": [window.before for window in self.windows], "after": [window.after for window in self.windows],
            "cut": cut if any(cut) else None,
        }  # fmt: skip


def read_texts(corpus: Corpus, split: str, text: str, placed: Sequence[Placed]) -> Iterator[list[int | str]]:
    """For each document the pieces of its text that the page holds; contexts of what is placed are found on the way."""
    number = 0
    for batch in corpus.batches("documents", split, ["text", "passages"]):
        for row in batch.to_pylist():
            yield _pieces(number, row["text"], [each["offset"] for each in row["passages"]], text, placed)
            number += 1


def _pieces(
    number: int, given: str, offsets: Sequence[int], text: str, placed: Sequence[Placed]
) -> list[int | str]:  # fmt: skip
    if text == "none":
        for each in placed:
            each.windows += [_NO_CONTEXT] * len(each.of(number))
        return []
    shown = with_lines(given, offsets)
    known: dict[tuple[Span, ...], Window] = {}  # cases stand where mentions do
    parts: set[Span] = set()
    for each in placed:
        for row in each.of(number):
            spans, mention = each.span(row), each.texts[row]
            if not stands(given, spans, mention):
                each.windows.append(_NO_CONTEXT)
                each.exceptions[str(row)] = mention
                continue
            if spans not in known:
                known[spans] = reach(shown, spans)
            window = known[spans]
            each.windows.append(window)
            parts.add((spans[0][0] - window.before, max(end for _, end in spans) + window.after))
            if join_text(shown, spans) != mention:  # it goes over the end of a passage
                each.exceptions[str(row)] = mention
    if text == "full":
        return [0, shown] if shown else []
    return [piece for begin, end in _joined(sorted(parts)) for piece in (begin, shown[begin:end])]


def _joined(parts: Sequence[Span]) -> list[Span]:
    """Parts in order, those that overlap or touch as one.

    >>> _joined([(0, 5), (3, 9), (10, 12), (20, 21)])
    [(0, 12), (20, 21)]
    """
    found: list[Span] = []
    for begin, end in parts:
        if found and begin <= found[-1][1] + _GAP:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found
