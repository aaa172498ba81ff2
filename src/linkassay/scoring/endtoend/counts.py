"""Counts that add up, and the figures that are made of them: precision, recall, F1, accuracy (E2E-1 to E2E-3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkassay.scoring.disambiguation.document_sums import as_count
from linkassay.scoring.endtoend.decision_matrix import MODES


def prf(tp: Any, fp: Any, fn: Any, *, empty: Any = 0.0) -> tuple[Any, Any, Any]:
    """Precision, recall and F1, element by element; `empty` where there is neither gold nor prediction.

    >>> [float(x) for x in prf(1, 1, 3)]
    [0.5, 0.25, 0.3333333333333333]
    """
    tp, fp, fn = (np.asarray(x, dtype=float) for x in (tp, fp, fn))
    nothing = (tp + fp + fn) == 0
    with np.errstate(invalid="ignore"):
        precision, recall = (np.where(n > 0, tp / np.where(n > 0, n, 1), 0.0) for n in (tp + fp, tp + fn))
        both = precision + recall
        f1 = np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1), 0.0)
    return tuple(np.where(nothing, empty, x) for x in (precision, recall, f1))  # type: ignore[return-value]


@dataclass(frozen=True)
class Counts:
    """What was counted, for each document (E2E-6): `values[name]` has the axes NIL handling, document."""

    documents: list[str]
    values: Mapping[str, np.ndarray]
    empty: float = 0.0  # what a document with neither gold nor prediction scores in macro averages

    def __add__(self, other: Counts) -> Counts:
        return Counts.join([self, other], self.empty)

    @classmethod
    def join(cls, counts: Sequence[Counts], empty: float = 0.0) -> Counts:
        """The counts of several sets of documents together."""
        names = sorted({name for c in counts for name in c.values})
        blank = [np.zeros((len(MODES), len(c.documents)), dtype=np.int64) for c in counts]
        values = {name: np.concatenate([c.values.get(name, zero) for c, zero in zip(counts, blank)], axis=1)
                  for name in names}  # fmt: skip
        return cls([d for c in counts for d in c.documents], values, empty)

    def total(self, name: str, nil: str) -> int | float:
        """One count over all documents; 0 if nothing was counted, no whole number where cases weigh parts of one."""
        found = self.values.get(name)
        return 0 if found is None else as_count(float(found[MODES.index(nil)].sum()))

    def micro(self, what: str, nil: str) -> tuple[float, float, float]:
        """Precision, recall and F1 of the sums (E2E-2); `what` is `all`, `entity`, `ner` or a group."""
        tp, fp, fn = (self.total(f"{what}_{x}", nil) for x in ("tp", "fp", "fn"))
        precision, recall, f1 = prf(tp, fp, fn, empty=self.empty)
        return float(precision), float(recall), float(f1)

    def macro(self, what: str, nil: str) -> tuple[float, float, float]:
        """Means over documents (E2E-2)."""
        if not self.documents:
            return 0.0, 0.0, 0.0
        mode = MODES.index(nil)
        zero = np.zeros((len(MODES), len(self.documents)))
        tp, fp, fn = (self.values.get(f"{what}_{x}", zero)[mode] for x in ("tp", "fp", "fn"))
        precision, recall, f1 = prf(tp, fp, fn, empty=self.empty)
        return float(np.mean(precision)), float(np.mean(recall)), float(np.mean(f1))

    def accuracy(self, nil: str) -> float:
        """Right entities among right spans."""
        total = self.total("disamb_total", nil)
        return 1 - self.total("disamb_errors", nil) / total if total else 0.0

    @classmethod
    def gather(cls, documents: list[str], found: Iterable[tuple[int, str, np.ndarray]]) -> Counts:
        """From (NIL handling, name, count of each document)."""
        values: dict[str, np.ndarray] = {}
        for mode, name, counted in found:
            if name not in values:
                values[name] = np.zeros((len(MODES), len(documents)), dtype=np.int64)
            values[name][mode] += counted
        return cls(documents, values)
