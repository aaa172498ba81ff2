"""The cases behind end-to-end figures as columns: every gold label, every prediction on none, what each counts for.

What counts as what is decided in `scoring.endtoend`; here all cases of a run are gathered, under the preset `fair`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.explorer.annotations import Annotations
from linkassay.explorer.case_words import COUNTS, ENTITY, NIL, NOTHING, CaseFacts, why_case
from linkassay.kbs import Kb
from linkassay.model import Span, join_text
from linkassay.runs import Run
from linkassay.scoring.endtoend import (
    CANDIDATES,
    GROUPINGS,
    LINKING,
    MODES,
    NER,
    NO_NIL,
    Cases,
    DisambiguationCategories,
    DocumentBatch,
    KbFacts,
    case_groups_of,
    cases_by_count,
    document_batches,
    has_candidates,
    judge,
    kb_facts_for_run,
)

#: In place of the number of a set: NIL, and nothing at all.
IS_NIL, IS_NOTHING = -1, -2
_SPANS = pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())]))


class Groups(NamedTuple):
    """The types and the kind of mention that a case belongs to, as `type=…` and `mention-kind=…`."""

    gold: tuple[str, ...]  # for what it counts by its gold
    said: tuple[str, ...]  # and by its answer: false positives


@dataclass(frozen=True)
class CaseColumns:
    """The cases of a run that count or are looked at in some NIL mode, by document and place."""

    document: Any  # number of the document
    label: Any  # row of the annotation, or -1
    ids: pa.Array
    texts: pa.Array
    spans: pa.Array
    gold: Any  # number of a set of `sets`, `IS_NIL` or `IS_NOTHING`
    said: Any
    bits: Any  # of `COUNTS`; axes NIL mode, case; -1: no case in that mode
    why: Any  # number of a sentence; the same axes
    groups: Any  # number among `grouped`
    sentences: list[str]
    grouped: list[Groups]
    sets: Sequence[frozenset[str]]

    def __len__(self) -> int:
        return len(self.document)

    @property
    def held(self) -> int:
        """The counts (bits) that some case has."""
        return int(np.bitwise_or.reduce(np.where(self.bits < 0, 0, self.bits), axis=None, initial=0))

    def counted(self, name: str, mode: int) -> Any:
        """Which cases count for one of `COUNTS`."""
        return (self.bits[mode] >= 0) & (self.bits[mode] >> COUNTS.index(name) & 1 > 0)

    def f1(self, mode: int) -> float:
        """That of linking."""
        tp, fp, fn = (int(np.count_nonzero(self.counted(f"all_{x}", mode))) for x in ("tp", "fp", "fn"))
        return 2 * tp / (2 * tp + fp + fn) if tp else 0.0

    def totals(self, mode: int) -> list[list[int]]:
        """How many cases have each combination of counts and groups: `[bits, groups, n]`."""
        mine = self.bits[mode] >= 0
        values, counts = np.unique(np.stack([self.bits[mode], self.groups])[:, mine], axis=1, return_counts=True)
        return [list(each) for each in zip(*values.tolist(), counts.tolist(), strict=True)]


def find_cases(run: Run, kb: Kb | None, annotations: Annotations) -> CaseColumns:
    """All cases of a run; an error where its mentions have no places in texts."""
    corpus = run.open_corpus()
    facts = kb_facts_for_run(kb, run, corpus) if kb else KbFacts()
    predictions, current = run.path / "predictions.parquet", kb.current if kb else None
    judged = [
        (part, judge(part, facts, as_elevant=False))
        for part in document_batches(corpus[run.split], predictions, current=current)
    ]
    has_nil = any(cases.unknown.any() for _, cases in judged)
    counted = COUNTS if any(has_candidates(*each) for each in judged) else [c for c in COUNTS if c not in CANDIDATES]
    words: dict[str, int] = {}
    grouped: dict[Groups, int] = {}
    parts, before = [], 0
    for part, cases in judged:
        bits = _bits(part, cases, facts, counted, has_nil)
        rows = np.flatnonzero((bits > 0).any(axis=0) | cases.root | (cases.label < 0))
        rows = rows[np.argsort(cases.start[rows], kind="stable")]
        columns = _Part(part, cases, rows, before).columns(bits, words)
        parts.append(columns | {"groups": _groups(part, cases, facts, grouped)[rows]})
        before += len(part.documents)
    return _joined(parts, list(words), list(grouped), judged[0][0].codes.sets, annotations)


def _bits(part: DocumentBatch, cases: Cases, facts: KbFacts, counted: Sequence[str], has_nil: bool) -> Any:
    """What each case counts for in each NIL mode; -1 where it is none."""
    sorts = DisambiguationCategories(part, cases, facts)
    found = np.zeros((len(MODES), len(cases.root)), dtype=np.int64)
    for mode in range(len(MODES)):
        masks = dict(cases_by_count(part, cases, facts, mode, sorts))
        for name in [name for name in masks if name.endswith(NO_NIL)]:
            kept = masks.pop(name)
            if not has_nil:
                masks[name.removesuffix(NO_NIL)] = kept
        for bit, name in enumerate(COUNTS):
            if name in masks and name in counted:
                found[mode] |= np.int64(1 << bit) * masks[name]
    shown = (found > 0) | cases.root | (cases.label < 0)
    return np.where(shown, found, -1)


def _groups(part: DocumentBatch, cases: Cases, facts: KbFacts, grouped: dict[Groups, int]) -> Any:
    """Of each case the number of its groups, new ones where they are new."""
    found: tuple[dict[int, list[str]], ...] = defaultdict(list), defaultdict(list)
    for by in GROUPINGS:
        for name, *sides in case_groups_of(by, part, cases, facts):
            for belongs, mask in zip(found, sides, strict=True):
                for row in np.flatnonzero(mask).tolist():
                    belongs[row].append(name)
    gold, said = found
    each = (Groups(tuple(gold[row]), tuple(said[row])) for row in range(len(cases.root)))
    return np.fromiter((grouped.setdefault(groups, len(grouped)) for groups in each), np.int64, len(cases.root))


class _Part:
    """Some documents whose cases become columns."""

    def __init__(self, part: DocumentBatch, cases: Cases, rows: Any, before: int) -> None:
        self._part, self._cases, self._rows, self._before = part, cases, rows, before
        self._label, self._answer = cases.label[rows], cases.answer[rows]

    def columns(self, bits: Any, words: dict[str, int]) -> dict[str, Any]:
        """All that `CaseColumns` has; of labels their own ids, and no places and texts, which annotations have."""
        part, cases, rows = self._part, self._cases, self._rows
        alone = np.flatnonzero(self._label < 0)
        spans = [self._spans(row) for row in alone.tolist()]
        documents = [part.documents[n] for n in cases.document[rows[alone]].tolist()]
        gold, said = self._codes()
        return {
            "document": cases.document[rows] + self._before, "alone": alone,
            "labels": [part.labels.ids[n] for n in self._label[self._label >= 0].tolist()],
            "ids": _names([document.id for document in documents], spans), "spans": spans,
            "texts": [join_text(d.text, each) for d, each in zip(documents, spans, strict=True)],
            "gold": gold, "said": said, "bits": bits[:, rows],
            "why": np.stack([self._why(gold, said, mode, words) for mode in range(len(MODES))]),
        }  # fmt: skip

    @cached_property
    def _shapes(self) -> dict[int, tuple[Span, ...]]:
        return {number: spans for spans, number in self._part.shapes.items()}

    def _spans(self, row: int) -> tuple[Span, ...]:
        if shape := int(self._part.answers.shape[self._answer[row]]):
            return self._shapes[shape]
        at = self._rows[row]
        offset = int(self._part.ruler.offsets[self._cases.document[at]])
        return ((int(self._cases.start[at]) - offset, int(self._cases.end[at]) - offset),)

    def _codes(self) -> tuple[Any, Any]:
        """Numbers of the sets of gold and answer; codes below 0 are NIL."""
        labels, answers = np.append(self._part.labels.entity, 0), np.append(self._part.answers.entity, 0)
        gold = np.where(self._label < 0, IS_NOTHING, np.maximum(labels[self._label], IS_NIL))
        said = np.where(self._answer < 0, IS_NOTHING, np.maximum(answers[self._answer], IS_NIL))
        return gold, said

    def _why(self, gold: Any, said: Any, mode: int, words: dict[str, int]) -> Any:
        """Numbers of sentences: cases of which the same is to be said share one."""
        cases, rows = self._cases, self._rows
        linking, ner = (cases.outcomes[mode, task, rows].astype(np.int64) for task in (LINKING, NER))
        state = [np.select([each == IS_NOTHING, each == IS_NIL], [NOTHING, NIL], ENTITY) for each in (gold, said)]
        columns = (*state, self._part.codes.same(gold, said), cases.root[rows], cases.optional[rows], linking, ner)
        key = np.zeros(len(rows), dtype=np.int64)
        for column in columns:
            key = key * 8 + column
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        numbers = []
        for at in first.tolist():
            gold_, said_, same, root, optional, first_, second = (int(column[at]) for column in columns)
            facts = CaseFacts(gold_, said_, bool(same), bool(root), bool(optional), first_, second, mode)
            numbers.append(words.setdefault(why_case(facts), len(words)))
        return np.array(numbers, dtype=np.int64)[which]


def _names(documents: Sequence[str], spans: Sequence[tuple[Span, ...]]) -> list[str]:
    """The ids of predictions on none: document and place; those after the first of a place are numbered."""
    seen: dict[str, int] = {}
    found = []
    for document, pieces in zip(documents, spans, strict=True):
        name = f"{document} {','.join(f'{start}-{end}' for start, end in pieces)} alone"
        seen[name] = times = seen.get(name, 0) + 1
        found.append(name if times == 1 else f"{name} {times}")
    return found


def _joined(
    parts: Sequence[dict[str, Any]], sentences: list[str], grouped: list[Groups], sets: Sequence[frozenset[str]],
    annotations: Annotations,
) -> CaseColumns:  # fmt: skip
    def together(name: str, axis: int = 0) -> Any:
        return np.concatenate([part[name] for part in parts], axis=axis)

    def listed(name: str) -> list[Any]:
        return [each for part in parts for each in part[name]]

    before = np.cumsum([0, *(len(part["document"]) for part in parts)])
    alone = np.concatenate([part["alone"] + first for part, first in zip(parts, before.tolist(), strict=False)])
    label = np.full(before[-1], -1)
    labelled = np.ones(len(label), dtype=bool)
    labelled[alone] = False
    found = pc.index_in(pa.array(listed("labels"), pa.string()), value_set=annotations.column("id"))
    label[labelled] = found.to_numpy(zero_copy_only=False)
    spans = [[{"start": start, "end": end} for start, end in each] for each in listed("spans")]
    own = {"id": pa.array(listed("ids"), pa.string()), "text": pa.array(listed("texts"), pa.string()),
           "spans": pa.array(spans, _SPANS)}  # fmt: skip
    # Those on labels are taken from the annotations, those on none come after them.
    at = np.where(label >= 0, label, 0)
    at[alone] = len(annotations) + np.arange(len(alone))
    mixed = {
        name: pa.chunked_array([annotations.column(name), own[name]]).take(pa.array(at)).combine_chunks()
        for name in own
    }
    return CaseColumns(
        together("document"), label, mixed["id"], mixed["text"], mixed["spans"], together("gold"), together("said"),
        together("bits", 1), together("why", 1), together("groups"), sentences, grouped, sets,
    )  # fmt: skip
