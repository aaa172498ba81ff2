"""The answers of a system to many mentions as columns of a page, whole batches of rankings at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.explorer.answers import GROUPS, IDS, outcome_object, rounded
from linkassay.explorer.embedded import Answers
from linkassay.explorer.embedded_numbers import IdNumbers, Words
from linkassay.scoring.disambiguation import Rankings, Score

_NO_GROUP = np.zeros(0, dtype=np.int64)


class _Batch:
    """The rankings of some items, of which groups and ids are chosen to be shown; groups here are those not empty."""

    def __init__(self, score: Score, items: Any, batch: pa.RecordBatch) -> None:
        rankings = Rankings.of(batch["groups"], score.items.moved)
        self._rankings = rankings
        ranked = np.flatnonzero(rankings.sizes)
        self._ranked, self.row, self.size = ranked, rankings.group_row[ranked], rankings.sizes[ranked]
        begin = np.searchsorted(self.row, self.row)  # the first group of its row
        self.before = _before(self.size, begin)
        gold = score.items.gold
        pairs, place = gold.pairs_of(items)
        _, self._gold = rankings.find(place, gold.ids.take(pa.array(pairs)))
        self.right = np.bincount(rankings.group[self._gold], minlength=len(rankings.group_row))[ranked]
        with_gold = np.flatnonzero(self.right)
        self.first_gold = with_gold[np.diff(self.row[with_gold], prepend=-1) != 0]
        shown = np.arange(len(ranked)) - begin < GROUPS
        shown[self.first_gold] = True
        self.shown = np.flatnonzero(shown)
        self._scores = batch["scores"]

    def ids(self) -> tuple[Any, Any]:
        """Of each id shown the code among `known`, and of each group shown how many ids."""
        rankings = self._rankings
        mine = np.zeros(len(rankings.group_row), dtype=bool)
        mine[self._ranked[self.shown]] = True
        candidate = np.flatnonzero(rankings.keep & mine[rankings.group])
        other = np.ones(len(rankings), dtype=bool)
        other[self._gold] = False
        group = rankings.group[candidate]
        order = np.lexsort((other[candidate], group))  # as written, but gold first
        candidate, group = candidate[order], group[order]
        within = np.arange(len(group)) - np.searchsorted(group, group)
        return rankings.code[candidate[within < IDS]], np.minimum(self.size[self.shown], IDS)

    @property
    def known(self) -> pa.Array:
        """The ids that codes stand for."""
        return self._rankings.known

    def scores(self) -> Any:
        """Of each group shown its score; not a number where there is none."""
        rows = self._rankings.group_row
        place = (np.arange(len(rows)) - np.searchsorted(rows, rows))[self._ranked[self.shown]]
        lengths = pc.fill_null(pc.list_value_length(self._scores), 0).to_numpy(zero_copy_only=False)
        flat = pc.fill_null(pc.list_flatten(self._scores), np.nan).to_numpy(zero_copy_only=False)
        row = self.row[self.shown]
        there = place < lengths[row]
        found = np.full(len(row), np.nan)
        found[there] = flat[(np.cumsum(lengths) - lengths)[row[there]] + place[there]]
        return found


def _before(size: Any, begin: Any) -> Any:
    """How many ids come before each group in its row."""
    whole = np.cumsum(size) - size
    return whole - whole[begin]


def embedded_answers(score: Score, item: Any, ids: IdNumbers, sentences: Words) -> Answers:
    """What a system said of some mentions: `item` is the number of each among its items, -1 where it is not scored."""
    place = np.full(len(score.items) + 1, -1)  # the last one is for rows without an item
    place[item] = np.arange(len(item))
    place[-1] = -1
    wanted = place[:-1] >= 0
    parts: dict[str, list[Any]] = {
        name: [_NO_GROUP] for name in ("row", "size", "before", "shown_ids", "ids", "scores")
    }  # fmt: skip
    candidates, found = np.zeros(len(item), dtype=np.int64), np.zeros((len(item), 3), dtype=np.int64)
    for items, batch in score.rankings(np.append(wanted, False), scores=True):
        mine = _Batch(score, items, batch)
        rows = place[items]
        candidates[rows] = np.bincount(mine.row, mine.size, minlength=len(items)).astype(np.int64)
        gold = mine.first_gold
        found[rows[mine.row[gold]]] = np.column_stack([mine.before, mine.size, mine.right])[gold]
        codes, counts = mine.ids()
        number = ids.of_arrow(mine.known, codes)
        for name, values in (
            ("row", rows[mine.row[mine.shown]]), ("size", mine.size[mine.shown]), ("before", mine.before[mine.shown]),
            ("shown_ids", counts), ("ids", number), ("scores", mine.scores()),
        ):  # fmt: skip
            parts[name].append(values)
    columns = {name: np.concatenate(values) for name, values in parts.items()}
    return _columns(score, item, columns, candidates, found, sentences)


def _columns(
    score: Score, item: Any, columns: dict[str, Any], candidates: Any, found: Any, sentences: Words
) -> Answers:  # fmt: skip
    order = np.argsort(columns["row"], kind="stable")
    row, size, before = (columns[name][order] for name in ("row", "size", "before"))
    outcome, table = _outcomes(score, item, candidates, found, sentences)
    groups = np.bincount(row, minlength=len(item))
    begin = np.searchsorted(row, row)
    apart = np.unique(row[before != _before(size, begin)])  # the group with gold stands further below
    ranks = {str(at): (before[row == at] + 1).tolist() for at in apart.tolist()}
    scores = columns["scores"][order]
    even = len(groups) > 0 and (groups == groups[0]).all()
    return {
        "outcome": outcome.tolist(), "outcomes": table, "groups": None if even else groups.tolist(),
        "most": int(groups[0]) if even else 0, "sizes": None if (size == 1).all() else size.tolist(),
        "scores": None if np.isnan(scores).all() else rounded(scores),
        "ids": _regrouped(columns["ids"], columns["shown_ids"], order).tolist(), "ranks": ranks, "gold": {},
    }  # fmt: skip


def _regrouped(values: Any, sizes: Any, order: Any) -> Any:
    """Values that belong to groups, so many to each, with the groups in another order."""
    begin = (np.cumsum(sizes) - sizes)[order]
    many = sizes[order]
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    return values[np.repeat(begin, many) + within]


def _outcomes(score: Score, item: Any, candidates: Any, found: Any, sentences: Words) -> tuple[Any, list[list[Any]]]:
    """Of each mention the number of what its answer is worth, and these, each once."""
    inside = np.flatnonzero(item >= 0)
    nil = score.nil[item[inside]] & (candidates[inside] == 0)
    facts = np.column_stack([candidates, found])[inside]
    distinct, which = np.unique(np.column_stack([facts, nil]), axis=0, return_inverse=True)
    table: list[list[Any]] = []
    for many, before, size, right, is_nil in distinct.tolist():
        worth = outcome_object(many, (before, size, right) if right else None, bool(is_nil))
        table.append([sentences[worth["why"]], *worth["hits"], many, worth["rank"]])
    outcome = np.full(len(item), -1)
    outcome[inside] = which.reshape(-1)
    return outcome, table
