"""Whether a span is right: which prediction stands on which gold annotation, by a span policy (SPAN-1 to SPAN-4).

A policy gives for each label the row of its prediction or -1, and the rows of predictions that stand on no label and
are judged alone. What a right span counts for is decided in `decision_matrix`.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from linkassay.scoring.endtoend.columns import NO_ANSWER, DocumentBatch
from linkassay.scoring.endtoend.text_ruler import keys, overlapping

SPAN_POLICIES = ("exact", "words", "overlap")


def align_as_elevant(part: DocumentBatch, gold_wide: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ELEVANT's own alignment (ELEVANT-2), in which a prediction near a label may vanish.

    `gold_wide` are the labels' spans widened to words, as keys.
    """
    labels, answers = part.labels, part.answers
    own = keys(answers.document, answers.start, answers.end, answers.shape)
    wide = keys(answers.document, *part.ruler.widened(answers.document, answers.start, answers.end), answers.shape)
    # Later ones on the same span replace earlier ones, in their place.
    last = _last(own, np.arange(len(own)))[1][np.argsort(np.unique(own, return_index=True)[1])]
    known, row = _last(np.concatenate([own[last], wide[last]]), np.concatenate([last, last]))
    gold = keys(labels.document, labels.start, labels.end, labels.shape)
    place = _place(gold, known)
    place = np.where(place >= 0, place, _place(gold_wide, known))
    aligned = np.append(row, -1)[place]
    near = np.sort(np.concatenate([gold, gold_wide]))
    alone = last[(_place(own[last], near) < 0) & (_place(wide[last], near) < 0)]
    return aligned, alone[answers.entity[alone] != NO_ANSWER]


def _last(found: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each key once, in order, and the last value that it has."""
    once, at = np.unique(found[::-1], return_index=True)
    return once, value[::-1][at]


def _place(asked: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Where keys stand among those that are known and sorted, else -1."""
    if not len(known):
        return np.full(len(asked), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return np.where(known[at] == asked, at, -1)


def align(part: DocumentBatch, policy: str, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels and predictions on the same span, as `exact` or `words` says, or one to one by `overlap`.

    Predictions without an answer are none; `kinds` are of value, of each code. Of several predictions on one span a
    label takes one that is right, else the first.
    """
    answers = part.answers
    answered = np.flatnonzero(answers.entity != NO_ANSWER)
    aligned = _by_overlap(part, answered) if policy == "overlap" else _by_span(part, answered, policy, kinds)
    used = _on_stray(part, policy) if part.labels.stray.any() else np.zeros(len(answers.entity), dtype=bool)
    aligned[part.labels.stray] = -1
    used[aligned[aligned >= 0]] = True
    return aligned, answered[~used[answered]]


def _on_stray(part: DocumentBatch, policy: str) -> np.ndarray:
    """Which predictions stand on a label that belongs to no tree: there they are no error (TREE-6)."""
    labels, answers, stray = part.labels, part.answers, part.labels.stray
    if policy == "overlap":
        touched: np.ndarray = overlapping(answers.start, answers.end, (labels.start[stray], labels.end[stray])) > 0
        return touched
    gold, found = _span_keys(part, policy)
    return np.isin(found, gold[stray])


def _span_keys(part: DocumentBatch, policy: str) -> tuple[np.ndarray, np.ndarray]:
    """The spans of labels and of predictions as keys: two are the same if their keys are."""
    labels, answers = part.labels, part.answers
    gold_span, answer_span = (labels.start, labels.end), (answers.start, answers.end)
    if policy == "words":  # SPAN-2
        gold_span = part.ruler.widened(labels.document, *gold_span)
        answer_span = part.ruler.widened(answers.document, *answer_span)
    return keys(labels.document, *gold_span, labels.shape), keys(answers.document, *answer_span, answers.shape)


def _by_span(part: DocumentBatch, answered: np.ndarray, policy: str, kinds: np.ndarray) -> np.ndarray:
    labels, answers = part.labels, part.answers
    gold, found = (each.tolist() for each in _span_keys(part, policy))
    first: dict[int, int] = {}
    further: dict[int, list[int]] = {}
    for row in answered.tolist():
        if first.setdefault(found[row], row) != row:
            further.setdefault(found[row], [first[found[row]]]).append(row)
    aligned = np.array([first.get(k, -1) for k in gold], dtype=np.int64)
    if further:
        for label, k in enumerate(gold):
            if rows := further.get(k):
                said = answers.entity[rows]
                gold_, kind = labels.entity[label], labels.kind[label]
                right = (
                    kinds[said] == kind if kind else (said == gold_) | part.codes.same(np.full_like(said, gold_), said)
                )
                aligned[label] = rows[int(np.argmax(right))]
    return aligned


def _by_overlap(part: DocumentBatch, answered: np.ndarray) -> np.ndarray:
    """One to one (SPAN-3): first labels with an overlapping prediction of the same entity, then any overlapping one."""
    labels, answers = part.labels, part.answers
    aligned = np.full(len(labels.entity), -1, dtype=np.int64)
    gold_spans = list(zip(labels.start.tolist(), labels.end.tolist()))
    spans = {row: (int(answers.start[row]), int(answers.end[row])) for row in answered.tolist()}
    free = spans
    for by_entity in (True, False):
        wanted = [row for row in np.flatnonzero(~labels.stray).tolist() if aligned[row] < 0]
        groups = labels.entity.tolist() if by_entity else [0] * len(gold_spans)
        classes = {row: int(answers.entity[row]) if by_entity else 0 for row in free}
        for label, row in pair([(groups[r], *gold_spans[r], r) for r in wanted],
                               [(classes[r], *span, r) for r, span in free.items()]):  # fmt: skip
            aligned[label] = row
        taken = set(aligned.tolist())
        free = {row: span for row, span in free.items() if row not in taken}
    return aligned


def pair(gold: list[tuple[int, int, int, int]], predicted: list[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """Greedy one-to-one pairs of overlapping spans of the same class, in gold order: (class, start, end, row).

    Each gold span takes the first prediction by position that is still free.
    """
    by_class: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for which, start, end, row in predicted:
        by_class[which].append((start, end, row))
    pools = {which: _Pool(sorted(spans)) for which, spans in by_class.items()}
    found = []
    for which, start, end, row in gold:
        if which in pools and (other := pools[which].take(start, end)) >= 0:
            found.append((row, other))
    return found


class _Pool:
    """Spans by position, from which the first that overlaps a given one is taken."""

    def __init__(self, spans: list[tuple[int, int, int]]) -> None:
        self._spans = spans
        self._starts = np.array([s for s, _, _ in spans], dtype=np.int64)
        self._longest = max(e - s for s, e, _ in spans)
        self._next = list(range(len(spans) + 1))  # the first free one from here on, paths halved as they are walked

    def _free(self, at: int) -> int:
        while self._next[at] != at:
            self._next[at] = self._next[self._next[at]]
            at = self._next[at]
        return at

    def take(self, start: int, end: int) -> int:
        """Row of the first free span that overlaps, or -1; it is no longer free."""
        at = self._free(int(np.searchsorted(self._starts, start - self._longest, side="right")))
        while at < len(self._spans) and self._spans[at][0] < end:
            if self._spans[at][1] > start:
                self._next[at] = at + 1
                return self._spans[at][2]
            at = self._free(at + 1)
        return -1


def inside(part: DocumentBatch, document: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Which spans lie inside an evaluation span of their document (SPAN-5)."""
    low = part.ruler.offsets.copy()
    high = part.ruler.ends.copy()
    several: list[int] = []
    for number, d in enumerate(part.documents):
        if d.evaluation_spans is not None:
            if len(d.evaluation_spans) == 1:
                low[number] += d.evaluation_spans[0][0]
                high[number] = part.ruler.offsets[number] + d.evaluation_spans[0][1]
            else:
                several.append(number)
    found: np.ndarray = (start >= low[document]) & (end <= high[document])
    for row in np.flatnonzero(np.isin(document, several)).tolist() if several else ():
        offset = part.ruler.offsets[document[row]]
        spans = part.documents[document[row]].evaluation_spans or ()
        found[row] = any(s + offset <= start[row] and end[row] <= e + offset for s, e in spans)
    return found
