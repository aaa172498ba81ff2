"""Scoring and linking of what a caller holds in memory, by the same code as what lies in the data home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.in_memory.evaluation import evaluate
    from linkassay.in_memory.explaining import explain
    from linkassay.in_memory.grounding import ground

__all__ = ["evaluate", "explain", "ground"]

__getattr__, __dir__ = front_door(__name__)
