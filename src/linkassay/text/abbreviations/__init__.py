"""Abbreviations of a text: `abbreviation_pairs` finds them, `abbreviation_source` knows them, `expand` applies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.text.abbreviations.schwartz_hearst import AbbreviationPair, abbreviation_pairs, expansions
    from linkassay.text.abbreviations.sources import (
        Abbreviations,
        FromFile,
        SchwartzHearst,
        abbreviation_source,
        abbreviations_record,
        expand,
    )

__all__ = [
    "AbbreviationPair",
    "Abbreviations",
    "FromFile",
    "SchwartzHearst",
    "abbreviation_pairs",
    "abbreviation_source",
    "abbreviations_record",
    "expand",
    "expansions",
]

__getattr__, __dir__ = front_door(__name__)
