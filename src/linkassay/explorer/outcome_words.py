"""What became of a mention, in letters and in a sentence, and what mentions are told apart by, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from linkassay.scoring.disambiguation import SLICES
from linkassay.scoring.hierarchy import MISMATCH_KINDS
from linkassay.scoring.results import SHOWN_SLICES, STAGE_K

#: Outcome of one mention for one system: code → label.
OUTCOMES: dict[str, str] = {"r": "right", "p": "partly", "w": "wrong", "n": "no answer"}

#: Slice → its name: those of every page, and two that are no slices elsewhere.
SLICE_NAMES: dict[str, str] = {"all": "all mentions"} | {name: SLICES[name].words for name in SHOWN_SLICES} | {
    "novel": "text and entity new together",
}  # fmt: skip

#: Mismatches in a hierarchy, as filters of mentions → their names.
MISMATCHES: dict[str, str] = {kind: kind for kind in MISMATCH_KINDS} | {
    "virtual root": "meeting in the virtual root only", "outside": "outside of the hierarchy",
}  # fmt: skip


def slices_named(asked: Iterable[str]) -> dict[str, str]:
    """`SLICE_NAMES`, and those of other packages that were asked for and have words of their own."""
    known = {name: SLICES[name].words for name in asked if name in SLICES}
    return SLICE_NAMES | {name: words for name, words in known.items() if words}


def verdict(hit: float, answered: bool) -> str:
    """Code of the outcome at rank 1, a key of `OUTCOMES`.

    >>> verdict(1.0, True), verdict(1 / 3, True), verdict(0.0, True), verdict(0.0, False)
    ('r', 'p', 'w', 'n')
    """
    if not answered:
        return "n"
    return "r" if hit >= 1 else "p" if hit > 0 else "w"


def stage(first: float, within: float) -> str:
    """Where a mention is lost: "g" generation, "d" disambiguation, "b" partly each (ties), "-" nowhere.

    It goes by the chance of a hit at rank 1, and within the first `STAGE_K`.

    >>> stage(0.0, 0.0), stage(0.5, 1.0), stage(1.0, 1.0), stage(0.0, 0.5)
    ('g', 'd', '-', 'b')
    """
    generation, disambiguation = within < 1, within > first
    return {(True, True): "b", (True, False): "g", (False, True): "d", (False, False): "-"}[generation, disambiguation]


def why(groups: Sequence[Sequence[str]], gold: Collection[str], nil: bool = False) -> str:
    """One sentence: why this ranking counts as it does at rank 1.

    >>> why([["a", "b", "c"]], {"a"})
    'Gold is tied with 2 others for first place: counts 1/3.'
    >>> why([["x"], ["a"]], {"a"})
    'Gold comes at rank 2: counts 0 at rank 1; lost in disambiguation.'
    """
    before = 0
    for group in groups:
        right, size = sum(identifier in gold for identifier in group), len(group)
        if right:
            return why_by_place(before, size, right)
        before += size
    return why_without_gold(before, nil)


def why_by_place(before: int, size: int, right: int) -> str:
    """The sentence where so many candidates come before gold, which is `right` of `size` tied ones."""
    return _first(right, size) if before == 0 else _later(before, size)


def why_without_gold(candidates: int, nil: bool) -> str:
    """The sentence where gold is none of the candidates; of none, whether that is said to be NIL."""
    if not candidates:
        return "The answer was “not in the knowledge base”: counts 0." if nil else "There was no answer: counts 0."
    said = "the one candidate" if candidates == 1 else f"any of the {candidates} candidates"
    return f"Gold is not {said}: counts 0; lost in candidate generation."


def _first(right: int, size: int) -> str:
    if size == 1:
        return "Gold is first: counts 1."
    if right == size:
        return f"All {size} candidates tied for first place are gold: counts 1."
    if right > 1:
        return f"{right} of the {size} candidates tied for first place are gold: counts {right}/{size}."
    return f"Gold is tied with {size - 1} other{'s' if size > 2 else ''} for first place: counts 1/{size}."


def _later(before: int, size: int) -> str:
    at = f"at rank {before + 1}" if size == 1 else f"at ranks {before + 1}–{before + size}, tied"
    if before >= STAGE_K:
        return f"Gold comes only {at}, after the first {STAGE_K}: counts 0; lost in candidate generation."
    if before + size > STAGE_K:
        return f"Gold comes {at}: counts 0 at rank 1; by chance of the tie it is among the first {STAGE_K} or not."
    return f"Gold comes {at}: counts 0 at rank 1; lost in disambiguation."
