"""Verbs about knowledge bases: kb add, kb diff, kb map."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json

app = typer.Typer(no_args_is_help=True, help="Own knowledge bases, revisions compared, ids mapped.")


@app.command()
def add(
    description: Annotated[Path, typer.Argument(help="TOML file that describes the table.")],
    as_json: Json = False,
) -> None:
    """Build a knowledge base of your own from a delimited file described in TOML."""
    from linkassay.kbs import build_kb, spec_from_toml

    with terminal.progress(as_json) as progress:
        built = build_kb(spec_from_toml(description), progress=progress)
    terminal.kb_built(built, as_json)


@app.command()
def diff(
    old: Annotated[str, typer.Argument(help="A knowledge base, NAME@REVISION.")],
    new: Annotated[str, typer.Argument(help="Another revision of it.")],
    corpus: Annotated[str, typer.Option(help="Also show what the change does to this corpus.")] = "",
    as_json: Json = False,
) -> None:
    """Compare two revisions: ids added, removed, merged, renamed; and the effect on a corpus."""
    import linkassay
    from linkassay.corpora import effect_on_corpus
    from linkassay.kbs import compare_revisions

    result = compare_revisions(linkassay.kb(old), linkassay.kb(new))
    if corpus:
        result["corpus"] = effect_on_corpus(linkassay.corpus(corpus), linkassay.kb(old), linkassay.kb(new))
    if as_json:
        terminal.print_json(result)
    else:
        terminal.facts(result)


@app.command("map")
def map_(
    source: Annotated[str, typer.Argument(help="Knowledge base or prefix to map from, e.g. mesh.")],
    target: Annotated[str, typer.Argument(help="Knowledge base or prefix to map to, e.g. omim.")],
    ids: Annotated[list[str] | None, typer.Argument(help="Ids to map; all if none are given.")] = None,
    as_json: Json = False,
) -> None:
    """Map ids of one knowledge base to another through cross-references, of either of the two."""
    from linkassay.kbs import map_ids

    found = map_ids(source, target, ids or ())
    if as_json:
        terminal.print_json({"pairs": [{"id": i, "other": o} for i, others in found.items() for o in others]})
        return
    for identifier, others in found.items():
        print(f"{identifier}\t{' '.join(others) or '–'}")
