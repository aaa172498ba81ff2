"""Character 3-gram TF-IDF: the names most similar to the mention, by cosine."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from linkassay.kbs.stored import Kb
from linkassay.linkers.base import Answer, Query
from linkassay.model import Document
from linkassay.text.normalise import key

__all__ = ["Tfidf"]


class Tfidf:
    """Names as bags of character 3-grams, weighted by how rare each is; entities tie at equal score."""

    summary = "character 3-gram TF-IDF over all names, ranked by cosine"

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Build the inverted index: 3-gram → names that contain it, with weights."""
        rows = kb.sql("select distinct n.key, e.id, e.type from names n join entities e using (id) "
                      "where not e.obsolete order by n.key, e.id")  # fmt: skip
        self._names = [row[0] for row in rows]
        self._ids = [row[1] for row in rows]
        kinds = sorted({row[2] for row in rows})
        types = np.array([kinds.index(row[2]) for row in rows])
        self._of_type = {kind: types == number for number, kind in enumerate(kinds)}
        bags = [Counter(_grams(name)) for name in self._names]
        spread = Counter(gram for bag in bags for gram in bag)
        self._idf = {gram: math.log((1 + len(bags)) / (1 + n)) + 1 for gram, n in spread.items()}
        postings: dict[str, tuple[list[int], list[float]]] = {gram: ([], []) for gram in spread}
        for index, bag in enumerate(bags):
            for gram, weight in self._weights(bag).items():
                postings[gram][0].append(index)
                postings[gram][1].append(weight)
        self._postings = {gram: (np.array(i), np.array(w)) for gram, (i, w) in postings.items()}

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Entities by their most similar name; those at the same score are tied."""
        return [self._link(query, top) for query in queries]

    def _link(self, query: Query, top: int) -> Answer:
        scores = np.zeros(len(self._names))
        for gram, weight in self._weights(Counter(_grams(key(query.text)))).items():
            if gram in self._postings:
                indexes, weights = self._postings[gram]
                scores[indexes] += weight * weights
        if query.type in self._of_type:
            scores[~self._of_type[query.type]] = 0.0
        scores = scores.round(9)  # equal names must tie whatever the order of summation
        best: dict[float, dict[str, None]] = {}
        ranked: set[str] = set()
        for index in np.lexsort((np.arange(len(scores)), -scores)):
            score = float(scores[index])
            if score <= 0 or (len(best) == top and score not in best):
                break
            if self._ids[index] not in ranked:
                ranked.add(self._ids[index])
                best.setdefault(score, {})[self._ids[index]] = None
        return [(tuple(sorted(ids)), score) for score, ids in best.items()]

    def _weights(self, bag: Counter[str]) -> dict[str, float]:
        """TF-IDF weights of unit length; 3-grams that no name has weigh as the rarest would."""
        rarest = math.log(1 + len(self._names)) + 1
        weights = {gram: n * self._idf.get(gram, rarest) for gram, n in bag.items()}
        length = math.sqrt(sum(w * w for w in weights.values()))
        return {gram: w / length for gram, w in weights.items()} if length else {}


def _grams(text: str) -> list[str]:
    padded = f"  {text} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)]
