"""What BioSyn teaches (NEURAL-8): that among a mention's candidates the names of what it means are the likely ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.linkers.neural.biosyn import NearestByBoth, both
from linkassay.linkers.neural.embedded_names import embedded_names, name_form
from linkassay.linkers.neural.encoder import Encoder, Floats
from linkassay.linkers.neural.model_files import SPARSE
from linkassay.linkers.neural.sparse_names import SparseNames
from linkassay.linkers.neural.training import Pace
from linkassay.model import Document


class Asked(NamedTuple):
    """A text that training asks about, of a type, and the entities that it means, by number."""

    text: str
    type: str
    meant: frozenset[int]


class SynonymMarginalisation:
    """Each round candidates are found anew: some by letters, the others by the encoder as it is by then."""

    summary = "names of what a mention means become likely among its candidates, which are found anew each round"
    wants_documents = True
    pace = Pace(rate=2e-5, decay=0.01, patience=2)

    def __init__(
        self, encoder: Encoder, kb: Kb, train: Iterable[Document], dev: Iterable[Document], *, seed: int,
        rounds: int = 4, batch: int = 16, candidates: int = 20, dense_share: float = 0.5, scale: float = 20.0,
        sparse_weight: float = 0.0, sparse_rate: float = 0.01, species: bool = False,
    ) -> None:  # fmt: skip
        """`dense_share` of the candidates come by the encoder; `scale`: what scores are times before the softmax."""
        import torch

        if not 0 <= dense_share <= 1:
            raise UsageError(f"dense_share is a part of the candidates, from 0 to 1, not {dense_share!r}")
        self.rounds, self._batch, self._scale, self._seed = rounds, batch, scale, seed
        self._encoder = encoder
        self._entities = embedded_names(kb, species)
        self._current, self._number = kb.current, self._entities.numbers()
        self._sparse = SparseNames.of(self._entities.texts)
        self._weight = torch.nn.Parameter(torch.tensor(float(sparse_weight)))
        self._sparse_rate = sparse_rate
        self._by_encoder = round(candidates * dense_share)
        self._by_letters = candidates - self._by_encoder
        every = [asked for document in train for asked in self._of(document)]
        self._train = sorted(set(every), key=lambda each: (each.text, each.type, sorted(each.meant)))
        self._dev = [asked for document in dev for asked in self._of(document)]
        if not self._train:
            raise LinkassayError("nothing to train on: no training mention means one entity of the knowledge base")
        self.batches = -(-len(self._train) // batch)
        self._fixed: list[list[int]] | None = None
        self._rows: Floats | None = None

    def further(self) -> list[dict[str, Any]]:
        """What letters count for, which is learned at a rate of its own."""
        return [{"params": [self._weight], "lr": self._sparse_rate, "weight_decay": 0.0}]

    def losses(self, round_: int) -> Iterator[Any]:
        """Of batches in an order of chance; a text without a right candidate teaches nothing."""
        import torch

        candidates = self._candidates()
        self._rows = None  # of the encoder as it was
        self._encoder.model.train()
        order = np.random.default_rng([self._seed, round_]).permutation(len(self._train))
        for at in range(0, len(order), self._batch):
            taught = [(self._train[n], candidates[n]) for n in order[at : at + self._batch]]
            taught = [(asked, names) for asked, names in taught if self._right(asked, names).any()]
            if taught:
                yield torch.stack([*self._losses_of(taught)]).mean()

    def figure(self) -> float | None:
        """The share of dev mentions whose first rank is right; of tied entities the share that is."""
        if not self._dev:
            return None
        search = NearestByBoth([self._vectors()], self._sparse)
        found: dict[tuple[str, str], Sequence[str]] = {}
        for type_, texts in _by_type(self._dev).items():
            for text, (names, scores) in zip(texts, search.search(*self._questions(texts, type_, 1)), strict=True):
                answer = self._entities.ranked(names, scores, type_)
                found[text, type_] = answer[0][0] if answer else ()
        hits = 0.0
        for asked in self._dev:
            first = found[asked.text, asked.type]
            hits += sum(self._number[each] in asked.meant for each in first) / max(len(first), 1)
        return hits / len(self._dev)

    def save(self, folder: Path) -> None:
        """Write what letters count for."""
        (folder / SPARSE).write_text(json.dumps({"sparse_weight": self._weight.item()}) + "\n", encoding="utf-8")

    def _of(self, document: Document) -> Iterator[Asked]:
        """The mentions of a document, without composites: what means several parts is no name of any of them."""
        for mention in document.mentions:
            if any(len(each) > 1 for each in mention.gold):
                continue
            ids = {new for each in mention.ids for new in self._current(each)}
            if meant := frozenset(self._number[each] for each in ids if each in self._number):
                type_ = mention.type if mention.type in self._entities.types else ""
                yield Asked(name_form(mention.text), type_, meant)

    def _vectors(self) -> Floats:
        """Those of all names, by the encoder as it is now."""
        if self._rows is None:
            self._encoder.model.eval()
            self._rows = self._encoder.encode(self._entities.texts)
        return self._rows

    def _candidates(self) -> list[list[int]]:
        """The names that each text is to be told apart among: first those by letters, then others by the encoder."""
        if self._fixed is None:
            self._fixed = self._nearest(by_letters=True, top=self._by_letters)
        found = self._nearest(by_letters=False, top=self._by_letters + self._by_encoder)
        most = self._by_letters + self._by_encoder
        return [[*dict.fromkeys([*fixed, *near])][:most] for fixed, near in zip(self._fixed, found, strict=True)]

    def _nearest(self, by_letters: bool, top: int) -> list[list[int]]:
        found: dict[tuple[str, str], list[int]] = {}
        search = NearestByBoth([self._vectors()], self._sparse)
        for type_, texts in _by_type(self._train).items() if top else ():
            questions, most, allowed = self._questions(texts, type_, top)
            width = self._encoder.width
            questions[:, :width] *= not by_letters
            questions[:, width:] = self._sparse.vectors(texts) * by_letters
            for text, (names, _) in zip(texts, search.search(questions, most, allowed), strict=True):
                found[text, type_] = names[:top].tolist()
        return [found.get((each.text, each.type), []) for each in self._train]

    def _questions(self, texts: Sequence[str], type_: str, top: int) -> tuple[Floats, int, NDArray[np.bool_] | None]:
        self._encoder.model.eval()
        allowed = self._entities.named_by(type_) if type_ else None
        return both(self._encoder.encode(texts), self._sparse, texts, self._weight.item()), top, allowed

    def _right(self, asked: Asked, names: Sequence[int]) -> NDArray[np.bool_]:
        return np.array([not asked.meant.isdisjoint(self._entities.members(name)) for name in names], dtype=bool)

    def _losses_of(self, taught: Sequence[tuple[Asked, list[int]]]) -> Iterator[Any]:
        """Of each text: minus the logarithm of what its right candidates are likely together."""
        import torch

        texts = [text for asked, names in taught for text in (asked.text, *(self._entities.texts[n] for n in names))]
        rows = self._encoder.trained(texts)
        letters = self._sparse.vectors([asked.text for asked, _ in taught])
        at = 0
        for (asked, names), own in zip(taught, letters, strict=True):
            by_letters = torch.tensor(self._sparse.products(own[None], np.array(names))[0], dtype=rows.dtype)
            scores = rows[at + 1 : at + 1 + len(names)] @ rows[at] + self._weight * by_letters
            at += 1 + len(names)
            yield marginal_loss(self._scale * scores, torch.tensor(self._right(asked, names)))


def marginal_loss(scores: Any, right: Any) -> Any:
    """Minus the logarithm of the right ones' share of the softmax of all.

    >>> import torch
    >>> round(float(marginal_loss(torch.zeros(4), torch.tensor([True, False, True, False]))), 4)
    0.6931
    """
    return scores.logsumexp(0) - scores[right].logsumexp(0)


def _by_type(asked: Iterable[Asked]) -> dict[str, list[str]]:
    """The distinct texts of each type."""
    found: dict[str, dict[str, None]] = {}
    for each in asked:
        found.setdefault(each.type, {})[each.text] = None
    return {type_: list(texts) for type_, texts in sorted(found.items())}
