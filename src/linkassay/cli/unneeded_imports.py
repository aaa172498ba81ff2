"""Keeps libraries from loading others that a command has no use for: that takes longer than scoring a small run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType

#: Whose code runs between the one who wants an array, or a tokenizer, and the import.
_BETWEEN = ("importlib", "pyarrow", "duckdb")
_BETWEEN_SPACY = ("importlib", "spacy", "thinc", "confection")


class _Finder:
    """One that only ever says that there is no such module, of some and to some."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Nothing: others may find it."""
        raise NotImplementedError

    @classmethod
    def install(cls) -> None:
        """Let it be asked before other finders, once for each process."""
        if not any(type(finder) is cls for finder in sys.meta_path):
            sys.meta_path.insert(0, cls())


class NoPandasForArrow(_Finder):
    """An import finder that says there is no pandas where our own code makes an array: pyarrow asks before its first.

    All others find it, such as a linker of one's own; and pyarrow asks again where a data frame is wanted.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """No module, but for pandas an error if it is for us: no module of ours imports it."""
        if name == "pandas" and _asking(sys._getframe(1), _BETWEEN) == "linkassay":
            raise ModuleNotFoundError("pandas is not loaded for pyarrow", name=name)
        return None


class NoTorchForSpacy(_Finder):
    """The same where our own code loads spaCy: its tokenizer has no use for PyTorch, which takes a second to load.

    SpaCy does not ask again, so it is for commands that only count words: a linker may need both.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """No module, but for PyTorch and its like an error if spaCy asks for us."""
        if name in ("torch", "cupy") and _asking(sys._getframe(1), _BETWEEN_SPACY) == "linkassay":
            raise ModuleNotFoundError(f"{name} is not loaded for spaCy", name=name)
        return None


def _asking(frame: FrameType | None, between: Sequence[str]) -> str:
    """The package that an import is for; what is compiled has no frame."""
    while frame is not None and _package(frame) in between:
        frame = frame.f_back
    return "" if frame is None else _package(frame)


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
