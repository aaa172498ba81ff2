"""Everything the report shows, as one JSON-ready dictionary. Pure data: no HTML is made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from linkassay.errors import UsageError
from linkassay.reporting import blocks, charts, words
from linkassay.reporting.blocks import Block, behind, column
from linkassay.reporting.carried import carry
from linkassay.reporting.matter import Matter, matters
from linkassay.reporting.mentions import SAMPLE, Mentions
from linkassay.reporting.mismatches import BIN_NAMES, DISTANCES
from linkassay.reporting.sections import AFTER, BEFORE, overview
from linkassay.reporting.sections.leaderboard import level
from linkassay.scoring.score import Score
from linkassay.tables import fixed, percent

__all__ = ["gather"]

#: Mentions of all corpora together that the page holds; each corpus has its part.
WHOLE_SAMPLE = 2_000


def gather(
    scores: Sequence[Score],
    failed: Sequence[Mapping[str, str]] = (),
    about: Mapping[str, Any] | None = None,
    sample: int = SAMPLE,
) -> dict[str, Any]:
    """The page's data: what is said of all corpora, then each corpus with its sections and mentions."""
    if not scores and not failed:
        raise UsageError("nothing to report: name at least one run")
    found = matters(scores)
    means = overview.means(found) if found else []
    systems = {each["system"]: at for at, each in enumerate(means)}
    limit = min(sample, max(50, WHOLE_SAMPLE // max(1, len(found))))
    several = len(found) > 1
    return carry({
        "title": str((about or {}).get("title") or "") or _title(found),
        "sentence": _overall(means, found) if several else _sentence(found[0]) if found else "Nothing could be run.",
        "best": words.BEST, "version": version("linkassay"), "systems": list(systems),
        "looks": [charts.look(at)[:2] for at in systems.values()],
        "overview": [overview.section(found, systems), overview.matrix(found, systems)] if several else [],
        "corpora": [_corpus(matter, systems, limit) for matter in found],
        "failed": [_failed(failed)] if failed else [], "plan": [_plan(about)] if about else [],
        "mentions": blocks.section("mentions", []), "slices": words.SLICES, "definitions": words.DEFINITIONS,
        "outcomes": words.OUTCOMES, "mismatches": words.MISMATCHES, "distances": DISTANCES, "locations": BIN_NAMES,
        "types": {type_: name for matter in reversed(found) for type_, name in matter.type_names.items()},
    })  # fmt: skip


def _title(found: Sequence[Matter]) -> str:
    """The corpora by name, where they are few."""
    titles = list(dict.fromkeys(matter.title for matter in found))
    return " · ".join(titles) if 0 < len(titles) <= 3 else "Entity linking report"


def _corpus(matter: Matter, systems: Mapping[str, int], limit: int) -> dict[str, Any]:
    mentions = Mentions(matter)
    before, after = ([made for make in part if (made := make(matter, systems))] for part in (BEFORE, AFTER))
    return {
        "key": matter.key, "title": matter.title, "split": matter.split, "systems": matter.labels,
        "sentence": _sentence(matter),
        "facts": [["documents", len(matter.corpus[matter.split])],
                  ["mentions scored", {"v": mentions.scored, "open": behind()}],
                  ["mentions not scored", {"v": mentions.left_out, "open": behind(outcome="left")}],
                  ["system" if len(matter.scores) == 1 else "systems", len(matter.scores)]],
        "before": before, "after": after, "mentions": mentions.data(limit),
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


def _sentence(matter: Matter) -> str:
    """What the best system reached, in words; the numbers are those of the leaderboard."""
    whole = [figures["all"]["recall@1"] for figures in matter.figures]
    best = whole[0]
    mentions = "the one mention" if best["n"] == 1 else f"{best['n']:,} mentions"
    said = f"{matter.labels[0]} puts a right entity first for {percent(best['value'])} % of {mentions}{_between(best)}"
    if len(whole) > 1:
        said += _ahead(best["value"] - whole[1]["value"], matter.labels[1], matter.against_best[1])
    return said + "."


def _overall(means: Sequence[Mapping[str, Any]], found: Sequence[Matter]) -> str:
    """The same over all corpora."""
    complete = [each for each in means if each["corpora"] == len(found)]
    if not complete:
        firsts = [f"{m.labels[0]} on {m.title} ({percent(m.figures[0]['all']['recall@1']['value'])} %)" for m in found]
        return (f"{len(means)} systems on {len(found)} corpora; no system was run on all of them. "
                f"The best of each: {', '.join(firsts)}.")  # fmt: skip
    best = complete[0]
    said = (f"Over {len(found)} corpora {best['system']} puts a right entity first for {percent(best['value'])} % of "
            f"the mentions, each corpus weighing the same{_between(best)}")  # fmt: skip
    if len(complete) > 1:
        second = complete[1]
        said += _ahead(best["value"] - second["value"], second["system"], second["p"])
    return said + "."


def _ahead(lead: float, second: str, p: float | None) -> str:
    """How far the best is ahead of the second, and whether that may be chance."""
    points = percent(lead)
    if points == "0.0":
        return f", level with {second}"
    sure = "" if p is None else f", which may be chance ({_chance(p)})" if level(p) else f" ({_chance(p)})"
    return f", {points} points ahead of {second}{sure}"


def _between(figure: Mapping[str, Any]) -> str:
    if figure["low"] is None:
        return " (too few documents for an interval)"
    return f" (95 % interval {percent(figure['low'])}–{percent(figure['high'])} %)"


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {fixed(p, 3)}"
