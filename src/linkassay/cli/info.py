"""The verb `info`: what is known of one corpus or knowledge base."""

from __future__ import annotations

from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json


def info(
    name: Annotated[str, typer.Argument(help="A corpus or knowledge base.")],
    kb: Annotated[str, typer.Option(help="Also show how many gold ids of the corpus this KB has.")] = "",
    abbreviations: Annotated[
        str, typer.Option(help="Also count abbreviated mentions: schwartz-hearst, ab3p, or a file.")
    ] = "",
    critique: Annotated[bool, typer.Option(help="Also look at it as an end-to-end benchmark.")] = False,
    as_json: Json = False,
) -> None:
    """Show statistics, licence, citation, revision and checksums."""
    import linkassay

    about = linkassay.info(name, kb=kb, abbreviations=abbreviations, critique=critique)
    if as_json:
        terminal.print_json(about)
        return
    splits, reports, inputs = (about.pop(key, {}) for key in ("splits", "reports", "inputs"))
    terminal.facts(about)
    for of_split in inputs.values():
        for source in of_split["sources"]:
            print(f"read from {source['file']}: sha256 {source['sha256']}")
        terminal.facts({f"option {key}": value for key, value in of_split["options"].items()})
    terminal.reports(reports)
    terminal.table("splits", [
        {"split": split} | {k: v for k, v in counts.items() if not isinstance(v, dict)}
        for split, counts in splits.items()
    ])  # fmt: skip
    terminal.table("types", [
        {"split": split, "type": type_} | counts
        for split, row in splits.items() for type_, counts in row.get("types", {}).items()
    ])  # fmt: skip
