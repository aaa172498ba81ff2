"""Examples of end-to-end errors: for each category some cases in their text, with gold and answer.

What counts as what is decided in `scoring.endtoend`; here its cases are only looked up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkassay.kbs.stored import Kb
from linkassay.reporting.context import Piece, clip
from linkassay.runs import Run
from linkassay.scoring.endtoend import categories
from linkassay.scoring.endtoend.cases import Cases, judge, kinds_of
from linkassay.scoring.endtoend.columns import Part
from linkassay.scoring.endtoend.knowledge import Knowledge
from linkassay.scoring.endtoend.matrix import MODES
from linkassay.scoring.endtoend.parts import parts
from linkassay.scoring.endtoend.runs import known_of

__all__ = ["Case", "examples"]

REACH = 60  # characters shown on either side


@dataclass(frozen=True)
class Case:
    """One error in its text."""

    document: str
    context: list[Piece]
    gold: tuple[str, ...]
    said: tuple[str, ...]


def examples(run: Run, kb: Kb | None, each: int, nil: str = "ignored") -> dict[str, list[Case]]:
    """Category → the first cases of it, at most `each`; under the preset `fair`."""
    corpus = run.open_corpus()
    knowledge = known_of(kb, run, corpus) if kb else Knowledge()
    found: dict[str, list[Case]] = {}
    has_nil = False
    predictions = run.path / "predictions.parquet"
    for part in parts(corpus[run.split], predictions, current=kb.current if kb else None):
        cases = judge(part, knowledge, as_elevant=False)
        has_nil = has_nil or bool(cases.unknown.any())
        labelled, mode = cases.root | (cases.label < 0), MODES.index(nil)
        kinds, sorts = kinds_of(part.codes, knowledge), categories.Sorts(part, cases, knowledge)
        for counted in (
            categories.ner_false_negatives(cases, labelled, mode),
            categories.ner_false_positives(part, cases, labelled, mode, kinds),
            categories.disambiguation(part, cases, labelled, mode, sorts),
        ):
            for name, kept in counted:
                mine = found.setdefault(name, [])
                for row in np.flatnonzero(kept & (cases.factor > 0))[: each - len(mine)].tolist():
                    mine.append(_case(part, cases, row))
    for name in [name for name in found if name.endswith(categories.NO_NIL)]:
        shown = found.pop(name)
        if not has_nil:
            found[name.removesuffix(categories.NO_NIL)] = shown
    return {name.removesuffix("_errors"): shown for name, shown in found.items() if name.endswith("_errors") and shown}


def _case(part: Part, cases: Cases, row: int) -> Case:
    document = part.documents[int(cases.document[row])]
    offset = int(part.ruler.offsets[cases.document[row]])
    start, end = int(cases.start[row]) - offset, int(cases.end[row]) - offset
    text = document.text
    before, after = text[max(0, start - REACH) : start], text[end : end + REACH]
    pieces = [("…" + before if start > REACH else before, False), (clip(text[start:end]), True),
              (after + "…" if end + REACH < len(text) else after, False)]  # fmt: skip
    gold = _ids(part, int(part.labels.entity[cases.label[row]])) if cases.label[row] >= 0 else ()
    said = _ids(part, int(part.answers.entity[cases.answer[row]])) if cases.answer[row] >= 0 else ()
    return Case(document.id, [piece for piece in pieces if piece[0]], gold, said)


def _ids(part: Part, code: int) -> tuple[str, ...]:
    return tuple(sorted(part.codes.sets[code])) if code >= 0 else ("NIL",)
