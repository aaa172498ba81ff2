"""Where each gold id stands in its mention's ranking: all that scoring needs of predictions (RANK-1).

Predictions stream through in batches; what is kept of them is one entry per gold id. How their rankings are prepared
is said in `rankings`; gold is brought to the KB's current ids here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.scoring.disambiguation.protocols import Protocol
from linkassay.scoring.disambiguation.rankings import Moved, Rankings, in_order, one_chunk
from linkassay.scoring.disambiguation.tie_policies import NEVER, TIES, First, GoldGroups, Outcome


@dataclass(frozen=True)
class GoldIds:
    """The gold of many items: its distinct (item, id) pairs, and which of them make up each alternative."""

    items: int
    item: Any  # of each pair; ascending
    ids: Any  # Arrow strings, of each pair
    alternative_item: Any  # of each alternative
    member_alternative: Any  # an alternative's number …
    member_pair: Any  # … and a pair that belongs to it

    @classmethod
    def of(cls, gold: Any, moved: Moved | None = None) -> GoldIds:
        """From an Arrow column of lists of alternatives, each a list of ids; removed ids drop out (RANK-1)."""
        if moved:
            gold = _current_gold(gold, moved)
        gold = one_chunk(gold)
        alternative_item = pc.list_parent_indices(gold).to_numpy(zero_copy_only=False)
        alternatives = pc.list_flatten(gold)
        member_alternative = pc.list_parent_indices(alternatives).to_numpy(zero_copy_only=False)
        encoded = pc.list_flatten(alternatives).dictionary_encode()
        code = encoded.indices.to_numpy(zero_copy_only=False)
        width = max(1, len(encoded.dictionary))
        keys, order = in_order(alternative_item[member_alternative] * width + code, max(1, len(gold)) * width)
        new = np.diff(keys, prepend=-1) != 0
        member_pair = np.empty(len(keys), dtype=np.int64)
        member_pair[order] = np.cumsum(new) - 1
        item, code = np.divmod(keys[new], width)
        ids = encoded.dictionary.take(pa.array(code))
        return cls(len(gold), item, ids, alternative_item, member_alternative, member_pair)

    @property
    def has_id(self) -> Any:
        """Which items have gold at all."""
        found = np.zeros(self.items, dtype=bool)
        found[self.item] = True
        return found

    @cached_property
    def _first(self) -> Any:
        """Of each item its first pair, and one number more."""
        return np.searchsorted(self.item, np.arange(self.items + 1))

    @cached_property
    def by_item(self) -> Any:
        """Of each item its gold ids, over all alternatives: an Arrow column of lists."""
        return pa.ListArray.from_arrays(pa.array(self._first, pa.int32()), self.ids)

    def pairs_of(self, items: Any) -> tuple[Any, Any]:
        """The pairs of some items, and for each pair the place of its item among these."""
        first = self._first[items]
        many = self._first[items + 1] - first
        which = np.repeat(np.arange(len(items)), many)
        return np.arange(len(which)) + (first - np.cumsum(many) + many)[which], which


def _current_gold(gold: Any, moved: Moved) -> Any:
    """Gold with its ids brought to what they are called now; an id that was split makes alternatives."""
    rows = gold.to_pylist()
    for position, alternatives in enumerate(rows):
        if any(identifier in moved for ids in alternatives for identifier in ids):
            now = dict.fromkeys(
                frozenset(choice)
                for ids in alternatives
                for choice in product(*(moved.get(i, (i,)) for i in ids if moved.get(i, (i,))))
                if choice
            )
            rows[position] = [sorted(ids) for ids in now]
    return pa.array(rows, pa.list_(pa.list_(pa.string())))


@dataclass(frozen=True)
class GoldRanks:
    """For each pair of the gold where it stands; ranks are `NEVER` for an id that was not predicted."""

    gold: GoldIds
    answered: Any  # for each item, whether there is a candidate at all
    group: Any  # rank of its group, from 0
    slot: Any  # the same, groups whose ids all came before keeping their rank
    before: Any  # ids in groups before
    size: Any  # ids of its group
    written: Any  # rank in the order written, from 1
    drawn: dict[int, Any] = field(default_factory=dict)  # seed → rank in that random order

    def outcome(self, protocol: Protocol, names: bool = False) -> Outcome:
        """What the items are worth; with `gold=pairs` each pair is an item. `names`: the ranks are of names."""
        ties, gold, seed = protocol.ties, protocol.gold, protocol.seed
        keep = protocol.repeats == "keep" or (protocol.repeats == "as-run" and names)
        if gold == "all":
            rank = self.slot if keep else self.group
            by_ids = self.drawn[seed] if ties == "sample" else self.written
            return First(self._all(rank + (rank < NEVER) if ties == "any" else by_ids))
        found = np.flatnonzero(self.group < NEVER)
        ranks = self.slot if keep else self.group
        drawn = self.drawn[seed] if ties == "sample" else self.written
        if gold == "pairs":
            groups = GoldGroups(len(self.group), found, ranks[found], self.before[found], self.size[found],
                                np.ones(len(found), dtype=np.int64), self.written[found], drawn[found])  # fmt: skip
            return TIES[ties].outcome(groups)
        item, group = self.gold.item[found], ranks[found]
        order = np.lexsort((group, item))
        found, item, group = found[order], item[order], group[order]
        starts = np.flatnonzero((np.diff(item, prepend=-1) != 0) | (np.diff(group, prepend=-1) != 0))
        right = np.diff(starts, append=len(found))
        written, drawn = self.written[found], drawn[found]
        if len(starts):
            written, drawn = np.minimum.reduceat(written, starts), np.minimum.reduceat(drawn, starts)
        heads = found[starts]
        groups = GoldGroups(self.gold.items, item[starts], group[starts], self.before[heads], self.size[heads],
                            right, written, drawn)  # fmt: skip
        return TIES[ties].outcome(groups)

    def _all(self, rank: Any) -> Any:
        """The rank at which one alternative is complete: over alternatives the least of its ids' greatest (GOLD-2)."""
        gold = self.gold
        complete = np.zeros(len(gold.alternative_item), dtype=np.int64)
        np.maximum.at(complete, gold.member_alternative, rank[gold.member_pair])
        first = np.full(gold.items, NEVER)
        np.minimum.at(first, gold.alternative_item, complete)
        return first


def rank_gold(
    batches: Iterable[tuple[Any, Any]],
    gold: GoldIds,
    moved: Moved | None = None,
    *,
    exclude: bool = False,
    seeds: Iterable[int] = (),
    names: Any = None,
) -> GoldRanks:
    """Find the gold ids in the rankings.

    A batch is an array of item numbers, each at most once over all batches, and an Arrow column with the groups of
    each. A removed id keeps its rank unless it is to be excluded. Random orders (`seeds`) need the `names` of
    the items, an Arrow column: an order depends on mention and ids alone, not on what else is scored.
    """
    seeds = tuple(seeds)
    pairs = len(gold.item)
    nowhere = [np.full(pairs, NEVER) for _ in range(5)]
    drawn = {seed: np.full(pairs, NEVER) for seed in seeds}
    answered = np.zeros(gold.items, dtype=bool)
    ranks = GoldRanks(gold, answered, nowhere[0], nowhere[1], nowhere[2], nowhere[3], nowhere[4], drawn)
    for items, groups in batches:
        rankings = Rankings.of(groups, moved, exclude=exclude)
        _rank_batch(ranks, np.asarray(items, dtype=np.int64), rankings, seeds, names)
    return ranks


def _rank_batch(ranks: GoldRanks, items: Any, rankings: Rankings, seeds: tuple[int, ...], names: Any) -> None:
    if not len(rankings):
        return
    ranks.answered[items[rankings.row]] = True
    keep, sizes = rankings.keep, rankings.sizes
    position = np.cumsum(keep) - 1
    pairs, pair_row = ranks.gold.pairs_of(items)
    hit, candidate = rankings.find(pair_row, ranks.gold.ids.take(pa.array(pairs)))
    pairs, mine = pairs[hit], rankings.group[candidate]
    start = np.searchsorted(rankings.group_row, pair_row[hit])  # the first group of its row
    for where, counted in ((ranks.group, sizes > 0), (ranks.slot, rankings.given > 0), (ranks.before, sizes)):
        before = np.cumsum(counted) - counted  # in all groups before
        where[pairs] = before[mine] - before[start]
    ranks.size[pairs] = sizes[mine]
    row_start = before[start]
    ranks.written[pairs] = position[candidate] - row_start + 1
    for seed in seeds:
        chance = _keys(names.take(pa.array(items)), rankings.row[keep], rankings.known, rankings.code[keep], seed)
        shuffled = np.lexsort((chance, rankings.group[keep]))
        drawn = np.empty(len(shuffled), dtype=np.int64)
        drawn[shuffled] = np.arange(len(shuffled))
        ranks.drawn[seed][pairs] = drawn[position[candidate]] - row_start + 1


def _keys(names: Any, row: Any, known: Any, code: Any, seed: int) -> Any:
    """A pseudo-random number for each candidate, from the mention's name, the id and the seed."""
    return _mixed(_digests(names)[row] ^ _mixed(_digests(known)[code] + np.uint64(seed)))


def _digests(strings: Any) -> Any:
    return np.array(
        [int.from_bytes(hashlib.blake2b(s.encode(), digest_size=8).digest(), "little") for s in strings.to_pylist()],
        dtype=np.uint64,
    )


def _mixed(x: Any) -> Any:
    """The finaliser of SplitMix64: close numbers become far ones."""
    with np.errstate(over="ignore"):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
