"""The verb `ls`: corpora, knowledge bases, linkers, formats and runs, as `listing` finds them."""

from __future__ import annotations

from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json
from linkassay.errors import UsageError


def ls(
    what: Annotated[
        str, typer.Argument(help="corpora, kbs, linkers, formats, importers, prepared or runs; all by default.")
    ] = "",
    as_json: Json = False,
) -> None:
    """List corpora, knowledge bases, linkers, formats and runs."""
    from linkassay import listing
    from linkassay.registry import near_miss

    if what and what not in listing.LISTINGS:
        raise UsageError(f"cannot list {what!r}; {near_miss(what, list(listing.LISTINGS))}")
    rows = {name: make() for name, make in listing.LISTINGS.items() if what in ("", name)}
    if as_json:
        terminal.print_json(rows)
        return
    for name, listed in rows.items():
        terminal.table(name, listed or [{"name": "none yet"}])
