"""What SapBERT teaches (NEURAL-9): that names of one entity are near to each other, and to no other's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from linkassay.errors import LinkassayError
from linkassay.kbs import Kb
from linkassay.linkers.neural.embedded_names import embedded_names
from linkassay.linkers.neural.encoder import Encoder
from linkassay.linkers.neural.training import Pace
from linkassay.model import Document

#: Weights of right and of wrong pairs, and the cosine that they are held against: those of SapBERT's own code.
_RIGHT, _WRONG, _BASE = 1.0, 60.0, 0.5


class SelfAlignment:
    """Pairs of names of one entity, in batches; of each batch only those count that are hard to tell apart."""

    summary = "names of one entity of a knowledge base come near to each other, by pairs that are hard to tell apart"
    wants_documents = False
    pace = Pace(rate=2e-5, decay=0.01, patience=0)

    def __init__(
        self, encoder: Encoder, kb: Kb, train: Iterable[Document], dev: Iterable[Document], *, seed: int,
        epochs: int = 1, batch: int = 128, round_batches: int = 100, pairs_of_each: int = 50, margin: float = 0.2,
        most_pairs: int = 0, species: bool = False,
    ) -> None:  # fmt: skip
        """`most_pairs`: so many of all that there are, drawn by chance; 0 for all. It learns from no documents."""
        self._encoder, self._batch, self._margin, self._seed = encoder, batch, margin, seed
        self._entities = embedded_names(kb, species)
        self._pairs = self._drawn(pairs_of_each, most_pairs)
        if not len(self._pairs):
            raise LinkassayError("nothing to train on: no entity of the knowledge base has two names")
        self._in_epoch = -(-len(self._pairs) // batch)
        self.batches = min(round_batches, epochs * self._in_epoch)
        self._batches = epochs * self._in_epoch
        self.rounds = -(-self._batches // round_batches)

    def further(self) -> list[dict[str, Any]]:
        """Nothing but the encoder is learned."""
        return []

    def figure(self) -> None:
        """Nobody looks: there are no documents."""

    def save(self, folder: Path) -> None:
        """Nothing is beside the encoder."""

    def losses(self, round_: int) -> Iterator[Any]:
        """Of the batches of a round, in an order of chance that differs from epoch to epoch."""
        begin = (round_ - 1) * self.batches
        for number in range(begin, min(begin + self.batches, self._batches)):
            epoch, at = divmod(number, self._in_epoch)
            order = np.random.default_rng([self._seed, epoch]).permutation(len(self._pairs))
            yield self._loss(self._pairs[order[at * self._batch : (at + 1) * self._batch]])

    def _loss(self, pairs: Any) -> Any:
        """Both names of each pair; names of which one could be the other's are no wrong pair."""
        import torch

        entity = np.repeat(pairs[:, 0], 2)
        names = pairs[:, 1:].reshape(-1)
        texts = [self._entities.texts[int(name)] for name in names]
        owners = [set(self._entities.members(int(name))) for name in names]
        wrong = np.array([[not mine & other for other in owners] for mine in owners])
        same = entity[:, None] == entity[None, :]
        right = same & ~np.eye(len(entity), dtype=bool) & (names[:, None] != names[None, :])
        return hard_pairs_loss(self._encoder.trained(texts), torch.tensor(right), torch.tensor(wrong), self._margin)

    def _drawn(self, of_each: int, most: int) -> Any:
        """Rows of entity and two of its names, by number."""
        named: dict[int, list[int]] = {}
        for name in range(len(self._entities.texts)):
            for entity in self._entities.members(name):
                named.setdefault(entity, []).append(name)
        chance = np.random.default_rng(self._seed)
        found = []
        for entity, names in sorted(named.items()):
            pairs = [*combinations(names, 2)]
            if len(pairs) > of_each:
                pairs = [pairs[n] for n in sorted(chance.choice(len(pairs), of_each, replace=False))]
            found += [(entity, *pair) for pair in pairs]
        if most and len(found) > most:
            found = [found[n] for n in sorted(chance.choice(len(found), most, replace=False))]
        return np.array(found, dtype=np.int64).reshape(-1, 3)


def hard_pairs_loss(rows: Any, right: Any, wrong: Any, margin: float) -> Any:
    """The multi-similarity loss (Wang et al. 2019) over right and wrong pairs that some triplet makes hard.

    A triplet is hard if the wrong one is not farther away than the right one by more than `margin`, as distances of
    vectors of length 1.
    """
    import torch

    cosines = rows @ rows.T
    with torch.no_grad():
        apart = (2 - 2 * cosines).clamp(min=0).sqrt()
        farthest = apart.masked_fill(~right, -torch.inf).amax(1, keepdim=True)
        nearest = apart.masked_fill(~wrong, torch.inf).amin(1, keepdim=True)
        hard_right = right & (nearest - apart <= margin)
        hard_wrong = wrong & (apart - farthest <= margin)
    return (
        _one_side(_RIGHT * (_BASE - cosines), hard_right) / _RIGHT
        + _one_side(_WRONG * (cosines - _BASE), hard_wrong) / _WRONG
    ).mean()


def _one_side(scores: Any, counted: Any) -> Any:
    """`ln(1 + Σ exp)` over those of each row that count."""
    import torch

    scores = scores.masked_fill(~counted, -torch.inf)
    return torch.cat([scores, scores.new_zeros(len(scores), 1)], dim=1).logsumexp(1)
