"""Keeps pyarrow from loading pandas, which commands have no use for: that takes as long as scoring a small run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType

#: Whose code runs between the one who wants an array and the import.
_BETWEEN = ("importlib", "pyarrow", "duckdb")


class NoPandasForArrow:
    """An import finder that says there is no pandas where our own code makes an array: pyarrow asks before its first.

    All others find it, such as a linker of one's own; and pyarrow asks again where a data frame is wanted.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """No module, but for pandas an error if it is for us: no module of ours imports it."""
        if name == "pandas" and _asking(sys._getframe(1)) == "linkassay":
            raise ModuleNotFoundError("pandas is not loaded for pyarrow", name=name)
        return None


def _asking(frame: FrameType | None) -> str:
    """The package that an import is for; what is compiled has no frame."""
    while frame is not None and _package(frame) in _BETWEEN:
        frame = frame.f_back
    return "" if frame is None else _package(frame)


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
