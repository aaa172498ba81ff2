"""Why mentions fail (STAGE-1 to STAGE-3): at which stage, and whether the candidates were at least of the right kind.

Of the mentions wrong at rank 1, those whose gold is not among the first K are failures of candidate generation,
the others of disambiguation; the two sum to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from linkassay.errors import UsageError
from linkassay.kbs import semantic_groups_of, semantic_types_of
from linkassay.scoring.disambiguation.document_sums import about
from linkassay.scoring.disambiguation.measures import STAGES, Measure
from linkassay.scoring.disambiguation.rankings import Rankings
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.figure import Figure
from linkassay.scoring.statistics import intervals


def failures(score: Score, k: int, protocol: str = "") -> list[Figure]:
    """Failure stages at K, and of the candidates of mentions lost in generation the share of gold's type and group.

    The shares are over candidates: the first K ids of every such mention that the knowledge base knows, under
    policies with chances weighed by the chance that gold is missed.
    """
    inner = f"(protocol={protocol})" if protocol else ""
    stages = [Measure.parse(f"{stage}{inner}@{k}") for stage in STAGES]
    found = score.figures(stages, by=())
    if score.kb is not None:
        under = {"protocol": protocol} if protocol else {}
        found += [replace(f, about=dict(f.about) | under) for f in _kinds(score, Measure.parse(f"recall{inner}@{k}"))]
    return found


def _kinds(score: Score, measure: Measure) -> list[Figure]:
    if measure.protocol.gold == "pairs":
        raise UsageError("failures are of mentions: use a protocol without gold=pairs")
    items, kb = score.items, score.kb
    assert kb is not None
    lost = np.where(score.in_scope, score.outcome(measure.protocol).lost(measure.k), 0.0)
    candidates = {
        item: [identifier for group in ranking for identifier in group.ids][: measure.k]
        for mine, groups in score.candidates(lost > 0)
        for item, ranking in zip(mine.tolist(), Rankings.of(groups, items.moved).lists(), strict=True)
    }
    gold = items.gold.by_item.to_pylist()
    ids = {i for found in candidates.values() for i in found} | {i for n in candidates for i in gold[n]}
    connection = kb.connect()
    connection.register("asked", pa.table({"id": pa.array(sorted(ids), pa.string())}))
    known = connection.execute("select id, type, category from entities semi join asked using (id)").fetchall()
    of_type = {i: frozenset(semantic_types_of(type_, category)) for i, type_, category in known}
    of_group = {i: frozenset(semantic_groups_of(types)) for i, types in of_type.items()}
    found = []
    for name, kind in (("type", of_type), ("semantic-group", of_group)):
        if any(kind.values()):  # else the KB has no such thing
            subject = about(score, f"candidates-of-right-{name}@{measure.k}", "lost in generation")
            found.append(Figure.of(subject, *_share(score, lost, candidates, gold, kind)))
    return found


def _share(
    score: Score,
    lost: Any,
    candidates: dict[int, list[str]],
    gold: list[list[str]],
    kind: dict[str, frozenset[str]],
) -> tuple[intervals.Estimate, float]:
    documents = len(score.items.documents)
    table = np.zeros((documents, 2))
    for item, found in candidates.items():
        right = frozenset[str]().union(*(kind.get(i, frozenset()) for i in gold[item]))
        known = [i for i in found if i in kind]
        same: Sequence[str] = [i for i in known if kind[i] & right]
        table[score.items.document[item]] += lost[item] * len(same), lost[item] * len(known)
    (estimate,) = intervals.ratios([table], [(0, 1)])
    return estimate, float(table[:, 1].sum())
