"""The categories of errors in one table (CAT-1 to CAT-15): what each is called, counted as, and a share of.

How a case gets into a category is decided in `categories`; whoever counts or shows them reads this table.
"""

from __future__ import annotations

from typing import NamedTuple


class Category(NamedTuple):
    """A category has the counts `<name>_errors` and `<name>_total`, and the rate `<name>_rate` of the two."""

    kind: str  # of error
    words: str
    name: str
    of: str = "cases"  # what the rate is of: cases, or words of the text, which are no cases


_WORDS = "words"  # counted by `word_count`
_MISSED, _SPURIOUS, _WRONG = "mention missed", "mention spurious", "wrong entity"

CATEGORIES = (
    Category(_MISSED, "lower-cased", "ner_fn_lowercased"),  # CAT-1
    Category(_MISSED, "partially included", "ner_fn_partially_included"),  # CAT-2
    Category(_MISSED, "partial overlap", "ner_fn_partial_overlap"),  # CAT-3
    Category(_MISSED, "other", "ner_fn_other"),  # CAT-3
    Category(_SPURIOUS, "lower-cased", "ner_fp_lowercased", _WORDS),  # CAT-4
    Category(_SPURIOUS, "NIL or unlabelled", "ner_fp_groundtruth_unknown"),  # CAT-5
    Category(_SPURIOUS, "other", "ner_fp_other", _WORDS),  # CAT-6
    Category(_SPURIOUS, "wrong span", "ner_fp_wrong_span"),  # CAT-7
    Category(_WRONG, "demonym", "disamb_demonym"),  # CAT-8
    Category(_WRONG, "metonym", "disamb_metonymy"),  # CAT-9
    Category(_WRONG, "partial name", "disamb_partial_name"),  # CAT-10
    Category(_WRONG, "rare", "disamb_rare"),  # CAT-11
    Category(_WRONG, "other", "disamb_other"),  # CAT-11
    Category(_WRONG, "gold not among candidates", "disamb_wrong_candidates"),  # CAT-15
    Category(_WRONG, "gold among several", "disamb_multiple_candidates"),  # CAT-15
    Category(_WRONG, "wrong species", "disamb_wrong_species"),  # CAT-12
    Category(_WRONG, "abbreviation", "disamb_abbreviation"),  # CAT-13
)

#: With those of all missed and all spurious mentions; all wrong entities are what disambiguation accuracy is about.
EVERY = (
    Category(_MISSED, "all", "ner_fn_all"),
    Category(_SPURIOUS, "all", "ner_fp_all", _WORDS),
    *CATEGORIES,
)
