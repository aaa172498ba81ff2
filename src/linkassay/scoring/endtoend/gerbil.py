"""GERBIL's annotation match: gold and predictions paired one to one, greedily in gold order (PRESET-5).

GERBIL knows neither alternatives nor optional gold: roots count, whatever flags they have; quantities and datetimes,
which have no id, do not. Where NIL is ignored, NIL on either side is not there; where it is required, NIL is an entity
that equals any other NIL.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkassay.scoring.endtoend.alignment import inside, pair
from linkassay.scoring.endtoend.columns import NO_ANSWER, NOT_IN_KB, DocumentBatch
from linkassay.scoring.endtoend.decision_matrix import IGNORED, MODES
from linkassay.scoring.endtoend.text_ruler import keys


def count_as_gerbil(part: DocumentBatch, spans: str) -> Iterator[tuple[int, str, np.ndarray]]:
    """(NIL handling, name, count of each document)."""
    labels, answers = part.labels, part.answers
    size = len(part.documents)
    scored = labels.root & (labels.kind == 0) & inside(part, labels.document, labels.start, labels.end)
    given = (answers.entity != NO_ANSWER) & inside(part, answers.document, answers.start, answers.end)
    gold_keys = keys(labels.document, labels.start, labels.end, labels.shape).tolist()
    answer_keys = keys(answers.document, answers.start, answers.end, answers.shape).tolist()
    for mode in range(len(MODES)):
        gold = scored & ((labels.entity != NOT_IN_KB) | (mode != IGNORED))
        answer = given & ((answers.entity != NOT_IN_KB) | (mode != IGNORED))
        right = {}
        for what in ("all", "ner"):
            if spans == "exact":
                pairs = _same_span(part, gold, answer, gold_keys, answer_keys, by_id=what == "all")
            else:
                pairs = _overlapping(part, gold, answer, by_id=what == "all")
            right[what] = np.bincount(labels.document[pairs], minlength=size)
            yield mode, f"{what}_tp", right[what]
            yield mode, f"{what}_fp", np.bincount(answers.document[answer], minlength=size) - right[what]
            yield mode, f"{what}_fn", np.bincount(labels.document[gold], minlength=size) - right[what]
        yield mode, "disamb_total", right["ner"]
        yield mode, "disamb_errors", right["ner"] - right["all"]


def _same_span(
    part: DocumentBatch,
    gold: np.ndarray,
    answer: np.ndarray,
    gold_keys: list[int],
    answer_keys: list[int],
    *,
    by_id: bool,
) -> list[int]:
    """Labels that are paired with a prediction on the same span."""
    waiting: dict[int, list[int]] = {}
    for row in np.flatnonzero(answer).tolist():
        waiting.setdefault(answer_keys[row], []).append(row)
    found = []
    for row in np.flatnonzero(gold).tolist():
        rows = waiting.get(gold_keys[row], ())
        for at, other in enumerate(rows):
            if not by_id or _same(part, row, other):
                found.append(row)
                rows.pop(at)  # type: ignore[union-attr]
                break
    return found


def _same(part: DocumentBatch, label: int, answer: int) -> bool:
    gold, predicted = int(part.labels.entity[label]), int(part.answers.entity[answer])
    return gold == predicted or (
        gold >= 0 and predicted >= 0 and not part.codes.sets[gold].isdisjoint(part.codes.sets[predicted])
    )


def _overlapping(part: DocumentBatch, gold: np.ndarray, answer: np.ndarray, *, by_id: bool) -> list[int]:
    """Labels that are paired with an overlapping prediction."""
    labels, answers = part.labels, part.answers

    def spans(rows: np.ndarray, of: object) -> list[tuple[int, int, int, int]]:
        entity = of.entity if by_id else np.zeros_like(of.entity)  # type: ignore[attr-defined]
        return [(int(entity[r]), int(of.start[r]), int(of.end[r]), r) for r in np.flatnonzero(rows).tolist()]  # type: ignore[attr-defined]

    return [label for label, _ in pair(spans(gold, labels), spans(answer, answers))]
