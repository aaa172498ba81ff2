"""The decision matrix: what a gold annotation and a prediction on the same span count for (MATRIX-1 to MATRIX-4).

One table, to be held beside MATRIX-1. Nothing here knows of spans, trees or documents.
"""

from __future__ import annotations

from typing import Final

import numpy as np

#: Outcomes are sets of bits.
TP, FP, FN = 1, 2, 4
#: What is judged.
LINKING, NER = 0, 1
#: How NIL is handled (MATRIX-3), by the names that users write.
IGNORED, REQUIRED = 0, 1
MODES: Final = ("ignored", "required")
#: What the gold annotation is. A quantity or datetime is as an optional entity: it is the same if of the same kind.
NOTHING, ENTITY, NIL, OPTIONAL, OPTIONAL_NIL = range(5)
#: What the prediction is: nothing, the same entity, another one, the answer "not in the KB".
SAME, OTHER, PREDICTED_NIL = 1, 2, 3

_GOLD = {"–": NOTHING, "entity": ENTITY, "NIL": NIL, "optional": OPTIONAL, "optional NIL": OPTIONAL_NIL}
_PREDICTION = {"–": NOTHING, "same": SAME, "other": OTHER, "NIL": PREDICTED_NIL}

#: MATRIX-1: gold | prediction | linking | NER, with `a ⟂ b` = NIL ignored ⟂ NIL required and ∅ = counts nothing.
#: A wrong entity costs twice (MATRIX-2).
_TABLE: Final = """
–            | other | FP         | FP
–            | NIL   | ∅ ⟂ FP     | ∅ ⟂ FP
entity       | –     | FN         | FN
NIL          | –     | ∅ ⟂ FN     | ∅ ⟂ FN
entity       | same  | TP         | TP
entity       | other | FN+FP      | TP
entity       | NIL   | FN ⟂ FN+FP | FN ⟂ TP
NIL          | other | FP ⟂ FN+FP | FP ⟂ TP
NIL          | NIL   | ∅ ⟂ TP     | ∅ ⟂ TP
optional     | –     | ∅          | ∅
optional     | same  | ∅          | ∅
optional     | other | FP         | ∅
optional     | NIL   | ∅ ⟂ FP     | ∅
optional NIL | –     | ∅          | ∅
optional NIL | other | FP         | FP ⟂ ∅
optional NIL | NIL   | ∅          | ∅
"""


def _matrix() -> np.ndarray:
    bits = {"∅": 0, "TP": TP, "FP": FP, "FN": FN, "FN+FP": FN | FP}
    found = np.zeros((2, 2, len(_GOLD), len(_PREDICTION)), dtype=np.uint8)
    for line in _TABLE.strip().splitlines():
        gold, prediction, *cells = (cell.strip() for cell in line.split("|"))
        for task, cell in enumerate(cells):
            ignored, _, required = cell.partition(" ⟂ ")
            for mode, outcome in ((IGNORED, ignored), (REQUIRED, required or ignored)):
                found[mode, task, _GOLD[gold], _PREDICTION[prediction]] = bits[outcome]
    found.setflags(write=False)
    return found


#: Outcome by NIL handling, task, gold and prediction.
MATRIX: Final = _matrix()
