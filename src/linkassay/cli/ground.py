"""The verb `ground`: one text to the entities that a linker finds for it, and why one comes before another."""

from __future__ import annotations

from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Form, Json, LinkerOptions, Model, linker_options


def ground(
    text: Annotated[str, typer.Argument(help="A text, such as a mention of an entity.")],
    kb: Annotated[str, typer.Option(help="Knowledge base.")],
    linker: Annotated[str, typer.Option(help="A linker (ls linkers), or FILE.py:CLASS.")] = "tfidf",
    top: Annotated[int, typer.Option(help="How many ranks to show.", min=1, max=1000)] = 5,
    type_: Annotated[str, typer.Option("--type", help="What the text is a mention of, e.g. disease.")] = "",
    context: Annotated[str, typer.Option(help="The text that it stands in.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Also say why one candidate is before another.")] = False,
    first: Annotated[str, typer.Option(help="With --explain: an id; the best one if not given.")] = "",
    second: Annotated[str, typer.Option(help="With --explain: an id; the best one of rank 2 if not given.")] = "",
    model: Model = "",
    option: LinkerOptions = None,
    form: Form = "",
    as_json: Json = False,
) -> None:
    """Link one text: rank, id, name and score of its best candidates; equal ranks are ties."""
    import linkassay

    knowledge, options = linkassay.kb(kb), linker_options(option, model=model)
    with terminal.warnings_as_lines():
        rows = linkassay.ground(text, kb=knowledge, linker=linker, top=top, type=type_, context=context, **options)
    why = None
    if explain or first or second:
        why = linkassay.explain(
            text, kb=knowledge, linker=linker, first=first, second=second, type=type_, context=context, **options
        )
    if as_json:
        terminal.print_json({"rows": rows} | ({} if why is None else {"explanation": why}))
        return
    print(rows.text(form or "plain") if rows or form else "no candidate")
    if why is not None:
        print(f"\n{why.text(form or 'plain')}")
