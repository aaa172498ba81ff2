"""Text without knowledge of entities: keys of names, sentences, abbreviations.

Each module is plain functions over strings and spans; nothing here looks anything up, and only
`abbreviations.sources` reads a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.text.normalise import name_key
    from linkassay.text.sentences import split_sentences
    from linkassay.text.variants import alleles, reversed_form, variant_forms

__all__ = ["alleles", "name_key", "reversed_form", "split_sentences", "variant_forms"]

__getattr__, __dir__ = front_door(__name__)
