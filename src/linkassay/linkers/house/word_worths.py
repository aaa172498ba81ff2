"""A table of words that may stand for words, each with how much it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.kbs import NodeLists
from linkassay.store import MappedFolder, TextNumbers, Texts


class WordWorths:
    """Of each word in it the others by number, and what they are worth."""

    def __init__(self, words: TextNumbers, others: NodeLists, worths: NDArray[np.floating[Any]]) -> None:
        self._words, self._others, self._worths = words, others, worths

    @classmethod
    def of(cls, table: Mapping[str, Mapping[str, float]]) -> WordWorths:
        """From a dictionary of dictionaries."""
        number = {
            word: n for n, word in enumerate(dict.fromkeys([*table, *(o for row in table.values() for o in row)]))
        }
        starts = np.zeros(len(number) + 1, dtype=np.int32)
        starts[1 : len(table) + 1] = np.cumsum([len(row) for row in table.values()])
        starts[len(table) + 1 :] = starts[len(table)]
        others = np.array([number[other] for row in table.values() for other in row], dtype=np.int32)
        worths = np.array([worth for row in table.values() for worth in row.values()], dtype=np.float64)
        return cls(TextNumbers.of(Texts.of(number)), NodeLists.joined(starts, others), worths)

    def store(self, files: MappedFolder) -> None:
        """Write the table."""
        files.put_numbers("words", self._words)
        self._others.store(files.part("others"))
        files.put_array("worths", self._worths)

    @classmethod
    def opened(cls, files: MappedFolder) -> WordWorths:
        """The table that was written."""
        return cls(files.numbers("words"), NodeLists.opened(files.part("others")), files.array("worths"))

    def of_word(self, word: str) -> dict[str, float]:
        """What may stand for a word."""
        number = self._words.get(word)
        if number is None:
            return {}
        begin, end = self._others.starts[number : number + 2]
        others = (self._words.texts[other] for other in self._others.members[begin:end].tolist())
        return dict(zip(others, self._worths[begin:end].tolist(), strict=True))
