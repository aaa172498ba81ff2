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
from linkassay.linkers.entity_types import TYPED
from linkassay.linkers.protocol import Answer, Capabilities, Query
from linkassay.model import Document

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]


class Ratios:
    """Distinct texts, of which `best` finds the nearest."""

    def __init__(self, texts: Sequence[str]) -> None:
        from linkassay.linkers.compiled import letters
        from linkassay.linkers.strings import subsequence_loops

        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        self._order = np.argsort(lengths, kind="stable")
        points, starts = letters([texts[n] for n in self._order])
        self._alphabet, own = np.unique(points, return_inverse=True)
        own = (own + 1).astype(np.min_scalar_type(len(self._alphabet) + 1))  # 0 is a letter of no text
        usage = subsequence_loops.usage(own, starts, len(self._alphabet) + 1)
        bits = np.full(usage.shape, -1, dtype=np.int64)
        used = np.argsort(-usage, axis=None, kind="stable")[: subsequence_loops.BITS]
        bits.ravel()[used[usage.ravel()[used] > 0]] = np.arange(np.count_nonzero(usage.ravel()[used]))
        by_length = np.searchsorted(lengths[self._order], np.arange(int(lengths.max(initial=0)) + 2))
        self._starts = starts
        self._index = own, starts, by_length, subsequence_loops.signatures(own, starts, bits), bits
        self._scratch: list[Integers] = []  # of searches that are over, for the next
        self.best("a", 1)  # the loops are compiled now, so that the first question takes no longer than others

    def best(self, text: str, top: int) -> tuple[Integers, Floats]:
        """The `top` nearest texts (all those tied with the last included) and their ratios from 0 to 1, best first."""
        return self.best_of([text], top)[0]

    def best_of(self, texts: Sequence[str], top: int) -> list[tuple[Integers, Floats]]:
        """For each text what `best` gives."""
        from linkassay.linkers.compiled import letters, shared_out
        from linkassay.linkers.strings import subsequence_loops

        def answer(part: Sequence[str]) -> list[tuple[Integers, Floats]]:
            points, begins = letters(part)
            place = np.searchsorted(self._alphabet, points)
            known = np.append(self._alphabet, 0)[place] == points
            scratch = self._scratch.pop() if self._scratch else np.empty(len(self._order), dtype=np.int32)
            first, names, common = subsequence_loops.best(
                np.where(known & (place < len(self._alphabet)), place + 1, 0), begins, top, *self._index, scratch
            )
            self._scratch.append(scratch)
            text = np.repeat(np.arange(len(part)), np.diff(first))
            ratios = 2 * common / (np.diff(self._starts)[names] + np.diff(begins)[text])
            names = self._order[names]
            order = np.lexsort((names, -ratios, text))
            names, ratios = names[order], ratios[order]
            return [(names[first[n] : first[n + 1]], ratios[first[n] : first[n + 1]]) for n in range(len(part))]

        return shared_out(answer, texts)


class Fuzzy:
    """Entities by their name with the best ratio; case does not matter."""

    summary = "best edit-distance ratio over all names, exactly"
    capabilities = Capabilities(links=True)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Read the names; they are indexed for a type when it is first asked for."""
        self._rows = kb.sql(
            f"select distinct lower(n.name) as text, id, type from names n join {TYPED} using (id) order by text, id"
        )
        self._types = {row[2] for row in self._rows} - {""}
        self._of: dict[str, tuple[Ratios, list[list[str]]]] = {}
        self._index("")

    def _index(self, type_: str) -> tuple[Ratios, list[list[str]]]:
        """The names of a type, entities without a type among them; empty: all names."""
        if type_ not in self._of:
            texts: dict[str, list[str]] = {}
            for text, identifier, own in self._rows:
                if not type_ or own in ("", type_):
                    texts.setdefault(text, []).append(identifier)
            self._of[type_] = Ratios(list(texts)), list(texts.values())
        return self._of[type_]

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Entities by their best name; those at the same ratio are tied."""
        asked = [(query.text.lower(), query.type if query.type in self._types else "") for query in queries]
        known: dict[tuple[str, str], Answer] = {}
        for type_ in sorted({type_ for _, type_ in asked}):
            ratios, owners = self._index(type_)
            texts = list(dict.fromkeys(text for text, wanted in asked if wanted == type_))
            for text, found in zip(texts, ratios.best_of(texts, top), strict=True):
                known[text, type_] = _ranked(*found, owners, top)
        return [known[question] for question in asked]


def _ranked(names: Integers, scores: Floats, owners: Sequence[Sequence[str]], top: int) -> Answer:
    ranked: dict[float, list[str]] = {}
    seen: set[str] = set()
    for name, score in zip(names.tolist(), scores.tolist(), strict=True):
        fresh = [identifier for identifier in owners[name] if identifier not in seen]
        seen.update(fresh)
        if fresh and (len(ranked) < top or score in ranked):
            ranked.setdefault(score, []).extend(fresh)
    return [(tuple(sorted(ids)), score) for score, ids in ranked.items()]
