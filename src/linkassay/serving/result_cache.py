"""Where computed answers lie: views and figures in folders of the data home, the oldest gone first.

Where the home cannot be written they lie in a temporary folder, which ends with the server.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from linkassay import store

#: Room → bytes that all of it may take.
MOST_BYTES = {"views": 8 << 30, "figures": 256 << 20}
#: Seconds within which something was used that is not removed.
_IN_USE = 600.0


class ResultCache:
    """Computed answers by room (`views`, `figures`) and name, which stands for all that they depend on."""

    def __init__(self, home: Path, most: dict[str, int] | None = None, in_use: float = _IN_USE) -> None:
        self._most, self._in_use = MOST_BYTES | (most or {}), in_use
        self._places = [home]
        self.temporary: Path | None = None
        if not _can_write(home):
            self.temporary = Path(tempfile.mkdtemp(prefix="linkassay-serve-"))
            self._places.insert(0, self.temporary)

    @property
    def folder(self) -> Path:
        """Where new ones are written."""
        return self._places[0]

    def folders(self, room: str) -> list[Path]:
        """Where to look for one."""
        return [place / room for place in self._places]

    def target(self, room: str, name: str) -> Path:
        """Where something is to be written."""
        return self.folder / room / store.valid_name(name, "result")

    def find(self, room: str, name: str, *, used: bool = True) -> Path | None:
        """What is there under a name; it counts as used, if it is."""
        for place in self._places:
            path = place / room / store.valid_name(name, "result")
            if path.exists():
                with suppress(OSError):  # another's home
                    if used:
                        os.utime(path)
                return path
        return None

    def trim(self, room: str, gone: Callable[[Path], None] = lambda _: None) -> None:
        """Remove what was used longest ago until the rest has room, but nothing that was used just now."""
        found = []
        for path in (self.folder / room).glob("[!.]*"):
            with suppress(OSError):
                found.append((path.stat().st_mtime, _size(path), path))
        total, recent = sum(size for _, size, _ in found), time.time() - self._in_use
        for used, size, path in sorted(found):
            if total <= self._most[room] or used > recent:
                return
            gone(path)
            with suppress(OSError):
                ended = path.rename(path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.linkassay-gone"))
                shutil.rmtree(ended, ignore_errors=True) if ended.is_dir() else ended.unlink()
            total -= size

    def end(self) -> None:
        """Nothing temporary is left."""
        if self.temporary is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)


def _can_write(home: Path) -> bool:
    if not home.exists():  # nor is there anything to compute
        return True
    try:
        with tempfile.TemporaryFile(dir=home):
            return True
    except OSError:
        return False


def _size(path: Path) -> int:
    if not path.is_dir():
        return path.stat().st_size
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
