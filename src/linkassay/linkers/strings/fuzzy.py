"""Edit distance: the names with the best `rapidfuzz.fuzz.ratio`, exactly, over all names (LINKER-4).

The ratio is twice the longest common subsequence over the summed lengths (indel distance), which BELB states. No name
that could win is passed over: two bounds (lengths, letters in common) leave few names to be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.kbs import Kb
from linkassay.linkers.protocol import Answer, Capabilities, Query
from linkassay.linkers.strings.named_entities import NamedEntities
from linkassay.model import Document
from linkassay.store import MappedFolder

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]

#: What the search takes of an index, in this order, and what else it is made of.
_SEARCHED = ("letters", "starts", "by_length", "marks", "bits")
_ARRAYS = (*_SEARCHED, "order", "alphabet")


class Ratios:
    """Distinct texts, of which `best` finds the nearest."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        """By what `of` made, or what was stored of that."""
        self._arrays = arrays
        self._order, self._alphabet = arrays["order"], arrays["alphabet"]
        self._lengths: Integers = np.diff(arrays["starts"])
        self._everything = np.ones(len(self._order), dtype=bool)
        self._scratch: list[Integers] = []  # of searches that are over, for the next

    @classmethod
    def of(cls, texts: Sequence[str]) -> Ratios:
        """An index of these texts."""
        from linkassay.linkers.compiled import letters
        from linkassay.linkers.strings import subsequence_loops

        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        order = np.argsort(lengths, kind="stable")
        points, starts = letters([texts[n] for n in order.tolist()])
        alphabet, own = np.unique(points, return_inverse=True)
        own = (own + 1).astype(np.min_scalar_type(len(alphabet) + 1))  # 0 is a letter of no text
        usage = subsequence_loops.usage(own, starts, len(alphabet) + 1)
        bits = np.full(usage.shape, -1, dtype=np.int64)
        used = np.argsort(-usage, axis=None, kind="stable")[: subsequence_loops.BITS]
        bits.ravel()[used[usage.ravel()[used] > 0]] = np.arange(np.count_nonzero(usage.ravel()[used]))
        by_length = np.searchsorted(lengths[order], np.arange(int(lengths.max(initial=0)) + 2))
        marks = subsequence_loops.signatures(own, starts, bits)
        found = (own, starts, by_length, marks, bits, order.astype(np.int32), alphabet)
        return cls(dict(zip(_ARRAYS, found, strict=True)))

    def store(self, files: MappedFolder) -> None:
        """Write the index."""
        files.put_arrays(self._arrays)

    @classmethod
    def opened(cls, files: MappedFolder) -> Ratios:
        """The index that was written."""
        found = cls(files.arrays(_ARRAYS))
        found.best("a", 1)  # the loops are loaded now, so that the first question takes no longer than others
        return found

    def best(self, text: str, top: int) -> tuple[Integers, Floats]:
        """The `top` nearest texts (all those tied with the last included) and their ratios from 0 to 1, best first."""
        return self.best_of([text], top)[0]

    def best_of(
        self, texts: Sequence[str], top: int, allowed: NDArray[np.bool_] | None = None
    ) -> list[tuple[Integers, Floats]]:
        """For each text what `best` gives; of those that are allowed, if that is said."""
        from linkassay.linkers.compiled import letters, shared_out
        from linkassay.linkers.strings import subsequence_loops

        chosen = self._everything if allowed is None else allowed[self._order]
        index = [self._arrays[name] for name in _SEARCHED]

        def answer(part: Sequence[str]) -> list[tuple[Integers, Floats]]:
            points, begins = letters(part)
            place = np.searchsorted(self._alphabet, points)
            known = np.append(self._alphabet, 0)[place] == points
            scratch = self._scratch.pop() if self._scratch else np.empty(len(self._order), dtype=np.int32)
            asked = np.where(known & (place < len(self._alphabet)), place + 1, 0)
            question: Any = (asked, begins, top, *index, chosen, scratch)
            first, names, common = subsequence_loops.best(*question)
            self._scratch.append(scratch)
            text = np.repeat(np.arange(len(part)), np.diff(first))
            ratios = 2 * common / (self._lengths[names] + np.diff(begins)[text])
            names = self._order[names]
            order = np.lexsort((names, -ratios, text))
            names, ratios = names[order], ratios[order]
            return [(names[first[n] : first[n + 1]], ratios[first[n] : first[n + 1]]) for n in range(len(part))]

        return shared_out(answer, texts)


class Fuzzy:
    """Entities by their name with the best ratio; case does not matter."""

    summary = "best edit-distance ratio over all names, exactly"
    capabilities = Capabilities(links=True, stores=True)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the distinct names."""
        self._entities = NamedEntities.of(kb, "select lower(name) as text, id from names order by text, id")
        self._ratios = Ratios.of(self._entities.texts)

    def store_index(self, files: MappedFolder) -> None:
        """Write names and entities."""
        self._entities.store(files)
        self._ratios.store(files.part("ratios"))

    def open_index(self, kb: Kb, files: MappedFolder) -> None:
        """Take them as they lie."""
        self._entities = NamedEntities.opened(files)
        self._ratios = Ratios.opened(files.part("ratios"))

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Entities by their best name; those at the same ratio are tied. Entities without a type may be of any."""
        asked = [(query.text.lower(), query.type if query.type in self._entities.types else "") for query in queries]
        known: dict[tuple[str, str], Answer] = {}
        for type_ in sorted({type_ for _, type_ in asked}):
            allowed = self._entities.named_by(type_) if type_ else None
            texts = list(dict.fromkeys(text for text, wanted in asked if wanted == type_))
            for text, found in zip(texts, self._ratios.best_of(texts, top, allowed), strict=True):
                known[text, type_] = self._entities.ranked(*found, type_)[:top]
        return [known[question] for question in asked]
