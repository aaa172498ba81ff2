"""Baselines for words in context (WIC-24 to WIC-26), by name. Nothing heavy is imported before one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import Registry, front_door

if TYPE_CHECKING:
    from linkassay.wic.baselines.protocol import run_baseline

__all__ = ["BASELINES", "run_baseline"]

__getattr__, __dir__ = front_door(__name__)

BASELINES = Registry(
    "baseline",
    {
        "random": "linkassay.wic.baselines.simple:Random",  # WIC-24
        "term": "linkassay.wic.baselines.simple:Term",  # WIC-24
        "static": "linkassay.wic.baselines.static:Static",  # WIC-25
        "encoder": "linkassay.wic.baselines.encoder:Encoder",  # WIC-26
    },
)
