"""Scoring with given mentions: which ids are right, which mentions count, and every measure of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.scoring.disambiguation.comparison import (
        Comparison,
        abbreviation_effect,
        bioel_slices,
        compare_runs,
        effect_row,
    )
    from linkassay.scoring.disambiguation.document_sums import ALL, whole
    from linkassay.scoring.disambiguation.evaluation_sets import SETS
    from linkassay.scoring.disambiguation.gold_ranks import GoldIds, rank_gold
    from linkassay.scoring.disambiguation.measures import MEASURES, Measure, parse_measures
    from linkassay.scoring.disambiguation.mention_outcomes import CUT_OFFS, MentionOutcome
    from linkassay.scoring.disambiguation.protocols import PROTOCOLS, TIES, Protocol
    from linkassay.scoring.disambiguation.rankings import Group, Rankings
    from linkassay.scoring.disambiguation.run_score import Score, score_run
    from linkassay.scoring.disambiguation.scored_mentions import ScoringOptions, id_list
    from linkassay.scoring.disambiguation.slices import GROUPINGS, SLICE_COLUMNS, SLICES, parse_slice

__all__ = [
    "ALL",
    "CUT_OFFS",
    "GROUPINGS",
    "MEASURES",
    "PROTOCOLS",
    "SETS",
    "SLICES",
    "SLICE_COLUMNS",
    "TIES",
    "Comparison",
    "GoldIds",
    "Group",
    "Measure",
    "MentionOutcome",
    "Protocol",
    "Rankings",
    "Score",
    "ScoringOptions",
    "abbreviation_effect",
    "bioel_slices",
    "compare_runs",
    "effect_row",
    "id_list",
    "parse_measures",
    "parse_slice",
    "rank_gold",
    "score_run",
    "whole",
]

__getattr__, __dir__ = front_door(__name__)
