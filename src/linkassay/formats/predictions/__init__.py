"""Formats of predictions: what each file claims, one answer at a time (`claims`), before it is held to a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.formats.predictions import annotated_documents, native, services
    from linkassay.formats.predictions.claims import OFFSETS_RULE, Claim, mentions_at, misfit

__all__ = ["OFFSETS_RULE", "Claim", "annotated_documents", "mentions_at", "misfit", "native", "services"]

__getattr__, __dir__ = front_door(__name__)
