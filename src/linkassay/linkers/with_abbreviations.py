"""A wrapper around any linker: abbreviations are written out before it sees a mention, also in training (ABBR-3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from linkassay.corpora import Corpus
from linkassay.kbs import Kb
from linkassay.linkers.protocol import Answer, Candidate, Capabilities, Query, Reason
from linkassay.model import Document
from linkassay.store import MappedFolder
from linkassay.text.abbreviations import Abbreviations, expand


class Abbreviated:
    """`linker`, which has these capabilities, with mentions expanded by what `source` knows of their document."""

    def __init__(self, linker: Any, capabilities: Capabilities, source: Abbreviations) -> None:
        self._linker = linker
        self.summary: str = linker.summary
        # Only given mentions are expanded, and that takes time which the linker knows nothing of.
        self.capabilities = replace(capabilities, annotates=False, keeps_time=False)
        self._of = lru_cache(maxsize=64)(source.of)

    def about(self, corpus: Corpus) -> None:
        """Hand on what the linker wants to know."""
        self._linker.about(corpus)

    def work_in(self, folder: Path) -> None:
        """Hand on where the linker may work."""
        self._linker.work_in(folder)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Prepare the linker, with the mentions of the training documents expanded."""
        self._linker.prepare(kb, self._expanded(train))

    def train(self, documents: Iterable[Document]) -> None:
        """Train the linker, with the mentions of the documents expanded."""
        self._linker.train(self._expanded(documents))

    def parts(self, kb: Kb) -> int:
        """How many parts the linker's index has."""
        number: int = self._linker.parts(kb)
        return number

    def make_part(self, part: int, files: MappedFolder) -> None:
        """Hand on which part is made, and where it is written."""
        self._linker.make_part(part, files)

    def join_parts(self, made: Sequence[MappedFolder]) -> None:
        """Hand on where the parts are."""
        self._linker.join_parts(made)

    def store_index(self, files: MappedFolder) -> None:
        """Hand on where the linker's index is written."""
        self._linker.store_index(files)

    def open_index(self, kb: Kb, files: MappedFolder) -> None:
        """Hand on where the linker's index is."""
        self._linker.open_index(kb, files)

    def store_training(self, files: MappedFolder) -> None:
        """Hand on where what the linker learned is written."""
        self._linker.store_training(files)

    def open_training(self, files: MappedFolder) -> None:
        """Hand on where what the linker learned is."""
        self._linker.open_training(files)

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """What the linker answers to the expanded mentions."""
        answers: list[Answer] = self._linker.link(list(map(self._written_out, queries)), top)
        return answers

    def pooled(self, queries: Sequence[Query], top: int) -> list[tuple[Answer, Answer]]:
        """The same, each with the candidates that it was chosen from."""
        found: list[tuple[Answer, Answer]] = self._linker.pooled(list(map(self._written_out, queries)), top)
        return found

    def rerank(self, queries: Sequence[Query], pools: Sequence[Answer]) -> list[Answer]:
        """Candidates of the expanded mentions in the linker's order."""
        answers: list[Answer] = self._linker.rerank(list(map(self._written_out, queries)), pools)
        return answers

    def compose(self, kb: Kb, anew: Callable[[int], Any]) -> None:
        """Hand on how parts are made again."""
        self._linker.compose(kb, anew)

    def train_fusion(self, documents: Iterable[Document]) -> None:
        """Let the linker learn of its parts, with the mentions of the documents expanded."""
        self._linker.train_fusion(self._expanded(documents))

    def explain(self, query: Query, first: Candidate, second: Candidate) -> Sequence[Reason]:
        """What the linker says of the expanded mention."""
        reasons: Sequence[Reason] = self._linker.explain(self._written_out(query), first, second)
        return reasons

    def _written_out(self, query: Query) -> Query:
        return replace(query, text=expand(query.text, self._of(query.document, query.context)))

    def _expanded(self, documents: Iterable[Document]) -> Iterator[Document]:
        return expanded(documents, self._of)


def expanded(documents: Iterable[Document], of: Callable[[str, str], Mapping[str, str]]) -> Iterator[Document]:
    """The documents with mentions written out; `of` says what short forms of a document (id, text) stand for."""
    for document in documents:
        pairs = of(document.id, document.text)
        annotations = tuple(replace(m, text=expand(m.text, pairs)) for m in document.annotations)
        yield replace(document, annotations=annotations) if pairs else document
