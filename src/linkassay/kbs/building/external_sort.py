"""Sorting more rows than fit in memory: shards leave sorted pieces on disk, which are read back range by range.

A piece is one record batch of an uncompressed Arrow file. Ranges of the first column are chosen from
samples so that the rows of each fit in memory; a range takes a slice of every piece and sorts it
once more, which is quick as its parts are sorted. What the rows mean is not known here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.kbs.building.row_order import row_order

#: Rows of a run, of a range, and between two samples of a run.
RUN, RANGE, STEP = 125_000, 375_000, 512
#: Rows of a row group of the stored tables: what a look-up of one name or id reads.
GROUP = 122_880

Result = TypeVar("Result")


def ordered(table: pa.Table, order: Sequence[str]) -> pa.Table:
    """The rows sorted by these columns; `-` in front of one turns its order round."""
    table = table.combine_chunks()
    rows = row_order(table, order)
    if (rows[1:] > rows[:-1]).all():
        return table
    moved = [name for name in table.schema.names if not _one_value(table[name])]
    for name, column in zip(moved, table.select(moved).take(pa.array(rows)).columns, strict=True):
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def _one_value(column: pa.ChunkedArray) -> bool:
    """Whether all values are the same, so that their order is none."""
    first = column[0]
    return first.is_valid and column[-1] == first and pc.all(pc.equal(column, first)).as_py() is True


def firsts(table: pa.Table, columns: Iterable[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which rows of a sorted table differ from the row before them in one of these columns."""
    found = np.zeros(len(table), dtype=bool)
    found[:1] = True
    for name in columns:
        column = table[name].combine_chunks()
        found[1:] |= pc.not_equal(column[1:], column[:-1]).to_numpy(zero_copy_only=False)
    return found


def marked(table: pa.Table, rows: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The rows that are marked: mostly all, which need not be copied."""
    return table if pc.all(rows, min_count=0).as_py() else table.filter(rows)


class _RunsFile(pa.ipc.RecordBatchFileWriter):  # type: ignore[misc]
    """A shard's file of runs, to write."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._file = store.NewFile(path)
        super().__init__(self._file, schema)

    def close(self) -> None:
        """End the file."""
        with self._file:
            super().close()


def append_sorted(writers: dict[str, Any], folder: Path, name: str, rows: pa.Table) -> None:
    """Append sorted rows as a run to the shard's file `name`; the caller closes the writers."""
    if name not in writers:
        writers[name] = _RunsFile(folder / f"{name}.arrow", rows.schema)
    for batch in rows.combine_chunks().to_batches():
        writers[name].write_batch(batch)


@contextmanager
def _runs(path: Path) -> Iterator[tuple[int, Callable[[int], pa.RecordBatch]]]:
    """How many runs a shard's file has, and what gives each of them; opening it takes as long as copying some rows."""
    with pa.memory_map(str(path)) as file, pa.ipc.open_file(file) as reader:
        yield reader.num_record_batches, reader.get_batch


class SortedPieces:
    """All runs of one name in some shards, cut into the ranges between splitters."""

    def __init__(self, shards: Iterable[Path], name: str, schema: pa.Schema) -> None:
        self.schema = schema
        self._files: list[tuple[Path, int]] = []  # and how many runs each has
        #: The number of the first row of each run, and at the end the number of all rows.
        self.starts = [0]
        samples = [pa.array([], pa.string())]
        for path in (path for shard in shards if (path := shard / f"{name}.arrow").exists()):
            with _runs(path) as (count, run):
                self._files.append((path, count))
                for batch in map(run, range(count)):
                    self.starts.append(self.starts[-1] + len(batch))
                    samples.append(batch.column(0).take(pa.array(np.arange(0, len(batch), STEP))))
        #: Every so many-th value of the first column of each run.
        self.samples = pa.concat_arrays(samples)
        self._cuts: list[list[int]] = []

    def cut(self, between: Sequence[str]) -> None:
        """Find where each range begins in each run."""
        for path, count in self._files:
            with _runs(path) as (_, run):
                for values in (ColumnTexts(run(number).column(0)) for number in range(count)):
                    self._cuts.append([0, *(bisect_left(values, value) for value in between), len(values)])

    def slices(self, at: int) -> Iterator[tuple[int, int, pa.RecordBatch]]:
        """For each run that has rows in range `at`: its number, the first row, the rows."""
        for run, begin, part in self._mapped(at):
            yield run, begin, self._copied(part)

    def rows(self, at: int) -> pa.Table:
        """The rows of range `at`, run after run."""
        parts = [part for _, _, part in self._mapped(at)]
        if len(parts) == 1:  # several are copied when they become one
            parts = [self._copied(parts[0])]
        return pa.Table.from_batches(parts, self.schema).combine_chunks()

    def _mapped(self, at: int) -> Iterator[tuple[int, int, pa.RecordBatch]]:
        """The same as `slices`, still in the file."""
        first = 0
        for path, count in self._files:
            cuts = [(number, *self._cuts[first + number][at : at + 2]) for number in range(count)]
            if any(begin < end for _, begin, end in cuts):
                with _runs(path) as (_, run):
                    for number, begin, end in cuts:
                        if begin < end:
                            yield first + number, begin, run(number).slice(begin, end - begin)
            first += count

    def _copied(self, part: pa.RecordBatch) -> pa.RecordBatch:
        """A copy, so that the file's pages around the rows do not stay in memory."""
        return pa.ipc.read_record_batch(part.serialize(), self.schema)


class ColumnTexts(Sequence[str]):
    """A column as `bisect` wants it."""

    def __init__(self, values: pa.Array) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, at: Any) -> Any:
        return self._values[at].as_py()


def splitters(runs: Iterable[SortedPieces]) -> list[str]:
    """Values that cut the rows of all these runs into ranges of about `RANGE` rows."""
    samples = pa.concat_arrays([r.samples for r in runs])
    every = max(1, RANGE // STEP)
    chosen = samples.take(pc.sort_indices(samples))[every::every]
    return list(dict.fromkeys(chosen.to_pylist()))


def in_order(work: Callable[[int], Result], count: int, workers: int) -> Iterator[Result]:
    """`work` of 0, 1, … by so many threads; no more than that many results wait at a time."""
    if workers <= 1 or count <= 1:
        yield from map(work, range(count))
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: list[Future[Result]] = []
        try:
            for number in range(count):
                waiting.append(pool.submit(work, number))
                if len(waiting) > workers:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        finally:
            pool.shutdown(cancel_futures=True)


class TableWriter:
    """A Parquet file whose bytes depend on its rows alone, however they come: row groups are always of one size."""

    def __init__(self, path: Path, schema: pa.Schema, dictionaries: Sequence[str]) -> None:
        self._writer = store.ParquetWriter(
            path, schema, compression="lz4", use_dictionary=list(dictionaries) or False,
            write_statistics=schema.names[:1],  # what rows are sorted by; of others the least and largest tell nothing
        )  # fmt: skip
        self._waiting = [schema.empty_table()]
        self.rows = 0

    def add(self, table: pa.Table) -> None:
        """Append rows."""
        self._waiting.append(table)
        self.rows += len(table)
        if sum(map(len, self._waiting)) >= GROUP:
            rows = pa.concat_tables(self._waiting)
            whole = len(rows) // GROUP * GROUP
            for begin in range(0, whole, GROUP):
                self._writer.write_table(rows.slice(begin, GROUP).combine_chunks())
            self._waiting = [rows.slice(whole).combine_chunks()]

    def close(self) -> None:
        """Write what is left."""
        if rest := sum(map(len, self._waiting)):
            self._writer.write_table(pa.concat_tables(self._waiting).combine_chunks(), row_group_size=rest)
        self._writer.close()
