"""Linkers put together of parts: who finds mentions, who finds candidates, how these are fused and reranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.linkers.composed.components import OF_RUN, PIPELINE, Component, read_components, spot_of

__all__ = ["OF_RUN", "PIPELINE", "Component", "read_components", "spot_of"]

__getattr__, __dir__ = front_door(__name__)
