"""The data home: where things lie, how they are written whole or not at all, and their schemas.

Everything is plain files: Parquet tables and one JSON manifest per folder. A folder is written
under a temporary name and renamed when complete, so that a half-written thing is never seen (SAFE-2).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import socket
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from linkassay.errors import LinkassayError, UsageError

__all__ = [
    "DOCUMENTS",
    "MENTIONS",
    "PREDICTIONS",
    "Recorded",
    "Table",
    "batches",
    "complete",
    "connect",
    "current",
    "digest_and_size",
    "fingerprint",
    "home",
    "lock",
    "new_file",
    "new_folder",
    "read_json",
    "rows",
    "set_current",
    "valid_name",
    "whole",
    "write_manifest",
    "write_text",
]

_SPANS = pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64())]))

DOCUMENTS = pa.schema(
    [
        ("split", pa.string()),
        ("id", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("passages", pa.list_(pa.struct([("kind", pa.string()), ("offset", pa.int64()), ("length", pa.int64())]))),
        ("evaluation_spans", _SPANS),
        (
            "hyperlinks",
            pa.list_(pa.struct([("start", pa.int64()), ("end", pa.int64()), ("target", pa.string())])),
        ),
    ]
)

MENTIONS = pa.schema(
    [
        ("split", pa.string()),
        ("document", pa.string()),
        ("id", pa.string()),
        ("spans", _SPANS),
        ("text", pa.string()),
        ("type", pa.string()),
        ("gold", pa.list_(pa.list_(pa.string()))),
        ("raw", pa.string()),
        ("source_type", pa.string()),
        ("optional", pa.bool_()),
        ("parent", pa.string()),
        ("role", pa.string()),
        ("coreference", pa.bool_()),
        ("kind", pa.string()),
        ("further_parents", pa.list_(pa.string())),
    ]
)

PREDICTIONS = pa.schema(
    [
        ("document", pa.string()),
        ("mention", pa.string()),
        ("spans", _SPANS),
        ("type", pa.string()),
        ("groups", pa.list_(pa.list_(pa.string()))),
        ("scores", pa.list_(pa.float64())),
        ("nil", pa.bool_()),
    ]
)


#: The format of a data home, which its `home.json` tells; one without that file is of format 0, or empty. All that
#: formats from `OLDEST_FORMAT` on have is read, or named with the command that makes it again.
FORMAT, OLDEST_FORMAT = 1, 0
#: The folders whose contents have a format; raw files are as others made them.
_FORMATTED = ("corpora", "kbs", "runs", "wic")


def home() -> Path:
    """The data home, if this version can read it: `LINKASSAY_HOME`, else the per-user data folder of this system."""
    path = _place()
    if (path / "home.json").exists() or OLDEST_FORMAT > 0:
        _check_format(path)
    return path


def _check_format(path: Path) -> None:
    about: Any = {"format": 0 if _filled(path) else FORMAT}
    with suppress(FileNotFoundError):
        try:
            about = json.loads((path / "home.json").read_text(encoding="utf-8"))
        except ValueError:
            about = None
    found = about.get("format") if isinstance(about, dict) else None
    if not isinstance(found, int):
        raise LinkassayError(f"{path / 'home.json'} does not say which format the data home has; remove this file")
    if found > FORMAT:
        needed = f"'linkassay>={about['linkassay']}'" if "linkassay" in about else "linkassay"
        raise LinkassayError(f"the data home {path} has format {found} and this linkassay knows formats up to "
                             f"{FORMAT}: pip install -U {needed}")  # fmt: skip
    if found < OLDEST_FORMAT:
        raise LinkassayError(f"the data home {path} has format {found}, which this linkassay no longer reads; make it "
                             "again elsewhere: LINKASSAY_HOME=FOLDER linkassay get NAME")  # fmt: skip


def _filled(path: Path) -> bool:
    return any(True for room in _FORMATTED for _ in (path / room).glob("*/*"))


def _mark(target: Path) -> None:
    """See to it that a data home says its format when `target` is the first that is written into it."""
    root = _place().resolve()
    mark = root / "home.json"
    if root not in target.resolve().parents:
        return
    home()  # refuses one that this version cannot write into
    if target.name != mark.name and not mark.exists() and not _filled(root):
        write_text(mark, json.dumps({"format": FORMAT, "linkassay": version("linkassay")}) + "\n")


class Recorded(dict[str, Any]):
    """What a JSON file of ours says; what an older version did not write yet is an error when it is asked for."""

    def __init__(self, said: Mapping[str, Any], file: Path, remake: str) -> None:
        super().__init__(said)
        self._file, self._remake = file, remake

    def __missing__(self, key: str) -> Any:
        raise _older(self._file.parent, [f"{key} in {self._file.name}"], self._remake)


def _older(path: Path, lacks: Sequence[str], remake: str) -> LinkassayError:
    """An error about what an older version wrote without something that this one needs."""
    return LinkassayError(
        f"{path} was written by an older linkassay and lacks {', '.join(lacks)}; remove the folder and run: {remake}"
    )


def complete(path: Path, columns: Iterable[str], remake: str) -> None:
    """See that one of our Parquet files is there with these columns; else say how its folder is made again."""
    if not path.exists():
        raise _older(path.parent, [path.name], remake)
    with _readable(path):
        found = pq.read_schema(path).names
    if missing := [column for column in columns if column not in found]:
        raise _older(path.parent, [f"{column} in {path.name}" for column in missing], remake)


def _place() -> Path:
    if given := os.environ.get("LINKASSAY_HOME"):
        return Path(given).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "linkassay"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "linkassay"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "linkassay"


def valid_name(name: str, what: str) -> str:
    """`name` if it can name a folder everywhere, else a clear error."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}", name):
        raise UsageError(f"{name!r} cannot name a {what}: use letters, digits and _ . + - (at most 100)")
    return name


def fingerprint(value: Any) -> str:
    """Twelve hexadecimal digits that stand for a JSON value, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]


def digest_and_size(stream: Any) -> dict[str, Any]:
    """SHA-256 and length of a binary stream."""
    found, size = hashlib.sha256(), 0
    while block := stream.read(1 << 20):
        found.update(block)
        size += len(block)
    return {"sha256": found.hexdigest(), "size": size}


@contextmanager
def new_folder(target: Path, *, lasting: bool = True, replace: bool = False) -> Iterator[Path]:
    """A temporary folder beside `target` that becomes `target` when the block ends well.

    If `target` is there by then (another process was first), that one stays, unless it is to be
    replaced. What is not `lasting` need not survive a power cut and is not forced onto the disk.
    """
    temporary, old = _temporary(target), None
    temporary.mkdir()
    try:
        yield temporary
        for path in temporary.rglob("*") if lasting else ():
            _sync(path)
        if replace and target.is_dir():
            old = target.rename(_temporary(target))
        try:
            temporary.rename(target)
        except OSError:
            if not target.is_dir():
                if old:
                    old.rename(target)
                raise
        else:
            _sync(target.parent)
    finally:
        for path in filter(None, (temporary, old)):
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Only one process at a time is inside for this folder; the lock ends with the process, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # no such locks on this system: the last writer wins
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """The last file of a revision's folder; without it the folder is not whole."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` whose file becomes `path` when the block ends well."""
    path = path.resolve()  # a link is followed
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write to {path}: it is not a regular file")
    temporary = _temporary(path)
    try:
        yield temporary
        _sync(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a small file whole or not at all; a link is followed, what is no file is refused."""
    with new_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        out.write(text)


def read_json(path: Path) -> Any:
    """A JSON file of ours; damage is an error that says which file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LinkassayError(f"{path}: cannot be read ({error}); remove its folder and get it again") from error


def current(folder: Path) -> str | None:
    """The revision that `folder`'s name alone stands for: the one obtained last."""
    try:
        revision = (folder / "current").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return revision if (folder / revision / "manifest.json").exists() else None


def set_current(folder: Path, revision: str) -> None:
    """Let `folder`'s name alone stand for `revision`."""
    if current(folder) != revision:
        write_text(folder / "current", revision + "\n")


class Table:
    """Writes rows to one Parquet file, a row group at a time, so that memory stays bounded."""

    def __init__(self, path: Path, schema: pa.Schema, rows_per_group: int = 50_000) -> None:
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._schema, self._limit = schema, rows_per_group
        self._columns: list[list[Any]] = [[] for _ in schema]
        self.rows = 0

    def add(self, row: tuple[Any, ...]) -> None:
        """Append one row, in schema order."""
        for column, value in zip(self._columns, row, strict=True):
            column.append(value)
        self.rows += 1
        if len(self._columns[0]) >= self._limit:
            self._flush()

    def _flush(self) -> None:
        arrays = [pa.array(c, type=f.type) for c, f in zip(self._columns, self._schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._columns = [[] for _ in self._schema]

    def __enter__(self) -> Table:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()


def rows(path: Path, batch: int = 2_000, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of one of our Parquet files, streaming; damage is an error that says which file."""
    for part in batches(path, columns, batch):
        yield from part.to_pylist()


def whole(path: Path) -> Path:
    """`path` of one of our Parquet files, if its end is there; damage is an error that says which file."""
    with _readable(path):
        pq.read_metadata(path)
    return path


def batches(path: Path, columns: list[str] | None, rows: int = 100_000) -> Iterator[Any]:
    """Some columns of one of our Parquet files, many rows at a time; damage is an error that says which file."""
    with _readable(path), pq.ParquetFile(path) as file:
        yield from file.iter_batches(batch_size=rows, columns=columns)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise LinkassayError(f"{path}: cannot be read ({error}); remove its folder and get it again") from error


def connect(views: Mapping[str, list[Path]] | None = None) -> Any:
    """A DuckDB connection in memory with one view per name over Parquet files."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")  # it would go to our standard output
    for name, paths in (views or {}).items():
        quoted = ", ".join("'" + str(p).replace("'", "''") + "'" for p in paths)
        by_name = ", union_by_name = true" if len(paths) > 1 else ""  # splits of older versions may lack a column
        connection.execute(f'create view "{name}" as select * from read_parquet([{quoted}]{by_name})')
    return connection


def _temporary(target: Path) -> Path:
    """A name beside `target` that no other process uses; what killed ones left in the folder is removed."""
    _mark(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    host = re.escape(socket.gethostname())
    for path in target.parent.glob(".*"):
        left = re.fullmatch(rf"\..*\.{host}\.(\d+)\.[0-9a-f]{{8}}", path.name)
        if left and not _alive(int(left[1])):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    return target.parent / f".{target.name}.{socket.gethostname()}.{os.getpid()}.{uuid.uuid4().hex[:8]}"


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync(path: Path) -> None:
    """Ask the system to put `path` on disk before it is given its final name."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return  # folders cannot be opened everywhere
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
