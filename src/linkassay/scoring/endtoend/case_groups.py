"""Groups of cases: by type of entity and by kind of mention (E2E-10, E2E-11)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from linkassay.scoring.endtoend.cases import Cases
from linkassay.scoring.endtoend.columns import NOT_IN_KB, DocumentBatch
from linkassay.scoring.endtoend.kb_facts import KbFacts
from linkassay.scoring.endtoend.mention_kinds import is_pronoun

GROUPINGS = ("type", "mention-kind")
MENTION_KINDS = ("named", "non-named", "unknown", "nominal", "pronominal")
_VALUES = ("QUANTITY", "DATETIME", "")


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
            for type_ in _types(part.labels.types[row].split("|")):
                gold[type_].append(row)
        if cases.answer[row] >= 0:
            code = int(part.answers.entity[cases.answer[row]])
            ids = part.codes.sets[code] if code >= 0 else frozenset()
            own = part.answers.types[part.answers.type[cases.answer[row]]]
            known = {t.removeprefix("wikidata:") for i in ids for t in facts.types.get(i, ())}
            for type_ in _types([own] if own else sorted(known)):
                predicted[type_].append(row)
    for type_ in sorted({*gold, *predicted}):
        yield f"type={type_}", _mask(gold[type_], cases), _mask(predicted[type_], cases)


def _types(found: list[str]) -> list[str]:
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
