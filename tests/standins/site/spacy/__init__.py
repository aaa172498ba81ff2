"""Stand-in for spaCy with scispaCy's linker: as much of the interface as a recipe of docs/outside-systems.md uses."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
from tests.standins.tools import found


class _Pipeline:
    def add_pipe(self, name: str, config: dict[str, Any]) -> None:
        assert name == "scispacy_linker"

    def __call__(self, text: str) -> Any:
        return SimpleNamespace(ents=[_entity(*about) for about in found(text, "disease") if "mesh:" in about[3]])


def _entity(start: int, end: int, text: str, identifier: str, type_: str) -> Any:
    linked = [(identifier.removeprefix("mesh:"), 0.9)]
    return SimpleNamespace(start_char=start, end_char=end, _=SimpleNamespace(kb_ents=linked))


def load(model: str) -> _Pipeline:
    return _Pipeline()
