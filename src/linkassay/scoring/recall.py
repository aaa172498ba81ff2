"""Recall@k with given mentions: overall and by slice, with intervals over documents.

Everything derives from sums per document, so slices, intervals and pooling are sums too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from linkassay.corpora.stats import unseen
from linkassay.errors import UsageError
from linkassay.model import Mention
from linkassay.runs import Run
from linkassay.scoring.ties import expected_hit, prepare_groups

__all__ = ["Judged", "Score", "score"]

KS = tuple(range(1, 11))
RESAMPLES, SEED = 2_000, 20_231_101


@dataclass(frozen=True)
class Judged:
    """One mention with what was predicted and what that is worth at each k of `KS`."""

    mention: Mention
    groups: list[list[str]]
    gold: frozenset[str]  # current ids of all alternatives
    hits: tuple[float, ...]
    unseen: str  # "entity", "synonym", "" (seen in training)
    answered: bool


@dataclass(frozen=True)
class Score:
    """The judged mentions of a run; mentions without gold id are left out and counted."""

    run: Run
    judged: list[Judged]
    without_id: int

    def rows(self, ks: Iterable[int] = (1, 5)) -> list[dict[str, Any]]:
        """Coverage and recall@k, overall and by slice, each with its denominator and 95 % interval."""
        values = {"coverage": np.array([float(j.answered) for j in self.judged])}
        values.update((f"recall@{k}", np.array([j.hits[k - 1] for j in self.judged])) for k in ks)
        return [
            self._row(measure, name, hits, keep)
            for name, keep in self._slices().items()
            for measure, hits in values.items()
        ]

    @cached_property
    def _documents(self) -> Any:
        """Number of each mention's document."""
        return np.unique([j.mention.document for j in self.judged], return_inverse=True)[1]

    def _slices(self) -> dict[str, Any]:
        """Name → which mentions; the whole first."""
        types = np.array([j.mention.type for j in self.judged])
        kinds = np.array([j.unseen for j in self.judged])
        slices: dict[str, Any] = {"all": np.ones(len(self.judged), dtype=bool)}
        slices.update((f"type={t}", types == t) for t in sorted(set(types)))
        slices.update((f"unseen-{kind}", kinds == kind) for kind in ("entity", "synonym") if (kinds == kind).any())
        if len(slices) > 1 and (kinds != "").any():
            slices["seen"] = kinds == ""
        return slices

    def _row(self, measure: str, name: str, values: Any, keep: Any) -> dict[str, Any]:
        n = np.bincount(self._documents, weights=keep, minlength=1)
        total = np.bincount(self._documents, weights=values * keep, minlength=1)
        low, high = _interval(total, n)
        return {
            "run": str(self.run.path.name), "corpus": self.run.corpus, "system": self.run.system,
            "measure": measure, "slice": name, "value": float(total.sum() / n.sum()), "n": int(n.sum()),
            "low": low, "high": high,
        }  # fmt: skip


def score(run: Run) -> Score:
    """Judge every mention of the run's split that has a gold id; no prediction is a miss."""
    corpus, kb = run.open_corpus(), run.open_kb()
    predicted = {p.mention: p for p in run.predictions()}
    kinds = unseen(corpus, kb) if run.split == "test" else {}
    judged, without = [], 0
    for document in corpus[run.split]:
        for mention in document.mentions:
            gold = frozenset(now for identifier in mention.ids for now in kb.current(identifier))
            if not gold:
                without += 1
                continue
            prediction = predicted.get(mention.id)
            groups = prepare_groups(prediction.groups, kb.current) if prediction else []
            hits = tuple(expected_hit(groups, gold, k) for k in KS)
            judged.append(Judged(mention, groups, gold, hits, kinds.get(mention.id, ""), bool(groups)))
    if not judged:
        raise UsageError(f"no mention with a gold id in {run.corpus} {run.split}: nothing to score")
    return Score(run, judged, without)


def _interval(total: Any, n: Any) -> tuple[float | None, float | None]:
    """95 % percentile interval of sum(total)/sum(n), documents drawn with replacement.

    Fewer than two documents say nothing of how much documents differ: then there is none.
    """
    if np.count_nonzero(n) < 2:
        return None, None
    sums = _resampled_sums(total, n)
    drawn = sums[:, 1] > 0
    low, high = np.percentile(sums[drawn, 0] / sums[drawn, 1], [2.5, 97.5])
    return float(low), float(high)


def _resampled_sums(total: Any, n: Any) -> Any:
    """(sum of total, sum of n) of each resample; drawn in blocks, so that memory stays bounded."""
    columns = np.column_stack([total, n])
    draws = np.random.default_rng(SEED)
    shares = np.full(len(n), 1 / len(n))
    block = max(1, min(RESAMPLES, 20_000_000 // len(n)))
    if block == RESAMPLES:
        return _draws(len(n)) @ columns
    sizes = [block] * (RESAMPLES // block) + [RESAMPLES % block]
    return np.vstack([draws.multinomial(len(n), shares, size=size).astype(float) @ columns for size in sizes if size])


@lru_cache(maxsize=1)
def _draws(documents: int) -> Any:
    """How often each resample draws each document: the same for every figure of a corpus."""
    shares = np.full(documents, 1 / documents)
    return np.random.default_rng(SEED).multinomial(documents, shares, size=RESAMPLES).astype(np.float64)
