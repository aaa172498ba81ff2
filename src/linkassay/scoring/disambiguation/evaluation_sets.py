"""Which mentions count, and how much: evaluation sets (novel, unseen entity, unseen synonym …) and scopes.

A set gives each item a weight (SETS-1 to SETS-11). Unique sets weigh a pair of text and entity once, however
often it occurs, so that a pair whose repeats got different answers scores their mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.errors import UsageError
from linkassay.registry import ValueRegistry
from linkassay.runs import Run
from linkassay.scoring.disambiguation.scored_mentions import ScoredMentions


@dataclass(frozen=True)
class EvaluationSet:
    """Which items count, in words, and the weight of each.

    `weights` is asked with the sets of some items (`Sets`), which of the items are kept at all, and whether items are
    pairs of mention and gold id instead of mentions. What it says of items that are not kept counts nothing.
    """

    summary: str
    weights: Callable[[Sets, Any, bool], Any]


#: Set → which items it holds (SETS-1 to SETS-7). Training here means train and dev (whichever of them is not scored).
SETS: ValueRegistry[EvaluationSet] = ValueRegistry(
    "set",
    {
        "global": EvaluationSet("all", lambda _, keep, _pairs: keep),  # SETS-1
        "global-unique": EvaluationSet("distinct pairs of text and entity",
                                       lambda s, keep, pairs: s.once(keep, pairs)),  # SETS-2
        "novel": EvaluationSet("pairs of text and entity that training data do not have",
                               lambda s, _, pairs: s.novel(pairs)),  # SETS-3
        "novel-unique": EvaluationSet("distinct pairs of text and entity that training data do not have",
                                      lambda s, keep, pairs: s.once(keep & s.novel(pairs), pairs)),  # SETS-4
        "unseen-entity": EvaluationSet("no gold id occurs in training data",
                                       lambda s, _, pairs: s.of_items(s.unseen("unseen-entity"), pairs)),  # SETS-5
        "unseen-synonym": EvaluationSet(
            "a gold id occurs in training data, the lower-cased text in no mention there",
            lambda s, _, pairs: s.of_items(s.unseen("unseen-synonym"), pairs)),  # SETS-6
        "unseen-synonym-of-entity": EvaluationSet(
            "a gold id occurs in training data, but for none of them the lower-cased text",
            lambda s, _, pairs: s.of_items(s.unseen("unseen-synonym-of-entity"), pairs)),  # SETS-7
    },
    EvaluationSet,
)  # fmt: skip
TRAINING_SPLITS = ("train", "dev")


class Sets:
    """The sets of some items, computed when asked for."""

    def __init__(self, items: ScoredMentions) -> None:
        self.mentions = items
        self._fold = bool(items.options.fold)  # SETS-9

    def weights(self, name: str, keep: Any, *, pairs: bool) -> Any:
        """The weight of each mention, or of each (mention, gold id) pair, given those to keep at all."""
        found = np.asarray(SETS.load(name).weights(self, keep, pairs), dtype=float)
        if found.shape != keep.shape or not (np.isfinite(found) & (found >= 0)).all():
            raise UsageError(f"set {name!r}: it should weigh each of {len(keep)} items, none less than nothing")
        return np.where(keep, found, 0.0)

    def of_items(self, inside: Any, pairs: bool) -> Any:
        """What holds of mentions, for each item: a mention, or a (mention, gold id) pair."""
        return inside[self.mentions.gold.item] if pairs else inside

    def novel(self, pairs: bool) -> Any:
        """Items whose pairs of text and entity training data do not have."""
        return self.novel_pairs if pairs else self._every(self.novel_pairs)

    def once(self, keep: Any, pairs: bool) -> Any:
        """Weights by which all kept items of one pair of text and entity weigh one together."""
        labels = self._pair_labels if pairs else self._mention_labels
        counts = np.bincount(labels[keep], minlength=int(labels.max()) + 1)
        return np.where(keep, 1.0 / np.maximum(counts, 1)[labels], 0.0)

    def unseen(self, name: str) -> Any:
        """Mentions of one of BELB's lists; `corpora.stats` counts the same over a whole corpus (CORPUS-7)."""
        self._need_training(name)
        entity_seen = ~self._every(~self._entity_seen)
        if name == "unseen-entity":
            return ~entity_seen
        if name == "unseen-synonym":
            return entity_seen & ~self._text_seen
        return entity_seen & self._every(~self._pair_seen(lower=True))

    @cached_property
    def novel_pairs(self) -> Any:
        """Pairs of text and entity that training data do not have; all of them where there are none."""
        return ~self._pair_seen(lower=self._fold)

    def has_training(self) -> bool:
        """Whether there is any mention to have learned from."""
        return bool(self._training.num_rows)

    def _need_training(self, name: str) -> None:
        if not self.has_training():  # SETS-8
            raise UsageError(f"{name} asks what training data have seen, but {self.mentions.corpus.name} has none "
                             f"beside the split {self.mentions.split!r}")  # fmt: skip

    @cached_property
    def _training(self) -> pa.Table:
        return self.mentions.training(TRAINING_SPLITS)

    def _every(self, pairs: Any) -> Any:
        """Mentions all of whose pairs have a property."""
        found = np.ones(len(self.mentions), dtype=bool)
        np.logical_and.at(found, self.mentions.gold.item, pairs)
        return found

    @cached_property
    def _entity_seen(self) -> Any:
        known = pc.unique(pc.list_flatten(self._training["gold"]))
        return pc.is_in(self.mentions.gold.ids, value_set=known).to_numpy(zero_copy_only=False)

    @cached_property
    def _text_seen(self) -> Any:
        known = pc.unique(pc.utf8_lower(self._training["text"]))
        texts = pc.utf8_lower(self.mentions.table["text"])
        return pc.is_in(texts, value_set=known).to_numpy(zero_copy_only=False)

    def _pair_seen(self, *, lower: bool) -> Any:
        gold, training = self.mentions.gold, self._training
        if not training.num_rows:
            return np.zeros(len(gold.item), dtype=bool)
        parent = pc.list_parent_indices(training["gold"])
        seen = _pair(training["text"].take(parent), pc.list_flatten(training["gold"]), lower)
        mine = _pair(self.mentions.table["text"].take(pa.array(gold.item)), gold.ids, lower)
        return pc.is_in(mine, value_set=pc.unique(seen)).to_numpy(zero_copy_only=False)

    @cached_property
    def _pair_labels(self) -> Any:
        texts = self.mentions.table["text"].take(pa.array(self.mentions.gold.item))
        return _labels(_pair(texts, self.mentions.gold.ids, self._fold))

    @cached_property
    def _mention_labels(self) -> Any:
        """A mention of several gold ids makes one pair with all of them."""
        together = self.mentions.gold.by_item.to_pylist()
        ids = pa.array(["\n".join(sorted(each)) for each in together], pa.string())
        return _labels(_pair(self.mentions.table["text"], ids, self._fold))


def _pair(texts: Any, ids: Any, lower: bool) -> Any:
    """Text and id as one string; ids have no control characters, so that no two pairs are the same string."""
    texts, ids = (c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c for c in (texts, ids))
    return pc.binary_join_element_wise(ids, pc.utf8_lower(texts) if lower else texts, "\t")


def _labels(column: Any) -> Any:
    encoded = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return encoded.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)


def recognised(items: ScoredMentions, runs: Sequence[Run]) -> Any:
    """Mentions whose spans every one of the runs has recognised (SETS-10, how BELB compares with joint systems)."""
    keep = np.ones(len(items), dtype=bool)
    for run in runs:
        if (run.corpus, run.split) != (items.corpus.name, items.split):
            raise UsageError(f"recognised({run.name}): that run is of {run.corpus} {run.split}, not of "
                             f"{items.corpus.name} {items.split}")  # fmt: skip
        found = {p.mention for p in run.predictions() if p.mention}
        keep &= np.array([i in found for i in items.table["id"].to_pylist()])
    return keep
