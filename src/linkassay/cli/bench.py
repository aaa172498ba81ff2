"""The verb `bench`: corpora × linkers × measures from one file. What it does lives in `bench_files`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json, between_commas


def bench(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="What to run (docs/bench.md).")],
    only: Annotated[
        list[str] | None, typer.Option(help="Only these corpora, splits or linkers; with commas between, repeatable.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what is missing; run nothing.")] = False,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where to write the report.")] = None,
    form: Annotated[str, typer.Option("--format", help="Table with slices as plain, tsv, md or latex.")] = "",
    write: Annotated[
        Path | None, typer.Option(help="Also write one table for a page, with date and revisions, in Markdown.")
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="The file may run commands and code, and ask services; this is remembered.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run corpora × linkers × measures of one file and write a report; what is there already is not run again."""
    from linkassay.bench_files import chosen_cells, plan_states, read_plan, require_trust, run_plan
    from linkassay.cautions import result_cautions
    from linkassay.store import write_text
    from linkassay.tables import TABLE_FORMATS

    if form:
        terminal.one_of("--format", form, tuple(TABLE_FORMATS))
    plan = read_plan(file)
    require_trust(plan, trust, _ask if sys.stdin.isatty() and not as_json else None)
    cells = chosen_cells(plan, [name for text in only or [] for name in between_commas(text)])
    if dry_run:
        states = plan_states(plan, cells)
        if as_json:
            terminal.print_json({"cells": states})
        else:
            missing = sum(state["state"] == "missing" for state in states)
            terminal.table(f"{plan.title}: {missing} of {len(states)} missing", states)
        return
    outcome = run_plan(plan, cells, out=out, say=None if as_json else _say)
    warned = terminal.warn(result_cautions(score.run for score in outcome.scores))
    if write is not None:
        from linkassay.bench_files import summary_page

        write_text(write, summary_page(plan, outcome))
    if as_json:
        report = str(outcome.report.resolve()) if outcome.report else None
        terminal.print_json({"cells": outcome.cells, "failed": outcome.failed, "rows": list(outcome.rows()),
                         "report": report, "warnings": warned})  # fmt: skip
    elif form:
        print(outcome.table().text(form))
    else:
        terminal.table(f"{plan.title} (95 % intervals over documents)", outcome.table(sliced=False))
        for failed in outcome.failed:
            print(f"FAILED: {failed['corpus']} × {failed['linker']}: {failed['error']}", file=sys.stderr)
        if outcome.report:
            print(f"report: {outcome.report.resolve()}")
    if outcome.failed:
        raise typer.Exit(1)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _ask(question: str) -> bool:
    return typer.confirm(question, default=False, err=True)
