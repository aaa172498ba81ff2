"""Character 3-gram TF-IDF: the names most similar to the mention, by cosine (LINKER-5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from linkassay.kbs import Kb
from linkassay.linkers.protocol import Answer, Candidate, Capabilities, Query, Reason
from linkassay.linkers.strings.named_entities import NamedEntities
from linkassay.linkers.strings.ngram_index import NgramIndex
from linkassay.linkers.strings.shared_grams import shared_grams
from linkassay.model import Document
from linkassay.store import MappedFolder
from linkassay.text import name_key


class Tfidf:
    """Names as bags of character 3-grams, weighted by how rare each is; entities tie at equal score."""

    summary = "character 3-gram TF-IDF over all names, ranked by cosine"
    capabilities = Capabilities(links=True, stores=True, explains=True)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the distinct normalised names."""
        self._entities = NamedEntities.of(kb, "select key as text, id from lookup")
        self._ngrams = NgramIndex.of(self._entities.texts)
        self.forget()

    def store_index(self, files: MappedFolder) -> None:
        """Write names and entities."""
        self._entities.store(files)
        self._ngrams.store(files.part("ngrams"))

    def open_index(self, kb: Kb, files: MappedFolder) -> None:
        """Take them as they lie."""
        self._entities = NamedEntities.opened(files)
        self._ngrams = NgramIndex.opened(files.part("ngrams"))
        self.forget()

    def forget(self) -> None:
        """Let go of the answers that are kept."""
        self._known: dict[tuple[str, str, int], Answer] = {}

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Entities by their most similar name; those at the same score are tied. What was asked once is kept.

        Entities without a type may be of any.
        """
        asked = [
            (name_key(query.text), query.type if query.type in self._entities.types else "", top) for query in queries
        ]
        fresh = list(dict.fromkeys(question for question in asked if question not in self._known))
        for type_ in sorted({type_ for _, type_, _ in fresh}):
            texts = [text for text, wanted, _ in fresh if wanted == type_]
            self._known.update(zip([(text, type_, top) for text in texts], self._link(texts, type_, top), strict=True))
        return [self._known[question] for question in asked]

    def explain(self, query: Query, first: Candidate, second: Candidate) -> list[Reason]:
        """The 3-grams that the text shares with the nearest name of each, and what they add to the scores."""
        return shared_grams(
            self._ngrams.weight, name_key(query.text), *(map(name_key, c.names) for c in (first, second))
        )

    def _link(self, texts: Sequence[str], type_: str, top: int) -> Iterator[Answer]:
        """Names are asked for until they give `top` ranks: names may be of several entities, and entities tie."""
        allowed = self._entities.named_by(type_) if type_ else None
        owners = self._entities.first
        for text, found in zip(texts, self._ngrams.nearest_of(texts, top, allowed, owners), strict=True):
            answer, wanted = self._entities.ranked(*found, type_), top
            while len(answer) < top and len(found[0]) >= wanted:
                wanted *= 4
                found = self._ngrams.nearest(text, wanted, allowed)
                answer = self._entities.ranked(*found, type_)
            yield answer[:top]
