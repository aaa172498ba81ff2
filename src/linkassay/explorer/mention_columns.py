"""The mentions behind a cohort's figures as columns: what all systems made of each, and exact totals of every kind."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.errors import UsageError
from linkassay.explorer.annotations import Annotations
from linkassay.explorer.outcome_words import stage, verdict
from linkassay.scoring.disambiguation import NEVER, Protocol, Score, hits_at
from linkassay.scoring.hierarchy import mismatch_places
from linkassay.scoring.results import STAGE_K, Cohort

#: Evaluation sets that mentions can be filtered by; a *unique* one has the mentions of the set that it is made of.
FILTERED_SETS = ("novel", "unseen-entity", "unseen-synonym", "unseen-synonym-of-entity")


class Combination(NamedTuple):
    """All that filters look at.

    Number of the type, slices and then evaluation sets (bits), and for each system letters of the same width.
    """

    type: int
    slices: int
    codes: str


class MentionColumns:
    """The judged mentions of all systems, side by side: those that are scored, then the others of the split."""

    def __init__(self, cohort: Cohort) -> None:
        self.cohort, self.scores = cohort, cohort.scores
        self.annotations = Annotations(cohort.corpus, cohort.split)
        ids = self.annotations.of_roots("id")
        scored = _scored(self.scores)
        at = pc.index_in(scored, value_set=ids).to_numpy(zero_copy_only=False)
        left = np.ones(len(ids), dtype=bool)
        left[at] = False
        left = np.flatnonzero(left)
        #: Of each mention its place among all mentions of their own, in corpus order.
        self.place = np.concatenate([at, left]).astype(np.int64)
        self.ids: pa.ChunkedArray = pa.chunked_array([scored, ids.take(pa.array(left))])
        #: Mentions that at least one system is scored on; the others mostly want a gold id.
        self.scored, self.left_out = len(scored), len(left)
        #: Of each system, the rows of its items; -1 for those that are out of scope.
        self.row = [_rows(score, scored) for score in self.scores]
        self._places = [
            mismatch_places(cohort.profiles[at]) if at in cohort.profiles else {} for at in range(len(self.scores))
        ]
        #: What mentions have of places of mismatches in the hierarchy, each once: a code has its number, in two letters
        #: where there are more than 36. So a page with many mentions stays small.
        self.places = sorted({(), *(mine for each in self._places for mine in each.values())})
        self.width = 2 + len(np.base_repr(len(self.places) - 1, 36))  # letters of a code
        types = self.annotations.types.take(pa.array(self.annotations.roots)).dictionary_encode()
        self.types = sorted(types.dictionary.to_pylist())
        number = np.array([self.types.index(type_) for type_ in types.dictionary.to_pylist()], dtype=np.int64)
        self.type = number[types.indices.take(pa.array(self.place)).to_numpy(zero_copy_only=False)]
        self.slices = list(cohort.memberships)

    def __len__(self) -> int:
        return self.scored + self.left_out

    @property
    def in_corpus_order(self) -> Any:
        """The rows in the order in which the corpus has them."""
        found = np.empty(len(self), dtype=np.int64)
        found[self.place] = np.arange(len(self))
        return found

    def totals(self) -> list[list[Any]]:
        """How many mentions have each combination of type, slices (bits) and codes: exact counts for any filter."""
        kinds, which = self.combinations
        return [[*kind, n] for kind, n in zip(kinds, np.bincount(which, minlength=len(kinds)).tolist(), strict=True)]

    @cached_property
    def sets(self) -> dict[str, tuple[Score, Any]]:
        """The evaluation sets, as far as there are training data for them: the mentions that weigh anything there."""
        score = next((each for each in self.scores if each.kb is not None), self.scores[0])
        found = {}
        for name in FILTERED_SETS:
            with suppress(UsageError):  # no training data
                found[name] = score, score.sets.weights(name, score.in_scope, pairs=False) > 0
        return found

    @cached_property
    def combinations(self) -> tuple[list[Combination], Any]:
        """The combinations in the order in which they first occur, and the number of that of each mention."""
        slices = np.zeros(len(self), dtype=np.int64)
        for bit, (score, mask) in enumerate([*self.cohort.memberships.values(), *self.sets.values()]):
            slices[self._row_of(score)[mask]] |= 1 << bit
        codes = [self._codes(at) for at in range(len(self.scores))]
        which = self.type
        for column in (slices, *(numbers for _, numbers in codes)):
            values, mine = np.unique(column, return_inverse=True)
            _, which = np.unique(which * len(values) + mine, return_inverse=True)
        _, first, which = np.unique(which, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        first = first[order]
        letters = zip(*([words[n] for n in numbers[first].tolist()] for words, numbers in codes), strict=True)
        kinds = zip(self.type[first].tolist(), slices[first].tolist(), map("".join, letters), strict=True)
        return [Combination(*kind) for kind in kinds], place[which]

    def _row_of(self, score: Score) -> Any:
        at = next((at for at, each in enumerate(self.scores) if each is score), None)
        return _rows(score, self.ids.chunk(0)) if at is None else self.row[at]

    def _codes(self, system: int) -> tuple[list[str], Any]:
        """The codes of a system, and of each mention the number of its code.

        Letters of the same width: outcome, stage, and the number of its places in the hierarchy, in capitals: no digit
        is a letter of an outcome.
        """
        score, row = self.scores[system], self.row[system]
        inside = row >= 0
        answered = score.gold_ranks(Protocol()).answered[inside]
        first, within = (hits_at(score, k)[inside] for k in (1, STAGE_K))
        (firsts, one), (withins, other) = (np.unique(each, return_inverse=True) for each in (first, within))
        outcome = (one * len(withins) + other) * 2 + answered
        numbers = np.zeros(len(self), dtype=np.int64)
        numbers[row[inside]] = outcome + 1
        place = np.zeros(len(self), dtype=np.int64)
        known = {mine: at for at, mine in enumerate(self.places)}
        mismatched = self._places[system]
        place[row[list(mismatched)]] = [known[mine] for mine in mismatched.values()]
        numbers = numbers * len(self.places) + place
        distinct, which = np.unique(numbers, return_inverse=True)
        words: dict[str, int] = {}
        place = np.empty(len(distinct), dtype=np.int64)
        for n, number in enumerate(distinct.tolist()):
            outcome, mine = divmod(number, len(self.places))
            hit, said = divmod(outcome - 1, 2)
            at, last = divmod(hit, len(withins))
            letters = "x-" if not outcome else (
                verdict(float(firsts[at]), bool(said)) + stage(float(firsts[at]), float(withins[last])))  # fmt: skip
            place[n] = words.setdefault(letters + np.base_repr(mine, 36).zfill(self.width - 2), len(words))
        return list(words), place[which]

    @cached_property
    def missed(self) -> Any:
        """Which mentions some system that is scored on them has not right."""
        found = np.zeros(len(self), dtype=bool)
        for score, row in zip(self.scores, self.row, strict=True):
            found[row[(row >= 0) & (hits_at(score, 1) < 1)]] = True
        return found

    @cached_property
    def worst(self) -> Any:
        """The worst rank of gold over the systems; -1 where one of them has not found it, -2 where none is scored."""
        found = np.full(len(self), -2)
        for score, row in zip(self.scores, self.row, strict=True):
            ranks = score.gold_ranks(Protocol())
            starts = np.searchsorted(ranks.gold.item, np.arange(len(row)))
            before = np.minimum.reduceat(ranks.before, starts)  # every item has gold
            rank = np.where(before == NEVER, NEVER, before + 1)
            inside = row >= 0
            found[row[inside]] = np.maximum(found[row[inside]], rank[inside])
        return np.where(found == NEVER, -1, found)


def _scored(scores: list[Score]) -> Any:
    """The ids of mentions that any system is scored on; those that only others have come after those of the last."""
    columns = [score.items.table["id"].filter(pa.array(score.in_scope)) for score in reversed(scores)]
    if all(column.equals(columns[0]) for column in columns[1:]):
        return columns[0].combine_chunks()
    return pc.unique(pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string()))


def _rows(score: Score, scored: Any) -> Any:
    """Of each item of a score its row among the scored mentions, or -1."""
    ids, inside = score.items.table["id"], np.flatnonzero(score.in_scope)
    found = np.full(len(ids), -1)
    mine = ids.take(pa.array(inside)).combine_chunks()
    same = mine.equals(scored)
    found[inside] = np.arange(len(scored)) if same else pc.index_in(mine, value_set=scored).to_numpy()
    return found
