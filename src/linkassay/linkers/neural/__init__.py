"""Linkers that go by neural encoders, and what they share: models as folders, vectors of texts, nearest vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.linkers.neural.convert import convert_model
    from linkassay.linkers.neural.encoder import Encoder
    from linkassay.linkers.neural.model_files import (
        CARD,
        PACKAGED,
        model_card,
        model_checksum,
        model_folder,
        packaged_folder,
    )
    from linkassay.linkers.neural.training import RECIPES, Pace, best_round, train

__all__ = [
    "CARD",
    "PACKAGED",
    "RECIPES",
    "Encoder",
    "Pace",
    "best_round",
    "convert_model",
    "model_card",
    "model_checksum",
    "model_folder",
    "packaged_folder",
    "train",
]

__getattr__, __dir__ = front_door(__name__)
