"""Parquet files of ours: written a row group at a time, read in a stream or with DuckDB; damage names the file."""

from __future__ import annotations

import atexit
import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from linkassay.errors import LinkassayError
from linkassay.store.records import older_version_error

#: Bytes that are written at once. For more the system takes memory in larger pieces, which are seldom at hand: where
#: memory is lent by a host, it took ten times as long to write the same file a megabyte at a time.
_AT_ONCE = 1 << 17

#: The files that this process has opened, so that it can be said which of them is damaged.
_opened: dict[Path, None] = {}
#: The database of a process, by its number.
_shared: dict[int, Any] = {}
atexit.register(_shared.clear)  # or DuckDB says at the end of the program that it was left over


class NewFile(io.FileIO):
    """A file to write, for Arrow, which would write each of its buffers at once."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "wb")

    def write(self, data: Any) -> int:
        """Write all of it, a little at a time."""
        with memoryview(data).cast("B") as whole:
            done, size = 0, whole.nbytes
            while done < size:
                done += super().write(whole[done : done + _AT_ONCE])
        return size


class ParquetWriter(pq.ParquetWriter):  # type: ignore[misc]
    """That of Arrow, but one that could not be closed on a full disk does not say so again when it is forgotten."""

    def __init__(self, path: Path, schema: pa.Schema, **options: Any) -> None:
        self._file = NewFile(path)
        super().__init__(self._file, schema, **options)

    def close(self) -> None:
        """End the file."""
        with self._file:
            super().close()

    def __del__(self) -> None:
        with suppress(Exception):
            super().__del__()


class Table:
    """Writes rows to one Parquet file, a row group at a time, so that memory stays bounded.

    `joined`: the file is the same, byte for byte, whatever batches its rows come in. `dictionary_bytes`: up to what
    size the distinct values of a column are numbered; beyond it they are written out.
    """

    def __init__(
        self, path: Path, schema: pa.Schema, rows_per_group: int = 50_000, *, joined: bool = False,
        dictionary_bytes: int = 1 << 20,
    ) -> None:  # fmt: skip
        self._writer = ParquetWriter(path, schema, compression="zstd", dictionary_pagesize_limit=dictionary_bytes)
        self._schema, self._limit, self._joined = schema, rows_per_group, joined
        self._added: list[tuple[Any, ...]] = []
        self._waiting = schema.empty_table()  # before `_added`
        self._written = 0

    @property
    def rows(self) -> int:
        """How many rows there are so far."""
        return self._written + int(self._waiting.num_rows) + len(self._added)

    def add(self, row: tuple[Any, ...]) -> None:
        """Append one row, in schema order."""
        self._added.append(row)
        if self._waiting.num_rows + len(self._added) >= self._limit:
            self._flush()

    def append(self, batch: pa.RecordBatch) -> None:
        """Append many rows as they are."""
        self._collect(pa.Table.from_batches([batch]).cast(self._schema))
        while self._waiting.num_rows >= self._limit:
            self._flush()

    def _collect(self, *further: pa.Table) -> None:
        columns = list(zip(*self._added, strict=True)) or [()] * len(self._schema)
        arrays = [pa.array(c, type=f.type) for c, f in zip(columns, self._schema, strict=True)]
        added = pa.Table.from_arrays(arrays, schema=self._schema)
        self._waiting, self._added = pa.concat_tables([self._waiting, added, *further]), []

    def _flush(self) -> None:
        self._collect()
        group, self._waiting = self._waiting.slice(0, self._limit), self._waiting.slice(self._limit)
        self._writer.write_table(group.combine_chunks() if self._joined else group)
        self._written += group.num_rows

    def __enter__(self) -> Table:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()


def rows(path: Path, batch: int = 2_000, columns: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of one of our Parquet files, streaming; damage is an error that says which file."""
    return rows_of(batches(path, columns, batch))


def rows_of(
    parts: Iterable[pa.RecordBatch], column: str = "", values: pa.Array | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of some batches, or those of which a column has one of some values; no others become Python objects."""
    for part in parts:
        wanted = part if values is None else part.filter(pc.is_in(part[column], value_set=values))
        yield from wanted.to_pylist()


def batches(
    path: Path, columns: list[str] | None, rows: int = 100_000, encoded: Iterable[str] = ()
) -> Iterator[pa.RecordBatch]:
    """Some columns of one of our Parquet files, many rows at a time; damage is an error that says which file.

    The texts `encoded` (`column`, or `column.list.element` of a list) are left as the numbers that the file has for
    them, with what these stand for, each once: a dictionary array. Where another library wrote the file, which may have
    a text twice, they are texts.
    """
    _opened[path] = None
    with _readable(path):
        metadata = pq.read_metadata(path)
    numbered = list(encoded) if metadata.created_by.startswith("parquet-cpp-arrow") else []
    with _readable(path), pq.ParquetFile(path, metadata=metadata, read_dictionary=numbered) as file:
        if not numbered:
            yield from file.iter_batches(batch_size=rows, columns=columns, use_threads=False)
            return
        for group in range(file.num_row_groups):  # each has numbers of its own, and no batch can have those of two
            yield from file.iter_batches(batch_size=rows, row_groups=[group], columns=columns, use_threads=False)


def checked_parquet(path: Path) -> Path:
    """`path` of one of our Parquet files, if its end is there; damage is an error that says which file."""
    with _readable(path):
        pq.read_metadata(path)
    return path


def require_columns(path: Path, columns: Iterable[str], remake: str) -> None:
    """See that one of our Parquet files is there with these columns; else say how its folder is made again."""
    if not path.exists():
        raise older_version_error(path.parent, [path.name], remake)
    with _readable(path):
        found = pq.read_schema(path).names
    columns = list(columns)
    missing = [column for column in columns if column not in found]
    if 2 * len(missing) > len(columns):
        raise LinkassayError(f"{path} is not what its name says: it has the columns {', '.join(found[:12])} and lacks "
                             f"{', '.join(missing)}; remove its folder and run: {remake}")  # fmt: skip
    if missing:
        raise older_version_error(path.parent, [f"{column} in {path.name}" for column in missing], remake)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise LinkassayError(f"{path}: cannot be read ({error}); remove its folder and get it again") from error


def unreadable_file() -> Path | None:
    """The first of the files opened so far that cannot be read to its end, for libraries that do not say which."""
    for path in filter(Path.exists, _opened):  # a temporary one may have got its name since
        try:
            with pq.ParquetFile(path) as file:
                for _ in file.iter_batches():
                    pass
        except (OSError, pa.ArrowException):
            return path
    return None


def tables_digest(*tables: pa.Table) -> str:
    """Twelve hexadecimal digits that stand for what tables hold."""
    found = hashlib.sha256()
    for table in tables:
        with pa.ipc.new_stream(_Into(found), table.schema) as stream:
            stream.write_table(table.combine_chunks())
    return found.hexdigest()[:12]


class _Into:
    """A file that only remembers what a digest needs of it."""

    closed = False

    def __init__(self, found: Any) -> None:
        self._found = found

    def write(self, data: Any) -> int:
        self._found.update(data)
        return len(data)

    def flush(self) -> None:
        """Nothing waits to be written."""


def connect(
    views: Mapping[str, list[Path]] | None = None, config: Mapping[str, Any] | None = None, *, alone: bool = False
) -> Any:  # fmt: skip
    """A DuckDB connection in memory with one view per name over Parquet files.

    All are of one database, since opening one takes longer than most questions: whatever is created has to be
    temporary, and so is of its connection only; settings are of all. With `config`, DuckDB's, or `alone` it has a
    database of its own.
    """
    import duckdb

    if config is not None or alone:
        connection = duckdb.connect(config=dict(config or {}))
    else:
        pid = os.getpid()  # after a fork the threads of the other process's database are missing
        if pid not in _shared:
            _shared[pid] = duckdb.connect()
        connection = _shared[pid].cursor()
    with suppress(duckdb.InvalidInputException):  # in a notebook without ipywidgets it is off and cannot be set
        connection.execute("set enable_progress_bar = false")  # it would go to our standard output
    for name, paths in (views or {}).items():
        _opened.update(dict.fromkeys(paths))
        quoted = ", ".join("'" + str(p).replace("'", "''") + "'" for p in paths)
        by_name = ", union_by_name = true" if len(paths) > 1 else ""  # splits of older versions may lack a column
        connection.execute(f'create temp view "{name}" as select * from read_parquet([{quoted}]{by_name})')
    return connection
