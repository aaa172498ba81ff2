"""The verb `score`: figures of runs with given mentions.

What `--task end-to-end` does is in `score_end_to_end`, what `--hierarchy` does in `score_hierarchy`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.options import (
    HIERARCHY_HELP,
    TASKS,
    Abbreviations,
    ExcludeIds,
    FoldCase,
    Form,
    Json,
    OldResamples,
    Protocol,
    Runs,
    Scope,
    Slices,
    Spans,
    Strict,
    between_commas,
    read_slices,
    refuse_outside_end_to_end,
)
from linkassay.defaults import DEFAULT_MEASURES
from linkassay.errors import UsageError

if TYPE_CHECKING:
    from linkassay.runs import Run
    from linkassay.scoring.disambiguation import Measure


def score(
    names: Runs,
    measures: Annotated[
        str, typer.Option(help="e.g. recall@1,recall(protocol=belb/strict)@5,mrr (linkassay ls measures).")
    ] = DEFAULT_MEASURES,
    by: Slices = None,
    protocol: Protocol = "",
    sets: Annotated[str, typer.Option("--set", help="Evaluation sets, with commas between (ls sets).")] = "",
    scope: Scope = None,
    abbreviations: Abbreviations = "schwartz-hearst",
    exclude_ids: ExcludeIds = "",
    fold: FoldCase = None,
    resamples: OldResamples = None,
    preset: Annotated[
        str,
        typer.Option(help="bioel: slices tested as in that paper; end to end: fair, elevant, gerbil/strong or /weak."),
    ] = "",
    task: Annotated[
        str, typer.Option(help="disambiguation (mentions given), or end-to-end (spans predicted too).")
    ] = "",
    nil: Annotated[str, typer.Option(help="End to end: NIL ignored or required; both if not said.")] = "",
    spans: Spans = "",
    failures: Annotated[int, typer.Option(help="Also why mentions fail, at this K.", min=0)] = 0,
    hierarchy: Annotated[str, typer.Option(help="How wrong is wrong. " + HIERARCHY_HELP)] = "",
    form: Form = "",
    strict: Strict = False,
    keep_counts: Annotated[bool, typer.Option(hidden=True, help="Keep the counts beside the run.")] = True,
    as_json: Json = False,
) -> None:
    """Score runs: with given mentions by any measure, protocol, set and slice, or end to end."""
    import linkassay
    from linkassay.cautions import result_cautions
    from linkassay.progress import told
    from linkassay.scoring.results import Result, store_counts
    from linkassay.tables import Rows

    terminal.one_of("--task", task, TASKS)
    slices, chosen_sets = read_slices(by), between_commas(sets)
    if task == "end-to-end":
        from linkassay.cli.score_end_to_end import score_end_to_end
        from linkassay.scoring.disambiguation import ScoringOptions

        refuse_outside_end_to_end({
            "--measures": measures != DEFAULT_MEASURES, "--protocol": protocol, "--exclude-ids": exclude_ids,
            "--failures": failures,
        })  # fmt: skip
        score_end_to_end(
            [linkassay.run(name) for name in names], preset=preset or "fair", nil=nil, by=slices, spans=spans,
            strict=strict, sets=chosen_sets, scope=scope or (), options=ScoringOptions.of(abbreviations, fold=fold),
            hierarchy=hierarchy, form=form, as_json=as_json, keep=Result().figures.keep,
        )  # fmt: skip
        return
    if nil or spans:
        raise UsageError("--nil and --spans are of --task end-to-end")
    terminal.one_of("--preset", preset, ("", "bioel"))
    if preset == "bioel" and fold is None:
        fold = False  # as that paper compares (SLICE-1)
    choices: dict[str, Any] = {
        "by": slices, "scope": scope or (), "abbreviations": abbreviations, "exclude_ids": exclude_ids, "fold": fold,
    }  # fmt: skip
    if hierarchy:
        from linkassay.cli.score_hierarchy import score_in_hierarchy

        if protocol or preset or failures:
            raise UsageError("--hierarchy takes the first rank as it is: leave out --protocol, --preset and --failures")
        score_in_hierarchy(names, hierarchy, measures="" if measures == DEFAULT_MEASURES else measures,
                           sets=chosen_sets, form=form, strict=strict, as_json=as_json, **choices)  # fmt: skip
        return
    wanted = _measures(measures, protocol, chosen_sets)
    runs = {(run.corpus, run.key): run for run in map(linkassay.run, names)}  # a run that is named twice is one
    tell, steps = told(), len(runs) + 2
    tell("looking at the data", 0, steps)
    warned = terminal.warn(result_cautions(runs.values()), strict)
    result = Result()
    for at, run in enumerate(runs.values(), start=1):
        tell(f"scoring {run.name}", at, steps)
        result.add(linkassay.score(run, wanted, **choices))
    tell("figures of all", steps - 1, steps)
    scores = result.scores
    rows = Rows(figure.row() for figure in result.asked(preset))
    if failures:
        rows += [figure.row() for figure in result.failures(failures, protocol)]
    if as_json:
        terminal.print_json({"rows": list(rows), "notes": terminal.score_notes(scores, rows, preset),
                             "warnings": warned})  # fmt: skip
    elif form:
        print(rows.text(form))
    else:
        labels = terminal.labels_by_key(runs.values())
        terminal.table("scores", [_table_row(row, _label(row, labels, list(runs.values()))) for row in rows])
        said = terminal.figure_notes(rows, "measure", "slice", runs=runs.values())
        for line in [*said, *terminal.score_notes(scores, rows, preset)]:
            print(line)
    if keep_counts and (why := store_counts(scores)):
        print(f"warning: the counts behind these figures could not be kept beside the run: {why}", file=sys.stderr)


def _measures(measures: str, protocol: str, sets: Sequence[str]) -> list[Measure]:
    """The measures on each set; `protocol` is that of measures which name none."""
    from linkassay.scoring.disambiguation import Protocol, parse_measures

    default = Protocol.parse(protocol) if protocol else None
    return list(dict.fromkeys(m for each in sets or ["global"] for m in parse_measures(measures, default, each)))


def _label(row: dict[str, Any], labels: dict[tuple[str, str], str], runs: Sequence[Run]) -> str:
    """What the system of a row is called; a mean over corpora is marked if a run of it is."""
    from linkassay.runs import LEAK

    marked = any(run.leak for run in runs if run.key in row["run"].split())
    return labels.get((row["corpus"], row["run"])) or (f"{row['system']} {LEAK}" if marked else row["system"])


def _table_row(row: dict[str, Any], label: str) -> dict[str, Any]:
    """A row as a person reads it: what is the same for all is left to the notes."""
    cells = {"system": label} | {key: row[key] for key in ("corpus", "slice", "measure")}
    cells |= {
        "value": terminal.number(row["value"], 4),
        "95 %": terminal.interval(row, 4),
        "n": terminal.number(row["n"], 1),
    }
    if "difference" in row:
        cells |= {"difference": terminal.difference(row["difference"], 4), "p": terminal.chance(row["p"]),
                  "p (Holm)": terminal.chance(row.get("p_holm"))}  # fmt: skip
    if "tie_sd" in row:
        cells["sd of ties"] = terminal.number(row["tie_sd"], 4)
    return cells
