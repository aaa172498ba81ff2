"""The golds of annotations, each different one once: what is shown of it, and what became of its ids."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.explorer.annotations import Annotations
from linkassay.scoring.disambiguation import Score

_ID, _ALTERNATIVE = "\x1f", "\x1e"  # between ids, and between alternatives; no id has them


class Golds:
    """Different golds in the order in which they first occur; `number` is that of each annotation."""

    def __init__(self, annotations: Annotations, score: Score) -> None:
        self._moved = score.items.moved
        gold = annotations.column("gold")
        joined = pc.binary_join(pc.list_flatten(gold), _ID)
        sizes = pc.fill_null(pc.list_value_length(gold), 0).to_numpy(zero_copy_only=False)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        whole = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), joined), _ALTERNATIVE)
        encoded = pc.fill_null(whole, "").dictionary_encode()
        self.number: Any = encoded.indices.to_numpy(zero_copy_only=False)
        #: Alternatives as the corpus has them, ids in order.
        self.given: list[list[list[str]]] = [
            [sorted(ids.split(_ID)) for ids in each.split(_ALTERNATIVE)] if each else []
            for each in encoded.dictionary.to_pylist()
        ]

    def __len__(self) -> int:
        return len(self.given)

    @cached_property
    def shown(self) -> list[list[list[str]]]:
        """Alternatives in the ids of today, as the knowledge base of the first system has them."""
        if not self._moved:
            return self.given
        return [[[now for i in ids for now in self._moved.get(i, (i,))] for ids in each] for each in self.given]

    @cached_property
    def changed(self) -> list[list[list[Any]]]:
        """Ids that have moved, each with what it is called now."""
        moved = self._moved
        return [
            [[i, list(moved[i])] for i in sorted({i for ids in each for i in ids}) if i in moved]
            for each in self.given
        ]  # fmt: skip

    def ids(self) -> list[str]:
        """All ids that are shown, each once."""
        return list(dict.fromkeys(i for each in self.shown for ids in each for i in ids))
