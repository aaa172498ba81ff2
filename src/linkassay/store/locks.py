"""Locks that end with the process that holds them, however it ends: no name of a host, no number of a process matters.

Those of `flock`, on Linux also over NFS. What cannot be locked at all is told by `NoLocksError`; what happens then is
decided by who asked.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

try:
    import fcntl
except ImportError:  # not on this system
    fcntl = None  # type: ignore[assignment]

#: How a file system says that it has no locks, or none on what is not open for writing.
_NONE = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF)
#: How the file is called that is locked in place of a folder where folders cannot be, as on NFS.
_BESIDE = "folder-lock"


class NoLocksError(Exception):
    """The file system, or the system, has no locks."""


class Lock(NamedTuple):
    """What is locked, and open for as long."""

    handle: int
    path: Path

    def is_there(self) -> bool:
        """Whether the name still stands for what is locked."""
        try:
            return os.path.samestat(os.fstat(self.handle), os.stat(self.path))
        except OSError:
            return False

    def release(self, *, forget: bool = False) -> None:
        """Let others have it; `forget`: what was locked for has ended, so that nobody will ask again."""
        if forget and self.path.name.endswith(_BESIDE):
            with suppress(OSError):
                self.path.unlink()
        os.close(self.handle)


def lock_folder(folder: Path, *, wait: bool = True) -> Lock | None:
    """The lock of a folder that is there. None if it was removed meanwhile, or another process has it."""
    try:
        return _locked(folder, os.O_RDONLY, wait)
    except NoLocksError as error:
        if getattr(error.__cause__, "errno", 0) != errno.EBADF:
            raise
        return _locked(folder.with_name(f".{folder.name}.{_BESIDE}"), os.O_RDWR | os.O_CREAT, wait)


def lock_file(file: Path, *, wait: bool = True) -> Lock | None:
    """The lock of a file that is there. None if it was removed meanwhile, or another process has it."""
    return _locked(file, os.O_RDWR, wait)


def _locked(path: Path, flags: int, wait: bool) -> Lock | None:
    if fcntl is None:
        raise NoLocksError
    try:
        lock = Lock(os.open(path, flags, 0o666), path)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock.handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        ours = lock.is_there()
    except BaseException as error:
        lock.release()
        if isinstance(error, BlockingIOError):
            return None
        if isinstance(error, OSError) and error.errno in _NONE:
            raise NoLocksError from error
        raise
    if not ours:
        lock.release()
        return None
    return lock
