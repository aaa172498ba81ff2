"""Slices and sets where spans are predicted too: which cases belong to each, and how much they weigh.

The rule, E2E-7 to E2E-9:

A slice or set holds gold mentions: true positives and false negatives are those of its mentions, false
positives those predicted on their spans; the parts of an alternative belong to their mention. A prediction on no gold
mention belongs to all mentions; to the groups `type` and `mention-kind`, by what was predicted; and to a set by its own
pair of text and predicted entity, as in SETS-3: *novel* if training data do not have the pair, *unique* so that all
such predictions of one pair weigh one together. It belongs to no other slice, and to no scope. Gold without an id (NIL,
quantities, datetimes) is in no slice but `type` and `mention-kind`; in sets its pair is that of its text and NIL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.errors import UsageError
from linkassay.registry import near_miss
from linkassay.runs import Run
from linkassay.scoring.disambiguation import slices
from linkassay.scoring.disambiguation.document_sums import ALL
from linkassay.scoring.disambiguation.evaluation_sets import SETS, Sets
from linkassay.scoring.disambiguation.gold_ranks import GoldIds
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.disambiguation.scored_mentions import ScoredMentions, ScoringOptions
from linkassay.scoring.disambiguation.support import set_note
from linkassay.scoring.endtoend.case_groups import GROUPINGS
from linkassay.scoring.endtoend.case_ledger import Ledger
from linkassay.scoring.endtoend.counts import Counts

NIL = "NIL"
_NO_SPURIOUS = "without predictions on no gold mention, which are in no slice or scope of gold mentions"


@dataclass(frozen=True)
class CountedSlice:
    """A slice of a set, counted; a reader must know `note` of its precision, and `lacking` of all its figures."""

    set: str
    slice: str
    counts: Counts
    gold: np.ndarray | None = None  # weight of each case by its gold; None: all cases, each as one
    predicted: np.ndarray | None = None  # and by its prediction
    note: str = ""
    lacking: str = ""

    @property
    def whole(self) -> bool:
        """Whether it holds every case, each as one."""
        return self.gold is None

    @property
    def empty(self) -> float:
        """Figures of drawn documents with no case of it: a slice is not there then, all of a corpus always is."""
        return self.counts.empty if self.whole else np.nan


def refuse_unknown(by: Sequence[str], sets: Sequence[str]) -> None:
    """Refuse slices and sets that there are not."""
    for each in by:
        if each not in GROUPINGS:
            try:
                slices.parse_slice(each)
            except UsageError as error:
                if each in slices.SLICES:  # a plug-in that cannot be loaded has said so
                    raise
                known = [*GROUPINGS, *slices.SLICES]
                raise UsageError(f"cannot count by {each!r}; {near_miss(each, known)}") from error
    for each in sets:
        SETS.load(each)


class _Pairs(ScoredMentions):
    """Pairs of text and entity that are no scored mentions; NIL is an entity as any other, in training data too."""

    def training(self, splits: Sequence[str]) -> pa.Table:
        table = super().training(splits)
        none = pc.equal(pc.list_value_length(table["gold"]), 0)
        at = table.schema.get_field_index("gold")
        return table.set_column(at, "gold", pc.if_else(none, pa.scalar([NIL], pa.list_(pa.string())), table["gold"]))


class SlicesAndSets:
    """The slices and sets of a run's cases; `options` say how they compare texts."""

    def __init__(
        self, ledger: Ledger, run: Run, scope: Sequence[str] = (), options: ScoringOptions | None = None
    ) -> None:
        self._ledger, self._run, self._scopes, self._options = ledger, run, scope, options

    @cached_property
    def _score(self) -> Score:
        """The scored mentions, which groups of all cases do not need."""
        return Score(self._run, scope=self._scopes, options=self._options)

    @cached_property
    def item(self) -> np.ndarray:
        """Of each case, the scored mention that it belongs to, or -1."""
        place = {name: n for n, name in enumerate(self._score.items.table["id"].to_pylist())}
        return np.array([place.get(name, -1) for name in self._ledger.mention], dtype=np.int64)

    def cuts(self, sets: Sequence[str], by: Sequence[str]) -> Iterator[CountedSlice]:
        """For each set all mentions, then the slices that hold any."""
        for set_ in sets:
            lacking = "" if set_ == "global" else set_note(self._score, set_)
            for name, gold, predicted, note in self._masks(by):
                weights = self.weights(set_, gold), self.weights(set_, predicted)
                if name == ALL or any(w.any() for w in weights):
                    yield CountedSlice(set_, name, self._ledger.counts(*weights), *weights, note, lacking)

    def _masks(self, by: Sequence[str]) -> Iterator[tuple[str, np.ndarray, np.ndarray, str]]:
        """Name, cases that belong to it by gold and by prediction, and what is to be known of it; groups first."""
        note = _NO_SPURIOUS if self._scopes else ""
        yield ALL, self._scope, self._scope, note
        groups = {name: masks for each in by if each in GROUPINGS for name, masks in self._ledger.groups[each].items()}
        for name, (gold, predicted) in sorted(groups.items()):
            yield name, gold & self._scope, predicted & self._scope, note
        slices_ = [each for each in by if each not in GROUPINGS]
        for name, mask in self._score.slices(slices_) if slices_ else ():
            if name != ALL:
                inside = np.append(mask, False)[self.item]
                yield name, inside, inside, _NO_SPURIOUS

    @cached_property
    def _scope(self) -> np.ndarray:
        """Cases of mentions in scope; all cases if no scope was asked for."""
        if not self._scopes:
            return np.ones(len(self._ledger), dtype=bool)
        found: np.ndarray = np.append(self._score.in_scope, False)[self.item]
        return found

    def weights(self, set_: str, keep: np.ndarray) -> np.ndarray:
        """How much each case weighs in a set, given those to keep at all."""
        if set_ == "global":
            return keep.astype(float)
        found = np.zeros(len(keep))
        for sets, unit, size in self._units:
            mine = keep & (unit >= 0)
            if mine.any():
                kept = np.zeros(size, dtype=bool)
                kept[unit[mine]] = True
                found[mine] = _weights(sets, set_, kept)[unit[mine]]
        return found

    @cached_property
    def _units(self) -> list[tuple[Sets, np.ndarray, int]]:
        """Scored mentions, gold mentions without an id, predictions on none: what sets weigh, each kind by itself.

        Of each kind its sets, which of its units a case belongs to or -1, and how many units there are.
        """
        ledger, numbers = self._ledger, dict[str, int]()
        without = np.array(
            [-1 if item >= 0 or not name else numbers.setdefault(name, len(numbers))
             for item, name in zip(self.item.tolist(), ledger.mention)], dtype=np.int64,
        )  # fmt: skip
        first = {int(without[case]): case for case in np.flatnonzero((without >= 0) & ledger.root).tolist()}
        alone = np.flatnonzero(ledger.alone)
        return [
            (self._score.sets, self.item, len(self._score.items)),
            (self._pairs([first[unit] for unit in sorted(first)], ledger.gold), without, len(first)),
            (
                self._pairs(alone.tolist(), ledger.said),  # E2E-8
                np.where(ledger.alone, np.cumsum(ledger.alone) - 1, -1),
                len(alone),
            ),
        ]

    def _pairs(self, cases: list[int], code: np.ndarray) -> Sets:
        """The sets of pairs of text and entity of some cases."""
        items, ledger = self._score.items, self._ledger
        gold = pa.array([[ledger.ids(int(code[case])) or [NIL]] for case in cases], pa.list_(pa.list_(pa.string())))
        table = pa.table({"text": pa.array([ledger.texts[case] for case in cases], pa.string()), "gold": gold})
        own: dict[str, Any] = {name: getattr(items, name) for name in ("corpus", "split", "moved", "options")}
        return Sets(_Pairs(table=table, gold=GoldIds.of(table["gold"]), left_out={}, **own))


def _weights(sets: Sets, set_: str, keep: np.ndarray) -> np.ndarray:
    try:
        found: np.ndarray = sets.weights(set_, keep, pairs=False)
    except KeyError as error:  # of a plug-in
        raise UsageError(f"set {set_!r}: {error}; of what is no scored mention there are text and gold only") from error
    return found
