"""Everything the report shows, as one JSON-ready dictionary. Pure data: no HTML is made here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from linkassay import charts
from linkassay.cautions import Caution, result_cautions
from linkassay.errors import UsageError
from linkassay.explorer import MISMATCHES, OUTCOMES, Embedded, slices_named
from linkassay.pages import blocks, explanations
from linkassay.pages.blocks import Block, behind, column
from linkassay.pages.page_table_texts import with_table_texts
from linkassay.pages.run_rows import run_rows
from linkassay.pages.sections import AFTER, BEFORE, Section, endtoend, overview
from linkassay.pages.sentences import of_all, of_corpus
from linkassay.runs import Run
from linkassay.scoring.disambiguation import Score
from linkassay.scoring.endtoend import EVERY
from linkassay.scoring.hierarchy import DISTANCES, LOCATION_BINS
from linkassay.scoring.results import Cohort, Result


def gather_page(
    of: Result | Sequence[Score],
    failed: Sequence[Mapping[str, str]] = (),
    about: Mapping[str, Any] | None = None,
    before: Sequence[Section] = BEFORE,
    title: str = "",
) -> dict[str, Any]:
    """The page's data: what is said of all corpora, then each corpus with its sections. `before` are the first of them.

    What can be looked at one by one is not in it.
    """
    result = of if isinstance(of, Result) else Result(of)
    if not result.scores and not failed:
        raise UsageError("nothing to report: name at least one run")
    found, means = result.cohorts, result.means
    systems = {each.about["system"]: at for at, each in enumerate(means)}
    several = len(found) > 1
    asked = (by for score in result.scores for by in score.slice_names)
    data = {
        "title": title or str((about or {}).get("title") or "") or _title(found),
        "sentence": of_all(means, found) if several else of_corpus(found[0]) if found else "Nothing could be run.",
        "best": explanations.best(any(cohort.all_find_mentions for cohort in found)),
        "version": version("linkassay"), "systems": list(systems),
        "looks": [charts.look(at)[:2] for at in systems.values()],
        "overview": [overview.section(result, systems), overview.matrix(result)] if several else [],
        "corpora": [_corpus(cohort, systems, before) for cohort in found],
        "warnings": [caution.as_dict() for caution in page_cautions(result)],
        "failed": [_failed(failed)] if failed else [], "plan": [_plan(about)] if about else [],
        "mentions": blocks.section("mentions", []), "runs": run_rows(found), **page_words(asked),
        "types": {type_: name for cohort in reversed(found) for type_, name in cohort.type_names.items()},
    }  # fmt: skip
    return with_table_texts(data | {"definitions": _definitions(data)})


def page_words(slices: Iterable[str] = ()) -> dict[str, Any]:
    """Words that views use: of outcomes, of places in a hierarchy, of slices, and of categories of errors."""
    return {"slices": slices_named(slices), "outcomes": OUTCOMES, "mismatches": MISMATCHES, "distances": DISTANCES,
            "locations": LOCATION_BINS,
            "categories": {each.name: f"{each.kind}: {each.words}" for each in EVERY}}  # fmt: skip


def _definitions(data: Mapping[str, Any]) -> dict[str, str]:
    """The terms that some section of the page uses."""
    sections = [*data["overview"], *data["failed"], *data["plan"], data["mentions"]]
    sections += [each for corpus in data["corpora"] for each in (*corpus["before"], *corpus["after"])]
    used = {term for section in sections for term in section["terms"]}
    return {term: said for term, said in explanations.DEFINITIONS.items() if term in used}


def page_cautions(result: Result) -> list[Caution]:
    """What is doubtful about the figures of stored runs as the page shows them; of runs in memory nothing is known."""
    found: dict[Caution, None] = {}
    for cohort in result.cohorts:
        runs = [score.run for score in cohort.scores if isinstance(score.run, Run)]
        found |= dict.fromkeys(result_cautions(runs, end_to_end=cohort.all_find_mentions))
    return list(found)


def _title(found: Sequence[Cohort]) -> str:
    """The corpora by name, where they are few."""
    titles = list(dict.fromkeys(cohort.title for cohort in found))
    return " · ".join(titles) if 0 < len(titles) <= 3 else "Entity linking report"


def _corpus(cohort: Cohort, systems: Mapping[str, int], before: Sequence[Section]) -> dict[str, Any]:
    if endtoend.section in before and cohort.all_find_mentions:
        before = [endtoend.section, *(each for each in before if each is not endtoend.section)]
    above, below = ([made for make in part if (made := make(cohort, systems))] for part in (before, AFTER))
    return {
        "key": cohort.key, "title": cohort.title, "split": cohort.split, "systems": cohort.labels,
        "runs": [f"{score.run.corpus}/{score.run.key}" for score in cohort.scores],
        "sentence": of_corpus(cohort),
        "facts": [[name, blocks.figure(cohort.size(name, number), opened)] for name, number, opened in (
            ("documents", len(cohort.corpus[cohort.split]), None), ("mentions scored", cohort.scored, behind()),
            ("mentions not scored", cohort.mentions().num_rows - cohort.scored, behind(outcome="left")),
            ("system" if len(cohort.scores) == 1 else "systems", len(cohort.scores), None),
        )],
        "before": above, "after": below,
    }  # fmt: skip


def about_page(data: Mapping[str, Any], held: Embedded) -> dict[str, Any]:
    """The answer to the request `about`: what kind of thing the page is, and what it does not hold."""
    cohorts = held["cohorts"]
    modes = [mode for mode in ("none", "snippet", "full") if any(each["text"] == mode for each in cohorts)]
    return {
        "version": data["version"], "feed": "page", "title": data["title"], "can": {"compute": False},
        "text": modes[0] if modes else "full", "note": " ".join(_not_held(held)),
    }  # fmt: skip


def _not_held(held: Embedded) -> Iterator[str]:
    sizes = [each["cohort"]["sizes"] for each in held["cohorts"]]
    whole, mine = sum(each["scored"] + each["left"] for each in sizes), sum(each["held"] for each in sizes)
    if mine < whole:
        yield (f"This page holds {mine:,} of {whole:,} mentions; all of them are in a page made with “--mentions all”, "
               "and in “linkassay serve”.")  # fmt: skip
    yield from dict.fromkeys(each["left_out"] for each in held["cohorts"] if each["left_out"])


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
