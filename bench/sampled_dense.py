"""Dense alias where embedding all names would take hours: some are, and of these the vectors of others are made.

`linkassay prepare bench/sampled_dense.py:SampledDense --kb KB --option model=…`: all but the embedding is as ever.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from linkassay.linkers import Capabilities
from linkassay.linkers.neural.dense_alias import DenseAlias

#: Names that are embedded.
SAMPLE = 20_000


def mixed(embedded: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Vectors of length 1, each of two that are given, a more and a less, with noise; the same for a seed.

    Shares and noise are such that as many lists must be looked at as among 49 k true names.
    """
    random = np.random.default_rng(seed)
    one, other = (embedded[random.integers(0, len(embedded), count)] for _ in range(2))
    share = random.uniform(0.35, 0.5, (count, 1)).astype(np.float32)
    noise = random.standard_normal((count, embedded.shape[1]), dtype=np.float32) * np.float32(0.3)
    made = (1 - share) * one + share * other + noise / np.float32(embedded.shape[1] ** 0.5)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


class SampledDense(DenseAlias):
    """`sapbert` with made-up vectors of most names; those of mentions are their own."""

    summary = "dense alias whose names are embedded in part"
    capabilities = Capabilities(links=True, stores=True, prepares_in_parts=True, wants_model=True)

    def _vectors(self, part: int) -> Any:
        return mixed(self._embedded, min(self._part, len(self._entities.texts) - part * self._part), part)

    @cached_property
    def _embedded(self) -> Any:
        texts = self._entities.texts
        drawn = np.sort(np.random.default_rng(1).choice(len(texts), min(SAMPLE, len(texts)), replace=False))
        return self._encoder.encode([texts[number] for number in drawn.tolist()])
