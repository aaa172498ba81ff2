"""Candidates of several generators in one order: by sums of reciprocal ranks, or as learned (COMP-3, COMP-4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkassay.linkers.protocol import Answer
from linkassay.store import MappedFolder

if TYPE_CHECKING:
    from linkassay.linkers.house.boosted_trees import Ranker

Floats = NDArray[np.floating[Any]]

#: What is added to a rank, so that the first few differ little (Cormack et al. 2009).
_DAMPING = 60
#: Of each generator: 1/rank, score, how far below its best score; 0 where it does not have the candidate.
_OF_EACH = 3


def mean_ranks(answer: Answer) -> dict[str, float]:
    """The rank of each id; of tied ones the mean of theirs.

    >>> mean_ranks([(("a", "b"), 0.9), (("c",), 0.5)])
    {'a': 1.5, 'b': 1.5, 'c': 3.0}
    """
    found: dict[str, float] = {}
    before = 0
    for ids, _ in answer:
        found |= {each: before + (len(ids) + 1) / 2 for each in ids if each not in found}
        before += len(ids)
    return found


def by_reciprocal_ranks(answers: Sequence[Answer]) -> Answer:
    """All ids by the sum of 1/(60 + rank) over the answers that have them; those of the same sum are tied.

    >>> by_reciprocal_ranks([[(("a",), 1.0)], [(("b",), 3.0), (("a",), 2.0)]])[0][0]
    ('a',)
    """
    sums: dict[str, float] = {}
    for answer in answers:
        for each, rank in mean_ranks(answer).items():
            sums[each] = sums.get(each, 0.0) + 1 / (_DAMPING + rank)
    return _ordered({each: round(value, 12) for each, value in sums.items()})


class LearnedFusion:
    """Trees that rank candidates by what each of so many generators says of them."""

    def __init__(self, generators: int) -> None:
        self._generators = generators
        self._ranker: Ranker | None = None

    def learn(self, examples: Iterable[tuple[list[set[str]], list[Sequence[Answer]]]]) -> None:
        """From documents: the ids that each mention means, and what the generators answered."""
        rows, groups, right = [], [], []
        for gold, found in examples:
            for meant, answers in zip(gold, found, strict=True):
                ids, features = self._features(answers)
                hit = np.array([each in meant for each in ids], dtype=bool)
                if hit.any() and not hit.all():
                    rows.append(features)
                    groups.append(len(ids))
                    right.append(hit)
        if rows:
            from linkassay.linkers.house.boosted_trees import Ranker

            numbers = np.repeat(np.arange(len(groups)), groups)
            self._ranker = Ranker(forests=2).fit(np.concatenate(rows), numbers, np.concatenate(right))

    def fused(self, answers: Sequence[Answer]) -> Answer:
        """All ids in the order learned; by reciprocal ranks where there was nothing to learn from."""
        if self._ranker is None:
            return by_reciprocal_ranks(answers)
        ids, features = self._features(answers)
        if not ids:
            return []
        return _ordered(dict(zip(ids, self._ranker.scores(features).round(9).tolist(), strict=True)))

    def store(self, files: MappedFolder) -> None:
        """Write the trees."""
        files.put_record("learned", self._ranker is not None)
        if self._ranker:
            self._ranker.store(files.part("ranker"))

    def open(self, files: MappedFolder) -> None:
        """Take those that were written."""
        if files.record("learned"):
            from linkassay.linkers.house.boosted_trees import Ranker

            self._ranker = Ranker.opened(files.part("ranker"))

    def _features(self, answers: Sequence[Answer]) -> tuple[list[str], Floats]:
        """The ids in the order of their letters, and a row for each: of each generator, and how many have it."""
        ids = sorted({each for answer in answers for group, _ in answer for each in group})
        place = {each: number for number, each in enumerate(ids)}
        table = np.zeros((len(ids), _OF_EACH * self._generators + 1))
        for number, answer in enumerate(answers):
            ranks = mean_ranks(answer)
            at = _OF_EACH * number
            for group, score in reversed(answer):  # an id counts where it stands first
                for each in group:
                    table[place[each], at : at + _OF_EACH] = 1 / ranks[each], score, score - answer[0][1]
            table[[place[each] for each in ranks], -1] += 1
        return ids, table


def _ordered(scores: dict[str, float]) -> Answer:
    groups: dict[float, list[str]] = {}
    for each in sorted(scores):
        groups.setdefault(scores[each], []).append(each)
    return [(tuple(groups[score]), score) for score in sorted(groups, reverse=True)]
