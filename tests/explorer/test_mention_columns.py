"""The mentions that a page can be asked for, held to a plain reference that goes through them one by one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkassay
from linkassay.explorer import outcome_words
from linkassay.explorer.mention_columns import FILTERED_SETS, MentionColumns
from linkassay.explorer.mention_sample import EACH, MISSED_SHARE, sampled
from linkassay.scoring.disambiguation.mention_outcomes import MentionOutcome, mention_outcomes_of
from linkassay.scoring.hierarchy.mismatches import mismatch_cells, mismatch_places, place_of
from linkassay.scoring.results.cohort import Cohort, cohorts
from tests.standins.name_spotter import spotted


@pytest.fixture
def cohort(home_with_mini: Path) -> Cohort:
    """Runs that are not scored on the same mentions: gold ids are excluded for one, another is scored in part."""
    exact, normalised = linkassay.link("exact", "mini"), linkassay.link("normalised", "mini")
    (found,) = cohorts([
        linkassay.score(exact, exclude_ids="mesh:D003920,mesh:D003924"), linkassay.score(normalised, by=["type"]),
        linkassay.score(spotted(), scope=["recognised(mini/spotter)"]),
    ])  # fmt: skip
    return found


class Reference:
    """What `MentionColumns` says, a mention at a time."""

    def __init__(self, cohort: Cohort) -> None:
        found: list[dict[str, MentionOutcome]] = [{j.id: j for j in mention_outcomes_of(s)} for s in cohort.scores]
        scored = {key: j.type for each in reversed(found) for key, j in each.items()}
        left = {m["id"]: m["type"] for m in cohort.mentions().to_pylist() if m["id"] not in scored}
        types, slices = scored | left, dict.fromkeys((*scored, *left), 0)
        for bit, members in enumerate(cohort.memberships.values()):
            for key in members.ids:
                slices[key] |= 1 << bit
        score = next(score for score in cohort.scores if score.kb is not None)
        for bit, name in enumerate(FILTERED_SETS, start=len(cohort.memberships)):
            weights = score.sets.weights(name, score.in_scope, pairs=False).tolist()
            for key, weight in zip(score.items.table["id"].to_pylist(), weights, strict=True):
                slices[key] |= (weight > 0) << bit
        self.places: list[dict[str, tuple[int, ...]]] = []
        for at, score in enumerate(cohort.scores):
            ids = score.items.table["id"].to_pylist()
            mine = mismatch_places(cohort.profiles[at]) if at in cohort.profiles else {}
            self.places.append({ids[n]: numbers for n, numbers in mine.items()})
        known = sorted({(), *(mine for each in self.places for mine in each.values())})
        width = len(np.base_repr(len(known) - 1, 36))
        self.outcomes, self.names, self.slices = found, sorted(set(types.values())), list(cohort.memberships)

        def code(at: int, key: str) -> str:
            j = found[at].get(key)
            said = "x-" if j is None else outcome_words.verdict(j.hits[0], j.answered) + outcome_words.stage(
                j.hits[0], j.hits[9])  # fmt: skip
            return said + np.base_repr(known.index(self.places[at].get(key, ())), 36).zfill(width)

        self.combinations = {
            key: (self.names.index(types[key]), bits, [code(at, key) for at in range(len(found))])
            for key, bits in slices.items()
        }

    def totals(self) -> list[list[Any]]:
        counts = Counter((type_, bits, "".join(codes)) for type_, bits, codes in self.combinations.values())
        return [[*kind, n] for kind, n in counts.items()]

    def chosen(self, limit: int) -> set[str]:
        order = sorted(self.combinations, key=lambda key: hashlib.sha256(key.encode()).digest())
        chosen = self._of_each(order, limit)
        missed = [key for key in order if any(key in j and j[key].hits[0] < 1 for j in self.outcomes)]
        right = [key for key in order if key not in set(missed)]
        wanted = max(round(MISSED_SHARE * limit), limit - len(right))
        for part, more in ((missed, wanted - len(chosen & set(missed))), (right, limit), (missed, limit)):
            chosen |= set([key for key in part if key not in chosen][: max(0, min(more, limit - len(chosen)))])
        return chosen

    def _of_each(self, order: list[str], limit: int) -> set[str]:
        alike: dict[str, list[str]] = {}
        for key in order:
            alike.setdefault(repr(self.combinations[key]), []).append(key)
        chosen: set[str] = set()
        steps: list[tuple[Callable[[str], set[Any]], int]] = [(self._kinds, limit // 2), (self._cells, 3 * limit // 4)]
        for kinds_of, room in steps:
            seen = Counter(kind for key in chosen for kind in kinds_of(key))
            for rank in range(EACH):
                for keys in alike.values():
                    if rank < len(keys) and len(chosen) < room and keys[rank] not in chosen:
                        kinds = kinds_of(keys[rank])
                        if any(seen[kind] < EACH for kind in kinds):
                            chosen.add(keys[rank])
                            seen.update(kinds)
        return chosen

    def _kinds(self, key: str) -> set[Any]:
        type_, bits, codes = self.combinations[key]
        groups = [-1 - type_, *(bit for bit in range(len(self.slices)) if bits >> bit & 1)]
        mismatches = {(at, place_of(number)[0]) for at, each in enumerate(self.places) for number in each.get(key, ())}
        alone = {(at, code[:2]) for at, code in enumerate(codes)}
        return alone | mismatches | {(at, code[0], group) for at, code in enumerate(codes) for group in groups}

    def _cells(self, key: str) -> set[Any]:
        return {(at, *cell) for at, each in enumerate(self.places) for cell in mismatch_cells(each.get(key, ()))}


def test_totals_and_sample_are_those_of_the_reference(cohort: Cohort) -> None:
    sizes = [int(score.in_scope.sum()) for score in cohort.scores]
    assert len(set(sizes)) > 1  # each system has mentions that another has not
    reference, found = Reference(cohort), MentionColumns(cohort)
    assert found.totals() == reference.totals()
    assert (found.types, found.slices) == (reference.names, reference.slices)
    assert found.scored + found.left_out == len(reference.combinations)
    ids, (kinds, which) = found.ids.to_pylist(), found.combinations
    for id_, kind in zip(ids, which.tolist(), strict=True):
        type_, bits, codes = reference.combinations[id_]
        assert kinds[kind] == (type_, bits, "".join(codes))
    for limit in (10, 50, 150, 400):
        assert {ids[row] for row in sampled(found, limit).tolist()} == (
            reference.chosen(limit) if limit < len(reference.combinations) else set(reference.combinations)
        )
