"""All pairs of texts whose indel ratio is over a threshold, exactly, by an index of letter pairs; never all pairs.

Two texts of S letters together are over a threshold t only if L letters or more match in order, L the first whole
number above tS/2. Put a mark before and after each text: L + 1 neighbours among matched letters remain, of which each
unmatched letter parts at most one, so 3L + 1 - S pairs of letters or more are common. Hence two such texts have one in
common among all but the 3L - S most frequent of each (prefix filtering). What is found is verified by RapidFuzz.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import cpdist

Integers = NDArray[np.integer[Any]]

#: Texts whose partners are looked for at once: bounds the memory of candidates that are not verified yet.
CHUNK = 1_000
#: Candidates verified at once.
BATCH = 1 << 20


def similar_pairs(texts: Sequence[str], threshold: float, workers: int = 1) -> list[tuple[int, int]]:
    """Places (first, second), the first the smaller, of distinct texts with a ratio over `threshold` (at least 2/3).

    The result is in order and does not depend on `workers`, which are threads.

    >>> similar_pairs(["anaemia", "gout", "anemia"], 0.75)
    [(0, 2)]
    """
    order = np.array(sorted(range(len(texts)), key=lambda n: (len(texts[n]), texts[n])), dtype=np.int64)
    ordered = [texts[n] for n in order]
    index = _Index(ordered, threshold)
    chunks = [(at, min(at + CHUNK, len(ordered))) for at in range(0, len(ordered), CHUNK)]
    with ThreadPoolExecutor(max(1, workers)) as pool:
        parts = list(pool.map(lambda chunk: _verified(ordered, index.candidates(*chunk), threshold), chunks))
    found = order[np.concatenate([np.empty((0, 2), dtype=np.int64), *parts])]
    found.sort(axis=1)
    return [(first, second) for first, second in found[np.lexsort((found[:, 1], found[:, 0]))].tolist()]


class _Index:
    """Letter pairs of each text from the rarest to the most frequent, and the texts of each letter pair."""

    def __init__(self, texts: Sequence[str], threshold: float) -> None:
        self.lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        longest = int(self.lengths.max(initial=0))
        sums = np.arange(2 * longest + 1)
        matched = np.floor(threshold * sums / 2 - 1e-9).astype(np.int64) + 1
        self.needed = np.maximum(1, 3 * matched + 1 - sums)
        # The shortest partner of a text, with a margin for rounding: verified later anyway.
        least = np.floor(self.lengths * threshold / (2 - threshold) - 1e-9).astype(np.int64)
        self.first = np.searchsorted(self.lengths, least)
        # Rare letter pairs of a text that count with some partner; what is needed does not rise evenly with the sum.
        shortest = [max(1, int(n * threshold / (2 - threshold))) for n in range(longest + 1)]
        rare = [n + 2 - int(self.needed[n + s : 2 * n + 1].min(initial=n + 2)) for n, s in enumerate(shortest)]
        self.rare = np.array(rare, dtype=np.int64)[self.lengths]
        self.starts = np.concatenate([[0], np.cumsum(self.lengths + 1)])
        tokens = _tokens(texts)
        counts = np.bincount(tokens, minlength=1)
        by_frequency = np.argsort(counts, kind="stable")
        rank = np.empty_like(by_frequency)
        rank[by_frequency] = np.arange(len(by_frequency))
        owners = np.repeat(np.arange(len(texts)), self.lengths + 1)
        ranks = rank[tokens]
        rows = np.lexsort((ranks, owners))
        self.tokens = ranks[rows]
        places = np.arange(len(tokens)) - self.starts[owners]
        by_token = np.lexsort((owners, self.tokens))
        self.owners, self.places = owners[by_token], places[by_token]
        self.postings = np.concatenate([[0], np.cumsum(np.bincount(self.tokens, minlength=len(counts)))])

    def candidates(self, begin: int, end: int) -> Integers:
        """Rows (text, shorter or equal text before it) for the texts from `begin` to `end`."""
        found: Integers = _kernel()(begin, end, self.lengths, self.needed, self.rare, self.first, self.starts,
                                    self.tokens, self.postings, self.owners, self.places)  # fmt: skip
        return found


def _tokens(texts: Sequence[str]) -> Integers:
    """Letter pairs as numbers, the second of the same pair in a text another than the first."""
    known: dict[tuple[str, int], int] = {}
    tokens: list[int] = []
    for text in texts:
        times: dict[str, int] = {}
        for at in range(len(text) + 1):
            pair = text[at - 1 : at + 1] if 0 < at < len(text) else ("", text[:1]) if at == 0 else (text[-1:], "")
            key = pair if isinstance(pair, str) else "\x00".join(pair)
            times[key] = time = times.get(key, 0) + 1
            tokens.append(known.setdefault((key, time), len(known)))
    return np.array(tokens, dtype=np.int64)


def _verified(texts: Sequence[str], candidates: Integers, threshold: float) -> Integers:
    kept: list[Integers] = [np.empty((0, 2), dtype=np.int64)]
    for at in range(0, len(candidates), BATCH):
        part = candidates[at : at + BATCH]
        first, second = ([texts[n] for n in column.tolist()] for column in part.T)
        # RapidFuzz may drop a ratio that is just at its cut-off; 64 bits, as `ratio` itself gives.
        ratios = cpdist(first, second, scorer=ratio, score_cutoff=100 * threshold - 0.01, dtype=np.float64)
        kept.append(part[ratios / 100 > threshold])
    return np.concatenate(kept)


@cache
def _kernel() -> Any:
    from linkassay.machine_code import compiled

    @compiled
    def candidates(  # type: ignore[no-untyped-def]
        begin, end, lengths, needed, rare, first, starts, tokens, postings, owners, places
    ):  # pragma: no cover (compiled)
        found = np.empty((1 << 12, 2), dtype=np.int64)
        n = 0
        seen = np.full(len(lengths), -1, dtype=np.int64)
        for text in range(begin, end):
            length, low = lengths[text], first[text]
            for place in range(min(length + 1, rare[text])):
                token = tokens[starts[text] + place]
                a, b = postings[token], postings[token + 1]
                while a < b:  # texts that are long enough
                    middle = (a + b) // 2
                    if owners[middle] < low:
                        a = middle + 1
                    else:
                        b = middle
                for at in range(a, postings[token + 1]):
                    other = owners[at]
                    if other >= text:
                        break
                    most = 2 - needed[length + lengths[other]]
                    if seen[other] == text or place >= length + most or places[at] >= lengths[other] + most:
                        continue
                    seen[other] = text
                    # Count what both have in common; both are in the same order, and enough must be left.
                    i, j = starts[text] + place, starts[other] + places[at]
                    left = needed[length + lengths[other]]
                    while left > 0 and starts[text + 1] - i >= left and starts[other + 1] - j >= left:
                        if tokens[i] == tokens[j]:
                            left -= 1
                            i += 1
                            j += 1
                        elif tokens[i] < tokens[j]:
                            i += 1
                        else:
                            j += 1
                    if left <= 0:
                        if n == len(found):
                            larger = np.empty((2 * n, 2), dtype=np.int64)
                            larger[:n] = found
                            found = larger
                        found[n, 0], found[n, 1] = text, other
                        n += 1
        return found[:n].copy()

    return candidates
