"""What each case of a run counts for, all documents together: what slices, sets and paired tests are summed from.

Only numbers and texts are kept of a case, so that a whole run fits into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from linkassay.corpora import Split
from linkassay.errors import UsageError
from linkassay.model import Document, Prediction
from linkassay.scoring.endtoend import categories
from linkassay.scoring.endtoend.case_groups import case_groups_of
from linkassay.scoring.endtoend.cases import Cases, judge
from linkassay.scoring.endtoend.columns import NO_ANSWER, NOT_IN_KB, Codes, DocumentBatch
from linkassay.scoring.endtoend.counts import Counts
from linkassay.scoring.endtoend.decision_matrix import MODES
from linkassay.scoring.endtoend.evaluation import cases_by_count
from linkassay.scoring.endtoend.kb_facts import KbFacts
from linkassay.scoring.endtoend.partition import document_batches
from linkassay.scoring.endtoend.presets import preset as named

#: What a case may count for; the place of a name is its bit.
COUNTED = ("all_tp", "all_fp", "all_fn", "ner_tp", "ner_fp", "ner_fn", "disamb_errors", "disamb_total")


@dataclass(frozen=True)
class Ledger:
    """Cases in columns: labels and predictions on none, in the order of the documents."""

    documents: list[str]
    document: np.ndarray  # number of the document of each case
    mention: list[str]  # id of the gold mention that a case belongs to, for a part of an alternative its root; else ""
    root: np.ndarray  # whether the case is such a mention itself
    gold: np.ndarray  # code of its ids, or NOT_IN_KB (values too); NO_ANSWER where there is no gold
    said: np.ndarray  # code of the answer, NOT_IN_KB or NO_ANSWER
    answer: np.ndarray  # number of the prediction, which may stand on several labels, or -1
    texts: list[str]
    types: list[str]  # of the gold; "" where there is none
    bits: np.ndarray  # of `COUNTED`; axes NIL handling, case
    codes: Codes
    #: Grouping → name → which cases belong to it by their gold, and which by their prediction.
    groups: dict[str, dict[str, tuple[np.ndarray, np.ndarray]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.document)

    @cached_property
    def alone(self) -> np.ndarray:
        """Which cases are predictions on no gold mention."""
        return np.array([not name for name in self.mention], dtype=bool)

    def counts_for(self, name: str, nil: str) -> np.ndarray:
        """Which cases count for one of `COUNTED`."""
        found: np.ndarray = self.bits[MODES.index(nil)] >> COUNTED.index(name) & 1 > 0
        return found

    def ids(self, code: int) -> list[str]:
        """The ids of an answer or of gold; none for NIL and for nothing."""
        return sorted(self.codes.sets[code]) if code >= 0 else []

    def counts(self, gold: np.ndarray, predicted: np.ndarray) -> Counts:
        """Sums per document, each case weighing so much: by its gold, false positives by their prediction."""
        size = len(self.documents)
        values = {}
        for name in COUNTED:
            weight = predicted if name.endswith("_fp") else gold
            values[name] = np.stack(
                [np.bincount(self.document, weight * self.counts_for(name, nil), minlength=size) for nil in MODES]
            )
        return Counts(self.documents, values)


def read_ledger(
    documents: Iterable[Document] | Split,
    predictions: Iterable[Prediction] | Path,
    *,
    preset: str = "fair",
    spans: str = "",
    by: Sequence[str] = (),
    facts: KbFacts | None = None,
    current: Callable[[str], tuple[str, ...]] | None = None,
    without: Collection[str] = (),
) -> Ledger:
    """The cases of a run under a preset that judges cases; `by` are groupings whose groups are wanted."""
    chosen = named(preset, spans)
    if chosen.rules == "gerbil":
        raise UsageError(f"preset {preset!r} pairs gold and predictions anew for each figure: it has no slices, sets, "
                         "hierarchy or comparison; take 'fair' or 'elevant'")  # fmt: skip
    facts = facts or KbFacts()
    literal = chosen.rules == "elevant"
    found: list[Ledger] = []
    for part in document_batches(documents, predictions, literal=literal, current=current, without=without):
        cases = judge(part, facts, as_elevant=literal, spans=chosen.spans)
        grouped = {each: {n: (g, p) for n, g, p in case_groups_of(each, part, cases, facts)} for each in by}
        found.append(_ledger(part, cases, _bits(part, cases, facts), grouped))
    return _joined(found, by)


def _bits(part: DocumentBatch, cases: Cases, facts: KbFacts) -> np.ndarray:
    sorts = categories.DisambiguationCategories(part, cases, facts)
    bits = np.zeros((len(MODES), len(cases.root)), dtype=np.uint8)
    for mode in range(len(MODES)):
        for name, kept in cases_by_count(part, cases, facts, mode, sorts):
            if name in COUNTED:
                bits[mode] |= kept.astype(np.uint8) << np.uint8(COUNTED.index(name))
    return bits


def _ledger(
    part: DocumentBatch, cases: Cases, bits: np.ndarray, grouped: dict[str, dict[str, tuple[np.ndarray, np.ndarray]]]
) -> Ledger:
    """Cases as columns; labels that belong to no tree are none (TREE-6)."""
    labels = part.labels
    top = np.arange(len(labels.entity))
    while (below := labels.parent[top] >= 0).any():
        top[below] = labels.parent[top[below]]
    alone = len(cases.root) - len(top)
    answers = np.append(part.answers.entity, NO_ANSWER)
    gold = np.where(labels.kind > 0, NOT_IN_KB, labels.entity)
    keep = np.append(~labels.stray, np.ones(alone, dtype=bool))

    def kept(values: list[str]) -> list[str]:
        return values if keep.all() else [value for value, wanted in zip(values, keep.tolist(), strict=True) if wanted]

    return Ledger(
        [d.id for d in part.documents], cases.document[keep],
        kept([labels.ids[row] for row in top.tolist()] + [""] * alone), cases.root[keep],
        np.append(gold, np.full(alone, NO_ANSWER))[keep], answers[cases.answer][keep], cases.answer[keep],
        kept(cases.texts), kept(labels.types + [""] * alone), bits[:, keep], part.codes,
        {by: {name: (g[keep], p[keep]) for name, (g, p) in groups.items()} for by, groups in grouped.items()},
    )  # fmt: skip


def _joined(parts: list[Ledger], by: Sequence[str]) -> Ledger:
    first = np.cumsum([0, *(len(each.documents) for each in parts)])
    said = np.cumsum([0, *(each.answer.max(initial=-1) + 1 for each in parts)])
    grouped: dict[str, dict[str, tuple[np.ndarray, np.ndarray]]] = {}
    for each in by:
        nothing = [(np.zeros(len(part), dtype=bool),) * 2 for part in parts]
        names = dict.fromkeys(name for part in parts for name in part.groups[each])
        grouped[each] = {
            name: tuple(  # type: ignore[misc]
                np.concatenate([part.groups[each].get(name, none)[side] for part, none in zip(parts, nothing)])
                for side in (0, 1)
            )
            for name in names
        }
    return Ledger(
        [name for part in parts for name in part.documents],
        np.concatenate([part.document + begin for part, begin in zip(parts, first.tolist())]),
        [name for part in parts for name in part.mention],
        np.concatenate([part.root for part in parts]),
        np.concatenate([part.gold for part in parts]),
        np.concatenate([part.said for part in parts]),
        np.concatenate([np.where(part.answer < 0, -1, part.answer + n) for part, n in zip(parts, said.tolist())]),
        [text for part in parts for text in part.texts],
        [type_ for part in parts for type_ in part.types],
        np.concatenate([part.bits for part in parts], axis=1),
        parts[0].codes, grouped,
    )  # fmt: skip
