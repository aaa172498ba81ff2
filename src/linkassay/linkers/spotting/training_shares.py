"""What training says of patterns: how often each was a mention, of what, and how often the like of it was."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkassay.store import MappedFolder, Texts

#: What patterns are alike in: type, category, whether it is one word, whether its case matters.
Sort: TypeAlias = tuple[str, str, bool, bool]

#: The patterns, sorted; of each how often it was a mention, how often it was met, the number of the type that it had
#: most often (-1: none), and where its entities begin; of these the ids' numbers, and how often each was meant.
_ARRAYS = ("pattern", "mentions", "met", "type", "starts", "entity", "times")


@dataclass
class PatternCounts:
    """What was counted of one pattern."""

    mentions: int = 0
    met: int = 0
    types: Counter[str] = field(default_factory=Counter)
    ids: Counter[str] = field(default_factory=Counter)

    @property
    def usual_type(self) -> str | None:
        """The type that it had most often, the first by name of several."""
        return max(sorted(self.types), key=lambda type_: self.types[type_]) if self.types else None


class TrainingShares:
    """Counts by pattern, and the share of mentions by sort."""

    def __init__(self, texts: dict[str, Texts], arrays: dict[str, NDArray[Any]], sorts: dict[Sort, float]) -> None:
        """By what `of` made, or what was stored of that."""
        self._texts, self._arrays = texts, arrays
        self.sorts = sorts
        self._ids, self._types = texts["ids"], texts["types"]
        self._pattern, self._mentions, self._met, self._type, self._starts, self._entity, self._times = (
            arrays[name].data for name in _ARRAYS
        )

    @classmethod
    def of(cls, counted: Mapping[int, PatternCounts], sorts: dict[Sort, float]) -> TrainingShares:
        """By what was counted."""
        patterns = sorted(counted)
        counts = [counted[pattern] for pattern in patterns]
        ids = {each: n for n, each in enumerate(sorted({each for one in counts for each in one.ids}))}
        types = {each: n for n, each in enumerate(sorted({each for one in counts for each in one.types}))}
        columns: tuple[list[int], ...] = (
            patterns, [one.mentions for one in counts], [one.met for one in counts],
            [-1 if one.usual_type is None else types[one.usual_type] for one in counts],
            list(accumulate((len(one.ids) for one in counts), initial=0)),
            [ids[each] for one in counts for each in one.ids], [n for one in counts for n in one.ids.values()],
        )  # fmt: skip
        arrays = {name: np.array(column, dtype=np.int32) for name, column in zip(_ARRAYS, columns, strict=True)}
        return cls({"ids": Texts.of(ids), "types": Texts.of(types)}, arrays, sorts)

    def store(self, files: MappedFolder) -> None:
        """Write the counts."""
        for name, texts in self._texts.items():
            files.put_texts(name, texts)
        files.put_arrays(self._arrays)
        files.put_record("sorts", [[*sort, share] for sort, share in self.sorts.items()])

    @classmethod
    def opened(cls, files: MappedFolder) -> TrainingShares:
        """What was written."""
        sorts = {(type_, category, one, case): share for type_, category, one, case, share in files.record("sorts")}
        texts = {name: files.texts(name) for name in ("ids", "types")}
        return cls(texts, files.arrays(_ARRAYS), sorts)

    def _at(self, pattern: int) -> int:
        at = bisect_left(self._pattern, pattern)
        return at if at < len(self._pattern) and self._pattern[at] == pattern else -1

    def counts(self, pattern: int) -> tuple[int, int]:
        """How often a pattern was a mention, and how often it was met."""
        at = self._at(pattern)
        return (self._mentions[at], self._met[at]) if at >= 0 else (0, 0)

    def meant(self, pattern: int) -> Iterator[tuple[str, int]]:
        """The entities that a pattern was a mention of, and how often."""
        at = self._at(pattern)
        for n in range(self._starts[at], self._starts[at + 1]) if at >= 0 else ():
            yield self._ids[self._entity[n]], self._times[n]

    def type_of(self, pattern: int) -> str | None:
        """The type that mentions of a pattern had most often; None if it never was one."""
        at = self._at(pattern)
        return self._types[self._type[at]] if at >= 0 and self._type[at] >= 0 else None
