"""Nearly the nearest of very many vectors (NEURAL-5): lists of vectors that lie together, of which some are looked at.

The lists are faiss's, with a byte for each number of a vector (IVF, SQ8). They only say what may be near: that is
compared by the vectors themselves, as the exact search does. Needs the extra `faiss`, loaded where there are lists.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.neural.nearest import SAME, Nearest, Numbers, Scores, Vectors
from linkassay.store import MappedFolder

SEARCHES = ("auto", "exact", "faiss")
EXTRA = "nearest=faiss needs an extra: pip install 'linkassay[faiss]'"
#: As many names are searched exactly where nothing is said.
_EXACT = 1_000_000
#: Most lists; and how many vectors are drawn for each, from which faiss learns where lists lie.
_LISTS, _DRAWN = 4096, 40
#: Vectors that are asked about to choose how many lists are looked at, and as many more to measure what that finds.
_ASKED = 256
#: What share of the nearest so many lists are to find as are looked at, and of how many nearest.
_GOAL, _TEN = 0.99, 10
_SEED = 23
#: Beyond twice as many as are asked for: for those that a byte a number puts into another order.
_MORE = 32
_FILE = "lists"
#: How files of such an index begin: kind, numbers of a vector, vectors.
_HEADER, _KIND = struct.Struct("<4siq"), b"IwSq"


class Facts(NamedTuple):
    """What is told of an index: of its lists so many are looked at, which finds such a share of the ten nearest."""

    names: int
    lists: int
    lists_searched: int
    recall_at_10: float
    #: From so many names that share was measured, each the question for the ten nearest others.
    measured_on: int


def require_search(wanted: str) -> None:
    """Refuse what is no way to search, or cannot be had here."""
    if wanted not in SEARCHES:
        raise UsageError(f"nearest is {', '.join(SEARCHES[:-1])} or {SEARCHES[-1]}, not {wanted!r}")
    if wanted == "faiss" and not find_spec("faiss"):
        raise UsageError(EXTRA)


def search_of(parts: Sequence[Vectors], wanted: str) -> Nearest | Approximate:
    """A search among vectors: as `wanted`, or exact up to about a million of them, and beyond if there is no faiss."""
    exact = Nearest(parts)
    many = len(exact) > _EXACT and find_spec("faiss") is not None
    return Approximate.of(exact) if len(exact) and (wanted == "faiss" or (wanted == "auto" and many)) else exact


def store_search(search: Nearest | Approximate, files: MappedFolder) -> None:
    """Write what it has beside the vectors, and as the record `about` what is to be told of it."""
    if isinstance(search, Approximate):
        search.store(files)
    files.put_record("about", {"nearest": "faiss", **search.facts._asdict()} if isinstance(search, Approximate) else {})


def opened_search(parts: Sequence[Vectors], files: MappedFolder) -> Nearest | Approximate:
    """What was written, with its vectors."""
    about = files.record("about")
    return Approximate.opened(Nearest(parts), about, files) if about else Nearest(parts)


class Approximate:
    """Lists over vectors of length 1; what it offers is as `Nearest` has it."""

    def __init__(self, vectors: Nearest, index: Any, facts: Facts) -> None:
        """`vectors`: those of the lists, and perhaps further ones after them, all of which are looked at."""
        self._vectors, self._index, self.facts = vectors, index, facts
        self._further = vectors.beyond(facts.names)
        self._steps = _steps(index)

    @classmethod
    def of(cls, vectors: Nearest) -> Approximate:
        """Lists of these vectors, the same ones each time; they take a byte for each number of a vector."""
        with _one_thread():
            index = _lists_of(vectors)
        found = cls(vectors, index, Facts(len(vectors), index.nlist, 1, 0.0, 0))
        found.facts = found._measured()
        return found

    def store(self, files: MappedFolder) -> None:
        """Write the lists."""
        faiss = _faiss()
        with files.file(_FILE, "faiss").open("wb") as out:  # which says that the disk is full where faiss would not
            faiss.write_index(self._index, faiss.PyCallbackIOWriter(out.write))

    @classmethod
    def opened(cls, vectors: Nearest, about: dict[str, Any], files: MappedFolder) -> Approximate:
        """Lists as they lie in a file, which all processes share."""
        path = files.file(_FILE, "faiss")
        try:
            facts = Facts(**{name: about[name] for name in Facts._fields})
            index = _read(path, vectors, facts)
        except (OSError, RuntimeError, KeyError, TypeError, ValueError, struct.error) as error:
            reason = str(error).strip().partition("\n")[0]
            raise LinkassayError(f"{path}: cannot be read ({reason}); remove its folder and run it again") from error
        return cls(vectors, index, facts)

    def with_further(self, rows: Vectors) -> Approximate:
        """The same with further vectors, numbered after these, all of which are looked at."""
        return Approximate(self._vectors.with_further(rows), self._index, self.facts)

    def __len__(self) -> int:
        return len(self._vectors)

    def search(
        self, asked: Vectors, top: int, allowed: NDArray[np.bool_] | None = None
    ) -> list[tuple[Numbers, Scores]]:
        """For each vector the `top` nearest that are allowed, as far as lists have them, and those tied with the last.

        There are so many, if so many are allowed: of fewer allowed ones more lists are looked at.
        """
        known = self.facts.names
        chosen = None if allowed is None else allowed[:known]
        number = known if chosen is None else int(chosen.sum())
        selector = None if chosen is None else _faiss().IDSelectorBitmap(np.packbits(chosen, bitorder="little"))
        lists = self._lists_for(number)
        rest = None if allowed is None else allowed[known:]
        with _one_thread():  # one by one: it makes no difference what else is asked
            return [self._search(vector, top, number, lists, selector, rest) for vector in asked]

    def _search(
        self, vector: Vectors, top: int, number: int, lists: int, selector: Any, rest: NDArray[np.bool_] | None
    ) -> tuple[Numbers, Scores]:
        [(beyond, _)] = self._further.search(vector[None], top, rest) if len(self._further) else [_NOTHING]
        # What a byte for each number moves a cosine by: four standard deviations.
        moved = 4 * float(np.linalg.norm(vector * self._steps)) / 12**0.5
        wanted = min(2 * top + _MORE, number)
        while True:
            numbers, last = self._listed(vector, wanted, lists, selector)
            if len(numbers) < min(top, number) and lists < self.facts.lists:
                lists *= 4
                continue
            found = self._vectors.exactly(vector, np.concatenate([numbers, beyond + self.facts.names]), top)
            all_seen = len(numbers) < wanted or wanted == number
            if all_seen or last + moved + SAME < found[1][-1]:
                return found
            wanted = min(4 * wanted, number)

    def _listed(self, vector: Vectors, wanted: int, lists: int, selector: Any) -> tuple[Numbers, float]:
        """The vectors that seem nearest, by number, and how near the last of them seems."""
        if not wanted:
            return np.empty(0, dtype=np.int64), -np.inf
        about = _faiss().SearchParametersIVF(nprobe=min(lists, self.facts.lists), sel=selector)
        [scores], [numbers] = self._index.search(np.ascontiguousarray(vector[None]), wanted, params=about)
        there = numbers >= 0
        return numbers[there], float(scores[there].min(initial=np.inf))

    def _lists_for(self, allowed: int) -> int:
        """So many that as many allowed vectors are seen as where all are allowed."""
        share = max(allowed, 1) / self.facts.names
        return min(self.facts.lists, int(np.ceil(self.facts.lists_searched / share)))

    def _measured(self) -> Facts:
        """How many lists to look at, doubled until they find what they are to find; and what share others find then."""
        names = len(self._vectors)
        drawn = np.sort(_draw(names, 2 * _ASKED))
        chosen, judged = drawn[::2], drawn[1::2]
        lists = 1
        nearest = {"chosen": self._ten(self._vectors, chosen), "judged": self._ten(self._vectors, judged)}

        def recall(of: str, numbers: Numbers) -> float:
            self.facts = Facts(names, self._index.nlist, lists, 0.0, 0)
            return _recall(nearest[of], self._ten(self, numbers))

        while recall("chosen", chosen) < _GOAL and lists < self._index.nlist:
            lists *= 2
        share = recall("judged", judged)
        return Facts(names, self._index.nlist, lists, round(share, 4), len(judged))

    def _ten(self, search: Nearest | Approximate, numbers: Numbers) -> list[NDArray[np.float64]]:
        """The cosines of the ten nearest others of some vectors, as a search finds them."""
        found = search.search(self._vectors.rows(numbers), _TEN + 1)
        return [scores[others != number][:_TEN] for number, (others, scores) in zip(numbers, found, strict=True)]


_NOTHING: tuple[Numbers, Scores] = np.empty(0, dtype=np.int64), np.empty(0)


def _recall(nearest: Sequence[Scores], found: Sequence[Scores]) -> float:
    """The share of the nearest that was found: vectors that are no farther than the last of them count as it."""
    wanted = sum(map(len, nearest))
    right = sum(int((ours >= best[-1] - SAME).sum()) for best, ours in zip(nearest, found, strict=True) if len(best))
    return right / wanted if wanted else 1.0


def _lists_of(vectors: Nearest) -> Any:
    faiss = _faiss()
    names, width = len(vectors), vectors.width
    number = min(_LISTS, 2 ** max(0, round(np.log2(4 * names**0.5))), names)
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(width), width, number, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT, False
    )
    index.cp.seed, index.cp.min_points_per_centroid = _SEED, 1  # which only says when faiss warns
    index.train(vectors.rows(np.sort(_draw(names, number * _DRAWN))))
    # A byte spans what there is of a number in all vectors, not in those that were drawn.
    low, high = _range(vectors)
    faiss.copy_array_to_vector(np.concatenate([low, high - low]), index.sq.trained)
    list_of = np.concatenate([index.quantizer.search(block, 1)[1][:, 0] for _, block in vectors.blocks()])
    _reserve(index.invlists, np.bincount(list_of, minlength=number))
    for start, block in vectors.blocks():
        numbers = np.arange(start, start + len(block), dtype=np.int64)
        lists = list_of[start : start + len(block)]
        index.add_core(len(block), *(faiss.swig_ptr(np.ascontiguousarray(each)) for each in (block, numbers, lists)))
    return index


def _reserve(lists: Any, sizes: NDArray[np.int64]) -> None:
    """Let lists have the memory that they need and no more; else they would grow to twice as much."""
    for number, size in enumerate(sizes.tolist()):
        lists.resize(number, size)
        lists.resize(number, 0)


def _range(vectors: Nearest) -> tuple[Vectors, Vectors]:
    low, high = np.full(vectors.width, np.inf, np.float32), np.full(vectors.width, -np.inf, np.float32)
    for _, block in vectors.blocks():
        np.minimum(low, block.min(axis=0), out=low)
        np.maximum(high, block.max(axis=0), out=high)
    return low, high


def _steps(index: Any) -> NDArray[np.float32]:
    """How far apart two values of a byte are, for each number of a vector."""
    spans: NDArray[np.float32] = _faiss().vector_to_array(index.sq.trained)
    return spans[len(spans) // 2 :] / np.float32(255)


def _draw(count: int, most: int) -> Numbers:
    """Some numbers below `count`, each once and the same each time, in any order."""
    return np.random.default_rng(_SEED).choice(count, min(count, most), replace=False)


def _read(path: Path, vectors: Nearest, facts: Facts) -> Any:
    """An index of a file that holds what it must: its size and what it says of itself come before the rest is read."""
    with path.open("rb") as file:
        kind, width, names = _HEADER.unpack(file.read(_HEADER.size))
    if (kind, width, names) != (_KIND, vectors.width, facts.names) or not 1 <= facts.lists <= max(names, 1):
        raise ValueError("it does not belong to its vectors")
    least = names * (width + 8) + facts.lists * width * 4  # bytes and numbers of vectors, and where lists lie
    if not least <= path.stat().st_size <= least + 64 * facts.lists + 16 * width + 4096:
        raise ValueError("it has not the size that it must have")
    faiss = _faiss()
    index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP)
    if (index.nlist, index.ntotal, index.sq.trained.size()) != (facts.lists, names, 2 * width):
        raise ValueError("it does not belong to its vectors")
    # Pages are read as they are needed, not ahead by threads of their own.
    faiss.downcast_InvertedLists(index.invlists).prefetch_nthread = 0
    return index


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise UsageError(EXTRA) from None
    return faiss


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let faiss compute by one thread: the same bytes whatever the machine has, and none waits for those of torch."""
    faiss = _faiss()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
