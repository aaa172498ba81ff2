"""`reproduce`: figures of the literature beside ours. What they are lives in `published`."""

from __future__ import annotations

from typing import Annotated

import typer

from linkassay.cli import show
from linkassay.cli.show import Json
from linkassay.errors import UsageError

__all__ = ["reproduce"]


def reproduce(
    work: Annotated[str, typer.Argument(help="biowic, fair, hierarchy, or all.")],
    form: Annotated[str, typer.Option("--format", help="Table as plain, tsv, md or latex.")] = "",
    as_json: Json = False,
) -> None:
    """Print a work's published figures beside those of the runs at hand, with the differences."""
    from linkassay.published import PUBLISHED

    found = {}
    for name in list(PUBLISHED) if work == "all" else [work]:
        try:
            found[name] = PUBLISHED.load(name)()
        except UsageError as error:
            if work != "all":
                raise
            show.say(f"{name}: {error}", as_json)
    if as_json:
        shown = {name: {"note": note, "rows": list(rows)} for name, (note, rows) in found.items()}
        show.print_json(shown if work == "all" else shown[work])
        return
    for name, (note, rows) in found.items():
        if form:
            print(rows.text(form))
        else:
            show.table(name, rows)
        print(note)
