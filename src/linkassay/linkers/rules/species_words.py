"""Words of a text that speak of a foreign id, e.g. of the species of a gene."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkassay.kbs import Kb

Floats = NDArray[np.floating[Any]]

#: Words for the organisms that most papers are about, as NCBI taxa; names that a KB gives come on top.
_WORDS = {
    "ncbitaxon:9606": "human humans homo patient patients man men woman women child children person people infant "
    "infants individuals family families volunteers hela hek293 lymphoblastoid",
    "ncbitaxon:10090": "mouse mice murine mus balb c57bl 129sv nih3t3 musculus",
    "ncbitaxon:10116": "rat rats rattus norvegicus sprague wistar pc12",
    "ncbitaxon:7227": "drosophila fly flies melanogaster fruitfly",
    "ncbitaxon:7955": "zebrafish danio rerio",
    "ncbitaxon:8355": "xenopus laevis frog", "ncbitaxon:9031": "chicken chick gallus avian",
    "ncbitaxon:9913": "bovine cow cattle calf bos", "ncbitaxon:9823": "pig porcine swine",
    "ncbitaxon:9986": "rabbit rabbits", "ncbitaxon:9615": "dog dogs canine",
    "ncbitaxon:6239": "elegans worm worms nematode caenorhabditis",
    "ncbitaxon:4932": "yeast saccharomyces cerevisiae budding", "ncbitaxon:559292": "yeast saccharomyces cerevisiae",
    "ncbitaxon:4896": "pombe fission", "ncbitaxon:3702": "arabidopsis thaliana", "ncbitaxon:562": "coli escherichia",
}  # fmt: skip
_WORD = re.compile(r"[^\W_]+")


class FoundSpecies(NamedTuple):
    """The cues of one text: where each is, and of which foreign id."""

    places: NDArray[np.int64]
    owners: NDArray[np.int64]
    size: int

    def at(self, start: int, marked: Sequence[int] = ()) -> tuple[Floats, Floats, Floats]:
        """For each foreign id: its share of all cues, its share of those near `start`, whether it is the nearest.

        What the mention itself is `marked` with is nearer than anything else.
        """
        share: Floats = np.zeros(self.size)
        near: Floats = np.zeros(self.size)
        nearest: Floats = np.zeros(self.size)
        if len(self.places):
            share = np.bincount(self.owners, minlength=self.size).astype(np.float64) / len(self.owners)
            away = np.abs(self.places - start)
            weights = np.exp(-away / 150.0)
            near = np.bincount(self.owners, weights, self.size).astype(np.float64)
            before = self.places <= start + 5
            pick = np.where(before, away, away + 200)
            nearest[self.owners[pick == pick.min()]] = 1.0
        if marked:
            near[:] = nearest[:] = 0.0
            near[list(marked)] = nearest[list(marked)] = 1.0
        return share, near, nearest


class SpeciesWords:
    """Finds the cues of all foreign ids of a knowledge base."""

    def __init__(self, foreigns: list[str], kb: Kb) -> None:
        self._size = len(foreigns)
        self._owners: dict[str, list[int]] = {}
        self._letters: dict[str, list[int]] = {}
        names: dict[str, str] = dict(kb.sql("select id, name from \"foreign\" where name <> '' order by id"))
        for number, identifier in enumerate(foreigns):
            if identifier:
                words = f"{_WORDS.get(identifier, '')} {names.get(identifier, '')}"
                for word in _WORD.findall(words)[:1]:
                    self._letters.setdefault(word[0].lower(), []).append(number)
                for word in {w.lower() for w in _WORD.findall(words)}:
                    self._owners.setdefault(word, []).append(number)

    def marks(self, text: str) -> list[int]:
        """The foreign ids that a small letter before a capital stands for, as in "hMRE11" or "mCB2"."""
        return self._letters.get(text[0], []) if text[:1].islower() and text[1:2].isupper() else []

    def of(self, text: str) -> FoundSpecies:
        """The cues of a text."""
        hits = [(m.start(), owner) for m in _WORD.finditer(text) for owner in self._owners.get(m[0].lower(), ())]
        places, owners = zip(*hits, strict=True) if hits else ((), ())
        return FoundSpecies(np.array(places, dtype=np.int64), np.array(owners, dtype=np.int64), self._size)
