"""What compiled loops are given, and many questions shared out to threads. Import it late, as `machine_code`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from linkassay.machine_code import inner
from linkassay.store import Texts

Result = TypeVar("Result")

#: Questions that one call of a loop answers: enough to forget the cost of the call, few enough to share out evenly.
_AT_ONCE = 64


@inner
def with_room(values: Any) -> Any:
    """The same array with as much room again."""
    found = np.empty(2 * len(values), values.dtype)
    for at in range(len(values)):
        found[at] = values[at]
    return found


def shared_out(answer: Callable[[Sequence[str]], list[Result]], texts: Sequence[str]) -> list[Result]:
    """The answers to all texts in their order, by as many threads as there are processors to run on."""
    parts = [texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE)]
    threads = min(len(parts), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    if threads < 2:
        return [result for part in parts for result in answer(part)]
    with ThreadPoolExecutor(threads) as pool:
        return [result for part in pool.map(answer, parts) for result in part]


def letters(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The code points of all texts, one text after another, and where each begins (and the last ends)."""
    if isinstance(texts, Texts):
        return texts.points()
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=starts[1:])
    return points, starts


def utf8(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The bytes of all texts, one text after another, and where each begins (and the last ends)."""
    if isinstance(texts, Texts):
        letters = texts.letters.view()
        letters.flags.writeable = False  # as those below: loops are compiled anew for what can be written
        return letters, texts.starts
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    starts = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=starts[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), starts
