"""Why `tfidf` puts one entity before another: the 3-grams that a text shares with their nearest names (LINKER-15).

The cosines of LINKER-5 once more, in plain Python and for two entities, so that their parts can be told.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

from linkassay.linkers.protocol import Reason


def shared_grams(
    weight: Callable[[str], float], text: str, first: Iterable[str], second: Iterable[str]
) -> list[Reason]:
    """A row for each 3-gram that a nearest name shares with the text; a column adds up to the cosine of that name.

    `weight` is that of a 3-gram, `first` and `second` are the names of two entities; all texts are keys (KB-3), which
    have no `_`: it stands for a space.
    """
    asked = _unit(weight, text)
    (one, parts), (other, others) = (_nearest(weight, asked, names) for names in (first, second))
    grams = sorted({**parts, **others}, key=lambda gram: (-abs(parts.get(gram, 0) - others.get(gram, 0)), gram))
    shares = [(gram.replace(" ", "_"), parts.get(gram, 0.0), others.get(gram, 0.0)) for gram in grams]
    return [
        Reason("nearest by 3-grams", one, other, sum(parts.values()) - sum(others.values())),
        *(Reason(f"3-gram {gram}", mine, theirs, mine - theirs) for gram, mine, theirs in shares),
    ]


def _nearest(
    weight: Callable[[str], float], asked: dict[str, float], names: Iterable[str]
) -> tuple[str, dict[str, float]]:
    """The name with the largest cosine, the first of equal ones, and what each shared 3-gram adds to it."""
    best: tuple[str, dict[str, float]] = "", {}
    for name in dict.fromkeys(names):
        own = _unit(weight, name)
        parts = {gram: asked[gram] * own[gram] for gram in own if gram in asked}
        if not best[0] or sum(parts.values()) > sum(best[1].values()):
            best = name, parts
    return best


def _unit(weight: Callable[[str], float], text: str) -> dict[str, float]:
    """A text as a vector of length 1: its 3-grams, two spaces before it and one after, by weight and count."""
    padded = f"  {text} "
    counts = Counter(padded[at : at + 3] for at in range(len(padded) - 2))
    vector = {gram: count * weight(gram) for gram, count in counts.items()}
    length = math.sqrt(sum(value**2 for value in vector.values()))
    return {gram: value / length for gram, value in vector.items()}
