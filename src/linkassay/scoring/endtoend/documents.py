"""Document level: the set of ids of each document against the set that was predicted for it (BC5CDR, TaggerOne)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from linkassay.model import Document, Prediction, Span
from linkassay.scoring.endtoend.matrix import MODES

__all__ = ["count"]


def count(
    documents: Sequence[Document], predictions: Mapping[str, Sequence[Prediction]]
) -> Iterator[tuple[int, str, np.ndarray]]:
    """(NIL handling, name, count of each document).

    Ids of optional gold and of alternatives may be predicted, and need not be; NIL is no id.
    """
    found = np.zeros((3, len(documents)), dtype=np.int64)
    for number, document in enumerate(documents):
        gold: set[str] = set()
        allowed: set[str] = set()
        for mention in document.annotations:
            if mention.gold and _inside(mention.spans, document):
                (allowed if mention.parent or mention.optional else gold).update(*mention.gold)
        predicted: set[str] = set()
        for prediction in predictions.get(document.id, ()):
            if prediction.groups and not prediction.nil and _inside(prediction.spans, document):
                predicted.update(prediction.groups[0])
        right = len(gold & predicted)
        found[:, number] = right, len(predicted - gold - allowed), len(gold) - right
    for mode in range(len(MODES)):
        for name, values in zip(("tp", "fp", "fn"), found):
            yield mode, f"document_{name}", values


def _inside(spans: tuple[Span, ...], document: Document) -> bool:
    scored = document.evaluation_spans
    return scored is None or any(s <= spans[0][0] and spans[-1][1] <= e for s, e in scored)
