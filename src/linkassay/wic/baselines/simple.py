"""Baselines that look at no sentence: chance, and how alike the terms are written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkassay.wic.baselines.protocol import Floats, needs, threshold
from linkassay.wic.groups import similarity
from linkassay.wic.pair_files import TermPair
from linkassay.wic.settings import draw


class Random:
    """A fair coin for each pair; the same pair and seed, the same side."""

    def __init__(self, seed: int = 42) -> None:
        self._seed, self.cut = seed, 0.5

    def fit(self, train: Sequence[TermPair], dev: Sequence[TermPair]) -> None:
        """Nothing to learn."""

    def scores(self, pairs: Sequence[TermPair]) -> Floats:
        """Numbers from 0 to 1 by chance."""
        content = ((p.sentence1, str(p.span1), p.sentence2, str(p.span2)) for p in pairs)
        return np.array([draw(self._seed, "random", *each) / 2**64 for each in content])


class Term:
    """The indel ratio of the lower-cased terms: what can be had without any context."""

    def __init__(self) -> None:
        self.cut = 0.5

    def fit(self, train: Sequence[TermPair], dev: Sequence[TermPair]) -> None:
        """Choose the cut."""
        needs(dev, "dev", "the cut comes from there")
        self.cut = threshold(self.scores(dev), [pair.label for pair in dev])

    def scores(self, pairs: Sequence[TermPair]) -> Floats:
        """Ratios from 0 to 1."""
        return np.array([similarity(pair.term1, pair.term2) for pair in pairs])
