"""Character 3-gram TF-IDF: the names most similar to the mention, by cosine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from linkassay.kbs.stored import Kb
from linkassay.linkers.base import Answer, Query
from linkassay.linkers.ngrams import Ngrams
from linkassay.model import Document
from linkassay.text.normalise import key

__all__ = ["Tfidf"]


class Tfidf:
    """Names as bags of character 3-grams, weighted by how rare each is; entities tie at equal score."""

    summary = "character 3-gram TF-IDF over all names, ranked by cosine"

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the distinct normalised names."""
        rows = kb.sql("select n.key, list(distinct e.id order by e.id), list(distinct e.type) from names n "
                      "join entities e using (id) where not e.obsolete group by n.key order by n.key")  # fmt: skip
        self._ids = [row[1] for row in rows]
        self._type = dict(kb.sql("select id, type from entities where not obsolete"))
        types = {type_ for row in rows for type_ in row[2]}
        self._of_type = {wanted: np.array([wanted in row[2] for row in rows]) for wanted in sorted(types)}
        self._ngrams = Ngrams([row[0] for row in rows])
        self._known: dict[tuple[str, str, int], Answer] = {}

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Entities by their most similar name; those at the same score are tied. What was asked once is kept."""
        answers = []
        for query in queries:
            asked = (key(query.text), query.type if query.type in self._of_type else "", top)
            if asked not in self._known:
                self._known[asked] = self._link(*asked)
            answers.append(self._known[asked])
        return answers

    def _link(self, text: str, type_: str, top: int) -> Answer:
        """Names are asked for until they give `top` ranks: several may be of one entity."""
        wanted = top
        while True:
            names, scores = self._ngrams.nearest(text, wanted, self._of_type.get(type_) if type_ else None)
            best: dict[float, list[str]] = {}
            ranked: set[str] = set()
            for name, score in zip(names.tolist(), scores.tolist(), strict=True):
                fresh = [i for i in self._ids[name] if i not in ranked and (not type_ or self._type[i] == type_)]
                ranked.update(fresh)
                if fresh and score > 0:
                    best.setdefault(score, []).extend(fresh)
            if len(best) >= top or len(names) < wanted:
                return [(tuple(sorted(ids)), score) for score, ids in list(best.items())[:top]]
            wanted *= 4
