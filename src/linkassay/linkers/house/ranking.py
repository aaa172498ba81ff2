"""How candidates are ranked: by trees learned from training mentions, or by fixed weights; and what follows of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkassay.linkers.house.asked_mentions import AskedMention
from linkassay.linkers.house.candidates import Candidates
from linkassay.linkers.house.features import FEATURES
from linkassay.linkers.protocol import Answer
from linkassay.store import MappedFolder

if TYPE_CHECKING:
    from linkassay.linkers.house.boosted_trees import Ranker

Floats = NDArray[np.floating[Any]]

_WEIGHTS = {
    "long exact": 0.3, "long key": 2.0, "long compact": 1.0, "long loose": 1.0, "long alike": 0.7, "long initial": 1.0,
    "long cosine": 4.0, "long ratio": 1.0, "long related": 0.5, "long relates": 0.5,
    "long primary": 0.3, "key": 0.5, "cosine": 0.5, "type fits": 1.0, "type unknown": 0.6, "company": 0.3,
    "foreign cue": 1.0, "foreign nearest": 0.5, "foreign prior": 0.5, "names": 0.1, "age": -0.3, "alias": 3.0,
}  # fmt: skip
#: The weight of each feature where there is nothing to learn from.
FIXED_WEIGHTS: Floats = np.array([_WEIGHTS.get(name, 0.0) for name in FEATURES])


def learned_ranker(
    examples: Iterable[tuple[Iterable[AskedMention], Iterable[Candidates]]], **options: int
) -> Ranker | None:
    """A ranker from the mentions of documents and their candidates; none if there is nothing to choose."""
    rows, groups, right = [], [], []
    for mentions, found in examples:
        for mention, (candidates, features) in zip(mentions, found, strict=True):
            hit = np.isin(candidates, list(mention.gold))
            if hit.any() and not hit.all():
                rows.append(features)
                groups.append(len(candidates))
                right.append(hit)
    if not rows:
        return None
    from linkassay.linkers.house.boosted_trees import Ranker

    numbers = np.repeat(np.arange(len(groups)), groups)
    return Ranker(**options).fit(np.concatenate(rows), numbers, np.concatenate(right))


def store_rankers(rankers: Mapping[str, Ranker | None], files: MappedFolder) -> None:
    """Write those that there are."""
    kept = {name: ranker for name, ranker in rankers.items() if ranker}
    files.put_record("rankers", list(kept))
    for name, ranker in kept.items():
        ranker.store(files.part(name))


def opened_rankers(files: MappedFolder) -> dict[str, Ranker]:
    """Those that were written, by name."""
    names = files.record("rankers")
    if not names:
        return {}
    from linkassay.linkers.house.boosted_trees import Ranker

    return {name: Ranker.opened(files.part(name)) for name in names}


def first_opinions(
    mentions: list[AskedMention], found: Iterable[Candidates], rankers: list[Ranker]
) -> dict[str, set[int]]:
    """What texts are at first sight, where that has at least an even chance."""
    opinions: dict[str, set[int]] = {}
    for mention, (candidates, features) in zip(mentions, found, strict=True):
        if len(candidates) and rankers:
            scores = np.mean([ranker.scores(features) for ranker in rankers], axis=0).round(9)
            chances = np.exp(scores - scores.max())
            if chances.sum() <= 2:
                opinions.setdefault(mention.key, {int(candidates[np.argmax(scores)])})
    return opinions


def agreed(mentions: list[AskedMention], answers: list[Answer]) -> list[Answer]:
    """Short forms mean what the mention means that they stand for, if the document has it."""
    plain = {
        mention.key: answer
        for mention, answer in zip(reversed(mentions), reversed(answers), strict=True)
        if mention.plain.key == mention.long.key
    }
    return [
        plain.get(mention.key, answer) if mention.plain.key != mention.long.key else answer
        for mention, answer in zip(mentions, answers, strict=True)
    ]
