"""JSON files of ours, which older versions may have written, and digests that stand for contents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linkassay.errors import LinkassayError


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


def read_json(path: Path) -> Any:
    """A JSON file of ours; damage is an error that says which file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LinkassayError(f"{path}: cannot be read ({error}); remove its folder and get it again") from error


class Recorded(dict[str, Any]):
    """What a JSON file of ours says; what an older version did not write yet is an error when it is asked for."""

    def __init__(self, said: Any, file: Path, remake: str) -> None:
        if not isinstance(said, Mapping):
            raise LinkassayError(f"{file}: not a record, which is an object; make it again: {remake}")
        super().__init__(said)
        self._file, self._remake = file, remake

    def __missing__(self, key: str) -> Any:
        raise older_version_error(self._file.parent, [f"{key} in {self._file.name}"], self._remake)


def older_version_error(path: Path, lacks: Sequence[str], remake: str) -> LinkassayError:
    """An error about what an older version wrote without something that this one needs."""
    return LinkassayError(
        f"{path} was written by an older linkassay and lacks {', '.join(lacks)}; remove the folder and run: {remake}"
    )
