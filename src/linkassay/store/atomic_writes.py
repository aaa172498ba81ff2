"""Files and folders that are there whole or not at all (SAFE-2): written under a temporary name, renamed at the end."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linkassay.errors import UsageError
from linkassay.store.data_home import FORMAT, current, home, home_folder, is_filled


@contextmanager
def new_folder(target: Path, *, lasting: bool = True, replace: bool = False) -> Iterator[Path]:
    """A temporary folder beside `target` that becomes `target` when the block ends well.

    If `target` is there by then (another process was first), that one stays, unless it is to be
    replaced. What is not `lasting` need not survive a power cut and is not forced onto the disk.
    """
    if "\0" in str(target):
        raise UsageError(f"no folder can be called {str(target)!r}")
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
def new_file(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` whose file becomes `path` when the block ends well."""
    if "\0" in str(path):
        raise UsageError(f"no file can be called {str(path)!r}")
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


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """The last file of a revision's folder; without it the folder is not whole."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")


def set_current(folder: Path, revision: str) -> None:
    """Let `folder`'s name alone stand for `revision`."""
    if current(folder) != revision:
        write_text(folder / "current", revision + "\n")


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


def _temporary(target: Path) -> Path:
    """A name beside `target` that no other process uses; what killed ones left in the folder is removed."""
    _mark_home(target)
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


def _mark_home(target: Path) -> None:
    """See to it that a data home says its format when `target` is the first that is written into it."""
    root = home_folder().resolve()
    mark = root / "home.json"
    if root not in target.resolve().parents:
        return
    home()  # refuses one that this version cannot write into
    if target.name != mark.name and not mark.exists() and not is_filled(root):
        write_text(mark, json.dumps({"format": FORMAT, "linkassay": version("linkassay")}) + "\n")


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
