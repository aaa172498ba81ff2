"""Everything the report shows, as one JSON-ready dictionary. Pure data: no HTML is made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from linkassay import charts
from linkassay.cautions import Caution, result_cautions
from linkassay.errors import UsageError
from linkassay.pages import blocks, explanations
from linkassay.pages.blocks import Block, behind, column
from linkassay.pages.mention_browser import SAMPLE, BrowsedMentions
from linkassay.pages.page_table_texts import with_table_texts
from linkassay.pages.sections import AFTER, BEFORE, Section, overview
from linkassay.pages.sections.leaderboard import level
from linkassay.runs import Run
from linkassay.scoring import Figure
from linkassay.scoring.disambiguation import Score
from linkassay.scoring.hierarchy import DISTANCES, LOCATION_BINS
from linkassay.scoring.results import Cohort, Result
from linkassay.tables import fixed, percent

#: Mentions of all corpora together that the page holds; each corpus has its part.
WHOLE_SAMPLE = 2_000


def gather_page(
    of: Result | Sequence[Score],
    failed: Sequence[Mapping[str, str]] = (),
    about: Mapping[str, Any] | None = None,
    sample: int = SAMPLE,
    before: Sequence[Section] = BEFORE,
) -> dict[str, Any]:
    """The page's data: what is said of all corpora, then each corpus with its sections and mentions.

    `before` are the sections before the mentions.
    """
    result = of if isinstance(of, Result) else Result(of)
    if not result.scores and not failed:
        raise UsageError("nothing to report: name at least one run")
    found, means = result.cohorts, result.means
    systems = {each.about["system"]: at for at, each in enumerate(means)}
    limit = min(sample, max(50, WHOLE_SAMPLE // max(1, len(found))))
    several = len(found) > 1
    asked = (by for score in result.scores for by in score.slice_names)
    return with_table_texts({
        "title": str((about or {}).get("title") or "") or _title(found),
        "sentence": _overall(means, found) if several else _sentence(found[0]) if found else "Nothing could be run.",
        "best": explanations.BEST, "version": version("linkassay"), "systems": list(systems),
        "looks": [charts.look(at)[:2] for at in systems.values()],
        "overview": [overview.section(result, systems), overview.matrix(result)] if several else [],
        "corpora": [_corpus(cohort, systems, limit, before) for cohort in found],
        "warnings": [caution.as_dict() for caution in _cautions(result)],
        "failed": [_failed(failed)] if failed else [], "plan": [_plan(about)] if about else [],
        "mentions": blocks.section("mentions", []), "slices": explanations.slices_named(asked),
        "definitions": explanations.DEFINITIONS, "outcomes": explanations.OUTCOMES,
        "mismatches": explanations.MISMATCHES, "distances": DISTANCES, "locations": LOCATION_BINS,
        "types": {type_: name for cohort in reversed(found) for type_, name in cohort.type_names.items()},
    })  # fmt: skip


def _cautions(result: Result) -> list[Caution]:
    """What is doubtful about the figures of stored runs; of runs in memory nothing more is known."""
    return result_cautions(score.run for score in result.scores if isinstance(score.run, Run))


def _title(found: Sequence[Cohort]) -> str:
    """The corpora by name, where they are few."""
    titles = list(dict.fromkeys(cohort.title for cohort in found))
    return " · ".join(titles) if 0 < len(titles) <= 3 else "Entity linking report"


def _corpus(cohort: Cohort, systems: Mapping[str, int], limit: int, before: Sequence[Section]) -> dict[str, Any]:
    mentions = BrowsedMentions(cohort)
    above, below = ([made for make in part if (made := make(cohort, systems))] for part in (before, AFTER))
    return {
        "key": cohort.key, "title": cohort.title, "split": cohort.split, "systems": cohort.labels,
        "sentence": _sentence(cohort),
        "facts": [[name, blocks.figure(cohort.size(name, number), opened)] for name, number, opened in (
            ("documents", len(cohort.corpus[cohort.split]), None), ("mentions scored", mentions.scored, behind()),
            ("mentions not scored", mentions.left_out, behind(outcome="left")),
            ("system" if len(cohort.scores) == 1 else "systems", len(cohort.scores), None),
        )],
        "before": above, "after": below, "mentions": mentions.data(limit),
    }  # fmt: skip


def _failed(failed: Sequence[Mapping[str, str]]) -> Block:
    """What could not be run."""
    rows = [[cell.get(key, "") for key in ("corpus", "linker", "error")] for cell in failed]
    columns = [column(name) for name in ("corpus", "linker", "error")]
    return blocks.section("failed", [blocks.table("What failed", columns, rows, kind="dense")])


def _plan(about: Mapping[str, Any]) -> Block:
    """What was asked for, in the words of the one who asked."""
    entries = [[str(name), said] for name, value in about.items() if (said := _plain(value))]
    return blocks.section("plan", [{"kind": "cards", "cards": [{"title": "", "entries": entries}]}])


def _plain(value: Any) -> str:
    return ", ".join(map(_plain, value)) if isinstance(value, list | tuple) else str(value)


def _sentence(cohort: Cohort) -> str:
    """What the best system reached, in words; the numbers are those of the leaderboard."""
    whole = [figures["all"]["recall@1"] for figures in cohort.figures]
    best = whole[0]
    mentions = "the one mention" if best.n == 1 else f"{best.n:,} mentions"
    said = (
        f"{cohort.labels[0]} puts a right entity first for {percent(best.value or 0)} % of {mentions}{_between(best)}"
    )
    if len(whole) > 1:
        said += _ahead(cohort.against_best[1], cohort.labels[1], best, whole[1])
    return said + "."


def _overall(means: Sequence[Figure], found: Sequence[Cohort]) -> str:
    """The same over all corpora."""
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
