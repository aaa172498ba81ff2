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
    from linkassay.scoring.disambiguation.document_sums import ALL, as_count
    from linkassay.scoring.disambiguation.evaluation_sets import SETS, EvaluationSet, Sets
    from linkassay.scoring.disambiguation.gold_ranks import GoldIds, rank_gold
    from linkassay.scoring.disambiguation.measures import MEASURES, Measure, MeasureKind, parse_measures
    from linkassay.scoring.disambiguation.mention_outcomes import (
        CUT_OFFS,
        MentionOutcome,
        hits_at,
        mention_outcomes_of,
    )
    from linkassay.scoring.disambiguation.protocols import PROTOCOLS, Protocol
    from linkassay.scoring.disambiguation.rankings import Group, Rankings
    from linkassay.scoring.disambiguation.run_score import Score, score_run
    from linkassay.scoring.disambiguation.scored_mentions import ScoringOptions, id_list, sections_at
    from linkassay.scoring.disambiguation.slices import SLICE_COLUMNS, SLICES, Slice, parse_slice
    from linkassay.scoring.disambiguation.tie_policies import (
        NEVER,
        TIES,
        First,
        GoldGroups,
        Outcome,
        TiePolicy,
        expected_hit,
    )

__all__ = [
    "ALL",
    "CUT_OFFS",
    "MEASURES",
    "NEVER",
    "PROTOCOLS",
    "SETS",
    "SLICES",
    "SLICE_COLUMNS",
    "TIES",
    "Comparison",
    "EvaluationSet",
    "First",
    "GoldGroups",
    "GoldIds",
    "Group",
    "Measure",
    "MeasureKind",
    "MentionOutcome",
    "Outcome",
    "Protocol",
    "Rankings",
    "Score",
    "ScoringOptions",
    "Sets",
    "Slice",
    "TiePolicy",
    "abbreviation_effect",
    "as_count",
    "bioel_slices",
    "compare_runs",
    "effect_row",
    "expected_hit",
    "hits_at",
    "id_list",
    "mention_outcomes_of",
    "parse_measures",
    "parse_slice",
    "rank_gold",
    "score_run",
    "sections_at",
]

__getattr__, __dir__ = front_door(__name__)
