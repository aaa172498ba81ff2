"""Document level: the set of ids of each document against the set that was predicted for it (E2E-4)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkassay.scoring.endtoend.alignment import inside
from linkassay.scoring.endtoend.columns import DocumentBatch
from linkassay.scoring.endtoend.decision_matrix import MODES


def count_document_ids(part: DocumentBatch) -> Iterator[tuple[int, str, np.ndarray]]:
    """(NIL handling, name, count of each document).

    Ids of optional gold and of alternatives may be predicted, and need not be; NIL is no id.
    """
    labels, answers, size = part.labels, part.answers, len(part.documents)
    scored = inside(part, labels.document, labels.start, labels.end) & (labels.entity >= 0) & (labels.kind == 0)
    needed = scored & ~labels.optional & labels.root
    given = inside(part, answers.document, answers.start, answers.end) & (answers.entity >= 0)
    gold = _pairs(part, labels.document[needed], labels.entity[needed])
    allowed = _pairs(part, labels.document[scored], labels.entity[scored])
    said = _pairs(part, answers.document[given], answers.entity[given])
    found = {
        "tp": np.intersect1d(gold, said, assume_unique=True),
        "fp": np.setdiff1d(said, allowed, assume_unique=True),
        "fn": np.setdiff1d(gold, said, assume_unique=True),
    }
    for name, pairs in found.items():
        counted = np.bincount(pairs >> 32, minlength=size).astype(np.int64)
        for mode in range(len(MODES)):
            yield mode, f"document_{name}", counted


def _pairs(part: DocumentBatch, document: np.ndarray, entity: np.ndarray) -> np.ndarray:
    """(document, id) as one number, each once."""
    several = np.isin(entity, list(part.codes.several)) if part.codes.several else np.zeros(len(entity), dtype=bool)
    further = [
        d << 32 | part.codes[identifier]
        for d, code in zip(document[several].tolist(), entity[several].tolist())
        for identifier in part.codes.sets[code]
    ]
    single = (document[~several] << np.int64(32)) | entity[~several]
    return np.unique(np.concatenate([single, np.array(further, dtype=np.int64)]))
