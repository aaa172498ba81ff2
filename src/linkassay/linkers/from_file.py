"""Linkers by name: of the registry, or a class of a file that a user names, `./mylinker.py:MyLinker` (LINKER-13).

Only that file is loaded, and what it imports. Modules beside it are found after all that is installed, so that none of
them takes the place of a library.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from linkassay.errors import UsageError
from linkassay.linkers import LINKERS
from linkassay.registry import near_miss

_NAMED = re.compile(r"(?P<file>.+\.py):(?P<cls>\w+)")
#: The folder whose modules a linker may import: that of the file which was loaded last.
_searched: list[str] = []


class LinkerFile(NamedTuple):
    """A class of a file."""

    path: Path
    cls: str

    def __str__(self) -> str:
        """As it is named."""
        return f"{self.path}:{self.cls}"

    @property
    def whole(self) -> LinkerFile:
        """The same from any folder."""
        return self._replace(path=self.path.expanduser().resolve())

    @property
    def system(self) -> str:
        """What its runs are called where nothing is said."""
        return self.cls.lower()

    @property
    def siblings(self) -> dict[str, Path]:
        """The modules and packages beside the file, by name."""
        return _beside(self.path.parent)


def linker_file(name: str) -> LinkerFile | None:
    """The file and class that `name` names; None if it is of the registry.

    >>> linker_file("./mylinker.py:MyLinker").system, linker_file("exact")
    ('mylinker', None)
    """
    found = _NAMED.fullmatch(name)
    return LinkerFile(Path(found["file"]), found["cls"]) if found else None


def load_linker(name: str) -> Any:
    """The class, or whatever else makes it, of a linker."""
    named = linker_file(name)
    if named is None:
        return LINKERS.load(name)
    whole = named.whole
    if not whole.path.is_file():
        raise UsageError(f"linker {name!r}: there is no file {whole.path}")
    module = _module(whole.path, tuple(_states(whole)))
    known = [
        each for each, value in vars(module).items() if isinstance(value, type) and value.__module__ == module.__name__
    ]
    if named.cls not in known:
        raise UsageError(f"{whole.path} has no class {named.cls!r}; {near_miss(named.cls, known)}")
    found = getattr(module, named.cls)
    if getattr(found, "capabilities", None) is None:
        raise UsageError(f"class {named.cls!r} of {whole.path} does not declare what it can do; write in it "
                         "e.g. capabilities = Capabilities(links=True) (from linkassay.linkers)")  # fmt: skip
    return found


def _states(named: LinkerFile) -> Iterator[tuple[str, int, int]]:
    """The file and what is beside it, as it is now."""
    for path in (named.path, *named.siblings.values()):
        about = path.stat()
        yield str(path), about.st_mtime_ns, about.st_size


@lru_cache(maxsize=16)
def _module(path: Path, _states: tuple[tuple[str, int, int], ...]) -> ModuleType:
    """The module of a file; loaded once for as long as it and its neighbours stay as they are."""
    _search(path.parent)
    module = ModuleType(f"own_linker_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 (as named)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{_place(path, error)}: the linker cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    return module


def _search(folder: Path) -> None:
    """Let modules of this folder be imported; forget those of the folder before, or those of this one as they were."""
    for before in _searched:
        sys.path.remove(before)
        for name in [name for name in sys.modules if name.partition(".")[0] in _beside(Path(before))]:
            if Path(before) in Path(getattr(sys.modules[name], "__file__", None) or "").parents:
                del sys.modules[name]
    _searched[:] = [] if str(folder) in sys.path else [str(folder)]
    sys.path.extend(_searched)


def _beside(folder: Path) -> dict[str, Path]:
    """The modules and packages of a folder, by name; those that Python has itself are not found there."""
    found = {path.stem: path for path in folder.glob("*.py")}
    found |= {path.parent.name: path.parent for path in folder.glob("*/__init__.py")}
    return {name: path for name, path in sorted(found.items()) if name not in sys.stdlib_module_names}


def _place(path: Path, error: BaseException) -> str:
    """Where an error arose: the last line of the file, or of what lies beside it, that led to it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if path.parent in Path(frame.filename).parents
    ]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else str(path)
