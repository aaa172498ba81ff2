"""An index of names by character 3-grams: the names nearest to a text by TF-IDF cosine, exactly.

For candidates and for the `tfidf` linker. It knows names by number and nothing of entities.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.store import MappedFolder

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]

#: Names whose scores are summed up together: as many as a processor's nearest cache holds, a multiple of 64 (a chunk).
_BLOCK = 8_192
#: From which highest count on names are not told apart by it.
_OFTEN = 3
#: Sums of what a name and a text share stay below it, as no product is larger than the name is long.
_LARGEST = 1 << 29
#: What an index is made of, in the order in which the search takes it.
_ARRAYS = ("table", "idf", "begins", "grams", "norms", "order", "blocks", "evened", "shortest", "lists", "listed")


class NgramIndex:
    """Names as unit vectors of weighted 3-grams: `1 + ln((1 + n) / (1 + names with it))` times its count.

    A long name can be near to a short text only if it repeats itself. So names are searched in blocks of those whose
    highest count is the same, from short to long ones by length over the highest count ("evened").
    """

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        """By what `of` made, or what was stored of that."""
        self._arrays = arrays
        self.size = len(arrays["order"])
        self._everything = np.ones(self.size, dtype=bool), np.arange(self.size, dtype=np.int32)
        self._scratch: list[tuple[Floats, Integers]] = []  # of searches that are over, for the next

    @classmethod
    def of(cls, names: Sequence[str]) -> NgramIndex:
        """An index of these names."""
        from linkassay.linkers.compiled import utf8
        from linkassay.linkers.strings import cosine_loops

        size = len(names)
        table, begins, grams = cosine_loops.read(*utf8(names))
        spread, lists = cosine_loops.spread(begins, grams, int(table[:, 1].max()) + 1)
        idf = np.log((1 + size) / (1 + spread)) + 1
        norms, most = cosine_loops.lengths(begins, grams, idf)
        kind = np.minimum(most, _OFTEN)
        order = np.lexsort((norms / most, kind)).astype(np.int32)
        edges = np.searchsorted(kind[order], range(1, _OFTEN + 2)).tolist()
        blocks = np.concatenate([*(np.arange(*pair, _BLOCK) for pair in pairwise(edges)), [size]])
        evened = (norms / most)[order[blocks[:-1]]]
        shortest = evened * kind[order[blocks[:-1]]]
        begins, grams = cosine_loops.moved(begins, grams, order)  # those before are let go
        listed = cosine_loops.inverted(begins, grams, lists)
        made = (table, idf, begins, grams, norms[order], order, blocks, evened, shortest, lists, listed)
        return cls(dict(zip(_ARRAYS, made, strict=True)))

    def store(self, files: MappedFolder) -> None:
        """Write the index."""
        files.put_arrays(self._arrays)

    @classmethod
    def opened(cls, files: MappedFolder) -> NgramIndex:
        """The index that was written."""
        found = cls(files.arrays(_ARRAYS))
        found.near("a", 1)  # the loops are loaded now, so that the first question takes no longer than others
        return found

    @cached_property
    def _index(self) -> Any:
        """All that the search is given of the index."""
        scale = _LARGEST / self._arrays["norms"].max(initial=1.0)
        *first, lists, listed = (self._arrays[name] for name in _ARRAYS)
        return (self.size, *first, scale, lists, listed)

    def nearest(self, text: str, top: int, allowed: NDArray[np.bool_] | None = None) -> tuple[Integers, Floats]:
        """The `top` nearest names (all those tied with the last included) and their cosines, best first."""
        [(names, scores)] = self.nearest_of([text], top, allowed)
        if len(names) > top:
            kept = int(np.searchsorted(-scores, -scores[top - 1], side="right"))
            names, scores = names[:kept], scores[:kept]
        return names, scores

    def near(self, text: str, top: int) -> tuple[Integers, Floats]:
        """The `top` nearest names and their cosines, best first; of those tied with the last the first ones."""
        names, scores = self.nearest(text, top)
        return names[:top], scores[:top]

    def nearest_of(
        self, texts: Sequence[str], top: int, allowed: NDArray[np.bool_] | None = None, owner: Integers | None = None
    ) -> list[tuple[Integers, Floats]]:
        """For each text its nearest names and their cosines, best first; no nearer name is passed over.

        They are enough for `top` different scores of names with different owners (each its own if not said), if there
        are so many.
        """
        from linkassay.linkers.compiled import letters, shared_out
        from linkassay.linkers.strings import cosine_loops

        every, each = self._everything
        chosen = every if allowed is None else allowed[self._arrays["order"]]

        def answer(part: Sequence[str]) -> list[tuple[Integers, Floats]]:
            scratch = self._scratch.pop() if self._scratch else self._blank()
            question: Any = (*letters(part), top, *self._index, chosen, each if owner is None else owner, *scratch)
            first, names, scores = cosine_loops.nearest(*question)
            self._scratch.append(scratch)
            text = np.repeat(np.arange(len(part)), np.diff(first))
            order = np.lexsort((names, -scores, text))
            names, scores = names[order], scores[order]
            return [(names[first[n] : first[n + 1]], scores[first[n] : first[n + 1]]) for n in range(len(part))]

        return shared_out(answer, texts)

    def weight(self, gram: str) -> float:
        """How rare a 3-gram is: what each of its occurrences in a name weighs."""
        from linkassay.linkers.strings.cosine_loops import gram_number

        table, idf = self._index[1:3]
        number = gram_number(table, np.array(list(map(ord, gram)), dtype=np.int64))
        return float(idf[number] if number >= 0 else np.log(1 + self.size) + 1)

    def _blank(self) -> tuple[Floats, Integers]:
        return np.zeros(len(self._arrays["idf"])), np.zeros(_BLOCK, dtype=np.int32)
