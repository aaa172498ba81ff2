"""What is recorded of the Parquet files of a folder when it is written, so that a later change of them shows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linkassay.store.records import digest_and_size

#: The end of a Parquet file: the length of its footer, and a mark.
_TAIL = 8
#: Reading all of a file that is not larger takes a twentieth of a second at most; of others length and footer tell.
_LARGE = 1 << 26


def file_records(folder: Path) -> dict[str, Any]:
    """For each Parquet file its length, a digest of its footer, which is quickly read, and one of all of it."""
    records = {}
    for path in sorted(folder.glob("*.parquet")):
        with path.open("rb") as stream:
            records[path.name] = digest_and_size(stream) | {"footer": _footer(path)}
    return records


def changed_files(folder: Path, records: Mapping[str, Any], *, whole: bool = False) -> list[str]:
    """The recorded files that are no longer what was written; `whole`: large ones too by all that is in them."""
    return [name for name, record in records.items() if _differs(folder / name, record, whole)]


def _differs(path: Path, record: Mapping[str, Any], whole: bool) -> bool:
    try:
        if path.stat().st_size != record["size"] or _footer(path) != record["footer"]:
            return True
        if record["size"] > _LARGE and not whole:
            return False
        with path.open("rb") as stream:
            return bool(digest_and_size(stream)["sha256"] != record["sha256"])
    except OSError:
        return True


def _footer(path: Path) -> str:
    """A digest of the footer: schema, places, sizes and extremes of all columns."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _TAIL))
        tail = stream.read(_TAIL)
        length = min(int.from_bytes(tail[:4], "little") + _TAIL, size)
        stream.seek(size - length)
        return hashlib.sha256(stream.read(length)).hexdigest()[:16]
