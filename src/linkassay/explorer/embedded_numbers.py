"""Texts that a page holds once, and the numbers that stand for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa


class Words(dict[str, int]):
    """Texts by their numbers, a new one for each that is new."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


class IdNumbers(Words):
    """Numbers of ids."""

    def of_arrow(self, known: pa.Array, codes: Any) -> Any:
        """Numbers for codes that stand for Arrow texts; only those that occur get one."""
        used = np.unique(codes)
        place = np.zeros(len(known), dtype=np.int64)
        place[used] = [self[each] for each in known.take(pa.array(used)).to_pylist()]
        return place[codes]

    def of(self, ids: Iterable[str]) -> list[int]:
        """Numbers of some ids."""
        return [self[each] for each in ids]
