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
    mentions: Annotated[
        str, typer.Option(metavar="all|errors|N", help="What the page holds; if not said, all up to 50 000.")
    ] = "",
    text: Annotated[
        str, typer.Option(metavar="full|snippet|none", help="Of the texts; if not said, as licences allow.")
    ] = "",
    title: Annotated[str, typer.Option(help="What the page is called.")] = "",
    form: Annotated[str, typer.Option("--format", help="Only the tables, as plain, tsv, md or latex.")] = "",
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML page about some runs (report.html), or only its tables as text."""
    import linkassay
    from linkassay.pages import page_cautions, write_report
    from linkassay.scoring.results import Result

    if form:
        from linkassay.tables import TABLE_FORMATS

        terminal.one_of("--format", form, tuple(TABLE_FORMATS))
    result = Result([linkassay.score(name) for name in names])
    warned = terminal.warn(page_cautions(result), strict)
    if form:
        from linkassay import store
        from linkassay.pages import gather_page, tables_as_text

        text = tables_as_text(gather_page(result), form)
        if out is None:
            if as_json:
                raise UsageError("--json with --format needs -o FILE: the tables are the output")
            print(text, end="")
            return
        path = out
        store.write_text(path, text)
    else:
        path = write_report(result, out or Path("report.html"), mentions=mentions, text=text, title=title)
    if as_json:
        terminal.print_json({"report": str(path.resolve()), "warnings": warned})
    else:
        print(f"report: {path.resolve()}")
