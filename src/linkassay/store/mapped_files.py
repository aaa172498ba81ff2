"""Arrays and texts as NumPy files, which every process of a machine maps into memory: one copy of them for all.

What is large and only read lies in such a folder, e.g. the index of a prepared linker. Nothing in it can run.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from linkassay.errors import LinkassayError
from linkassay.store.records import read_json


class Texts(Sequence[str]):
    """Many texts, one after another in UTF-8; each is made when it is asked for."""

    def __init__(self, letters: NDArray[np.uint8], starts: NDArray[np.int64]) -> None:
        """`starts`: where each text begins, and where the last ends."""
        self.letters, self.starts = letters, starts
        # Views of the same memory: a number of them is a Python number, which NumPy takes long to make.
        self._letters, self._starts = letters.data, starts.data

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        """The same texts in this form."""
        encoded = [text.encode("utf-8") for text in texts]
        starts = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=starts[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts)

    @classmethod
    def of_arrow(cls, column: Any) -> Texts:
        """Those of an Arrow column of texts, none of them null."""
        import pyarrow as pa

        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        whole = whole.cast(pa.large_string())
        _, offsets, letters = whole.buffers()
        starts = np.zeros(1, dtype=np.int64)
        if len(whole):
            starts = np.frombuffer(offsets, dtype=np.int64)[whole.offset : whole.offset + len(whole) + 1]
        own = np.frombuffer(letters, dtype=np.uint8)[starts[0] : starts[-1]] if letters else np.empty(0, dtype=np.uint8)
        return cls(own, starts - starts[0])

    def to_arrow(self) -> Any:
        """An Arrow array of them, in the same memory."""
        import pyarrow as pa

        return pa.LargeStringArray.from_buffers(len(self), pa.py_buffer(self.starts), pa.py_buffer(self.letters))

    def with_further(self, further: Texts) -> Texts:
        """These and further ones after them."""
        starts = np.concatenate([self.starts, self.starts[-1] + further.starts[1:]])
        return Texts(np.concatenate([self.letters, further.letters]), starts)

    def points(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The code points of all texts, one text after another, and where each begins (and the last ends)."""
        points = np.frombuffer(str(self._letters, "utf-8").encode("utf-32-le"), dtype=np.uint32)
        if len(points) == len(self.letters):
            return points, self.starts
        begun = np.zeros(len(self.letters) + 1, dtype=np.int64)  # a code point begins where no byte goes on with one
        np.cumsum((self.letters & 0xC0) != 0x80, out=begun[1:])
        return points, begun[self.starts]

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[n] for n in range(*at.indices(len(self)))]
        if at < 0:
            at += len(self)
        return str(self._letters[self._starts[at] : self._starts[at + 1]], "utf-8")

    def __iter__(self) -> Iterator[str]:
        starts = self._starts
        return (str(self._letters[starts[n] : starts[n + 1]], "utf-8") for n in range(len(self)))


class TextNumbers(Mapping[str, int]):
    """Distinct texts to their numbers, by a sorted table of digests: a dictionary that lies in files."""

    def __init__(self, texts: Texts, digests: NDArray[np.uint64], numbers: NDArray[np.int32]) -> None:
        self.texts, self.digests, self.numbers = texts, digests, numbers
        self._digests, self._numbers = digests.data, numbers.data

    @classmethod
    def of(cls, texts: Texts) -> TextNumbers:
        """Each text to its place."""
        letters = texts.letters.data
        joined = b"".join(
            blake2b(letters[begin:end], digest_size=8).digest() for begin, end in pairwise(texts.starts.tolist())
        )
        digests = np.frombuffer(joined, dtype="<u8").astype(np.uint64)
        order = np.argsort(digests, kind="stable")
        return cls(texts, digests[order], order.astype(np.int32))

    def with_further(self, texts: Texts) -> TextNumbers:
        """These, and after them further texts, none of which is one of these."""
        further = TextNumbers.of(texts)
        digests = np.concatenate([self.digests, further.digests])
        numbers = np.concatenate([self.numbers, further.numbers + np.int32(len(self))])
        order = np.argsort(digests, kind="stable")
        return TextNumbers(self.texts.with_further(texts), digests[order], numbers[order])

    def get(self, text: Any, default: Any = None) -> Any:
        """The number of a text."""
        digest = int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")
        at = bisect_left(self._digests, digest)
        while at < len(self._digests) and self._digests[at] == digest:
            if self.texts[self._numbers[at]] == text:
                return self._numbers[at]
            at += 1
        return default

    def __getitem__(self, text: str) -> int:
        number: int | None = self.get(text)
        if number is None:
            raise KeyError(text)
        return number

    def __contains__(self, text: object) -> bool:
        return self.get(text) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


class MappedFolder:
    """Named arrays, texts and small records of a folder: `put_…` writes, the others read what was written."""

    def __init__(self, path: Path, prefix: str = "") -> None:
        self._path, self._prefix = path, prefix

    def part(self, name: str) -> MappedFolder:
        """A space of names of its own in the same folder."""
        return MappedFolder(self._path, f"{self._prefix}{name}.")

    def file(self, name: str, ending: str) -> Path:
        """Where a file of another library belongs, which is to be checked when it is read."""
        return self._path / f"{self._prefix}{name}.{ending}"

    def put_array(self, name: str, values: NDArray[Any]) -> None:
        """Write an array of numbers."""
        values = np.ascontiguousarray(values)
        if values.dtype.hasobject:
            raise ValueError(f"{name}: objects would need a pickle")
        with self.file(name, "npy").open("wb") as out:  # as `np.save` does, which does not say that the disk is full
            np.lib.format.write_array_header_1_0(out, np.lib.format.header_data_from_array_1_0(values))
            out.write(values.data)

    def array(self, name: str) -> NDArray[Any]:
        """An array that was written; who changes it changes a copy of their own."""
        path = self.file(name, "npy")
        try:
            found = np.load(path, mmap_mode="c", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise LinkassayError(f"{path}: cannot be read ({error}); remove its folder and run it again") from error
        return np.asarray(found)  # a plain one: a `memmap` costs more at each access

    def put_arrays(self, named: Mapping[str, NDArray[Any]]) -> None:
        """Write several arrays."""
        for name, values in named.items():
            self.put_array(name, values)

    def arrays(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Several that were written."""
        return {name: self.array(name) for name in names}

    def put_texts(self, name: str, texts: Iterable[str]) -> None:
        """Write texts."""
        found = texts if isinstance(texts, Texts) else Texts.of(texts)
        self.put_array(f"{name}.letters", found.letters)
        self.put_array(f"{name}.starts", found.starts)

    def texts(self, name: str) -> Texts:
        """Texts that were written."""
        return Texts(self.array(f"{name}.letters"), self.array(f"{name}.starts"))

    def put_numbers(self, name: str, texts: Iterable[str]) -> None:
        """Write distinct texts such that their numbers are found by them."""
        table = texts
        if not isinstance(table, TextNumbers):
            table = TextNumbers.of(table if isinstance(table, Texts) else Texts.of(table))
        self.put_texts(name, table.texts)
        self.put_array(f"{name}.digests", table.digests)
        self.put_array(f"{name}.numbers", table.numbers)

    def numbers(self, name: str) -> TextNumbers:
        """Texts that were written with their numbers."""
        return TextNumbers(self.texts(name), self.array(f"{name}.digests"), self.array(f"{name}.numbers"))

    def put_record(self, name: str, value: Any) -> None:
        """Write something small as JSON."""
        self.file(name, "json").write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")

    def record(self, name: str) -> Any:
        """Something small that was written."""
        return read_json(self.file(name, "json"))
