"""The verb `prepare`: the index of a linker, and what it learns, made ready before anything is linked."""

from __future__ import annotations

from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import (
    CandidatesOf,
    Device,
    Json,
    LinkerOptions,
    Model,
    Rerank,
    Spot,
    between_commas,
    linker_options,
)


def prepare(
    linker: Annotated[str, typer.Argument(help="A linker (ls linkers), or FILE.py:CLASS.")],
    kb: Annotated[str, typer.Option(help="The knowledge base to index.")],
    train_on: Annotated[
        list[str] | None,
        typer.Option(metavar="CORPUS[:SPLIT+SPLIT]", help="What to learn from, with commas between."),
    ] = None,
    abbreviations: Annotated[
        str,
        typer.Option(help="Write out abbreviations in training: schwartz-hearst, ab3p, a file, or none."),
    ] = "none",
    synonyms: Annotated[
        list[str] | None, typer.Option(help="A knowledge base that lends its names for the same entities. Repeatable.")
    ] = None,
    candidates: CandidatesOf = "",
    rerank: Rerank = "",
    spot: Spot = "",
    model: Model = "",
    device: Device = "",
    option: LinkerOptions = None,
    as_json: Json = False,
) -> None:
    """Index a knowledge base for a linker, and let it learn; `link` does so itself where it was not done."""
    import linkassay
    from linkassay.runs import prepare_linker, prepared_rows

    with terminal.progress(as_json) as progress:
        made = prepare_linker(
            linker, linkassay.kb(kb).pinned, tuple(name for text in train_on or [] for name in between_commas(text)),
            abbreviations=abbreviations, synonyms=tuple(synonyms or ()), progress=progress,
            options=linker_options(
                option, spot=spot, candidates=candidates, rerank=rerank, model=model, device=device
            ),
        )  # fmt: skip
    rows = prepared_rows(made)
    if as_json:
        terminal.print_json({"prepared": rows})
        return
    for row in rows:
        there = "" if row["fresh"] else " (there already; nothing to do)"
        made_in = f"{row['stage']}, {row['megabytes']:,.1f} MB, made in {row['seconds']:,.1f} s"
        print(f"{row['name']}: {made_in}{'; ' if row['about'] else ''}{row['about']}{there}")
