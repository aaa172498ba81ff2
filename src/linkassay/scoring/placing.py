"""Where each gold id stands in its mention's ranking: all that scoring needs of predictions (SPEC §5.1).

Predictions stream through in batches; what is kept of them is one entry per gold id. Ids on both sides are
brought to the KB's current ids, a predicted id is kept at its first rank only, empty groups vanish.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.scoring.protocols import Protocol
from linkassay.scoring.ties import NEVER, First, GoldGroups, Outcome, outcome

__all__ = ["Gold", "Moved", "Placed", "place"]

#: What became of ids: old → what it is called now, () if it was removed. Ids that are current are not in it.
Moved = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Gold:
    """The gold of many items: its distinct (item, id) pairs, and which of them make up each alternative."""

    items: int
    item: Any  # of each pair; ascending
    ids: Any  # Arrow strings, of each pair
    alternative_item: Any  # of each alternative
    member_alternative: Any  # an alternative's number …
    member_pair: Any  # … and a pair that belongs to it

    @classmethod
    def of(cls, gold: Any, moved: Moved | None = None) -> Gold:
        """From an Arrow column of lists of alternatives, each a list of ids; removed ids drop out."""
        if moved:
            gold = _current_gold(gold, moved)
        gold = _one_chunk(gold)
        alternative_item = pc.list_parent_indices(gold).to_numpy(zero_copy_only=False)
        alternatives = pc.list_flatten(gold)
        member_alternative = pc.list_parent_indices(alternatives).to_numpy(zero_copy_only=False)
        encoded = pc.list_flatten(alternatives).dictionary_encode()
        code = encoded.indices.to_numpy(zero_copy_only=False)
        width = max(1, len(encoded.dictionary))
        keys, order = _sorted(alternative_item[member_alternative] * width + code, max(1, len(gold)) * width)
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


def _one_chunk(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


@dataclass(frozen=True)
class Placed:
    """For each pair of the gold where it stands; ranks are `NEVER` for an id that was not predicted."""

    gold: Gold
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
            return outcome(ties, groups)
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
        return outcome(ties, groups)

    def _all(self, rank: Any) -> Any:
        """The rank at which one alternative is complete: over alternatives the least of the greatest of its ids."""
        gold = self.gold
        complete = np.zeros(len(gold.alternative_item), dtype=np.int64)
        np.maximum.at(complete, gold.member_alternative, rank[gold.member_pair])
        first = np.full(gold.items, NEVER)
        np.minimum.at(first, gold.alternative_item, complete)
        return first


def place(
    batches: Iterable[tuple[Any, Any]],
    gold: Gold,
    moved: Moved | None = None,
    *,
    exclude: bool = False,
    seeds: Iterable[int] = (),
    names: Any = None,
) -> Placed:
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
    placed = Placed(gold, answered, nowhere[0], nowhere[1], nowhere[2], nowhere[3], nowhere[4], drawn)
    for items, groups in batches:
        _place_batch(placed, np.asarray(items, dtype=np.int64), _one_chunk(groups), moved or {}, exclude, seeds, names)
    return placed


def _place_batch(
    placed: Placed, items: Any, groups: Any, moved: Moved, exclude: bool, seeds: tuple[int, ...], names: Any
) -> None:
    inner = pc.list_flatten(groups)
    group_row = pc.list_parent_indices(groups).to_numpy(zero_copy_only=False)
    group = pc.list_parent_indices(inner).to_numpy(zero_copy_only=False)
    encoded = pc.list_flatten(inner).dictionary_encode()
    code = encoded.indices.to_numpy(zero_copy_only=False)
    known = encoded.dictionary
    if moved:
        known, code, repeats = _current_codes(known, code, moved, exclude)
        group = np.repeat(group, repeats)
    if not len(group):
        return
    row = group_row[group]  # of each candidate, the row of the batch it belongs to
    placed.answered[items[row]] = True

    # Each id at its first rank only.
    width = len(known) + 1
    key, order = _sorted(row * width + code, len(items) * width)
    again = order[1:][key[1:] == key[:-1]]
    keep = np.ones(len(group), dtype=bool)
    keep[again] = False
    position = np.cumsum(keep) - 1
    given = np.bincount(group, minlength=len(group_row))
    sizes = given - np.bincount(group[again], minlength=len(group_row))

    # The gold pairs of the batch's items, found among the candidates by the same key.
    pairs, pair_row = placed.gold.pairs_of(items)
    wanted_code = pc.index_in(placed.gold.ids.take(pa.array(pairs)), value_set=known)
    wanted = pair_row * width + wanted_code.fill_null(len(known)).to_numpy(zero_copy_only=False)
    at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    hit = key[at] == wanted
    pairs, candidate = pairs[hit], order[at[hit]]
    mine, start = group[candidate], np.searchsorted(group_row, pair_row[hit])  # its group, the first group of its row
    for where, counted in ((placed.group, sizes > 0), (placed.slot, given > 0), (placed.before, sizes)):
        before = np.cumsum(counted) - counted  # in all groups before
        where[pairs] = before[mine] - before[start]
    placed.size[pairs] = sizes[mine]
    row_start = before[start]
    placed.written[pairs] = position[candidate] - row_start + 1
    for seed in seeds:
        chance = _keys(names.take(pa.array(items)), row[keep], known, code[keep], seed)
        shuffled = np.lexsort((chance, group[keep]))
        drawn = np.empty(len(shuffled), dtype=np.int64)
        drawn[shuffled] = np.arange(len(shuffled))
        placed.drawn[seed][pairs] = drawn[position[candidate]] - row_start + 1


def _sorted(keys: Any, limit: int) -> tuple[Any, Any]:
    """Keys from 0 to below `limit` in order, and where each stood; equal ones as they stood."""
    bits = len(keys).bit_length()
    if limit >> (63 - bits):
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    packed = np.sort(keys << bits | np.arange(len(keys)))  # one number each: several times faster than argsort
    return packed >> bits, packed & (1 << bits) - 1


def _current_codes(known: Any, code: Any, moved: Moved, exclude: bool) -> tuple[Any, Any, Any]:
    """Codes of current ids, all ids these stand for, and into how many each old code turned."""
    changed = pc.is_in(known, value_set=pa.array(list(moved), pa.string())).to_numpy(zero_copy_only=False)
    if not changed.any():
        return known, code, np.ones(len(code), dtype=np.int64)
    ids = known.to_pylist()
    number = {identifier: n for n, identifier in enumerate(ids)}
    become: list[list[int]] = [[n] for n in range(len(ids))]
    for n in np.flatnonzero(changed).tolist():
        now = moved[ids[n]]
        become[n] = [number.setdefault(i, len(number)) for i in now] or ([] if exclude else [n])
    counts = np.array([len(b) for b in become])
    flat = np.array([n for b in become for n in b], dtype=np.int64)
    offset = np.cumsum(counts) - counts
    repeats = counts[code]
    ends = np.cumsum(repeats)
    within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - repeats, repeats)
    return pa.array(list(number), pa.string()), flat[np.repeat(offset[code], repeats) + within], repeats


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
