"""One table of a bench for a page of text: splits side by side, published figures beside, with date and revisions.

The figures are those of `runner`; here they are only put into one row for each corpus and system.
"""

from __future__ import annotations

import time
from importlib.metadata import version
from typing import Any

from linkassay.bench_files.plan import Plan
from linkassay.bench_files.runner import BenchOutcome, figure, remarks
from linkassay.published import out_of_memory, published_rows
from linkassay.scoring.disambiguation import Measure, Protocol
from linkassay.tables import Rows

#: How many published figures stand beside ours, the best first.
PUBLISHED = 3
_PUBLISHED_ARE = (
    "Published figures are as their papers print them, each of the edition of the knowledge base that the paper used; "
    "ours are of the revisions below."
)
#: These ways to break ties differ beyond rank 1 only (TIE-1, TIE-3).
_SAME_AT_1 = ("expected", "one-per-group")


def table(plan: Plan, outcome: BenchOutcome) -> Rows:
    """A row for each corpus and system, which bears how many documents failed, and how many were trained on.

    The last split of a corpus has all measures, and slices by the first of them; of the splits before it there is the
    first measure. Published figures of that measure are in the first row of a corpus.
    """
    measures = plan.score.parsed()
    names = _short(measures)
    last = {corpus.name: corpus.splits[-1] for corpus in plan.corpora}
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    remarked: dict[tuple[str, str], list[str]] = {}
    for score, figures in outcome.scored:
        run = score.run
        main = run.split == last.get(run.corpus, run.split)
        start = {"corpus": run.corpus, "kb": run.about["kb"], "system": run.system}
        row = rows.setdefault((run.corpus, run.system), start)
        if told := remarks(run):
            remarked.setdefault((run.corpus, run.system), []).append(f"{run.split}: {told}")
        for found in figures:
            measure, slice_ = found.about["measure"], found.about["slice"]
            whole, leading = slice_ == "all", measure == str(measures[0])
            if (leading and whole) or (main and (leading or whole)):
                name = f"{run.split} {names[measure]}"
                row[name if whole else f"{name}, {slice_}"] = figure(found) + ("" if whole else f" of {found.n}")
                if main and leading and whole:
                    row["n"] = found.n
    for key, parts in remarked.items():
        rows[key]["system"] += f" ({'; '.join(parts)})"
    for corpus in dict.fromkeys(corpus for corpus, _ in rows):
        first = next(row for (mine, _), row in rows.items() if mine == corpus)
        first["published"] = published(corpus, measures[0])
    return Rows(rows.values())


def published(corpus: str, measure: Measure) -> str:
    """The best figures of one work for a measure on all mentions of a corpus; whether ours compare with them.

    The work is the first of `published.literature.TABLES` that has such figures. Systems that ran out of memory there
    stand last.
    """
    fitting = [
        row
        for row in published_rows(corpus)
        if row["measure"] == f"{measure.name}@{measure.k}" and row["scope"] == "all"
        and _alike(measure, Protocol.parse(row["protocol"]))
    ]  # fmt: skip
    if not fitting:
        return ""
    work = fitting[0]["work"]
    by_system = {row["system"]: row for row in fitting if row["work"] == work}  # of several tables the last, BELB's 15
    best = sorted(by_system.values(), key=lambda row: -row["value"])[:PUBLISHED]
    parts = [f"{row['system']} {row['value']:.3g} ({work} {row['table']})" for row in best]
    for table in dict.fromkeys(row["table"] for row in best):
        parts += [f"{name} out of memory ({work} {table})" for name in out_of_memory(corpus, work, table)]
    text = ", ".join(parts)
    return text if all(row["comparable"] for row in best) else f"not comparable: {text}"


def summary_page(plan: Plan, outcome: BenchOutcome) -> str:
    """The table in Markdown with what it is of: date, versions, data."""
    runs = [score.run for score in outcome.scores]
    data = dict.fromkeys(f"`{run.corpus}@{run.about['corpus_revision']}` with `{run.kb}`" for run in runs)
    code = dict.fromkeys(run.about.get("code", "") for run in runs)
    software = f"linkassay {version('linkassay')}, linkers' code {', '.join(filter(None, code)) or '–'}"
    measures = ", ".join(map(str, plan.score.parsed()))
    rows = table(plan, outcome)
    paragraphs = [
        f"# {plan.title}",
        f"`linkassay bench {plan.file.name}`, {time.strftime('%Y-%m-%d')}, {software}. Measures: {measures}; 95 % "
        "intervals over documents.",
        rows.text("md"),
        *([_PUBLISHED_ARE] if any(row.get("published") for row in rows) else []),
        f"Data: {'; '.join(data)}.",
        *(f"FAILED: {failed['corpus']} × {failed['linker']}: {failed['error']}" for failed in outcome.failed),
    ]
    return "\n\n".join(paragraphs) + "\n"


def _short(measures: list[Measure]) -> dict[str, str]:
    """Names of measures without what they all have in common."""
    short = {str(measure): str(Measure(measure.name, measure.k)) for measure in measures}
    return short if len(set(short.values())) == len(short) else {name: name for name in short}


def _alike(measure: Measure, protocol: Protocol) -> bool:
    ours = measure.protocol.ties
    return ours == protocol.ties or (measure.k == 1 and {ours, protocol.ties} <= set(_SAME_AT_1))
