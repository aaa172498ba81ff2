"""The whole of it: documents and predictions in, additive counts for each document out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from linkassay.model import Document, Prediction
from linkassay.scoring.endtoend import categories, gerbil
from linkassay.scoring.endtoend import documents as document_level
from linkassay.scoring.endtoend.cases import Cases, judge, kinds_of
from linkassay.scoring.endtoend.columns import Part, parts
from linkassay.scoring.endtoend.knowledge import Knowledge
from linkassay.scoring.endtoend.matrix import FN, FP, LINKING, MODES, NER, TP
from linkassay.scoring.endtoend.measures import Counts
from linkassay.scoring.endtoend.presets import preset as named

__all__ = ["evaluate"]


def evaluate(
    documents: Iterable[Document],
    predictions: Iterable[Prediction],
    *,
    preset: str = "fair",
    spans: str = "",
    knowledge: Knowledge | None = None,
) -> Counts:
    """Score predicted mentions and entities. Both ways of handling NIL are counted at once.

    Documents are read once and in their order; predictions may come in any.
    """
    chosen = named(preset, spans)
    knowledge = knowledge or Knowledge()
    has_nil = False
    found = []
    for part in parts(documents, predictions, literal=chosen.rules == "elevant"):
        if chosen.rules == "gerbil":
            counted = gerbil.count(part, chosen.spans)
        else:
            cases = judge(part, knowledge, as_elevant=chosen.rules == "elevant", spans=chosen.spans)
            has_nil = has_nil or bool(cases.unknown.any())
            counted = _count(part, cases, knowledge)
        names = [d.id for d in part.documents]
        found.append(Counts.gather(names, chain(counted, document_level.count(part))))
    counts = Counts.join(found, empty=1.0 if chosen.rules == "gerbil" else 0.0)
    values = dict(counts.values)
    for name in [name for name in values if name.endswith(categories.NO_NIL)]:
        value = values.pop(name)
        if not has_nil:
            values[name.removesuffix(categories.NO_NIL)] = value
    return replace(counts, values=values)


def _count(part: Part, cases: Cases, knowledge: Knowledge) -> Iterator[tuple[int, str, np.ndarray]]:
    size = len(part.documents)
    labelled = cases.root | (cases.label < 0)
    kinds = kinds_of(part.codes, knowledge)
    sorts = categories.Sorts(part, cases, knowledge)
    for mode in range(len(MODES)):
        for name, kept in _outcomes(cases, mode):
            yield mode, name, np.bincount(cases.document[kept], minlength=size)
        for source in (
            categories.ner_false_negatives(cases, labelled, mode),
            categories.ner_false_positives(part, cases, labelled, mode, kinds),
            categories.disambiguation(part, cases, labelled, mode, sorts),
        ):
            for name, kept in source:
                yield mode, name, np.bincount(cases.document[kept & (cases.factor > 0)], minlength=size)


def _outcomes(cases: Cases, mode: int) -> Iterator[tuple[str, np.ndarray]]:
    """True positives and false negatives at roots, false positives at every case that weighs something."""
    entity = ~cases.coreference
    for task, groups in ((LINKING, {"all": np.ones_like(entity), "entity": entity}), (NER, {"ner": entity})):
        found = cases.outcomes[mode, task]
        for group, kept in groups.items():
            yield f"{group}_tp", kept & cases.root & (found & TP > 0)
            yield f"{group}_fp", kept & (cases.factor > 0) & (found & FP > 0)
            yield f"{group}_fn", kept & cases.root & (found & FN > 0)
