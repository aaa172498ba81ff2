"""The mentions behind a corpus's figures: exact totals of every combination, and a sample with text and answers."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkassay.model import Mention
from linkassay.pages import explanations
from linkassay.pages.mention_context import clip, lines, window
from linkassay.scoring.disambiguation import Group, MentionOutcome, Rankings, Score
from linkassay.scoring.hierarchy import mismatch_cells, mismatch_places, place_of
from linkassay.scoring.results import Cohort

#: At most this many mentions of a corpus are put into the page, this share of them missed by some system.
SAMPLE, MISSED_SHARE = 500, 0.8
EACH = 2  # mentions of each outcome of a system in each type and slice that come first into it
_GROUPS, _IDS = 10, 12  # of one answer: groups shown, ids shown of a group


class BrowsedMentions:
    """The judged mentions of all systems, side by side, in the corpus's order."""

    def __init__(self, cohort: Cohort) -> None:
        self._cohort, self._scores = cohort, cohort.scores
        self._outcomes: list[dict[str, MentionOutcome]] = [{j.id: j for j in found} for found in cohort.outcomes]
        self._all: dict[str, MentionOutcome] = {key: j for each in reversed(self._outcomes) for key, j in each.items()}
        self._places = [
            mismatch_places(cohort.profiles[at]) if at in cohort.profiles else {} for at in range(len(self._scores))
        ]
        #: What mentions have of places of mismatches in the hierarchy, each once: a code has its number, in two letters
        #: where there are more than 36. So a page with many mentions stays small.
        self.places = sorted({(), *(mine for each in self._places for mine in each.values())})
        self.width = 2 + len(np.base_repr(len(self.places) - 1, 36))  # letters of a code
        self._left = {key: type_ for key, type_ in cohort.mentions() if key not in self._all}
        self.types = sorted({*(j.type for j in self._all.values()), *self._left.values()})
        members = cohort.memberships
        self.slices = list(members)
        self._slices: dict[str, int] = dict.fromkeys((*self._all, *self._left), 0)
        for bit, mine in enumerate(members.values()):
            for key in mine & self._all.keys():
                self._slices[key] |= 1 << bit
        self._index: dict[str, int] = {}

    @property
    def scored(self) -> int:
        """Mentions that at least one system is scored on."""
        return len(self._all)

    @property
    def left_out(self) -> int:
        """Mentions of the split that no system is scored on, mostly for want of a gold id."""
        return len(self._left)

    def data(self, limit: int = SAMPLE) -> dict[str, Any]:
        """Everything the page needs to show and filter mentions."""
        return {
            "types": self.types, "slices": self.slices, "totals": self.totals(), "sample": self.sample(limit),
            "names": self._cohort.names(list(self._index)), "hierarchy": len(self.places) > 1,
            "width": self.width, "places": self.places,
        }  # fmt: skip

    def totals(self) -> list[list[Any]]:
        """How many mentions have each combination of type, slices (bits) and codes: exact counts for any filter."""
        counts = Counter(self._combinations.values())
        return [[*combination, n] for combination, n in counts.items()]

    @cached_property
    def _combinations(self) -> dict[str, tuple[int, int, str]]:
        """Of each mention type, slices and codes: all that filters look at."""
        number = {type_: at for at, type_ in enumerate(self.types)}
        types = self._left | {key: j.type for key, j in self._all.items()}
        return {key: (number[types[key]], slices, "".join(self._codes(key))) for key, slices in self._slices.items()}

    def sample(self, limit: int) -> list[dict[str, Any]]:
        """A reproducible choice of mentions in the corpus's order, with text, gold and answers."""
        chosen = self._chosen(limit)
        answers = [_answers(score, chosen) for score in self._scores]
        entries = []
        for document in self._cohort.corpus[self._cohort.split]:
            if shown := [mention for mention in document.mentions if mention.id in chosen]:
                text = lines(document)
                entries += [self._entry(mention, text, answers) for mention in shown]
        return entries

    @cached_property
    def _number_of(self) -> dict[tuple[int, ...], str]:
        """Places in the hierarchy → their number in `places`, in capitals: no digit is a letter of an outcome."""
        return {mine: np.base_repr(at, 36).zfill(self.width - 2) for at, mine in enumerate(self.places)}

    def _codes(self, key: str) -> Iterator[str]:
        """For each system letters of the same width: outcome, stage, and the number of its places in the hierarchy."""
        for found, mismatches in zip(self._outcomes, self._places, strict=True):
            j = found.get(key)
            outcome = "x-" if j is None else explanations.verdict(j.hits[0], j.answered) + explanations.stage(j.hits)
            yield outcome + self._number_of[mismatches.get(key, ())]

    def _chosen(self, limit: int) -> set[str]:
        if len(self._slices) <= limit:
            return set(self._slices)
        # the hash of its id, not chance, orders the mentions: the same runs give the same page
        order = sorted(self._slices, key=lambda key: hashlib.sha256(key.encode()).digest())
        chosen = self._of_each(order, limit)
        missed = [key for key in order if any(key in j and j[key].hits[0] < 1 for j in self._outcomes)]
        known = set(missed)
        right = [key for key in order if key not in known]
        wanted = max(round(MISSED_SHARE * limit), limit - len(right))
        for part, more in ((missed, wanted - len(chosen & known)), (right, limit), (missed, limit)):
            room = max(0, min(more, limit - len(chosen)))
            chosen |= set([key for key in part if key not in chosen][:room])
        return chosen

    def _of_each(self, order: Sequence[str], limit: int) -> set[str]:
        """Some of every kind of mention that a figure may ask for, as far as there is room: none opens on nothing."""
        alike: dict[tuple[int, int, str], list[str]] = {}
        for key in order:
            mine = alike.setdefault(self._combinations[key], [])
            if len(mine) < EACH:
                mine.append(key)
        chosen: set[str] = set()
        for kinds_of, room in ((self._kinds, limit // 2), (self._cells, 3 * limit // 4)):
            seen = Counter(kind for key in chosen for kind in kinds_of(key))
            for rank in range(EACH):
                for keys in alike.values():
                    if rank < len(keys) and len(chosen) < room and keys[rank] not in chosen:
                        kinds = kinds_of(keys[rank])
                        if any(seen[kind] < EACH for kind in kinds):
                            chosen.add(keys[rank])
                            seen.update(kinds)
        return chosen

    def _kinds(self, key: str) -> set[tuple[Any, ...]]:
        """Each system's outcome, by itself and in the mention's type and slices."""
        type_, slices, codes = self._combinations[key]
        letters = [codes[at : at + 2] for at in range(0, len(codes), self.width)]
        groups = [-1 - type_, *(bit for bit in range(len(self.slices)) if slices >> bit & 1)]
        mismatches = {(at, place_of(number)[0]) for at, each in enumerate(self._places) for number in each.get(key, ())}
        return {*enumerate(letters), *mismatches} | {
            (at, code[0], group) for at, code in enumerate(letters) for group in groups
        }

    def _cells(self, key: str) -> set[tuple[Any, ...]]:
        """The cells of the hierarchy's pictures that the mention is in."""
        return {(at, *cell) for at, each in enumerate(self._places) for cell in mismatch_cells(each.get(key, ()))}

    def _entry(self, mention: Mention, text: str, answers: list[dict[str, _Answer]]) -> dict[str, Any]:
        moved = self._scores[0].items.moved
        changed = {i: moved[i] for i in sorted(mention.ids) if i in moved}
        type_, slices, codes = self._combinations[mention.id]
        gold = [[now for i in sorted(ids) for now in moved.get(i, (i,))] for ids in mention.gold]
        shown = frozenset(now for ids in gold for now in ids)
        return {
            "id": mention.id, "document": mention.document, "text": clip(mention.text, 120),
            "type": type_, "slices": slices, "codes": codes, "context": window(text, mention.spans, mention.text),
            "gold": [[self._number(now) for now in ids] for ids in gold],
            "changed": [[old, list(new)] for old, new in changed.items()],
            "answers": [
                self._answer(outcomes.get(mention.id), given.get(mention.id), shown)
                for outcomes, given in zip(self._outcomes, answers, strict=True)
            ],
        }  # fmt: skip

    def _answer(
        self, outcome: MentionOutcome | None, given: _Answer | None, shown: frozenset[str]
    ) -> dict[str, Any] | None:
        """What a system said and what it is worth; with gold, if its knowledge base has other ids than `shown`."""
        if outcome is None:
            return None
        ranked, nil = given or ([], False)
        groups, before = [], 0
        found = False
        for position, (group, number) in enumerate(ranked):
            right = [i for i in group if i in outcome.gold]
            if position < _GROUPS or (right and not found):
                first = (right + [i for i in group if i not in outcome.gold])[:_IDS]
                groups.append({
                    "rank": before + 1, "size": len(group), "score": _finite(number),
                    "ids": [self._number(i) for i in first], "right": len(right),
                })  # fmt: skip
            found = found or bool(right)
            before += len(group)
        return {
            "why": explanations.why([group.ids for group in ranked], outcome.gold, nil), "groups": groups,
            "hits": [outcome.hits[0], outcome.hits[4]], "candidates": before,
            **({} if outcome.gold == shown else {"gold": [self._number(i) for i in sorted(outcome.gold)]}),
        }  # fmt: skip

    def _number(self, identifier: str) -> int:
        return self._index.setdefault(identifier, len(self._index))


#: Groups as they are ranked, and whether it is an explicit NIL.
_Answer = tuple[list[Group], bool]


def _answers(score: Score, wanted: set[str]) -> dict[str, _Answer]:
    ids = score.items.table["id"].to_pylist()
    chosen = np.array([identifier in wanted for identifier in ids])
    answers: dict[str, _Answer] = {ids[item]: ([], True) for item in np.flatnonzero(chosen & score.nil).tolist()}
    for items, batch in score.rankings(chosen, scores=True):
        ranked = Rankings.of(batch["groups"], score.items.moved).lists(batch["scores"])
        answers |= {ids[item]: (groups, False) for item, groups in zip(items.tolist(), ranked, strict=True)}
    return answers


def _finite(score: float | None) -> float | None:
    return score if score is not None and math.isfinite(score) else None
