"""Edit distance: the names with the best `rapidfuzz.fuzz.ratio`, exactly, over all names.

The ratio is twice the longest common subsequence over the summed lengths (indel distance), which BELB states. No name
that could win is passed over: two bounds (lengths, letters in common) leave few names to be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import cdist

from linkassay.kbs.stored import Kb
from linkassay.linkers.base import Answer, Query
from linkassay.linkers.ngrams import Ngrams
from linkassay.model import Document

__all__ = ["Fuzzy", "Ratios"]

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]

#: Letters fall into so many classes; two letters of one class can only make the bound on common letters higher.
_CLASSES = 64
_SEEDS = 64


class Ratios:
    """Distinct texts, of which `best` finds the nearest."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._order = np.argsort(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), kind="stable")
        self._texts = [texts[n] for n in self._order]
        self._exact = {text: n for n, text in enumerate(self._texts)}
        self._lengths = np.fromiter(map(len, self._texts), dtype=np.int64, count=len(texts))
        owner = np.repeat(np.arange(len(texts)), self._lengths)
        cells = (_letters("".join(self._texts)) % _CLASSES) * np.int64(max(1, len(texts))) + owner
        counts = np.bincount(cells, minlength=_CLASSES * len(texts))
        self._counts = np.minimum(counts, 255).astype(np.uint8).reshape(_CLASSES, len(texts))
        self._ngrams = Ngrams(self._texts)

    def best(self, text: str, top: int) -> tuple[Integers, Floats]:
        """The `top` nearest texts (all those tied with the last included) and their ratios from 0 to 1, best first."""
        if not self._texts or not text:
            return np.empty(0, dtype=np.int64), np.empty(0)
        if top == 1 and text in self._exact:
            return self._order[[self._exact[text]]], np.ones(1)
        seeds = self._ngrams.near(text, max(_SEEDS, 2 * top), 10_000)[0]
        floor = self._floor(text, seeds, top, 0.0)
        begin, end = np.searchsorted(
            self._lengths, [len(text) * floor / (2 - floor) - 1e-6, len(text) * (2 - floor) / max(floor, 1e-9) + 1e-6]
        )
        bounds = self._bounds(text, int(begin), int(end))
        if end - begin > 4 * _SEEDS:  # names with much in common raise the floor further
            first = begin + np.argpartition(-bounds, max(_SEEDS, 2 * top))[: max(_SEEDS, 2 * top)]
            floor = self._floor(text, first, top, floor)
        left = begin + np.flatnonzero(bounds >= floor - 1e-9)
        scores = self._scores(text, left, floor)
        if len(left) > top:
            floor = max(floor, float(np.partition(scores, len(scores) - top)[len(scores) - top]))
        kept = (scores >= floor) & (scores > 0)
        left, scores = self._order[left[kept]], scores[kept]
        order = np.lexsort((left, -scores))
        return left[order], scores[order]

    def _floor(self, text: str, among: Integers, top: int, floor: float) -> float:
        """A ratio that `top` names reach."""
        scores = self._scores(text, np.unique(among), floor)
        if len(scores) < top:
            return floor
        return max(floor, float(np.partition(scores, len(scores) - top)[len(scores) - top]))

    def _bounds(self, text: str, begin: int, end: int) -> Floats:
        """No ratio can be higher: as if all common letters were in the same order."""
        lengths = self._lengths[begin:end] + len(text)
        if len(text) > 255:  # more than the counts can tell
            return 2 * np.minimum(self._lengths[begin:end], len(text)) / lengths
        common = np.zeros(end - begin, dtype=np.uint8)
        for letter, times in zip(*np.unique(_letters(text) % _CLASSES, return_counts=True), strict=True):
            common += np.minimum(self._counts[letter, begin:end], np.uint8(times))
        return 2.0 * common / lengths

    def _scores(self, text: str, among: Integers, floor: float) -> Floats:
        if not len(among):
            return np.empty(0)
        cutoff = max(0.0, 100 * floor - 0.01)  # RapidFuzz may drop a ratio that is just at its cut-off
        names = [self._texts[n] for n in among]
        found: Floats = cdist([text], names, scorer=ratio, score_cutoff=cutoff, dtype=np.float64)[0] / 100
        return found


class Fuzzy:
    """Entities by their name with the best ratio; case does not matter."""

    summary = "best edit-distance ratio over all names, exactly"

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Read the names; they are indexed for a type when it is first asked for."""
        self._rows = kb.sql(
            "select distinct lower(n.name) as text, e.id, e.type from names n join entities e using (id) "
            "where not e.obsolete order by text, e.id"
        )
        self._types = {row[2] for row in self._rows} - {""}
        self._of: dict[str, tuple[Ratios, list[list[str]]]] = {}
        self._index("")

    def _index(self, type_: str) -> tuple[Ratios, list[list[str]]]:
        """The names of a type, entities without a type among them; empty: all names."""
        if type_ not in self._of:
            texts: dict[str, list[str]] = {}
            for text, identifier, own in self._rows:
                if not type_ or own in ("", type_):
                    texts.setdefault(text, []).append(identifier)
            self._of[type_] = Ratios(list(texts)), list(texts.values())
        return self._of[type_]

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Entities by their best name; those at the same ratio are tied."""
        known: dict[tuple[str, str], Answer] = {}
        answers = []
        for query in queries:
            asked = (query.text.lower(), query.type if query.type in self._types else "")
            if asked not in known:
                known[asked] = self._link(*asked, top)
            answers.append(known[asked])
        return answers

    def _link(self, text: str, type_: str, top: int) -> Answer:
        ratios, owners = self._index(type_)
        names, scores = ratios.best(text, top)
        ranked: dict[float, list[str]] = {}
        seen: set[str] = set()
        for name, score in zip(names.tolist(), scores.tolist(), strict=True):
            fresh = [identifier for identifier in owners[name] if identifier not in seen]
            seen.update(fresh)
            if fresh and (len(ranked) < top or score in ranked):
                ranked.setdefault(score, []).extend(fresh)
        return [(tuple(sorted(ids)), score) for score, ids in ranked.items()]


def _letters(text: str) -> Integers:
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
