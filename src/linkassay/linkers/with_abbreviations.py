"""A wrapper around any linker: abbreviations are written out before it sees a mention, also in training (ABBR-3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from linkassay.kbs import Kb
from linkassay.linkers.protocol import Answer, Linker, Query
from linkassay.model import Document
from linkassay.text.abbreviations import Abbreviations, expand


class Abbreviated:
    """`linker` with mentions expanded by what `source` knows of their document."""

    def __init__(self, linker: Linker, source: Abbreviations) -> None:
        self._linker = linker
        self.summary = linker.summary
        self._of = lru_cache(maxsize=64)(source.of)
        if hasattr(linker, "train"):
            self.train = lambda documents: linker.train(self._expanded(documents))

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Prepare the linker, with the mentions of the training documents expanded."""
        self._linker.prepare(kb, self._expanded(train))

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """What the linker answers to the expanded mentions."""
        texts = [expand(q.text, self._of(q.document, q.context)) for q in queries]
        return self._linker.link([replace(q, text=text) for q, text in zip(queries, texts, strict=True)], top)

    def _expanded(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            pairs = self._of(document.id, document.text)
            annotations = tuple(replace(m, text=expand(m.text, pairs)) for m in document.annotations)
            yield replace(document, annotations=annotations) if pairs else document
