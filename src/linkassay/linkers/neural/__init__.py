"""Linkers that go by neural encoders, and what they share: models as folders, vectors of texts, nearest vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.linkers.neural.convert import convert_model
    from linkassay.linkers.neural.encoder import Encoder
    from linkassay.linkers.neural.model_files import PACKAGED, model_checksum, model_folder, packaged_folder

__all__ = ["PACKAGED", "Encoder", "convert_model", "model_checksum", "model_folder", "packaged_folder"]

__getattr__, __dir__ = front_door(__name__)
