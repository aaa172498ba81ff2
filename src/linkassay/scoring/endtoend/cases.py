"""Cases: every gold label, and every prediction that stands on none, each with what it counts for.

True positives and false negatives are counted at roots only, false positives at every case (TREE-1); a case
weighs its factor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkassay.scoring.endtoend import trees
from linkassay.scoring.endtoend.alignment import align, align_as_elevant, inside
from linkassay.scoring.endtoend.columns import KINDS, NO_ANSWER, NOT_IN_KB, Codes, DocumentBatch
from linkassay.scoring.endtoend.decision_matrix import (  # fmt: skip
    ENTITY,
    FP,
    MATRIX,
    NIL,
    NOTHING,
    OPTIONAL,
    OPTIONAL_NIL,
    OTHER,
    PREDICTED_NIL,
    SAME,
)
from linkassay.scoring.endtoend.kb_facts import KbFacts
from linkassay.scoring.endtoend.mention_kinds import is_coreference, is_lower_cased
from linkassay.scoring.endtoend.text_ruler import keys


@dataclass(frozen=True)
class Cases:
    """Labels first, in their order, then predictions on none. `outcomes` has the axes NIL handling, task, case."""

    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray  # row of the label or -1
    answer: np.ndarray  # row of the prediction or -1
    root: np.ndarray  # has gold and no parent
    factor: np.ndarray
    outcomes: np.ndarray
    coreference: np.ndarray
    lower_cased: np.ndarray
    known: np.ndarray  # gold is an entity of the KB
    unknown: np.ndarray  # gold is NIL
    optional: np.ndarray
    spaced: np.ndarray  # the text has a space
    text: np.ndarray  # equal texts have equal numbers
    texts: list[str]


def judge(part: DocumentBatch, facts: KbFacts, *, as_elevant: bool, spans: str = "exact") -> Cases:
    """All cases of a part."""
    labels, answers = part.labels, part.answers
    kinds = kinds_of(part.codes, facts)
    if as_elevant:
        wide = keys(labels.document, *part.ruler.widened(labels.document, labels.start, labels.end), labels.shape)
        aligned, alone = align_as_elevant(part, wide)
    else:
        aligned, alone = align(part, spans, kinds)
    alone = alone[inside(part, answers.document[alone], answers.start[alone], answers.end[alone])]
    entity = np.where(aligned >= 0, answers.entity[aligned] if len(answers.entity) else NO_ANSWER, NO_ANSWER)
    present = aligned >= 0
    nil = present & (entity == NOT_IN_KB)
    unknown = (labels.entity == NOT_IN_KB) & (labels.kind == 0)
    known = ~unknown & (labels.kind == 0)
    identical = part.codes.same(labels.entity, entity)
    same = np.where(labels.kind > 0, labels.kind == kinds[entity], identical)
    optional = labels.optional | (labels.kind > 0)
    state = np.select([optional & unknown, optional, unknown], [OPTIONAL_NIL, OPTIONAL, NIL], ENTITY)
    relation = np.select([~present, nil, same & ~unknown], [NOTHING, PREDICTED_NIL, SAME], OTHER)
    outcomes = MATRIX[:, :, state, relation]
    outcomes[:, :, labels.stray] = 0
    is_root = labels.root
    if as_elevant:
        factor = trees.weigh_as_elevant(
            trees.find_trees(labels.parent, labels.further),
            identical | (unknown & nil),
            present & (entity != NO_ANSWER),
            present,
            wide,
            optional,
            known,
            outcomes,
        )
        factor[labels.stray] = 0
    else:
        factor = np.ones(len(labels.entity), dtype=np.int64)
        own = trees.find_trees(labels.parent, {})  # TREE-7
        trees.settle_as_fair(own, relation, state, outcomes)
        _once(aligned, is_root, outcomes)
        outcomes[:, :, ~inside(part, labels.document, labels.start, labels.end)] = 0
    alone_relation = np.where(answers.entity[alone] == NOT_IN_KB, PREDICTED_NIL, OTHER)
    texts = labels.texts + [answers.text(row) for row in alone.tolist()]
    distinct, text = _distinct(texts)
    said = np.concatenate([labels.coreference, np.full(len(alone), -1)])
    none = np.zeros(len(alone), dtype=bool)
    return Cases(
        document=np.concatenate([labels.document, answers.document[alone]]),
        start=np.concatenate([labels.start, answers.start[alone]]),
        end=np.concatenate([labels.end, answers.end[alone]]),
        label=np.concatenate([np.arange(len(labels.entity)), np.full(len(alone), -1)]),
        answer=np.concatenate([aligned, alone]),
        root=np.concatenate([is_root, none]),
        factor=np.concatenate([factor, np.ones(len(alone), dtype=np.int64)]),
        outcomes=np.concatenate([outcomes, MATRIX[:, :, NOTHING, alone_relation]], axis=2),
        coreference=np.where(said < 0, _each(is_coreference, distinct)[text], said > 0),
        lower_cased=_each(is_lower_cased, distinct)[text],
        spaced=_each(_has_space, distinct)[text],
        known=np.concatenate([known, none]),
        unknown=np.concatenate([unknown, none]),
        optional=np.concatenate([optional, none]),
        text=text,
        texts=texts,
    )


def _distinct(texts: list[str]) -> tuple[list[str], np.ndarray]:
    """Each text once, and the number of each."""
    numbers: dict[str, int] = {}
    found = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
    return list(numbers), found


def _each(rule: Callable[[str], bool], texts: list[str]) -> np.ndarray:
    return np.array([rule(text) for text in texts], dtype=bool)


def _has_space(text: str) -> bool:
    return " " in text


def kinds_of(codes: Codes, facts: KbFacts) -> np.ndarray:
    """The kind of value of each code by the lists of the KB (MATRIX-4); the last two stand for NIL and no answer."""
    kinds = np.zeros(len(codes.sets) + 2, dtype=np.int64)
    for kind, listed in (("datetime", facts.datetimes), ("quantity", facts.quantities)):
        for identifier in listed:
            if (code := codes.get(identifier)) is not None:
                kinds[code] = KINDS[kind]
    return kinds


def _once(aligned: np.ndarray, is_root: np.ndarray, outcomes: np.ndarray) -> None:
    """A prediction is a false positive at most once, not at all if one of the labels on its span allows it (TREE-5)."""
    rows = np.flatnonzero(aligned >= 0)
    used, number = np.unique(aligned[rows], return_inverse=True)
    times = np.bincount(number, minlength=len(used))
    for answer in np.flatnonzero(times > 1).tolist():
        same = rows[number == answer]
        same = same[np.argsort(~is_root[same], kind="stable")]
        wrong = (outcomes[:, :, same] & FP > 0).all(axis=2)
        outcomes[:, :, same] &= ~np.uint8(FP)
        outcomes[:, :, same[0]] |= np.where(wrong, FP, 0).astype(np.uint8)
