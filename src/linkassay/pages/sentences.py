"""The sentence at the top: what the best system reached, how sure that is, and how far it is ahead of the next."""

from __future__ import annotations

from collections.abc import Sequence

from linkassay.pages.sections.leaderboard import level
from linkassay.scoring import Figure
from linkassay.scoring.results import FIRST, Cohort, FoundMentions
from linkassay.tables import fixed, percent


def of_corpus(cohort: Cohort) -> str:
    """What the best system reached; the numbers are those of the first table."""
    return _end_to_end(cohort.found_mentions) if cohort.all_find_mentions else _given_mentions(cohort)


def _end_to_end(found: FoundMentions | None) -> str:
    assert found is not None
    figures = [row["all_f1"] for row in found.figures[FIRST]]
    best = figures[0]
    said = f"{found.labels[0]} reaches an F1 of {_percent(best)} % end to end{_between(best)}"
    if len(figures) > 1:
        said += _ahead(found.against_best[1], found.labels[1], best, figures[1])
    return f"{said}. Counted as preset {FIRST.preset} does, NIL {FIRST.nil}."


def _given_mentions(cohort: Cohort) -> str:
    whole = [figures["all"]["recall@1"] for figures in cohort.figures]
    best = whole[0]
    mentions = "the one mention" if best.n == 1 else f"{best.n:,} mentions"
    said = (
        f"{cohort.labels[0]} puts a right entity first for {percent(best.value or 0)} % of {mentions}{_between(best)}"
    )
    if len(whole) > 1:
        said += _ahead(cohort.against_best[1], cohort.labels[1], best, whole[1])
    return said + "."


def of_all(means: Sequence[Figure], found: Sequence[Cohort]) -> str:
    """What the best system reached over all corpora, each weighing the same."""
    complete = [each for each in means if each["corpora"] == len(found)]
    if not complete:
        firsts = [f"{m.labels[0]} on {m.title} ({_percent(m.figures[0]['all']['recall@1'])} %)" for m in found]
        return (f"{len(means)} systems on {len(found)} corpora; no system was run on all of them. "
                f"The best of each: {', '.join(firsts)}.")  # fmt: skip
    best = complete[0]
    said = (f"Over {len(found)} corpora {best.about['system']} puts a right entity first for {_percent(best)} % of "
            f"the mentions, each corpus weighing the same{_between(best)}")  # fmt: skip
    if len(complete) > 1:
        second = complete[1]
        said += _ahead(second, second.about["system"], best, second)
    return said + "."


def _ahead(test: Figure | None, second: str, best: Figure, after: Figure) -> str:
    """How far the best is ahead of the second, and whether that may be chance; untested where they share no mention."""
    lead = test["lead"] if test else (best.value or 0) - (after.value or 0)
    points = percent(lead or 0)
    if points == "0.0":
        return f", level with {second}"
    p = test.p if test else None
    sure = "" if p is None else f", which may be chance ({_chance(p)})" if level(test) else f" ({_chance(p)})"
    return f", {points} points ahead of {second}{sure}"


def _percent(figure: Figure) -> str:
    return percent(figure.value or 0)


def _between(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return " (too few documents for an interval)"
    return f" (95 % interval {percent(figure.low)}–{percent(figure.high)} %)"


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {fixed(p, 3)}"
