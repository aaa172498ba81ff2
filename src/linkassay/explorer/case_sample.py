"""A reproducible choice of end-to-end cases: some of each count, then any."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from linkassay.explorer.case_columns import CaseColumns
from linkassay.explorer.case_words import COUNTS

EACH = 20  # cases of each count that a sample has before it takes any other


def sampled_cases(cases: CaseColumns, mode: int, limit: int) -> Any:
    """The rows of a sample of at most so many cases of a NIL mode."""
    bits = cases.bits[mode]
    rows = np.flatnonzero(bits >= 0)
    # The hash of its id, not chance, orders the cases: the same runs give the same page.
    names = [hashlib.sha256(each.encode()).digest() for each in cases.ids.take(rows).to_pylist()]
    order = rows[sorted(range(len(rows)), key=names.__getitem__)]
    of_each = [order[bits[order] >> bit & 1 > 0] for bit in range(len(COUNTS))]
    rarest = sorted((each for each in of_each if len(each)), key=len)
    taken = dict.fromkeys([row for each in rarest for row in each[:EACH].tolist()] + order.tolist())
    return np.sort(np.array(list(taken)[:limit], dtype=np.int64))
