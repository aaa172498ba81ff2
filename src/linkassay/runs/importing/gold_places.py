"""The gold of a corpus as an import asks for it: which mentions stand where. Held as columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.corpora import Corpus
from linkassay.model import Span

_COLUMNS = ["document", "id", "spans", "text", "type", "parent"]


class GoldMention(NamedTuple):
    """A gold mention by its row."""

    row: int
    id: str
    document: int
    spans: tuple[Span, ...]
    text: str


class GoldDocument(NamedTuple):
    """A document by its place in the corpus, with the rows and types of mentions of their own at their spans."""

    place: int
    text: str
    at: dict[tuple[Span, ...], list[tuple[int, str]]]

    def find(self, spans: tuple[Span, ...], type_: str) -> list[int]:
        """The mentions at some spans: of several there, those of the type if there are any."""
        found = self.at.get(spans, [])
        typed = [row for row, each in found if each == type_] if len(found) > 1 else []
        return typed or [row for row, _ in found]


class GoldPlaces:
    """Documents and mentions of some splits, in their order."""

    def __init__(self, corpus: Corpus, splits: Sequence[str]) -> None:
        documents = pa.concat_tables([corpus.table("documents", split, ["id", "text"]) for split in splits])
        mentions = pa.concat_tables([corpus.table("mentions", split, _COLUMNS) for split in splits])
        self.documents: dict[str, int] = {name: at for at, name in enumerate(documents["id"].to_pylist())}
        self.ids: pa.ChunkedArray = mentions["id"]
        self._document_texts, self._texts, self._types = documents["text"], mentions["text"], mentions["type"]
        self.root: np.ndarray = pc.equal(mentions["parent"], "").to_numpy()
        known = pa.array(self.documents, pa.string())
        self._document_of = pc.index_in(mentions["document"], value_set=known).to_numpy()
        self._bounds = np.searchsorted(self._document_of, np.arange(len(self.documents) + 1))
        spans = mentions["spans"].combine_chunks()
        self._pieces = spans.offsets.to_numpy()
        self._starts, self._ends = (spans.values.field(name).to_numpy() for name in ("start", "end"))
        self._last: tuple[str, GoldDocument | None] = ("", None)

    def document(self, name: str) -> GoldDocument | None:
        """The document of this name, if there is one; the last one is remembered."""
        if self._last[0] != name or self._last[1] is None:
            self._last = name, self._document(self.documents.get(name))
        return self._last[1]

    def _document(self, place: int | None) -> GoldDocument | None:
        if place is None:
            return None
        first, last = self._bounds[place : place + 2].tolist()
        pieces = self._pieces[first : last + 1].tolist()
        here = slice(pieces[0], pieces[-1]) if last > first else slice(0, 0)
        spans = list(zip(self._starts[here].tolist(), self._ends[here].tolist(), strict=True))
        types = self._types.slice(first, last - first).to_pylist()
        at: dict[tuple[Span, ...], list[tuple[int, str]]] = {}
        for row, (root, type_) in enumerate(zip(self.root[first:last].tolist(), types, strict=True)):
            mine = tuple(spans[pieces[row] - pieces[0] : pieces[row + 1] - pieces[0]])
            if root and mine:
                at.setdefault(mine, []).append((first + row, type_))
        return GoldDocument(place, self._document_texts[place].as_py(), at)

    def mention(self, row: int) -> GoldMention:
        """The mention of a row."""
        here = slice(self._pieces[row], self._pieces[row + 1])
        spans = tuple(zip(self._starts[here].tolist(), self._ends[here].tolist(), strict=True))
        return GoldMention(row, self.ids[row].as_py(), int(self._document_of[row]), spans, self._texts[row].as_py())

    def named(self, name: str) -> GoldMention | None:
        """The mention of this name, if there is one."""
        row = self._rows.get(name)
        return None if row is None else self.mention(row)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.ids.to_pylist())}

    @cached_property
    def single_spans(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Document, start and end of the mentions of their own that are of one piece."""
        rows = np.flatnonzero(self.root & (np.diff(self._pieces) == 1))
        at = self._pieces[rows]
        return self._document_of[rows].astype(np.int64), self._starts[at], self._ends[at]
