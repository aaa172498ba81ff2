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
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from linkassay.errors import DataError, UsageError

__all__ = [
    "MAX_LINE",
    "MAX_WHOLE",
    "RawFile",
    "expand_paths",
    "find",
    "from_bytes",
    "one_file",
    "read_toml",
    "text_encoding",
]

#: No single line of a line-oriented format is longer than this many bytes.
MAX_LINE = 1 << 28
#: No file that must be held whole in memory is larger than this many bytes.
MAX_WHOLE = 1 << 30

_COMPRESSED: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),  # type: ignore[dict-item, return-value]
    ".bz2": lambda raw: bz2.BZ2File(raw),
    ".xz": lambda raw: lzma.LZMAFile(raw),
}
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
        with self.open() as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise DataError(f"larger than {limit:,} bytes", file=self.name)
        return data

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
    return [replace(_plain(name, lambda: path.open("rb")), path=path.absolute())]


def _plain(name: str, opener: Callable[[], IO[bytes]]) -> RawFile:
    """`name` without its compression suffix, `opener` with the decompression that belongs to it."""
    for suffix, wrap in _COMPRESSED.items():
        if name.lower().endswith(suffix):
            return RawFile(name[: -len(suffix)], lambda wrap=wrap: wrap(opener()))  # type: ignore[misc]
    return RawFile(name, opener)


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
            return _opened(path, listing).open(member)

    return [_plain(member, lambda member=member: load(member)) for member in members]  # type: ignore[misc]


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
        RawFile(path.name, lambda: path.open("rb")).open() as stream,
        _odd_damage(),
        tarfile.open(fileobj=stream, tarinfo=_StrictHeader) as archive,
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

    return [_plain(member, lambda member=member: load(member)) for member in sorted(places)]  # type: ignore[misc]


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
    with path.open("rb") as stream, _odd_damage(), tarfile.open(fileobj=stream) as archive:
        for member in archive:
            if member.isfile() and not _hidden(member.name):
                extracted = archive.extractfile(member)
                assert extracted is not None  # isfile() was asked
                contents[member.name] = extracted.read()
    return contents


def _tar_member(path: Path, at: int) -> IO[bytes]:
    """The member at place `at` as a stream; the archive is read up to it and closed with it."""
    with _odd_damage():
        archive = tarfile.open(path, "r|*")
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
