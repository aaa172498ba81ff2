"""Keeps pyarrow from loading pandas, which commands have no use for: that takes as long as scoring a small run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

#: Whose code makes arrays. None of them imports pandas itself, so that it is pyarrow that asks.
_OURS = ("linkassay", "pyarrow", "duckdb")


class NoPandasForArrow:
    """An import finder that says there is no pandas when pyarrow asks, as it does before its first array.

    All others find it, such as a linker of one's own; and pyarrow asks again where a data frame is wanted.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """No module, but for pandas an error if the one that imports it is ours."""
        if name == "pandas" and _importer().partition(".")[0] in _OURS:
            raise ModuleNotFoundError("pandas is not loaded for pyarrow", name=name)
        return None


def _importer() -> str:
    """The module that imports: the first frame outside of the import system; what is compiled has none."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib"):
        frame = frame.f_back  # type: ignore[assignment]
    return str(frame.f_globals.get("__name__", "")) if frame else ""
