"""Document level: the set of ids of each document against the set that was predicted for it (BC5CDR, TaggerOne)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkassay.scoring.endtoend.alignment import inside
from linkassay.scoring.endtoend.columns import Part
from linkassay.scoring.endtoend.matrix import MODES

__all__ = ["count"]


def count(part: Part) -> Iterator[tuple[int, str, np.ndarray]]:
    """(NIL handling, name, count of each document).

    Ids of optional gold and of alternatives may be predicted, and need not be; NIL is no id.
    """
    labels, answers, size = part.labels, part.answers, len(part.documents)
    scored = inside(part, labels.document, labels.start, labels.end) & (labels.entity >= 0) & (labels.kind == 0)
    needed = scored & ~labels.optional & (labels.parent < 0)
    given = inside(part, answers.document, answers.start, answers.end) & (answers.entity >= 0)
    gold = _pairs(part, labels.document[needed], labels.entity[needed])
    allowed = _pairs(part, labels.document[scored], labels.entity[scored])
    said = _pairs(part, answers.document[given], answers.entity[given])
    found = {"tp": gold & said, "fp": said - allowed, "fn": gold - said}
    for name, pairs in found.items():
        counted = np.bincount([document for document, _ in pairs], minlength=size).astype(np.int64)
        for mode in range(len(MODES)):
            yield mode, f"document_{name}", counted


def _pairs(part: Part, document: np.ndarray, entity: np.ndarray) -> set[tuple[int, int]]:
    """(document, id), each once."""
    found = set(zip(document.tolist(), entity.tolist()))
    for pair in [pair for pair in found if pair[1] in part.codes.several] if part.codes.several else ():
        found.remove(pair)
        found.update((pair[0], part.codes[identifier]) for identifier in part.codes.sets[pair[1]])
    return found
