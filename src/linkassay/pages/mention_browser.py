"""The mentions behind a corpus's figures: exact totals of every combination, and a sample with text and answers."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.model import Mention
from linkassay.pages import explanations
from linkassay.pages.mention_context import clip, lines, window
from linkassay.scoring.disambiguation import (
    Group,
    MentionOutcome,
    Protocol,
    Rankings,
    Score,
    hits_at,
    mention_outcomes_of,
)
from linkassay.scoring.hierarchy import mismatch_cells, mismatch_places, place_of
from linkassay.scoring.results import STAGE_K, Cohort

#: At most this many mentions of a corpus are put into the page, this share of them missed by some system.
SAMPLE, MISSED_SHARE = 500, 0.8
EACH = 2  # mentions of each outcome of a system in each type and slice that come first into it
_GROUPS, _IDS = 10, 12  # of one answer: groups shown, ids shown of a group


class Combination(NamedTuple):
    """All that filters look at: number of the type, slices (bits), and for each system letters of the same width."""

    type: int
    slices: int
    codes: str


class BrowsedMentions:
    """The judged mentions of all systems, side by side: those that are scored, then the others of the split.

    Mentions are rows of columns; only those of the sample become objects.
    """

    def __init__(self, cohort: Cohort) -> None:
        self._cohort, self._scores = cohort, cohort.scores
        mentions = cohort.mentions()
        scored = _scored(self._scores)
        at = pc.index_in(scored, value_set=mentions["id"].combine_chunks())
        left = np.ones(mentions.num_rows, dtype=bool)
        left[at.to_numpy(zero_copy_only=False)] = False
        self._left = np.flatnonzero(left)
        rows = pa.concat_arrays([at.cast(pa.int64()), pa.array(self._left)])
        self._ids = pa.chunked_array([scored, mentions["id"].take(pa.array(self._left)).combine_chunks()])
        #: Mentions that at least one system is scored on; the others mostly want a gold id.
        self.scored, self.left_out = len(scored), len(self._left)
        #: Of each system, the rows of its items; -1 for those that are out of scope.
        self._row = [_rows(score, scored) for score in self._scores]
        self._places = [
            mismatch_places(cohort.profiles[at]) if at in cohort.profiles else {} for at in range(len(self._scores))
        ]
        #: What mentions have of places of mismatches in the hierarchy, each once: a code has its number, in two letters
        #: where there are more than 36. So a page with many mentions stays small.
        self.places = sorted({(), *(mine for each in self._places for mine in each.values())})
        self.width = 2 + len(np.base_repr(len(self.places) - 1, 36))  # letters of a code
        types = mentions["type"].combine_chunks().dictionary_encode()
        self.types = sorted(types.dictionary.to_pylist())
        number = np.array([self.types.index(type_) for type_ in types.dictionary.to_pylist()], dtype=np.int64)
        self._type = number[types.indices.take(rows).to_numpy(zero_copy_only=False)]
        self.slices = list(cohort.memberships)
        self._index: dict[str, int] = {}

    def __len__(self) -> int:
        return self.scored + self.left_out

    def data(self, limit: int = SAMPLE) -> dict[str, Any]:
        """Everything the page needs to show and filter mentions."""
        return {
            "types": self.types, "slices": self.slices, "totals": self.totals(), "sample": self.sample(limit),
            "names": self._cohort.names(list(self._index)), "hierarchy": len(self.places) > 1,
            "width": self.width, "places": self.places,
        }  # fmt: skip

    def totals(self) -> list[list[Any]]:
        """How many mentions have each combination of type, slices (bits) and codes: exact counts for any filter."""
        kinds, which = self._combinations
        return [[*kind, n] for kind, n in zip(kinds, np.bincount(which).tolist(), strict=True)]

    @cached_property
    def _combinations(self) -> tuple[list[Combination], Any]:
        """The combinations in the order in which they first occur, and the number of that of each mention."""
        slices = np.zeros(len(self), dtype=np.int64)
        for bit, members in enumerate(self._cohort.memberships.values()):
            slices[self._row_of(members.score)[members.mask]] |= 1 << bit
        codes = [self._codes(at) for at in range(len(self._scores))]
        which = self._type
        for column in (slices, *(numbers for _, numbers in codes)):
            values, mine = np.unique(column, return_inverse=True)
            _, which = np.unique(which * len(values) + mine, return_inverse=True)
        _, first, which = np.unique(which, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        first = first[order]
        letters = zip(*([words[n] for n in numbers[first].tolist()] for words, numbers in codes), strict=True)
        kinds = zip(self._type[first].tolist(), slices[first].tolist(), map("".join, letters), strict=True)
        return [Combination(*kind) for kind in kinds], place[which]

    def _row_of(self, score: Score) -> Any:
        at = next((at for at, each in enumerate(self._scores) if each is score), None)
        return _rows(score, self._ids.chunk(0)) if at is None else self._row[at]

    def _codes(self, system: int) -> tuple[list[str], Any]:
        """The codes of a system, and of each mention the number of its code.

        Letters of the same width: outcome, stage, and the number of its places in the hierarchy, in capitals: no digit
        is a letter of an outcome.
        """
        score, row = self._scores[system], self._row[system]
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
                explanations.verdict(float(firsts[at]), bool(said))
                + explanations.stage(float(firsts[at]), float(withins[last])))  # fmt: skip
            place[n] = words.setdefault(letters + np.base_repr(mine, 36).zfill(self.width - 2), len(words))
        return list(words), place[which]

    def sample(self, limit: int) -> list[dict[str, Any]]:
        """A reproducible choice of mentions in the corpus's order, with text, gold and answers."""
        chosen = self._chosen(limit)
        ids = self._ids.take(pa.array(chosen)).to_pylist()
        row = dict(zip(ids, chosen.tolist(), strict=True))
        wanted = np.zeros(len(self) + 1, dtype=bool)  # the last one is for items without a row
        wanted[chosen] = True
        answers = [_answers(score, wanted[row]) for score, row in zip(self._scores, self._row, strict=True)]
        entries = []
        for document in self._cohort.corpus[self._cohort.split].some(self._documents(ids)):
            if shown := [mention for mention in document.mentions if mention.id in row]:
                text = lines(document)
                entries += [self._entry(mention, row[mention.id], text, answers) for mention in shown]
        return entries

    def _documents(self, ids: list[str]) -> list[str]:
        """The documents of some mentions."""
        connection = self._cohort.corpus.connect()
        connection.register("chosen", pa.table({"id": pa.array(ids, pa.string())}))
        query = "select distinct document from mentions semi join chosen using (id) where split = ?"
        return [document for (document,) in connection.execute(query, [self._cohort.split]).fetchall()]

    def _chosen(self, limit: int) -> Any:
        """The rows of the mentions that the page has."""
        if len(self) <= limit:
            return np.arange(len(self))
        order = _by_digest(self._ids)
        missed = np.zeros(len(self), dtype=bool)
        for score, row in zip(self._scores, self._row, strict=True):
            missed[row[(row >= 0) & (hits_at(score, 1) < 1)]] = True
        chosen = self._of_each(order, limit)
        wanted = max(round(MISSED_SHARE * limit), limit - int(np.count_nonzero(~missed)))
        for part, more in (
            (missed, wanted - int(np.count_nonzero(chosen & missed))), (~missed, limit), (missed, limit)
        ):  # fmt: skip
            room = max(0, min(more, limit - int(np.count_nonzero(chosen))))
            chosen[order[(part & ~chosen)[order]][:room]] = True
        return np.flatnonzero(chosen)

    def _of_each(self, order: Any, limit: int) -> Any:
        """Some of every kind of mention that a figure may ask for, as far as there is room: none opens on nothing."""
        kinds, which = self._combinations
        ranked = which[order]
        alike = np.argsort(ranked, kind="stable")  # by combination, and in each as ordered
        begin = np.searchsorted(ranked[alike], np.arange(len(kinds)))
        size = np.diff(begin, append=len(alike))
        firsts = np.argsort(alike[begin])  # combinations as they first occur in the order
        chosen = np.zeros(len(self), dtype=bool)
        taken: set[int] = set()
        for kinds_of, room in ((self._kinds, limit // 2), (self._cells, 3 * limit // 4)):
            kept = cache(kinds_of)
            seen = Counter(kind for row in taken for kind in kept(int(which[row])))
            for rank in range(EACH):
                for combination in firsts[size[firsts] > rank].tolist():
                    if len(taken) >= room:
                        break
                    row = int(order[alike[begin[combination] + rank]])
                    if row not in taken and any(seen[kind] < EACH for kind in kept(combination)):
                        taken.add(row)
                        seen.update(kept(combination))
        chosen[list(taken)] = True
        return chosen

    def _mine(self, combination: int) -> tuple[Combination, list[str], list[tuple[int, ...]]]:
        """A combination with the letters and the places in the hierarchy of each system."""
        found = self._combinations[0][combination]
        each = [found.codes[at : at + self.width] for at in range(0, len(found.codes), self.width)]
        return found, [code[:2] for code in each], [self.places[int(code[2:], 36)] for code in each]

    def _kinds(self, combination: int) -> set[tuple[Any, ...]]:
        """Each system's outcome, by itself and in the type and slices."""
        found, letters, places = self._mine(combination)
        groups = [-1 - found.type, *(bit for bit in range(len(self.slices)) if found.slices >> bit & 1)]
        mismatches = {(at, place_of(number)[0]) for at, mine in enumerate(places) for number in mine}
        return {*enumerate(letters), *mismatches} | {
            (at, code[0], group) for at, code in enumerate(letters) for group in groups
        }

    def _cells(self, combination: int) -> set[tuple[Any, ...]]:
        """The cells of the hierarchy's pictures that mentions of a combination are in."""
        _, _, places = self._mine(combination)
        return {(at, *cell) for at, mine in enumerate(places) for cell in mismatch_cells(mine)}

    def _entry(self, mention: Mention, row: int, text: str, answers: list[dict[str, _Answer]]) -> dict[str, Any]:
        moved = self._scores[0].items.moved
        changed = {i: moved[i] for i in sorted(mention.ids) if i in moved}
        kinds, which = self._combinations
        type_, slices, codes = kinds[which[row]]
        gold = [[now for i in sorted(ids) for now in moved.get(i, (i,))] for ids in mention.gold]
        shown = frozenset(now for ids in gold for now in ids)
        return {
            "id": mention.id, "document": mention.document, "text": clip(mention.text, 120),
            "type": type_, "slices": slices, "codes": codes, "context": window(text, mention.spans, mention.text),
            "gold": [[self._number(now) for now in ids] for ids in gold],
            "changed": [[old, list(new)] for old, new in changed.items()],
            "answers": [self._answer(given.get(mention.id), shown) for given in answers],
        }  # fmt: skip

    def _answer(self, given: _Answer | None, shown: frozenset[str]) -> dict[str, Any] | None:
        """What a system said and what it is worth; with gold, if its knowledge base has other ids than `shown`."""
        if given is None:
            return None
        outcome, ranked, nil = given
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


class _Answer(NamedTuple):
    """What a system said of a mention: what it is worth, groups as they are ranked, and whether it is a NIL."""

    outcome: MentionOutcome
    ranked: list[Group]
    nil: bool


def _answers(score: Score, wanted: Any) -> dict[str, _Answer]:
    """The answers of a system to those of its items that are wanted, by the ids of mentions."""
    outcomes = mention_outcomes_of(score, wanted)
    item = np.flatnonzero(wanted & score.in_scope).tolist()
    ranked: dict[int, list[Group]] = {}
    for items, batch in score.rankings(wanted, scores=True):
        lists = Rankings.of(batch["groups"], score.items.moved).lists(batch["scores"])
        ranked |= zip(items.tolist(), lists, strict=True)
    return {
        each.id: _Answer(each, ranked.get(n, []), n not in ranked and bool(score.nil[n]))
        for n, each in zip(item, outcomes, strict=True)
    }


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


def _by_digest(ids: Any) -> Any:
    """Mentions in the order of the hashes of their ids: no chance, the same runs give the same page."""
    digests = b"".join(hashlib.sha256(each.encode()).digest() for each in ids.to_pylist())
    words = np.frombuffer(digests, dtype=">u8").reshape(-1, 4).astype(np.uint64)
    return np.lexsort(words.T[::-1])


def _finite(score: float | None) -> float | None:
    return score if score is not None and math.isfinite(score) else None
