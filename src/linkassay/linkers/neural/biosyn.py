"""BioSyn (LINKER-18): names by the vectors of an encoder and by their letters at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.errors import UsageError
from linkassay.kbs import Kb
from linkassay.linkers.neural.dense_alias import DenseAlias
from linkassay.linkers.neural.encoder import Floats
from linkassay.linkers.neural.model_files import model_folder
from linkassay.linkers.neural.model_files import sparse_weight as sparse_weight_of
from linkassay.linkers.neural.nearest import Nearest, Numbers, Scores, Vectors
from linkassay.linkers.neural.sparse_names import SparseNames
from linkassay.linkers.strings.named_entities import NamedEntities
from linkassay.store import MappedFolder, Texts

#: The name of BioSyn's own model on the hub, trained on NCBI Disease.
BIOSYN = "dmis-lab/biosyn-biobert-ncbi-disease"
#: What a cosine of letters counts for beside one of vectors, where neither a model nor a user says it.
USUAL_WEIGHT = 1.0


class BioSyn(DenseAlias):
    """Entities by their nearest name, tied where that is equally near; near is what encoder and letters add up to."""

    summary = "names nearest to the mention by vectors and letters at once, as BioSyn trains them"

    def __init__(
        self, model: str = BIOSYN, model_sha256: str = "", device: str = "auto", training_names: bool = False,
        pooling: str = "auto", precision: str = "float32", tokens: int = 25, sparse_weight: float | None = None,
        species: bool = False,
    ) -> None:  # fmt: skip
        """`sparse_weight`: what the cosine of letters counts for; as the model says, if it was trained so, else 1."""
        super().__init__(model, model_sha256, device, training_names, pooling, precision, tokens, "exact", species)
        if isinstance(sparse_weight, bool) or not isinstance(sparse_weight, int | float | None):
            raise UsageError(f"sparse_weight is a number, not {sparse_weight!r}")
        self._given_weight = sparse_weight

    def _said_weight(self) -> float:
        if self._given_weight is not None:
            return float(self._given_weight)
        said = sparse_weight_of(model_folder(self._model))
        return USUAL_WEIGHT if said is None else said

    def store_index(self, files: MappedFolder) -> None:
        """Write entities, vectors and letters."""
        super().store_index(files)
        self._letters().store(files.part("sparse"))

    def _begin(self, kb: Kb, entities: NamedEntities, files: MappedFolder | None = None) -> None:
        super()._begin(kb, entities, files)
        self._sparse = SparseNames.opened(files.part("sparse")) if files else None
        self._weight = self._said_weight()

    def _letters(self) -> SparseNames:
        if self._sparse is None:  # who makes a part needs none
            self._sparse = SparseNames.of(self._entities.texts)
        return self._sparse

    def _search_of(self, rows: list[Floats]) -> Nearest:
        return NearestByBoth(rows, self._letters())

    def _opened_search(self, rows: list[Floats], files: MappedFolder) -> Nearest:
        return self._search_of(rows)

    def _search_with(self, learned: dict[str, NDArray[Any]]) -> Nearest:
        texts = Texts(learned["letters"], learned["begins"])
        return NearestByBoth([*self._rows, learned["rows"]], self._letters().with_further(texts))

    def _questions(self, texts: Sequence[str]) -> Floats:
        return both(super()._questions(texts), self._letters(), texts, self._weight)


def both(dense: Floats, sparse: SparseNames, texts: Sequence[str], weight: float) -> Floats:
    """Questions to `NearestByBoth`: a text's vector, and after it that of its letters, times what that counts for."""
    return np.hstack([dense, (weight * sparse.vectors(texts)).astype(np.float32)])


class NearestByBoth(Nearest):
    """Near is the cosine of vectors and, added to it, that of letters."""

    def __init__(self, parts: Sequence[Vectors], sparse: SparseNames) -> None:
        super().__init__(parts)
        self._sparse = sparse

    def _block_scores(self, asked: Vectors, start: int, block: Vectors) -> Vectors:
        width = block.shape[1]
        by_letters = self._sparse.products(asked[:, width:], np.arange(start, start + len(block)))
        return asked[:, :width] @ block.T + by_letters.astype(np.float32)

    def _scores(self, vector: Vectors, numbers: Numbers) -> Scores:
        width = self.width
        by_letters: Scores = self._sparse.products(vector[None, width:], numbers)[0]
        return by_letters + super()._scores(vector[:width], numbers)
