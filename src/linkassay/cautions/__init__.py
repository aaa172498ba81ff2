"""Cautions: what makes a figure doubtful and is no error, said where the mistake is made, with what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.cautions.caution import KINDS, Caution, refuse_cautions
    from linkassay.cautions.default_kb import kb_of_corpus
    from linkassay.cautions.of_data import corpus_cautions, gold_cautions, kb_cautions
    from linkassay.cautions.of_runs import data_cautions, result_cautions, run_cautions

__all__ = [
    "KINDS",
    "Caution",
    "corpus_cautions",
    "data_cautions",
    "gold_cautions",
    "kb_cautions",
    "kb_of_corpus",
    "refuse_cautions",
    "result_cautions",
    "run_cautions",
]

__getattr__, __dir__ = front_door(__name__)
