"""Character 3-gram TF-IDF: the names most similar to the mention, by cosine (LINKER-5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.kbs import Kb
from linkassay.linkers.entity_types import TYPED
from linkassay.linkers.protocol import Answer, Candidate, Capabilities, Query, Reason
from linkassay.linkers.strings.ngram_index import NgramIndex
from linkassay.linkers.strings.shared_grams import shared_grams
from linkassay.model import Document
from linkassay.text import name_key

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]


class Tfidf:
    """Names as bags of character 3-grams, weighted by how rare each is; entities tie at equal score."""

    summary = "character 3-gram TF-IDF over all names, ranked by cosine"
    capabilities = Capabilities(links=True, explains=True)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the distinct normalised names."""
        rows = kb.sql("select n.key, list(distinct e.id order by e.id), list(distinct e.type) from names n "
                      f"join {TYPED} e using (id) group by n.key order by n.key")  # fmt: skip
        self._ids = [row[1] for row in rows]
        self._type = dict(kb.sql(f"select id, type from {TYPED} order by id"))
        types = {type_ for row in rows for type_ in row[2]} - {""}
        self._of_type = {wanted: np.array([not {"", wanted}.isdisjoint(row[2]) for row in rows]) for wanted in types}
        numbers = {identifier: number for number, identifier in enumerate(self._type)}
        self._owner = np.array([numbers[row[1][0]] for row in rows], dtype=np.int32)
        self._ngrams = NgramIndex([row[0] for row in rows])
        self.forget()

    def forget(self) -> None:
        """Let go of the answers that are kept."""
        self._known: dict[tuple[str, str, int], Answer] = {}

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Entities by their most similar name; those at the same score are tied. What was asked once is kept.

        Entities without a type may be of any.
        """
        asked = [(name_key(query.text), query.type if query.type in self._of_type else "", top) for query in queries]
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
        allowed = self._of_type[type_] if type_ else None
        for text, found in zip(texts, self._ngrams.nearest_of(texts, top, allowed, self._owner), strict=True):
            answer, wanted = self._ranked(*found, type_), top
            while len(answer) < top and len(found[0]) >= wanted:
                wanted *= 4
                found = self._ngrams.nearest(text, wanted, allowed)
                answer = self._ranked(*found, type_)
            yield answer[:top]

    def _ranked(self, names: Integers, scores: Floats, type_: str) -> Answer:
        best: dict[float, list[str]] = {}
        ranked: set[str] = set()
        for name, score in zip(names.tolist(), scores.tolist(), strict=True):
            fresh = [i for i in self._ids[name] if i not in ranked and (not type_ or self._type[i] in ("", type_))]
            ranked.update(fresh)
            if fresh:
                best.setdefault(score, []).extend(fresh)
        return [(tuple(sorted(ids)), score) for score, ids in best.items()]
