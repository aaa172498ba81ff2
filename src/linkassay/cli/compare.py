"""The verb `compare`: runs of one corpus against each other, with given mentions or end to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.options import (
    TASKS,
    Abbreviations,
    ExcludeIds,
    FoldCase,
    Form,
    Json,
    Protocol,
    Resamples,
    Runs,
    Scope,
    Slices,
    Spans,
    Strict,
    read_slices,
    refuse_outside_end_to_end,
)
from linkassay.defaults import RESAMPLES_COMPARED
from linkassay.errors import UsageError

if TYPE_CHECKING:
    from linkassay.scoring.disambiguation import Score

#: What is compared if nothing is said; end to end that is F1.
_RECALL = "recall@1"


def compare(
    names: Runs,
    measure: Annotated[str, typer.Option(help="What is compared.")] = _RECALL,
    protocol: Protocol = "",
    scope: Scope = None,
    preset: Annotated[
        str, typer.Option(help="bioel: each run's slices against all mentions, z-tests; end to end: as of score.")
    ] = "",
    task: Annotated[str, typer.Option(help="disambiguation, or end-to-end: --measure f1, ner-f1 …")] = "",
    nil: Annotated[str, typer.Option(help="End to end: NIL ignored (if not said) or required.")] = "",
    spans: Spans = "",
    set_: Annotated[str, typer.Option("--set", help="End to end: the evaluation set (ls sets).")] = "",
    fold: FoldCase = None,
    by: Slices = None,
    effect: Annotated[
        bool, typer.Option("--abbreviation-effect", help="Pairs of runs, without and with abbreviations written out.")
    ] = False,
    abbreviations: Abbreviations = "schwartz-hearst",
    exclude_ids: ExcludeIds = "",
    resamples: Resamples = RESAMPLES_COMPARED,
    examples: Annotated[int, typer.Option(help="Mentions listed as fixed, broken, right for none.", min=0)] = 5,
    form: Form = "",
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Compare runs of one corpus: paired tests, what was fixed and broken, correlation, best possible ensemble."""
    import linkassay
    from linkassay.cautions import result_cautions
    from linkassay.scoring.disambiguation import bioel_slices, compare_runs
    from linkassay.scoring.results import Result

    terminal.one_of("--task", task, TASKS)
    if task == "end-to-end":
        refuse_outside_end_to_end(
            {"--protocol": protocol, "--exclude-ids": exclude_ids, "--abbreviation-effect": effect}
        )
        _compare_end_to_end(
            names, "f1" if measure == _RECALL else measure, by=read_slices(by), nil=nil, form=form, strict=strict,
            as_json=as_json, abbreviations=abbreviations, fold=fold, preset=preset or "fair", spans=spans,
            set_=set_ or "global", scope=scope or (), resamples=resamples, examples=examples,
        )  # fmt: skip
        return
    if nil or spans or set_ or (fold is not None and not preset):
        raise UsageError("--nil, --spans, --set, --fold-case and --exact-case are of --task end-to-end")
    if by and not preset:
        raise UsageError("--by is of --preset bioel and of --task end-to-end; `score --by` shows slices of each run")
    terminal.one_of("--preset", preset, ("", "bioel"))
    scores = [
        linkassay.score(name, [measure], protocol=protocol, scope=scope or (), abbreviations=abbreviations,
                        exclude_ids=exclude_ids, fold=fold if fold is not None or not preset else False)
        for name in names
    ]  # fmt: skip
    if len(scores[0].measures) > 1:
        raise UsageError(f"--measure {measure}: runs are compared under one measure")
    warned = terminal.warn(result_cautions(score.run for score in scores), strict)
    if effect:
        _print_rows(_abbreviation_effect(scores), form, as_json, warned)
    elif preset:
        figures = Result().keep(bioel_slices(scores, read_slices(by)))
        _print_rows([figure.row() for figure in figures], form, as_json, warned)
    else:
        compared = compare_runs(scores, scores[0].measures[0], resamples, examples, Result().figures.keep)
        terminal.comparison(compared, [score.run for score in scores], form, as_json, warned)


def _compare_end_to_end(
    names: Sequence[str], measure: str, *, by: Sequence[str], nil: str, form: str, strict: bool, as_json: bool,
    abbreviations: str, fold: bool | None, **choices: Any,
) -> None:  # fmt: skip
    """Compare runs that find mentions themselves."""
    import linkassay
    from linkassay.cautions import result_cautions
    from linkassay.scoring.disambiguation import ScoringOptions
    from linkassay.scoring.endtoend import MODES, compare_runs_end_to_end
    from linkassay.scoring.results import Result

    runs = [linkassay.run(name) for name in names]
    options = ScoringOptions.of(abbreviations, fold=fold)
    nil = nil or MODES[0]
    terminal.one_of("--nil", nil, MODES)
    if len(by) > 1:
        raise UsageError(f"--by {', '.join(by)}: runs are compared on one slice")
    warned = terminal.warn(result_cautions(runs, end_to_end=True), strict)
    compared = compare_runs_end_to_end(
        runs, measure, nil=nil, by=by[0] if by else "", options=options, keep=Result().figures.keep, **choices
    )
    terminal.comparison(compared, runs, form, as_json, warned)


def _abbreviation_effect(scores: Sequence[Score]) -> list[dict[str, Any]]:
    """Rows on runs in pairs: without abbreviations written out, and with them."""
    from linkassay.scoring.disambiguation import abbreviation_effect, effect_row
    from linkassay.scoring.results import Result

    if len(scores) % 2:
        raise UsageError("--abbreviation-effect takes pairs of runs: without, with, without, with …")
    pairs = list(zip(scores[::2], scores[1::2], strict=True))
    return [effect_row(figure) for figure in Result().keep(abbreviation_effect(pairs, scores[0].measures[0]))]


def _print_rows(rows: list[dict[str, Any]], form: str, as_json: bool, warned: list[dict[str, str]]) -> None:
    from linkassay.tables import render

    if as_json:
        terminal.print_json({"rows": rows, "warnings": warned})
    else:
        print(render(rows, form or "plain"))
