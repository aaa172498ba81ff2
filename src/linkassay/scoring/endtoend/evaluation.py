"""The whole of it: documents and predictions in, additive counts for each document out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from linkassay.corpora import Split
from linkassay.errors import UsageError
from linkassay.model import Document, Prediction
from linkassay.registry import near_miss
from linkassay.scoring.endtoend import categories, document_level, gerbil
from linkassay.scoring.endtoend.alignment import align
from linkassay.scoring.endtoend.case_groups import GROUPINGS, case_groups_of
from linkassay.scoring.endtoend.cases import Cases, judge, kinds_of
from linkassay.scoring.endtoend.columns import DocumentBatch
from linkassay.scoring.endtoend.counts import Counts
from linkassay.scoring.endtoend.decision_matrix import FN, FP, LINKING, MODES, NER, TP
from linkassay.scoring.endtoend.kb_facts import KbFacts
from linkassay.scoring.endtoend.partition import document_batches
from linkassay.scoring.endtoend.presets import preset as named


def evaluate(
    documents: Iterable[Document] | Split,
    predictions: Iterable[Prediction] | Path,
    *,
    preset: str = "fair",
    spans: str = "",
    by: Sequence[str] = (),
    facts: KbFacts | None = None,
    current: Callable[[str], tuple[str, ...]] | None = None,
    without: Collection[str] = (),
) -> Counts:
    """Score predicted mentions and entities. Both ways of handling NIL are counted at once.

    `by` (`type`, `mention-kind`) also counts groups, as `type=…_tp` and so on. `current` says what an id is
    called now, as a knowledge base knows it. Documents are read once and in their order, `without` some of them;
    predictions may come in any, and may be given as the Parquet file of a run.
    """
    chosen = named(preset, spans)
    for grouping in by:
        if grouping not in GROUPINGS or chosen.rules == "gerbil":
            raise UsageError(f"cannot count by {grouping!r} with preset {preset!r}; "
                             f"{near_miss(grouping, list(GROUPINGS))}")  # fmt: skip
    facts = facts or KbFacts()
    has_nil = has_candidates = False
    found = []
    for part in document_batches(documents, predictions, literal=chosen.rules == "elevant", current=current,
                                 without=without):  # fmt: skip
        if chosen.rules == "gerbil":
            counts_ = gerbil.count_as_gerbil(part, chosen.spans)
        else:
            cases = judge(part, facts, as_elevant=chosen.rules == "elevant", spans=chosen.spans)
            has_nil = has_nil or bool(cases.unknown.any())
            has_candidates = has_candidates or categories.has_candidates(part, cases)
            counts_ = _count(part, cases, facts, by)
        names = [d.id for d in part.documents]
        found.append(Counts.gather(names, chain(counts_, document_level.count_document_ids(part))))
    counts = Counts.join(found, empty=1.0 if chosen.rules == "gerbil" else 0.0)
    values = dict(counts.values)
    for name in [name for name in values if name.endswith(categories.NO_NIL)]:
        value = values.pop(name)
        if not has_nil:
            values[name.removesuffix(categories.NO_NIL)] = value
    left_out = () if has_candidates else categories.CANDIDATES
    return replace(counts, values={name: value for name, value in values.items() if name not in left_out})


def recognised(documents: Iterable[Document], predictions: Iterable[Prediction], spans: str = "exact") -> set[str]:
    """Ids of the mentions that predictions recognise, as the scope `recognised(RUN)` has them (SPAN-6, SETS-10).

    A prediction that names its mention is of that one; others are of those on whose spans they stand, answer or not.
    """
    found: set[str] = set()
    chosen = named("fair", spans)
    predictions = list(predictions)
    names = {p.mention for p in predictions if p.mention}
    placed = [p if any(p.groups) else replace(p, nil=True) for p in predictions if not p.mention]
    for part in document_batches(documents, placed):
        found |= names.intersection(part.labels.ids[row] for row in np.flatnonzero(part.labels.root).tolist())
        aligned, _ = align(part, chosen.spans, kinds_of(part.codes, KbFacts()))
        found.update(part.labels.ids[row] for row in np.flatnonzero((aligned >= 0) & part.labels.root).tolist())
    return found


def _count(
    part: DocumentBatch, cases: Cases, facts: KbFacts, by: Sequence[str]
) -> Iterator[tuple[int, str, np.ndarray]]:
    sorts = categories.DisambiguationCategories(part, cases, facts)
    grouped = [group for grouping in by for group in case_groups_of(grouping, part, cases, facts)]
    for mode in range(len(MODES)):
        for name, kept in cases_by_count(part, cases, facts, mode, sorts, grouped):
            yield mode, name, np.bincount(cases.document[kept], minlength=len(part.documents))


def cases_by_count(
    part: DocumentBatch,
    cases: Cases,
    facts: KbFacts,
    mode: int,
    sorts: categories.DisambiguationCategories,
    grouped: Sequence[tuple[str, np.ndarray, np.ndarray]] = (),
) -> Iterator[tuple[str, np.ndarray]]:
    """Every count by its name, and which cases it counts, each once."""
    labelled = cases.root | (cases.label < 0)
    yield from _outcomes(cases, mode, grouped)
    for source in (
        categories.ner_false_negatives(cases, labelled, mode),
        categories.ner_false_positives(part, cases, labelled, mode, kinds_of(part.codes, facts)),
        categories.disambiguation(part, cases, labelled, mode, sorts),
    ):
        for name, kept in source:
            yield name, kept & (cases.factor > 0)


def _outcomes(
    cases: Cases, mode: int, grouped: Sequence[tuple[str, np.ndarray, np.ndarray]]
) -> Iterator[tuple[str, np.ndarray]]:
    """True positives and false negatives at roots, false positives at every case that weighs something."""
    entity = ~cases.coreference  # E2E-5
    linking = [("all", np.ones_like(entity), np.ones_like(entity)), ("entity", entity, entity), *grouped]
    for task, kept in ((LINKING, linking), (NER, [("ner", entity, entity)])):
        found = cases.outcomes[mode, task]
        for group, gold, predicted in kept:
            yield f"{group}_tp", gold & cases.root & (found & TP > 0)
            yield f"{group}_fp", predicted & (cases.factor > 0) & (found & FP > 0)
            yield f"{group}_fn", gold & cases.root & (found & FN > 0)
