"""A slow and obvious implementation of MEASURE-2 to MEASURE-8, sets and slices: figures mention by mention."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from linkassay.corpora.stored_corpus import Corpus
from linkassay.kbs.stored_kb import Kb
from linkassay.model import Mention
from linkassay.runs.stored_run import Run
from linkassay.scoring.disambiguation.measures import Measure
from tests import reference_scoring as ranking


@dataclass
class Item:
    """One scored mention, or with gold=pairs one of its gold ids."""

    mention: Mention
    gold: list[frozenset[str]]
    groups: ranking.Groups

    @property
    def ids(self) -> frozenset[str]:
        return frozenset().union(*self.gold)


class Reference:
    """A run, its corpus and knowledge base as plain Python."""

    def __init__(self, run: Run, corpus: Corpus, kb: Kb | None, fold: bool = False) -> None:
        self.moved = (
            {} if kb is None else {old: kb.current(old) for (old,) in kb.sql("select distinct old from current")}
        )
        self.answers = {p.mention: [list(g) for g in p.groups] for p in run.predictions() if not p.nil}
        self.fold: Callable[[str], str] = str.lower if fold else str
        self._train = {
            split: [(m.text, frozenset().union(*self.gold(m))) for d in corpus[split] for m in d.mentions]
            for split in ("train", "dev")
            if split in corpus.splits and split != run.split
        }
        self.names = [] if kb is None else kb.sql("select id, name from names")
        self.defined = set() if kb is None else {i for i, d in kb.sql("select id, definition from entities") if d}
        self.mentions = {m.id: m for d in corpus[run.split] for m in d.mentions if self.gold(m)}

    def gold(self, mention: Mention) -> list[frozenset[str]]:
        return ranking.current_gold(list(mention.gold), self.moved)

    def training(self, *splits: str) -> list[tuple[str, frozenset[str]]]:
        """Text and ids of the mentions of other splits."""
        return [pair for split in splits for pair in self._train.get(split, [])]

    # ---- figures

    def figure(self, measure: Measure, only: set[str] | None = None) -> tuple[float | None, float]:
        """Value and denominator of a measure over all mentions, or over some."""
        worth = [
            (item, weight * num, weight * den)
            for item, weight in self.weighted(measure, only)
            for num, den in [self.parts(measure, item)]
        ]
        units: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for item, num, den in worth:
            names = {"micro": [""], "corpora": [""], "documents": [item.mention.document], "types": [item.mention.type],
                     "entities": sorted(item.ids)}[measure.average]  # fmt: skip
            for name in names:
                units[name].append((num, den))
        sums = [(sum(n for n, _ in each), sum(d for _, d in each)) for each in units.values()]
        ratios = [n / d for n, d in sums if d > 1e-12]
        if measure.average in ("micro", "corpora"):
            return (ratios[0] if ratios else None), sums[0][1] if sums else 0
        return (sum(ratios) / len(ratios) if ratios else None), len(ratios)

    def items(self, measure: Measure, only: set[str] | None) -> list[Item]:
        found = []
        for mention in self.mentions.values():
            if only is not None and mention.id not in only:
                continue
            protocol = measure.protocol
            groups = ranking.prepare(
                self.answers.get(mention.id, []), self.moved, protocol.obsolete == "exclude", protocol.repeats == "keep"
            )
            gold = self.gold(mention)
            if protocol.gold == "pairs":
                found += [Item(mention, [frozenset([i])], groups) for i in sorted(frozenset().union(*gold))]
            else:
                found.append(Item(mention, gold, groups))
        return found

    def hit(self, measure: Measure, item: Item, k: int) -> float:
        if measure.protocol.gold == "all":
            return ranking.gold_all(item.groups, item.gold, k, measure.protocol.ties)
        return ranking.POLICIES[measure.protocol.ties](item.groups, item.ids, k)

    def parts(self, measure: Measure, item: Item) -> tuple[float, float]:
        """Numerator and denominator of one item (MEASURE-2 to MEASURE-5, STAGE-1)."""
        first, top = self.hit(measure, item, 1), self.hit(measure, item, measure.k or 1)
        if measure.name == "mrr":
            return ranking.reciprocal(item.groups, item.ids, measure.k or None, measure.protocol.ties), 1
        return {
            "recall": (top, 1), "candidate-recall": (top, 1), "accuracy": (first, 1),
            "coverage": (float(bool(item.groups)), 1), "normalised-accuracy": (first, top),
            "generation-failure": (1 - top, 1 - first), "disambiguation-failure": (top - first, 1 - first),
        }[measure.name]  # fmt: skip

    # ---- sets

    def weighted(self, measure: Measure, only: set[str] | None) -> list[tuple[Item, float]]:
        """Items of the measure's set; repeats of a pair weigh one together."""
        items = [item for item in self.items(measure, only) if self.inside(measure.set, item)]
        if not measure.set.endswith("unique"):
            return [(item, 1.0) for item in items]
        keys = [(self.fold(item.mention.text), item.ids) for item in items]
        return [(item, float(Fraction(1, keys.count(key)))) for item, key in zip(items, keys, strict=True)]

    def inside(self, name: str, item: Item) -> bool:
        train = self.training("train", "dev")
        # A list is one of mentions, also where each gold id is an item.
        mention_ids = frozenset().union(*self.gold(item.mention))
        text, lowered = self.fold(item.mention.text), item.mention.text.lower()
        seen_entity = any(mention_ids & ids for _, ids in train)
        if name.startswith("novel"):
            return not any(self.fold(t) == text and item.ids & ids for t, ids in train)
        if name == "unseen-entity":
            return not seen_entity
        if name == "unseen-synonym":
            return seen_entity and not any(t.lower() == lowered for t, _ in train)
        if name == "unseen-synonym-of-entity":
            return seen_entity and not any(t.lower() == lowered and ids & mention_ids for t, ids in train)
        return True

    # ---- slices

    def slice(self, name: str) -> set[str]:
        """Ids of the mentions of a slice (SLICE-3 to SLICE-18), texts as they stand."""
        return {m.id for m in self.mentions.values() if self.belongs(name, m)}

    def belongs(self, name: str, mention: Mention) -> bool:
        train = self.training("train")
        ids, text = frozenset().union(*self.gold(mention)), self.fold(mention.text)
        if name in ("train-text-match", "train-entity-match", "zero-shot", "train-pair-match"):
            return {
                "train-text-match": any(self.fold(t) == text for t, _ in train),
                "train-entity-match": any(ids & i for _, i in train),
                "zero-shot": not any(ids & i for _, i in train),
                "train-pair-match": any(self.fold(t) == text and ids & i for t, i in train),
            }[name]
        if name in ("unseen-entity", "unseen-synonym"):
            return self.inside(name, Item(mention, self.gold(mention), []))
        if name == "composite":
            return any(len(alternative) > 1 for alternative in self.gold(mention))
        named = {i for i, n in self.names if self.fold(n) == text}
        aliases = [n for i in ids if (n := len({name for of, name in self.names if of == i}))]
        return {
            "alias-match": bool(named & ids), "no-alias-match": not named & ids, "wrong-alias-match": bool(named - ids),
            "homonym": len(named) > 1, "single-alias": aliases != [] and min(aliases) == 1,
            "five-aliases-or-less": min(aliases, default=0) <= 5, "no-definition": not self.defined & ids,
        }[name]  # fmt: skip
