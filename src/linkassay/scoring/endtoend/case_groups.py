"""Groups of cases: by type of entity and by kind of mention (E2E-10, E2E-11)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from linkassay.model import types_of
from linkassay.scoring.endtoend.cases import Cases
from linkassay.scoring.endtoend.columns import NOT_IN_KB, DocumentBatch
from linkassay.scoring.endtoend.kb_facts import KbFacts
from linkassay.scoring.endtoend.mention_kinds import is_pronoun

GROUPINGS = ("type", "mention-kind")
MENTION_KINDS = ("named", "non-named", "unknown", "nominal", "pronominal")
_VALUES = ("QUANTITY", "DATETIME", "")
_CLASS = "wikidata:"


def case_groups_of(
    by: str, part: DocumentBatch, cases: Cases, facts: KbFacts
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """(name, cases whose gold belongs to it, cases whose prediction does). A case may be in several groups."""
    if by == "mention-kind":
        kinds = np.array([_kind(row, part, cases, facts) for row in range(len(cases.root))], dtype=np.int64)
        for number, name in enumerate(MENTION_KINDS):
            yield f"mention-kind={name}", kinds == number, kinds == number
        return
    gold: dict[str, list[int]] = defaultdict(list)
    predicted: dict[str, list[int]] = defaultdict(list)
    for row in np.flatnonzero(~cases.coreference).tolist():
        if cases.label[row] >= 0:
            for type_ in _types(types_of(part.labels.types[row])):
                gold[type_].append(row)
        if cases.answer[row] >= 0:
            for type_ in _predicted_types(part, int(cases.answer[row]), facts):
                predicted[type_].append(row)
    for type_ in sorted({*gold, *predicted}):
        yield f"type={type_}", _mask(gold[type_], cases), _mask(predicted[type_], cases)


def _predicted_types(part: DocumentBatch, answer: int, facts: KbFacts) -> list[str]:
    """The types of a prediction (E2E-10): those of its entity, whatever gold stands there, or what the system said.

    A type that is an entity itself, a class of Wikidata, says what the predicted one is; other knowledge bases have
    types of their own, so that there the system's word comes first.
    """
    code = int(part.answers.entity[answer])
    ids = part.codes.sets[code] if code >= 0 else frozenset()
    known = sorted({t for i in ids for t in facts.types.get(i, ())})
    if classes := [t.removeprefix(_CLASS) for t in known if t.startswith(_CLASS)]:
        return _types(classes)
    said = types_of(part.answers.types[part.answers.type[answer]])
    kinds = sorted({facts.kinds[i] for i in ids if i in facts.kinds})
    return _types(said if any(said) else kinds or known)


def _types(found: Sequence[str]) -> list[str]:
    return [t for t in found if t not in _VALUES] or ["OTHER"]


def _mask(rows: list[int], cases: Cases) -> np.ndarray:
    found = np.zeros(len(cases.root), dtype=bool)
    found[rows] = True
    return found


def _kind(row: int, part: DocumentBatch, cases: Cases, facts: KbFacts) -> int:
    text = cases.texts[row]
    if cases.coreference[row]:
        return 4 if is_pronoun(text) else 3
    code = part.labels.entity[row] if cases.label[row] >= 0 else part.answers.entity[cases.answer[row]]
    if code == NOT_IN_KB:
        return 2
    names = [facts.names.get(i, "Unknown") for i in sorted(part.codes.sets[code])] if code >= 0 else ["Unknown"]
    return 0 if next((c for c in names[0] if c.isalpha()), "a").isupper() else 1
