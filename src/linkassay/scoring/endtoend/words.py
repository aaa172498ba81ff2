"""Words of the text that is scored: what spurious mentions are counted against.

ELEVANT takes spaCy's tokenizer, which this one approaches (within half a percent on its benchmarks) and does not equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from linkassay.model import Document
from linkassay.scoring.endtoend.mentions import is_lower_cased

__all__ = ["count"]

_ENDING = "(?:s|ll|re|ve|d|m)"
_WORD = re.compile(
    rf"[^\W_]+(?:[.,][^\W_]+|['’](?!{_ENDING}\b)[^\W_]+)*"  # also U.S, 3.14, O'Neill, don't
    rf"|(?<=\w)['’]{_ENDING}\b"  # 's
    r"|[$€£+=<>]"
)


def count(documents: Iterable[Document]) -> dict[str, int]:
    """All words inside the evaluation spans, the lower-cased and the others, by the names of their counts."""
    words = lower = 0
    for document in documents:
        for start, end in document.evaluation_spans or ((0, len(document.text)),):
            found = _WORD.findall(document.text, start, end)
            words += len(found)
            lower += sum(map(is_lower_cased, found))
    return {
        "ner_fp_all_total": words, "ner_fp_lowercased_total": lower, "ner_fp_other_total": words - lower,
    }  # fmt: skip
