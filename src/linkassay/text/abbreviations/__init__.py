"""Abbreviations of a text: `abbreviation_pairs` finds them, `abbreviation_source` knows them, `expand` applies them."""

from __future__ import annotations

from linkassay.text.abbreviations.schwartz_hearst import AbbreviationPair, abbreviation_pairs, expansions
from linkassay.text.abbreviations.sources import Abbreviations, abbreviation_source, abbreviations_record, expand

__all__ = [
    "AbbreviationPair",
    "Abbreviations",
    "abbreviation_pairs",
    "abbreviation_source",
    "abbreviations_record",
    "expand",
    "expansions",
]
