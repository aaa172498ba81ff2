"""Baselines for words in context (WIC-24 to WIC-26), by name. Nothing heavy is imported before one is asked for."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["BASELINES"]

BASELINES = Registry(
    "baseline",
    {
        "random": "linkassay.wic.baselines.simple:Random",
        "term": "linkassay.wic.baselines.simple:Term",
        "static": "linkassay.wic.baselines.static:Static",
        "encoder": "linkassay.wic.baselines.encoder:Encoder",
    },
)
