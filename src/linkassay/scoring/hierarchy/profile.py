"""The performance profile of a run: a row per gold and predicted entity, with type, distance, location (HIER-5).

Items are gold pairs (mention, gold id), or mentions where the closest gold id counts. A tied top group of g ids
makes g rows that count 1/g each. What is summed over rows is said in `measures`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from linkassay.errors import UsageError
from linkassay.kbs import Hierarchy, Kb
from linkassay.scoring.disambiguation.rankings import Rankings
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.hierarchy.choices import HierarchyChoices
from linkassay.scoring.hierarchy.relations import NO_ANSWER, TYPES, Related, Relations


class Profile:
    """A run's answers, related to gold."""

    def __init__(self, score: Score, relations: Relations, choices: HierarchyChoices) -> None:
        self.score, self.relations, self.choices = score, relations, choices
        gold = score.items.gold
        self.pair, self.predicted = _tops(score)
        self.gold_ids = gold.ids.take(pa.array(self.pair))
        self.weight = 1 / np.bincount(self.pair, minlength=len(gold.item))[self.pair]
        self.related: Related = relations.of(self.gold_ids, self.predicted)
        if choices.gold == "best":
            self._keep_closest(gold.item)
        self.pairs = choices.gold == "pairs"
        #: Of each row, its item, and the mention and document it stands in.
        self.mention = gold.item[self.pair]
        self.item = self.pair if self.pairs else self.mention
        self.items = len(gold.item) if self.pairs else len(score.items)
        self.document = score.items.document[self.mention]
        #: Items that count; all unless only those count that some runs have in common.
        self.chosen: Any = np.ones(self.items, dtype=bool)

    def __len__(self) -> int:
        return len(self.pair)

    def _keep_closest(self, mention: Any) -> None:
        """Of the gold ids of a mention, for each predicted id the closest: exact, then by distance, outside last."""
        related, item = self.related, mention[self.pair]
        far = np.where(related.distance < 0, np.iinfo(np.int64).max, related.distance)
        said = self.predicted.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
        order = np.lexsort((self.pair, related.type, far, said, item))
        new = (np.diff(item[order], prepend=-1) != 0) | (np.diff(said[order], prepend=-2) != 0)
        rows = np.sort(order[new])
        self.pair, self.weight = self.pair[rows], self.weight[rows]
        self.gold_ids, self.predicted = self.gold_ids.take(pa.array(rows)), self.predicted.take(pa.array(rows))
        self.related = Related(**{name: values[rows] for name, values in vars(related).items()})

    @cached_property
    def location(self) -> Any:
        """Location of the gold of each row; NaN where it is not in the hierarchy."""
        node, locations = self.related.gold, self.relations.locations(self.choices.location)
        return np.where(node >= 0, locations[np.maximum(node, 0)], np.nan)

    @cached_property
    def counted(self) -> Any:
        """Rows that the choices let count: of the branch, and placed where only these do."""
        keep = np.ones(len(self), dtype=bool)
        if self.choices.branch:
            branch = self.relations.hierarchy.branch(self.choices.branch)
            node = self.related.gold
            keep &= (node >= 0) & branch[np.maximum(node, 0)]
        if self.choices.denominator == "placed":  # HIER-7
            keep &= self.related.placed
        return keep

    @cached_property
    def answered(self) -> Any:
        """Items with a row that counts and is an answer: what systems of different coverage have in common."""
        found = np.zeros(self.items, dtype=bool)
        found[self.item[self.counted & (self.related.type != NO_ANSWER)]] = True
        return found

    def weights(self, set_: str, mask: Any) -> Any:
        """What each row counts in an evaluation set, given the mentions to keep."""
        keep = np.zeros(self.items, dtype=bool)
        keep[self.item[self.counted]] = True
        keep &= self.chosen
        keep &= mask[self.score.items.gold.item] if self.pairs else mask
        each = self.score.sets.weights(set_, keep, pairs=self.pairs)
        return np.where(self.counted, each[self.item] * self.weight, 0.0)

    def rows(self, set_: str = "global", mask: Any = None) -> Iterator[dict[str, Any]]:
        """The profile as a table, rows that count nothing left out."""
        weights = self.weights(set_, self.score.in_scope if mask is None else mask)
        table, kinds, related = self.score.items.table, list(TYPES), self.related
        names = {name: table[name].to_pylist() for name in ("document", "id", "text")}
        for n in np.flatnonzero(weights).tolist():
            at = int(self.mention[n])
            location = float(self.location[n])
            yield {
                "document": names["document"][at], "mention": names["id"][at], "text": names["text"][at],
                "gold": self.gold_ids[n].as_py(), "predicted": self.predicted[n].as_py(),
                "type": kinds[int(related.type[n])],
                "distance": int(related.distance[n]) if related.distance[n] >= 0 else None,
                "location": None if np.isnan(location) else location,
                "virtual_root": bool(related.virtual[n]), "weight": float(weights[n]),
            }  # fmt: skip


def profiles(scores: Sequence[Score], choices: HierarchyChoices) -> list[Profile]:
    """The profiles of runs in one hierarchy: that of the named KB, else that of the KB which all runs have used."""
    if choices.kb:
        kb = Kb.open(choices.kb)
    else:
        names = sorted({score.run.kb for score in scores})
        if len(names) > 1 or names[0].endswith("@"):
            raise UsageError(f"the runs are of the knowledge bases {', '.join(names)}; name one with --hierarchy")
        kb = scores[0].run.open_kb()
    relations = Relations(Hierarchy.of(kb, choices.relations))
    if choices.branch:
        relations.hierarchy.branch(choices.branch)  # an id that it does not have is refused now
    found = [Profile(score, relations, choices) for score in scores]
    if choices.items == "common":  # HIER-8
        refuse_other_data(found)
        chosen = np.logical_and.reduce([profile.answered for profile in found])
        if not chosen.any():
            raise UsageError("there is no gold entity that all runs have answered: nothing to score")
        for profile in found:
            profile.chosen = chosen
    return found


def refuse_other_data(of: Sequence[Profile]) -> None:
    """Refuse runs that are not of the same data."""
    for one, other in pairwise(of):
        if not _alike(one, other):
            raise UsageError(f"{one.score.run.name} and {other.score.run.name} are not of the same corpus, revision, "
                             "split and gold ids: they cannot be compared item by item")  # fmt: skip


def comparable(of: Sequence[Profile]) -> list[list[Profile]]:
    """Those that are of the same data together, in order."""
    groups: list[list[Profile]] = []
    for profile in of:
        mine = next((group for group in groups if _alike(group[0], profile)), None)
        if mine is None:
            groups.append([profile])
        else:
            mine.append(profile)
    return groups


def _alike(one: Profile, other: Profile) -> bool:
    a, b = one.score.items, other.score.items
    return bool(a.table["id"].equals(b.table["id"]) and a.gold.ids.equals(b.gold.ids) and one.items == other.items)


def _tops(score: Score) -> tuple[Any, Any]:
    """Of each gold pair and id at the first rank of its mention the pair, and that id; null for no answer."""
    mention, ids = [np.zeros(0, dtype=np.int64)], [pa.array([], pa.string())]
    for items, batch in score.rankings():
        row, top = Rankings.of(batch["groups"], score.items.moved).tops()
        mention.append(items[row])
        ids.append(top)
    item = np.concatenate(mention)
    many = np.bincount(item, minlength=len(score.items))
    asked = score.items.gold.item
    rows = np.maximum(many, 1)[asked]  # of each pair
    pair = np.repeat(np.arange(len(asked)), rows)
    begin = (np.cumsum(many) - many)[asked] - (np.cumsum(rows) - rows)
    at = pa.array(np.arange(len(pair)) + begin[pair], mask=many[asked[pair]] == 0)
    by_mention = pa.array(np.argsort(item, kind="stable"))
    return pair, pa.concat_arrays(ids).take(by_mention.take(at))
