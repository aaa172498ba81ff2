"""Names as weighted single letters and pairs of letters (NEURAL-7): what BioSyn adds to the vectors of an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.store import MappedFolder, Texts

Floats = NDArray[np.float64]
Integers = NDArray[np.integer[Any]]

#: Above all code points: a pair of letters is one number.
_LETTERS = 1 << 21
_ARRAYS = ("grams", "idf", "begins", "columns", "weights")
#: Names whose grams are counted at once.
_AT_ONCE = 1 << 16


class SparseNames:
    """Texts by number, each a vector of length 1 over its letters and pairs of letters, count times rarity.

    Rarity is `ln((1 + n) / (1 + texts with it)) + 1`. Letters that no name has weigh nothing.
    """

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        """`columns[begins[n]:begins[n + 1]]` are the grams of text n by number, `weights` what they weigh."""
        self._arrays = arrays
        self._grams, self._idf, self._begins, self._columns, self._weights = (arrays[name] for name in _ARRAYS)

    @classmethod
    def of(cls, texts: Texts) -> SparseNames:
        """Those of these texts."""
        parts = [texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE)]
        counted = [np.unique(_counted(part)[1], return_counts=True) for part in parts]
        every = np.concatenate([np.empty(0, dtype=np.int64), *(gram for gram, _ in counted)])
        grams, place = np.unique(every, return_inverse=True)
        spread = np.bincount(place, np.concatenate([np.empty(0), *(count for _, count in counted)]), len(grams))
        idf = np.log((1 + len(texts)) / (1 + spread)) + 1
        return cls(_joined(grams, idf, [_weighed(part, grams, idf) for part in parts]))

    def store(self, files: MappedFolder) -> None:
        """Write them."""
        files.put_arrays(self._arrays)

    @classmethod
    def opened(cls, files: MappedFolder) -> SparseNames:
        """Those that were written."""
        return cls(files.arrays(_ARRAYS))

    def __len__(self) -> int:
        return len(self._begins) - 1

    def with_further(self, texts: Texts) -> SparseNames:
        """These and further texts after them, by the rarity that these say."""
        here = self._begins, self._columns, self._weights
        return SparseNames(_joined(self._grams, self._idf, [here, _weighed(texts[:], self._grams, self._idf)]))

    def vectors(self, texts: Sequence[str]) -> Floats:
        """A row for each text, of all grams of names."""
        begins, columns, weights = _weighed(list(texts), self._grams, self._idf)
        rows = np.zeros((len(texts), len(self._grams)))
        rows[np.repeat(np.arange(len(texts)), np.diff(begins)), columns] = weights
        return rows

    def products(self, asked: NDArray[Any], numbers: Integers) -> Floats:
        """For each of the vectors of `asked`: its product with that of each text of these numbers."""
        from linkassay.linkers.neural.sparse_loops import products

        given = np.ascontiguousarray(asked.T, dtype=np.float64)
        found: Floats = products(given, numbers, self._begins, self._columns, self._weights)
        return found.T


def _counted(texts: list[str]) -> tuple[Integers, Integers, Integers]:
    """The letters and pairs of letters of texts: number of the text, gram, how often; in the order of both."""
    letters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    owner = np.repeat(np.arange(len(texts), dtype=np.int64), sizes)
    paired = owner[1:] == owner[:-1]
    pairs = ((letters[:-1] + 1) * _LETTERS + letters[1:])[paired]
    text, gram = np.concatenate([owner, owner[1:][paired]]), np.concatenate([letters, pairs])
    order = np.lexsort((gram, text))
    text, gram = text[order], gram[order]
    new = np.ones(len(text), dtype=bool)
    new[1:] = (text[1:] != text[:-1]) | (gram[1:] != gram[:-1])
    first = np.flatnonzero(new)
    return text[first], gram[first], np.diff(np.append(first, len(text)))


def _weighed(texts: list[str], grams: Integers, idf: Floats) -> tuple[Integers, Integers, NDArray[np.float32]]:
    """The rows of texts: where each begins, its grams, what they weigh."""
    text, gram, count = _counted(texts)
    column = np.minimum(np.searchsorted(grams, gram), max(len(grams) - 1, 0))
    known = grams[column] == gram if len(grams) else np.zeros(len(gram), dtype=bool)
    text, column, weights = text[known], column[known], count[known] * idf[column[known]]
    lengths = np.sqrt(np.bincount(text, weights**2, len(texts)))
    begins = np.concatenate([[0], np.cumsum(np.bincount(text, minlength=len(texts)))])
    return begins.astype(np.int64), column.astype(np.int32), (weights / lengths[text]).astype(np.float32)


def _joined(
    grams: Integers, idf: Floats, rows: Sequence[tuple[Integers, Integers, NDArray[np.float32]]]
) -> dict[str, NDArray[Any]]:
    """What such names are made of, of the rows of several groups of texts."""
    ends = np.cumsum([0, *(len(columns) for _, columns, _ in rows)])
    begins = [np.zeros(1, dtype=np.int64), *(end + each[0][1:] for end, each in zip(ends, rows))]
    columns = [np.empty(0, dtype=np.int32), *(each[1] for each in rows)]
    weights = [np.empty(0, dtype=np.float32), *(each[2] for each in rows)]
    joined = (grams, idf, np.concatenate(begins), np.concatenate(columns), np.concatenate(weights))
    return dict(zip(_ARRAYS, joined, strict=True))
