"""Raw files as readers see them: plain, compressed, in a folder or in an archive, all alike.

Nothing is ever extracted to disk, so no archive member can leave its folder. Sizes are bounded (SAFE-6),
damage becomes a `DataError` with the file's name.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import struct
import tarfile
import threading
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from linkassay.errors import DataError, UsageError

__all__ = [
    "LIMIT_NAME",
    "MAX_LINE",
    "MAX_WHOLE",
    "RawFile",
    "expand_paths",
    "find",
    "from_bytes",
    "one_file",
    "read_toml",
    "size_in_bytes",
    "text_encoding",
]

#: No single line of a line-oriented format is longer than this many bytes.
MAX_LINE = 1 << 28
#: No file that must be held whole in memory is larger than this many bytes.
MAX_WHOLE = 1 << 30

#: Together the files of one command unpack to at most so many times their size, beyond so many bytes that are free; the
#: environment variable, a size such as 2TB, says otherwise.
MOST_TIMES, FREE, LIMIT_NAME = 250, 8 << 30, "LINKASSAY_MAX_UNPACKED"

_BLOCK = 1 << 20
_COMPRESSED: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),  # type: ignore[dict-item, return-value]
    ".bz2": lambda raw: bz2.BZ2File(raw),
    ".xz": lambda raw: lzma.LZMAFile(raw),
}
#: What compressed files begin with.
_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, tarfile.TarError,
           zipfile.BadZipFile, RuntimeError, NotImplementedError, OverflowError)  # fmt: skip
#: Encodings of texts, as Python calls them; others transform bytes, take names of hosts for texts, or hold no lines.
_ENCODINGS = re.compile(
    r"utf-8(-sig)?|utf-(16|32)(-[lb]e)?|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-.*|big5.*|gb\d+|gbk|euc_.*|shift_jis.*|"
    "iso2022_.*|johab|tis-620|hp-roman8|ptcp154|kz1048"
)
_PLAIN = "\t\n\r 09AZaz|"


@lru_cache(maxsize=64)
def text_encoding(name: str) -> str:
    """What Python calls an encoding of texts; any other is refused.

    >>> text_encoding("latin-1")
    'iso8859-1'
    """
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):  # no such, or not even a name
        found = ""
    wide = found.startswith(("utf-16", "utf-32"))
    if not _ENCODINGS.fullmatch(found) or not (wide or _PLAIN.encode().decode(found, "replace") == _PLAIN):
        raise UsageError(f"no encoding of texts is called {name[:40]!r}; take utf-8, utf-16, utf-32, ascii, latin-1 "
                         "(iso8859-1 to -16), cp1252 and its like, mac-roman, koi8-r, or one of East Asia")  # fmt: skip
    return found


@dataclass(frozen=True)
class RawFile:
    """One file of a source, decompressed. `name` has no compression suffix.

    `path` is where it lies, if it is a file of its own rather than a member of an archive.
    """

    name: str
    opener: Callable[[], IO[bytes]]
    path: Path | None = None

    @property
    def stem(self) -> str:
        """File name without folders and its last suffix."""
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        """Last suffix, lower-cased, e.g. `.ann`."""
        return PurePosixPath(self.name).suffix.lower()

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The bytes as a stream; damage met inside the block becomes a `DataError`."""
        try:
            with self.opener() as stream:
                yield stream
        except _DAMAGE as error:
            raise DataError(f"truncated or damaged file ({error})", file=self.name) from error
        except OSError as error:
            raise DataError(f"cannot be read ({error.strerror or error})", file=self.name) from error

    def bytes(self, limit: int = MAX_WHOLE) -> bytes:
        """The whole file, if it is not larger than `limit`."""
        data = io.BytesIO()  # grows with the file: a stream that is asked for `limit` bytes makes room for all of them
        with self.open() as stream:
            while block := stream.read(_BLOCK):
                data.write(block)
                if data.tell() > limit:
                    raise DataError(f"larger than {limit:,} bytes", file=self.name)
        return data.getvalue()

    def text(self, encoding: str = "utf-8") -> str:
        """The whole file as text; a byte order mark is dropped, line ends stay as they are."""
        data = self.bytes()
        try:
            return data.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise _encoding_error(self.name, line, error) from error

    def lines(self, encoding: str = "utf-8", *, ends: bool = False) -> Iterator[tuple[int, str]]:
        """Numbered lines, streaming (UTF-16 and UTF-32: held whole); with `ends` each has its `\\n` or `\\r\\n`."""
        if text_encoding(encoding).startswith(("utf-16", "utf-32")):
            for number, text in enumerate(io.StringIO(self.text(encoding), newline="\n"), start=1):
                yield number, text if ends else text.removesuffix("\n").removesuffix("\r")
            return
        with self.open() as stream:
            number = 0
            while line := stream.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise DataError(f"line longer than {MAX_LINE:,} bytes", file=self.name, line=number)
                try:
                    text = line.decode(encoding)
                except UnicodeDecodeError as error:
                    raise _encoding_error(self.name, number, error) from error
                if number == 1:
                    text = text.removeprefix("\ufeff")
                yield number, text if ends else text.removesuffix("\n").removesuffix("\r")


class _Unpacked:
    """What this process has unpacked so far: of each file as far as it was read, however often."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._read: dict[tuple[str, ...], int] = {}
        self._packed: dict[str, int] = {}
        self._total = self._size = 0  # unpacked, and packed

    def reached(self, key: tuple[str, ...], place: int, packed: int) -> None:
        """Note that a file, whose path is the first of its key, was read up to a place; refuse what is too much."""
        with self._lock:
            before = self._read.get(key, 0)
            if place <= before:
                return
            self._size += packed - self._packed.get(key[0], 0)
            self._read[key], self._packed[key[0]] = place, packed
            self._total += place - before
            told = os.environ.get(LIMIT_NAME)
            limit = size_in_bytes(told) if told else FREE + MOST_TIMES * self._size
            if self._total <= limit:
                return
        raise DataError(f"with it the files unpack to more than {limit:,} bytes"
                        + ("" if told else f", {MOST_TIMES} times their size: perhaps a decompression bomb")
                        + "; if that is right: linkassay --max-unpacked SIZE …", file=Path(key[0]).name)  # fmt: skip


_unpacked = _Unpacked()


def size_in_bytes(text: str) -> int:
    """A size such as 500GB or 2 TiB.

    >>> size_in_bytes("2 KiB"), size_in_bytes("1.5GB"), size_in_bytes("7")
    (2048, 1500000000, 7)
    """
    found = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([KMGTP]?)(i?)B?", text.strip(), re.I)
    if not found:
        raise UsageError(f"{text[:40]!r} is no size; write it as 500GB or 2TB")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** " KMGTP".index(found[2].upper() or " "))


class _Counted(io.RawIOBase):
    """A stream of what is unpacked, which is counted as it is read."""

    def __init__(self, stream: IO[bytes], key: tuple[str, ...], packed: int) -> None:
        self._stream, self._key, self._packed, self._place = stream, key, packed, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._place += len(data)
        _unpacked.reached(self._key, self._place, self._packed)
        return len(data)

    def seek(self, place: int, whence: int = 0) -> int:
        """Forward by reading, so that what is passed over is counted as it comes."""
        target = place if whence == 0 else self._place + place
        if whence == 2:
            raise io.UnsupportedOperation("seek from the end")
        if target < self._place:
            self._place = self._stream.seek(target)
        block = bytearray(1 << 16)
        while self._place < target and self.readinto(memoryview(block)[: target - self._place]):
            pass
        return self._place

    def tell(self) -> int:
        return self._place

    def close(self) -> None:
        self._stream.close()
        super().close()


def _counted(stream: IO[bytes], path: Path, *inside: str) -> IO[bytes]:
    """What is unpacked of a file at `path`, and of what is inside of it."""
    return io.BufferedReader(_Counted(stream, (str(path), *inside), path.stat().st_size), 1 << 17)


def from_bytes(name: str, data: bytes) -> RawFile:
    """A file that is already in memory."""
    return RawFile(name, lambda: io.BytesIO(data))


def read_toml(path: Path) -> dict[str, Any]:
    """A description that a user wrote; what cannot be read is an error that says why."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8").removeprefix("\ufeff"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"not valid TOML ({error})", file=path.name) from error


def expand_paths(paths: Iterable[str | os.PathLike[str]]) -> list[RawFile]:
    """The raw files behind `paths`: files, folders (searched through), archives (looked into).

    Sorted by name within each folder or archive, so that order never depends on the file system.
    """
    files: list[RawFile] = []
    for given in paths:
        path = Path(given)
        if "\0" in str(path):
            raise UsageError(f"no file can be called {str(path)!r}")
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and not _hidden(p.relative_to(path).as_posix()))
            for member in inside:
                files.extend(_one(member, member.relative_to(path.parent).as_posix()))
        elif path.is_file():
            files.extend(_one(path, path.name))
        elif path.exists():
            raise UsageError(f"not a regular file: {path}")
        else:
            raise UsageError(f"no such file or folder: {path}")
    return files


def one_file(given: str | os.PathLike[str], what: str) -> RawFile:
    """The file that was named, or what an archive of one file holds; no folder is searched. `what` needs it."""
    path = Path(given)
    if path.is_dir():
        raise UsageError(f"{what}: a file is needed, and {path} is a folder: name the file in it")
    if not path.exists() and (beside := [path.name + suffix for suffix in _COMPRESSED if _there(path, suffix)]):
        raise UsageError(f"{what}: no such file: {path}; beside it lies {beside[0]}")
    found = expand_paths([path])
    if len(found) != 1:
        raise UsageError(f"{what}: one file is needed, and {path} is an archive of {len(found)}")
    return found[0]


def _there(path: Path, suffix: str) -> bool:
    return path.with_name(path.name + suffix).is_file()


def find(files: Iterable[RawFile], pattern: str) -> list[RawFile]:
    """Those of `files` whose name, or last parts of it, match `pattern` (case-insensitive; `*` stays in its folder).

    >>> [f.name for f in find([from_bytes("kb/medic/a.txt", b""), from_bytes("kb/medic.txt", b"")], "MEDIC*.txt")]
    ['kb/medic.txt']
    """
    return [f for f in files if PurePosixPath(f.name.lower()).match(pattern.lower())]


def _one(path: Path, name: str) -> list[RawFile]:
    lower = name.lower()
    if lower.endswith(_ARCHIVES):
        return _zip(path) if lower.endswith(".zip") else _tar(path)
    return [replace(_plain(name, lambda: path.open("rb"), path), path=path.absolute())]


def _plain(name: str, opener: Callable[[], IO[bytes]], path: Path) -> RawFile:
    """`name` without its compression suffix, `opener` with the decompression that belongs to it; it is of `path`."""
    for suffix, wrap in _COMPRESSED.items():
        if name.lower().endswith(suffix):
            return RawFile(name[: -len(suffix)], partial(_decompressed, wrap, opener, path, name))
    return RawFile(name, opener)


def _decompressed(
    wrap: Callable[[IO[bytes]], IO[bytes]], opener: Callable[[], IO[bytes]], path: Path, name: str
) -> Any:
    return _counted(wrap(opener()), path, name)


def _zip(path: Path) -> list[RawFile]:
    with (
        RawFile(path.name, lambda: path.open("rb")).open() as stream,
        _odd_damage(),
        zipfile.ZipFile(stream) as archive,
    ):
        names = set(archive.namelist())  # of members with the same name the last counts, as for zip tools
    members = sorted(n for n in names if n and not n.endswith("/") and not _hidden(n))
    listing = object()

    def load(member: str) -> IO[bytes]:
        with _odd_damage():
            return _counted(_opened(path, listing).open(member), path, member)

    return [_plain(member, lambda member=member: load(member), path) for member in members]  # type: ignore[misc]


@lru_cache(maxsize=8)
def _opened(path: Path, listing: object) -> zipfile.ZipFile:
    """The archive, its directory read once for all members; few stay open, however many there are.

    `listing` tells apart what was found at `path` at different times.
    """
    return zipfile.ZipFile(path)


@contextmanager
def _odd_damage() -> Iterator[None]:
    """The archive modules trust headers: what a false one may raise becomes what damage raises."""
    try:
        yield
    except (ValueError, LookupError, struct.error) as error:
        raise EOFError(f"unreadable header: {error}") from error


def _tar(path: Path) -> list[RawFile]:
    """Members by name; small archives are loaded whole when first opened, large ones streamed each time."""
    with (
        RawFile(path.name, lambda: _unpacked_tar(path)).open() as stream,
        _odd_damage(),
        tarfile.open(fileobj=stream, mode="r:", tarinfo=_StrictHeader) as archive,
    ):
        # of members with the same name the last counts, as for tar itself
        places = {m.name: (at, m.size) for at, m in enumerate(archive) if m.isfile() and not _hidden(m.name)}
        while archive.fileobj and archive.fileobj.read(1 << 20):
            pass  # to the end, where compressed files have their checksum
    loaded: dict[str, bytes] = {}
    small = sum(size for _, size in places.values()) <= MAX_WHOLE // 4

    def load(member: str) -> IO[bytes]:
        if not small:
            return _tar_member(path, places[member][0])
        if not loaded:
            loaded.update(_tar_contents(path))
        return io.BytesIO(loaded[member])

    return [_plain(member, lambda member=member: load(member), path) for member in sorted(places)]  # type: ignore[misc]


def _unpacked_tar(path: Path) -> IO[bytes]:
    """The bytes of a tar file, whatever it is compressed with: its first bytes say that."""
    stream = path.open("rb")
    magic = stream.peek(8)
    for start, suffix in _MAGIC.items():
        if magic.startswith(start):
            return _counted(_COMPRESSED[suffix](stream), path, suffix)
    return stream


class _StrictHeader(tarfile.TarInfo):
    """A header that must be whole: by itself `tarfile` takes a broken one for the archive's end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        if len(buf) != tarfile.BLOCKSIZE:
            raise tarfile.ReadError("it ends without its end mark")
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if any(buf):
                raise tarfile.ReadError(str(error)) from error
            raise


def _tar_contents(path: Path) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    with _unpacked_tar(path) as stream, _odd_damage(), tarfile.open(fileobj=stream, mode="r:") as archive:
        for member in archive:
            if member.isfile() and not _hidden(member.name):
                extracted = archive.extractfile(member)
                assert extracted is not None  # isfile() was asked
                contents[member.name] = extracted.read()
    return contents


def _tar_member(path: Path, at: int) -> IO[bytes]:
    """The member at place `at` as a stream; the archive is read up to it and closed with it."""
    with _odd_damage():
        archive = tarfile.open(fileobj=_unpacked_tar(path), mode="r|")
        [found] = islice(archive, at, at + 1)
        extracted = archive.extractfile(found)
    assert extracted is not None  # isfile() was asked
    return extracted


def _hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)


def _encoding_error(name: str, line: int, error: UnicodeDecodeError) -> DataError:
    bad = error.object[error.start : error.start + 1].hex()
    return DataError(f"not {error.encoding} text (byte 0x{bad}); perhaps --encoding {_likely(bytes(error.object))}",
                     file=name, line=line)  # fmt: skip


def _likely(data: bytes) -> str:
    """The encoding that bytes which are no UTF-8 most likely have."""
    head = data[:4096]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for half, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(head) >= 4 and head[half::2].count(0) > len(head) // 4:
            return encoding
    return "cp1252" if any(0x80 <= byte < 0xA0 for byte in data) else "latin-1"
