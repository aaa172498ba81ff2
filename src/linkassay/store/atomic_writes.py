"""Files and folders that are there whole or not at all (SAFE-2): written under a temporary name, renamed at the end."""

from __future__ import annotations

import errno
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linkassay import stopping
from linkassay.errors import LinkassayError, UnwritableError, UsageError
from linkassay.store import locks
from linkassay.store.data_home import FORMAT, current, home, home_folder, is_filled

#: How names end of what is being written, of what it replaces, and of what is being removed.
_OURS = "linkassay"
_NEW, _OLD, _GONE = (f"{_OURS}-{kind}" for kind in ("new", "old", "gone"))
#: A disk that is full, or that cannot be written.
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@contextmanager
def new_folder(target: Path, *, lasting: bool = True, replace: bool = False) -> Iterator[Path]:
    """A temporary folder beside `target` that becomes `target` when the block ends well.

    If `target` is there by then (another process was first), that one stays, unless it is to be
    replaced. What is not `lasting` need not survive a power cut and is not forced onto the disk.
    """
    if "\0" in str(target):
        raise UsageError(f"no folder can be called {str(target)!r}")
    with _named(target), _Held(target) as held:
        yield held.path
        for path in held.path.rglob("*") if lasting else ():
            _sync(path)
        held.check()
        if replace:
            with suppress(FileNotFoundError):  # there is none
                target.rename(held.former)
        try:
            held.path.rename(target)
        except OSError:
            if not target.is_dir():
                raise
        else:
            _sync(target.parent)


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """A folder in `parent` for as long as the block lasts."""
    with _named(parent), _Held(parent / "scratch") as held:
        yield held.path


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that becomes `path` when the block ends well."""
    if "\0" in str(path):
        raise UsageError(f"no file can be called {str(path)!r}")
    path = path.resolve()  # a link is followed
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write to {path}: it is not a regular file")
    with _named(path), _Held(path, folder=False) as held:
        yield held.path
        _sync(held.path)
        held.check()
        held.path.replace(path)


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
    """Only one process at a time is inside for this folder; the lock ends with the process, however it ends.

    Where the file system has no locks nobody is kept out: what is written is whole all the same, the last writer wins.
    """
    held = None
    while held is None:
        with _named(folder):
            folder.mkdir(parents=True, exist_ok=True)
        try:
            held = locks.lock_folder(folder)
        except locks.NoLocksError:
            yield
            return
    try:
        folder.mkdir(parents=True, exist_ok=True)  # if it was not locked itself the last one may have removed it
        yield
    finally:
        held.release()


class _Held:
    """A temporary file or folder of this process, which says by its lock that somebody is at work on it.

    Who can lock what another process left removes it: that one is gone. What it was about to replace is put back.
    """

    def __init__(self, target: Path, *, folder: bool = True) -> None:
        name = f".{target.name}.{uuid.uuid4().hex[:12]}"
        self.path, self.former = (target.with_name(f"{name}.{kind}") for kind in (_NEW, _OLD))
        self._target, self._folder = target, folder
        self._lock: locks.Lock | None = None

    def __enter__(self) -> _Held:
        _mark_home(self._target)
        self._target.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self._target.parent)
        _held[self] = None
        try:
            with suppress(locks.NoLocksError):
                while self._lock is None:  # between its making and its locking it may be taken for a leftover
                    if self._folder:
                        self.path.mkdir(exist_ok=True)
                        self._lock = locks.lock_folder(self.path)
                    else:
                        self.path.touch()
                        self._lock = locks.lock_file(self.path)
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def check(self) -> None:
        """Before it gets its name: it is still ours, and we were not told to stop."""
        stopping.check()
        if self._lock is not None and not (self._lock.is_there() and self.path.exists()):
            raise LinkassayError(
                f"{self.path} was removed by another process while this one was at work on it. If several machines use "
                "one data home, its file system has to show all of them each other's locks (Lustre: mount -o flock)"
            )

    def end(self) -> None:
        """Nothing of it is left but what has got its name."""
        _put_back(self.former, self._target)
        for path in (self.path, self.former):
            _remove(path)
        if self._lock is not None:
            self._lock.release(forget=True)
            self._lock = None
        _held.pop(self, None)


#: What this process is at work on.
_held: dict[_Held, None] = {}


def _let_go() -> None:
    for held in list(_held):
        with suppress(OSError):
            held.end()


stopping.at_the_end(_let_go)


def remove_leftovers(folder: Path) -> None:
    """Remove what processes left in a folder that ended in the midst of their work.

    Where nothing can be locked nobody knows who is at work, so that it stays.
    """
    for path in sorted(folder.glob(f".*.{_OURS}-*"), key=lambda path: path.suffix):  # what is new before what is old
        name, kind = path.name.removeprefix(".").removesuffix(path.suffix).rpartition(".")[0], path.suffix[1:]
        with suppress(locks.NoLocksError, OSError):
            if kind == _NEW:
                _remove_if_left(path)
            elif not path.with_suffix(f".{_NEW}").exists():  # its process has ended, or is removing it
                if kind == _OLD:
                    _put_back(path, path.with_name(name))
                _remove(path)


def _remove_if_left(path: Path) -> None:
    """It loses its name first: a process that is at work on it after all, unknown to us, does not store half of it."""
    lock = (locks.lock_folder if path.is_dir() else locks.lock_file)(path, wait=False)
    if lock is not None:
        path.rename(path.with_suffix(f".{_GONE}"))
        _remove(path.with_suffix(f".{_GONE}"))
        lock.release(forget=True)


def _put_back(former: Path, target: Path) -> None:
    with suppress(OSError):
        if former.exists() and not target.exists():
            former.rename(target)


def _remove(path: Path) -> None:
    """A file or folder, if it is there and can be removed; other threads may still be at work in it."""
    for _ in range(3):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):
            path.unlink(missing_ok=True)
            return


def _mark_home(target: Path) -> None:
    """See to it that a data home says its format when `target` is the first that is written into it."""
    root = home_folder().resolve()
    mark = root / "home.json"
    if root not in target.resolve().parents:
        return
    home()  # refuses one that this version cannot write into
    if target.name != mark.name and not mark.exists() and not is_filled(root):
        write_text(mark, json.dumps({"format": FORMAT, "linkassay": version("linkassay")}) + "\n")


@contextmanager
def _named(target: Path) -> Iterator[None]:
    """A disk that is full or cannot be written is an error that says what was being written."""
    try:
        yield
    except Exception as error:
        if not (number := unwritable(error)):
            raise
        raise UnwritableError(f"{target}: cannot be written ({os.strerror(number)}); make room or choose another "
                              "place, then run it again. Nothing half-written is left") from error  # fmt: skip


def unwritable(error: BaseException) -> int:
    """The number that a full or read-only disk has as an error, or 0; DuckDB says it in words."""
    if isinstance(error, OSError):
        return error.errno if error.errno in _UNWRITABLE else 0
    duckdb = type(error).__module__.lstrip("_") == "duckdb"
    return next((number for number in _UNWRITABLE if duckdb and os.strerror(number) in str(error)), 0)


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
