"""End-to-end scoring: spans are predicted too (PRESET-3 to PRESET-5).

>>> from linkassay.model import Document, Mention, Prediction
>>> from linkassay.scoring.endtoend import evaluate
>>> ada = Mention("1", "d", ((0, 3),), "Ada", "", (frozenset({"wikidata:Q7259"}),))
>>> counts = evaluate([Document("d", "Ada of London", annotations=(ada,))],
...                   [Prediction("d", ((0, 3),), (("wikidata:Q7259",),)),
...                    Prediction("d", ((7, 13),), (("wikidata:Q84",),))])
>>> counts.micro("all", "ignored")
(0.5, 1.0, 0.6666666666666666)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.scoring.endtoend.alignment import SPAN_POLICIES
    from linkassay.scoring.endtoend.case_groups import GROUPINGS, MENTION_KINDS, case_groups_of
    from linkassay.scoring.endtoend.cases import Cases, judge
    from linkassay.scoring.endtoend.categories import CANDIDATES, NO_NIL, DisambiguationCategories, has_candidates
    from linkassay.scoring.endtoend.category_table import CATEGORIES, EVERY, Category
    from linkassay.scoring.endtoend.columns import DocumentBatch
    from linkassay.scoring.endtoend.comparison import compare_runs_end_to_end
    from linkassay.scoring.endtoend.counts import Counts
    from linkassay.scoring.endtoend.critique import critique_corpus
    from linkassay.scoring.endtoend.decision_matrix import FN, FP, LINKING, MODES, NER, TP
    from linkassay.scoring.endtoend.evaluation import cases_by_count, evaluate, recognised
    from linkassay.scoring.endtoend.figure_rows import describe_system, rate
    from linkassay.scoring.endtoend.figures import Row, endtoend_figures, mean_intervals, means, rows_of
    from linkassay.scoring.endtoend.hierarchy import hierarchy_figures, relations_of
    from linkassay.scoring.endtoend.kb_facts import KbFacts
    from linkassay.scoring.endtoend.partition import document_batches
    from linkassay.scoring.endtoend.presets import PRESETS, preset
    from linkassay.scoring.endtoend.run_score import (
        EndToEndScore,
        benchmark_name,
        kb_facts_for_run,
        score_run_end_to_end,
        score_runs_end_to_end,
    )

__all__ = [
    "CANDIDATES",
    "CATEGORIES",
    "EVERY",
    "FN",
    "FP",
    "GROUPINGS",
    "LINKING",
    "MENTION_KINDS",
    "MODES",
    "NER",
    "NO_NIL",
    "PRESETS",
    "SPAN_POLICIES",
    "TP",
    "Cases",
    "Category",
    "Counts",
    "DisambiguationCategories",
    "DocumentBatch",
    "EndToEndScore",
    "KbFacts",
    "Row",
    "benchmark_name",
    "case_groups_of",
    "cases_by_count",
    "compare_runs_end_to_end",
    "critique_corpus",
    "describe_system",
    "document_batches",
    "endtoend_figures",
    "evaluate",
    "has_candidates",
    "hierarchy_figures",
    "judge",
    "kb_facts_for_run",
    "mean_intervals",
    "means",
    "preset",
    "rate",
    "recognised",
    "relations_of",
    "rows_of",
    "score_run_end_to_end",
    "score_runs_end_to_end",
]

__getattr__, __dir__ = front_door(__name__)
