"""The words of the report: definitions, each in one place, and why a mention counts as it does."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["DEFINITIONS", "NOTES", "OUTCOMES", "STAGE_K", "stage", "verdict", "why"]

#: Cut-off that tells the two failure stages apart (SPEC §5.6).
STAGE_K = 10

#: Term → what it means, in the order of the page's list of terms.
DEFINITIONS = {
    "coverage": "Share of the scored mentions for which the system gave at least one candidate.",
    "recall@k": "Share of the scored mentions with a gold entity among the first k candidates. "
    "A mention without an answer is a miss. Recall@1 is also called accuracy.",
    "tied candidates": "Candidates at the same rank count as if put into random order: a mention is worth the chance "
    "that gold is among the first k. One gold among three tied first candidates is worth 1/3 at k = 1.",
    "gold": "The entities the corpus gives for a mention, brought to the current ids of the knowledge base. "
    "Any one of them counts as right, also of several alternatives or of a composite mention.",
    "n": "Number of mentions a figure is computed over: those with a gold entity. Mentions without one are left out.",
    "95 % interval": "Percentile bootstrap: documents, not mentions, are drawn with replacement 2,000 times. "
    "It says how far the figure would move with other documents of the same kind.",
    "unseen entity": "None of the mention's gold entities occurs in the training or development data.",
    "unseen synonym": "A gold entity occurs in training or development data, but no mention there has this text "
    "(lower-cased).",
    "seen": "Neither an unseen entity nor an unseen synonym.",
    "candidate generation": f"The mention is wrong at rank 1 and gold is not among the first {STAGE_K} candidates: "
    "the system never had a chance to choose it. No answer belongs here.",
    "disambiguation": f"The mention is wrong at rank 1, but gold is among the first {STAGE_K} candidates: "
    "the system had it and preferred another.",
}

#: Part of the page → the sentence under it: what it shows and how to read it.
NOTES = {
    "best": "Best is the highest recall@1; among equals the highest recall@5, then coverage.",
    "leaderboard": "Each row is a system: the figure in percent, below it its 95 % interval, drawn as dot and line on "
    "a scale from 0 to 100. Recall@k is the share of mentions with a gold entity among the first k candidates; "
    "coverage the share that got any answer. Choose a figure to see its mentions.",
    "curve": "Recall@k for k from 1 to 10: how much a system would gain if someone chose the right one among its "
    "first k candidates. A steep line means that gold is found but not ranked first.",
    "types": "The measure for the mentions of each entity type, with the difference to all mentions in points and the "
    "95 % interval. Blue is better than the same system over all mentions, orange worse; deeper means further away.",
    "training": "The measure for mentions by what the training data could teach: seen, unseen synonym (known entity "
    "under a new text), unseen entity. Read a row against “all mentions” of the same system.",
    "stage": f"Of the mentions wrong at rank 1, the share whose gold is not among the first {STAGE_K} candidates "
    "(candidate generation) and the share whose gold is there but not first (disambiguation); the two sum to 100 %. "
    "A mention that is partly right through ties is wrong by the missing part.",
    "mentions": "The mentions behind the figures, in their text. Right: gold is first. Partly: gold shares the first "
    "rank. Wrong: another entity is first. No answer: no candidate.",
    "run": "What the figures depend on: data and their revisions, parameters, software. Times and memory are measured "
    "by linkassay on the machine that ran the system; speed is mentions linked per second, without preparation.",
}

#: Outcome of one mention for one system: code → label.
OUTCOMES = {"r": "right", "p": "partly", "w": "wrong", "n": "no answer"}


def verdict(hit: float, answered: bool) -> str:
    """Code of the outcome at rank 1, a key of `OUTCOMES`.

    >>> verdict(1.0, True), verdict(1 / 3, True), verdict(0.0, True), verdict(0.0, False)
    ('r', 'p', 'w', 'n')
    """
    if not answered:
        return "n"
    return "r" if hit >= 1 else "p" if hit > 0 else "w"


def stage(hits: Sequence[float]) -> str:
    """Where a mention is lost: "g" generation, "d" disambiguation, "b" partly each (ties), "-" nowhere.

    >>> stage([0.0] * 10), stage([0.5] + [1.0] * 9), stage([1.0] * 10), stage([0.0] * 9 + [0.5])
    ('g', 'd', '-', 'b')
    """
    generation, disambiguation = hits[STAGE_K - 1] < 1, hits[STAGE_K - 1] > hits[0]
    return {(True, True): "b", (True, False): "g", (False, True): "d", (False, False): "-"}[generation, disambiguation]


def why(groups: Sequence[Sequence[str]], gold: Collection[str], nil: bool = False) -> str:
    """One sentence: why this ranking counts as it does at rank 1.

    >>> why([["a", "b", "c"]], {"a"})
    'Gold is tied with 2 others for first place: counts 1/3.'
    >>> why([["x"], ["a"]], {"a"})
    'Gold comes at rank 2: counts 0 at rank 1; lost in disambiguation.'
    """
    if not groups:
        return "The answer was “not in the knowledge base”: counts 0." if nil else "There was no answer: counts 0."
    before = 0
    for group in groups:
        right, size = sum(identifier in gold for identifier in group), len(group)
        if right:
            return _first(right, size) if before == 0 else _later(before, size)
        before += size
    candidates = "the one candidate" if before == 1 else f"any of the {before} candidates"
    return f"Gold is not {candidates}: counts 0; lost in candidate generation."


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
