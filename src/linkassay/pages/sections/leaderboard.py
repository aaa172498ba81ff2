"""The leaderboard of one corpus: coverage, recall@1, recall@5 and MRR with intervals, and who is told apart.

Data only, as in all sections: the page's script draws it.
"""

from __future__ import annotations

from collections.abc import Mapping

from linkassay.errors import UsageError
from linkassay.linkers import LINKERS
from linkassay.pages import blocks
from linkassay.pages.blocks import Block, behind, column, differing
from linkassay.runs import Run
from linkassay.scoring import Figure
from linkassay.scoring.results import Cohort
from linkassay.scoring.statistics import ALPHA

MEASURES = ("recall@1", "recall@5", "mrr", "coverage")


def level(against: Figure | None) -> bool:
    """Whether a system is not told apart from the best."""
    return against is not None and against.p is not None and against.p >= ALPHA


def section(cohort: Cohort, systems: Mapping[str, int]) -> Block:
    """A row for each system."""
    several = len(cohort.labels) > 1
    columns = [column("system"), *(column("MRR" if m == "mrr" else m, "percent", interval=True) for m in MEASURES),
               *([column("p against best", "chance")] if several else []), column("n", "count")]  # fmt: skip
    rows, shown = [], []
    for at, label in enumerate(cohort.labels):
        found = cohort.figures[at]["all"]
        shown += [found[m] for m in MEASURES]
        outcomes = ("any", "any", "any", "answered")
        lead = {"strip": label, "mark": "≈" if level(cohort.against_best[at]) else "", "strong": at == 0}
        cells = [
            blocks.figure(found[m], behind(label, outcome), **(lead if m == MEASURES[0] else {}))
            for m, outcome in zip(MEASURES, outcomes, strict=True)
        ]
        apart = differing(cohort.against_best[at], "p", label, cohort.labels[0])
        rows.append([blocks.system(label), *cells, *([apart] if several else []),
                     blocks.number(found["recall@1"], "n", behind(label))])  # fmt: skip
    seen = [blocks.text(f"{label}: {score.run.leak}; its figures say nothing of texts that are new to it.")
            for label, score in zip(cohort.labels, cohort.scores, strict=True) if score.run.leak]  # fmt: skip
    table = blocks.table("Leaderboard", columns, rows, sort=(1, True))
    name, said = ("given", []) if cohort.all_find_mentions else ("leaderboard", explained(cohort))
    return blocks.section(name, [table, *said, *seen, *blocks.remarks(shown)]) | {"id": "leaderboard"}


def explained(cohort: Cohort) -> list[Block]:
    """What each linker does, in a line; nothing is known of a system whose predictions were imported."""
    items = [(label, said) for label, score in zip(cohort.labels, cohort.scores, strict=True)
             if (said := _summary(score.run))]  # fmt: skip
    return [blocks.systems(items)] if items else []


def _summary(run: Run) -> str:
    parameters = run.about["parameters"]
    if "import" in parameters or run.system not in LINKERS:
        return ""
    try:
        said = str(LINKERS.load(run.system).summary)
    except (UsageError, AttributeError):  # a plug-in that is broken by now
        return ""
    return f"{said}; abbreviations written out" if "abbreviations" in parameters else said
