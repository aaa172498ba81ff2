"""Averaged word vectors and a small network: what words tell without their order (the paper's GloVe baseline)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkassay.wic.baselines.network import Mlp
from linkassay.wic.baselines.protocol import Floats, needs, threshold
from linkassay.wic.baselines.vectors import Vectors, averages
from linkassay.wic.pair_files import TermPair


class Static:
    """Averages of both sentences and of both terms, their differences and products, then one hidden layer of 128."""

    def __init__(self, vectors: str = "wordllama", hidden: int = 128, epochs: int = 15, seed: int = 42) -> None:
        self._source, self._hidden, self._epochs, self._seed = vectors, hidden, epochs, seed
        self.cut = 0.5

    def fit(self, train: Sequence[TermPair], dev: Sequence[TermPair]) -> None:
        """Train on train; the number of epochs and the cut come from dev."""
        needs(train, "train", "the network learns there")
        needs(dev, "dev", "the number of epochs and the cut come from there")
        average = averages(self._source, _texts([*train, *dev]))
        rows, judged = _features(train, average), _features(dev, average)
        labels, wanted = (np.array([pair.label for pair in pairs], dtype=bool) for pairs in (train, dev))

        def judge(network: Mlp) -> float:
            scores = network.scores(judged)
            return float(((scores >= threshold(scores, wanted)) == wanted).mean())

        self._network = Mlp(self._hidden, self._epochs, seed=self._seed).fit(rows, labels, judge)
        self.cut = threshold(self._network.scores(judged), wanted)

    def scores(self, pairs: Sequence[TermPair]) -> Floats:
        """Chances from 0 to 1."""
        return self._network.scores(_features(pairs, averages(self._source, _texts(pairs))))


def _texts(pairs: Sequence[TermPair]) -> list[str]:
    return [text for p in pairs for text in (p.sentence1, p.sentence2, p.term1, p.term2)]


def _features(pairs: Sequence[TermPair], average: Vectors) -> Floats:
    columns = []
    for first, second in (("sentence1", "sentence2"), ("term1", "term2")):
        one, two = (average([getattr(pair, side) for pair in pairs]) for side in (first, second))
        columns += [one + two, np.abs(one - two), one * two]
    return np.hstack(columns)
