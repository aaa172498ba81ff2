"""Abbreviations of a text: found in it (`pairs`), from elsewhere (`abbreviations`), put in place (`expand`)."""

from __future__ import annotations

from linkassay.text.abbreviations.schwartz_hearst import Pair, expansions, pairs
from linkassay.text.abbreviations.sources import Abbreviations, abbreviations, expand, recorded

__all__ = ["Abbreviations", "Pair", "abbreviations", "expand", "expansions", "pairs", "recorded"]
