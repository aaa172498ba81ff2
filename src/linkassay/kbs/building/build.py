"""Builds a knowledge base: raw files → shards → sorted Parquet tables, in bounded memory.

1. *cut*: files that are large, or inside an archive, are cut at line ends into pieces on disk;
2. *read*: each piece becomes sorted runs of rows by its reader, in parallel (`engine`), with the normalised key;
3. *merge*: the runs are joined, checked and stored, range by range of ids.

Each step is recorded by the files it leaves in `work/`, so a killed build goes on where it was.
"""

from __future__ import annotations

import importlib
import io
import itertools
import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from linkassay import fetch, store
from linkassay.engine import Engine, Task
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile, expand_paths
from linkassay.kbs.building import merge, qualified_names
from linkassay.kbs.schema import SCHEMAS, KbSpec, Part, batches
from linkassay.kbs.stored_kb import kb_folder
from linkassay.registry import near_miss
from linkassay.sources import RawPaths, checksum, matching_files, raw_files
from linkassay.text import name_key

#: Raised whenever the stored form changes.
LAYOUT = 2
#: Files of lines larger than this are cut; a piece is read by one worker at a time.
PIECE = 48 << 20


class BuiltKb:
    """What `build_kb` ended with; `fresh` is false when the revision was there already."""

    def __init__(self, path: Path, fresh: bool) -> None:
        self.path, self.fresh = path, fresh
        self.manifest: dict[str, Any] = store.read_json(path / "manifest.json")
        self.name: str = self.manifest["name"]
        self.revision: str = self.manifest["revision"]


def build_kb(
    spec: KbSpec,
    raw: RawPaths = None,
    *,
    options: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
    progress: fetch.Progress = fetch.no_progress,
    patience: fetch.Patience = fetch.PATIENCE,
) -> BuiltKb:
    """Obtain and build the knowledge base, from its sources or from the raw files in `raw`."""
    chosen = _options(spec, options or {})
    parts, sources, revision = _asked(spec, raw, chosen, progress, patience)
    target = kb_folder(spec.name) / revision
    work = store.home() / "work" / f"kb-{spec.name}-{revision}"
    fresh = False
    if not (target / "manifest.json").exists():
        with store.lock(work):  # the same build elsewhere is waited for: its shards are ours
            if fresh := not (target / "manifest.json").exists():
                _build(spec, parts, sources, chosen, target, work, engine, progress)
    shutil.rmtree(work, ignore_errors=True)  # also what a build killed at just this point left
    store.set_current(kb_folder(spec.name), revision)
    return BuiltKb(target, fresh)


def _build(
    spec: KbSpec,
    parts: list[tuple[Part, RawFile]],
    sources: list[dict[str, Any]],
    chosen: Mapping[str, Any],
    target: Path,
    work: Path,
    engine: Engine | None,
    progress: fetch.Progress,
) -> None:
    """Cut, read and merge; what is done stays in `work`."""
    pieces = _cut(parts, [s["size"] for s in sources], work / "pieces")
    reading = "linkassay.kbs.building.build:read_piece"
    tasks = [
        Task(f"{number:05d}", reading, {"reader": part.read, "options": chosen, **piece})
        for number, (part, piece) in enumerate(pieces)
    ]
    if engine in (None, Engine()) and sum(s["size"] for s in sources) < PIECE // 4:
        engine = Engine(workers=1)  # nobody asked for more, and starting processes would take longer than the work
    shards = (engine or Engine()).run(
        tasks,
        work / "shards",
        lambda done, total: progress(f"read {spec.name}", done, total),
        threads=all(part.columnar for part, _ in parts),
    )
    names = qualified_names.qualified(shards, work / "names", _keys) if chosen.get(qualified_names.OPTION) else None
    with store.new_folder(target) as temporary:
        progress(f"merge {spec.name}", 0, 1)
        counts, report = merge.merge(shards, temporary, work / "spill", engine.workers if engine else 0, names)
        store.write_manifest(temporary, {
            "name": spec.name, "revision": target.name, "title": spec.title, "prefix": spec.prefix,
            "types": list(spec.types), "licence": spec.licence, "citation": spec.citation,
            "homepage": spec.homepage, "notes": spec.notes, "options": chosen, "sources": sources,
            "counts": counts, "report": report, "files": store.file_records(temporary),
        })  # fmt: skip


def find_built(spec: KbSpec, raw: RawPaths = None, *, options: Mapping[str, Any] | None = None) -> BuiltKb | None:
    """What `build_kb` would give, if it is there."""
    _, _, revision = _asked(spec, raw, _options(spec, options or {}))
    target = kb_folder(spec.name) / revision
    return BuiltKb(target, fresh=False) if (target / "manifest.json").exists() else None


def _asked(
    spec: KbSpec,
    raw: RawPaths,
    chosen: Mapping[str, Any],
    progress: fetch.Progress = fetch.no_progress,
    patience: fetch.Patience = fetch.PATIENCE,
) -> tuple[list[tuple[Part, RawFile]], list[dict[str, Any]], str]:
    """The files to read, their checksums, and the revision that they make."""
    files = raw_files(spec, raw, progress, patience)
    parts = [(part, file) for part in spec.parts for file in _files_of(part, files, spec)]
    sources: list[dict[str, Any]] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # hashing and decompression let other threads run
        for found in pool.map(checksum, [file for _, file in parts]):
            sources.append(found)
            progress(f"checksum {spec.name}", len(sources), len(parts))
    identity = {"layout": LAYOUT, "name": spec.name, "reader": spec.version, "options": chosen}
    return parts, sources, store.fingerprint(identity | {"sources": [[s["file"], s["sha256"]] for s in sources]})


def _files_of(part: Part, files: list[RawFile], spec: KbSpec) -> list[RawFile]:
    """The files of a part, if no two have one name: an old copy in another folder must not be merged in."""
    found = matching_files(files, part.files)
    known: dict[str, str] = {}
    for file in found if not part.several else ():
        other = known.setdefault(file.name.rsplit("/", 1)[-1].lower(), file.name)
        if other is not file.name:
            raise UsageError(f"{spec.name}: two of the raw files have one name, {other} and {file.name}; keep one of "
                             "them, or name the files one by one")  # fmt: skip
    return found


def read_piece(
    target: Path, reader: str, options: Mapping[str, Any], name: str, path: str, start: int = 0, end: int = 0
) -> None:
    """One shard: read one piece and write its rows, sorted, into `target`."""
    module, _, function = reader.partition(":")
    read = getattr(importlib.import_module(module), function)
    opener: Any = partial(_Range, path, start, end) if end else expand_paths([path])[0].opener
    staging = merge.Staging(target)
    try:
        for batch in batches(read(RawFile(name, opener), options)):
            for table, rows in batch.items():
                if table == "names":
                    rows = rows.append_column("key", _keys(rows["name"]))
                staging.add(table, rows.select(SCHEMAS[table].names).cast(SCHEMAS[table]))
        staging.close()
    finally:
        staging.abandon()


class _Range(io.RawIOBase):
    """The bytes of a file from `start` to `end`."""

    def __init__(self, path: str, start: int, end: int) -> None:
        self._file = Path(path).open("rb")
        self._file.seek(start)
        self._left = end - start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with memoryview(buffer) as whole:
            count = self._file.readinto(whole[: self._left])
        self._left -= count
        return count

    def readline(self, size: int | None = -1) -> bytes:
        limit = self._left if size is None or size < 0 else min(size, self._left)
        line = self._file.readline(limit)
        self._left -= len(line)
        return line

    def close(self) -> None:
        self._file.close()
        super().close()


def _keys(names: pa.ChunkedArray) -> pa.ChunkedArray:
    """`key` of each name; names of plain ASCII words, which most are, need only lower case."""
    plain = pc.match_substring_regex(names, r"^[A-Za-z0-9]+( [A-Za-z0-9]+)*$")
    odd = pc.filter(names, pc.invert(plain))
    keys = pa.array([name_key(name) for name in odd.to_pylist()], type=pa.string())
    lower = pc.ascii_lower(names)
    return pc.replace_with_mask(lower.combine_chunks(), pc.invert(plain).combine_chunks(), keys) if len(odd) else lower


def _options(spec: KbSpec, given: Mapping[str, Any]) -> dict[str, Any]:
    for name in given:
        if name not in spec.options:
            raise UsageError(f"{spec.name} has no option {name!r}; {near_miss(name, sorted(spec.options))}")
    return dict(spec.options) | dict(given)


def _cut(parts: list[tuple[Part, RawFile]], sizes: list[int], work: Path) -> list[tuple[Part, dict[str, Any]]]:
    """The pieces to read, each with its part. What can be read where it lies is not copied."""
    pieces: list[tuple[Part, dict[str, Any]]] = []
    for number, ((part, file), size) in enumerate(zip(parts, sizes, strict=True)):
        name = file.name.rsplit("/", 1)[-1]
        large = part.lines and size > PIECE
        if file.path is not None and not large:
            pieces.append((part, {"name": name, "path": str(file.path)}))
        elif file.path is not None and file.path.stat().st_size == size and not part.header:
            ends = _line_ends(file.path, size)
            pieces += [
                (part, {"name": name, "path": str(file.path), "start": start, "end": end})
                for start, end in itertools.pairwise([0, *ends])
            ]
        else:
            target = work / f"{number:03d}"
            if not target.is_dir():
                with store.new_folder(target) as temporary:
                    _write_pieces(file, part, temporary)
            pieces += [(part, {"name": name, "path": str(path)}) for path in sorted(target.iterdir())]
    return pieces


def _line_ends(path: Path, size: int) -> list[int]:
    """Where a plain file can be cut: the first line end after each multiple of the piece's size."""
    ends: list[int] = []
    with path.open("rb") as file:
        for at in range(PIECE, size, PIECE):
            file.seek(max(at, ends[-1] if ends else 0))
            file.readline()
            ends.append(file.tell())
    return sorted({*ends, size})


def _write_pieces(file: RawFile, part: Part, target: Path) -> None:
    """Cut at line ends, each piece beginning with the header if there is one; other files are copied."""
    with file.open() as stream:
        if not part.lines:
            with (target / "000000").open("wb") as out:
                shutil.copyfileobj(stream, out, 1 << 20)
            return
        header = stream.readline() if part.header else b""
        rest, number = b"", 0
        while block := stream.read(PIECE):
            end = block.rfind(b"\n") + 1
            if not end and len(rest) > PIECE:
                raise DataError(f"a line longer than {PIECE:,} bytes", file=file.name)
            if end:
                (target / f"{number:06d}").write_bytes(header + rest + block[:end])
                rest, number = b"", number + 1
            rest += block[end:]
        if rest or not number:
            (target / f"{number:06d}").write_bytes(header + rest)
