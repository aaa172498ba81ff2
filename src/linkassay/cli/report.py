"""The verb `report`: one HTML page about some runs, or only its tables as text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json, Strict
from linkassay.errors import UsageError


def report(
    names: Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs, of one corpus or several.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where to write the page.")] = None,
    form: Annotated[str, typer.Option("--format", help="Only the tables, as plain, tsv, md or latex.")] = "",
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML page about some runs (report.html), or only its tables as text."""
    import linkassay
    from linkassay.cautions import result_cautions

    warned = terminal.warn(result_cautions(map(linkassay.run, names)), strict)
    if form:
        from linkassay import store

        text = _tables(names, form)
        if out is None:
            if as_json:
                raise UsageError("--json with --format needs -o FILE: the tables are the output")
            print(text, end="")
            return
        path = out
        store.write_text(path, text)
    else:
        path = linkassay.report(names, out or Path("report.html"))
    if as_json:
        terminal.print_json({"report": str(path.resolve()), "warnings": warned})
    else:
        print(f"report: {path.resolve()}")


def _tables(names: list[str], form: str) -> str:
    """The tables of the page, without the charts that take most of its time."""
    import linkassay
    from linkassay.charts import without_charts
    from linkassay.pages import gather_page, tables_as_text
    from linkassay.tables import TABLE_FORMATS

    terminal.one_of("--format", form, tuple(TABLE_FORMATS))
    with without_charts():
        return tables_as_text(gather_page([linkassay.score(name) for name in names]), form)
