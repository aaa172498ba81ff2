"""What a figure cannot say with these data (SUPPORT-1 to SUPPORT-4), in a phrase: its note, wherever it is shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from linkassay.scoring.disambiguation.measures import STAGES, Measure
from linkassay.scoring.disambiguation.slices import SLICES

if TYPE_CHECKING:
    from linkassay.scoring.disambiguation.run_score import Score

#: Columns of slices that are made of texts of mentions.
_OF_TEXTS = {"length", "words", "alias_match", "wrong_alias_match", "homonym", "train_text", "train_pair", "unseen"}
#: Sets whose items are pairs of text and entity, and those that ask what training data have.
_OF_PAIRS = {"global-unique", "novel", "novel-unique"}
_NOVEL = {"novel", "novel-unique"}
_RANKS_OF_MRR = 10  # gold at lower ranks hardly counts


def unsupported(score: Score, measure: Measure, slice_: str) -> str:
    """Why a figure of a run is not what its name says; nothing where it is."""
    return "; ".join(filter(None, (cut_short(score, measure), set_note(score, measure.set), slice_note(score, slice_))))


def cut_short(score: Score, measure: Measure) -> str:
    """Where ranks are asked for that the run does not have (SUPPORT-1)."""
    needed = measure.k or (_RANKS_OF_MRR if measure.name == "mrr" else 1)
    if needed == 1:
        return ""
    if measure.name in STAGES and score.run.keeps_candidates:
        most = score.most_looked_at
        return f"at most {most} candidates were looked at" if most < needed else ""
    top, most = score.run.about["parameters"].get("top"), score.most_candidates
    if top is None and 0 < most < needed:  # made elsewhere: nobody knows whether there were more
        return f"the run has at most {most} candidate{'s' if most > 1 else ''} for a mention"
    if top is not None and top <= most and top < needed:
        return f"only {top} candidate{'s' if top > 1 else ''} for a mention {'were' if top > 1 else 'was'} kept"
    return ""


def set_note(score: Score, name: str) -> str:
    """Where a set cannot tell its items apart (SUPPORT-2, SUPPORT-3)."""
    if name in _OF_PAIRS and not score.items.has_mention_texts:
        return "the corpus has no texts of mentions: pairs differ by entity alone"
    if name in _NOVEL and not score.sets.has_training():
        return "there are no training data: all is novel"
    return ""


def slice_note(score: Score, name: str) -> str:
    """Where a slice asks for texts that are not there (SUPPORT-4), or for abbreviations that nobody knows."""
    if name == "all":
        return ""
    grouping = name.partition("=")[0]
    words = set(re.findall(r"\w+", SLICES[grouping].sql)) if grouping in SLICES else set()
    if words & _OF_TEXTS and not score.items.has_mention_texts:
        return "the corpus has no texts of mentions"
    if "expansion" in words and score.items.options.abbreviations is None:
        return "abbreviations are not looked for (--abbreviations none)"
    if "expansion" in words and score.items.options.abbreviations_need_texts and not score.items.has_document_texts:
        return "the corpus has no texts that could define abbreviations"
    return ""
