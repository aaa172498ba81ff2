"""Words of the text that is scored: what spurious mentions are counted against.

ELEVANT takes spaCy's tokenizer, which this one approaches (within half a percent on its benchmarks) and does not equal
(CAT-14).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from linkassay.model import Document
from linkassay.scoring.endtoend.mention_kinds import is_lower_cased

_ENDING = "(?:s|ll|re|ve|d|m)"
_WORD = re.compile(
    rf"[^\W_]+(?:[.,][^\W_]+|['’](?!{_ENDING}\b)[^\W_]+)*"  # also U.S, 3.14, O'Neill, don't
    rf"|(?<=\w)['’]{_ENDING}\b"  # 's
    r"|[$€£+=<>]"
)


def count_words(documents: Iterable[Document]) -> dict[str, np.ndarray]:
    """Words inside the evaluation spans of each document: all, lower-cased and others, by the names of their counts."""
    every, lower = [], []
    for document in documents:
        spans = document.evaluation_spans or ((0, len(document.text)),)
        found = [word for start, end in spans for word in _WORD.findall(document.text, start, end)]
        every.append(len(found))
        lower.append(sum(map(is_lower_cased, found)))
    words, low = (np.array(numbers, dtype=np.int64) for numbers in (every, lower))
    return {"ner_fp_all_total": words, "ner_fp_lowercased_total": low, "ner_fp_other_total": words - low}
