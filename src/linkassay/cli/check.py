"""The verb `check`: what is wrong with a corpus or with files, as `checks` finds it; exit code 1 if anything is."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import JoinBlocks, Json, Strict, require_encoding


def check(
    target: Annotated[list[str], typer.Argument(help="A corpus, knowledge base or run by name, or files.")],
    format: Annotated[str, typer.Option(help="Format of the files; guessed if not given.")] = "",
    corpus: Annotated[str, typer.Option(help="The corpus that a predictions file is for.")] = "",
    units: Annotated[str, typer.Option(help="What offsets count: codepoint, byte, utf16.")] = "codepoint",
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8",
    join_blocks: JoinBlocks = False,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Validate a corpus, a knowledge base, a run or a predictions file; exit code 1 if anything is wrong."""
    import linkassay
    from linkassay.cautions import Caution

    require_encoding(encoding)
    terminal.one_of("--units", units, ("codepoint", "byte", "utf16"))
    result = linkassay.check(
        target, format=format, corpus=corpus, units=units, encoding=encoding, join_blocks=join_blocks
    )
    warned = terminal.warn([Caution(**caution) for caution in result["warnings"]], strict)
    if as_json:
        terminal.print_json(result)
    else:
        head = {k: v for k, v in result.items() if k not in ("problems", "ok", "warnings")}
        print("; ".join(f"{k}: {json.dumps(v) if isinstance(v, dict) else v}" for k, v in head.items()))
        terminal.problems(result["problems"])
        verdict = "ok: nothing wrong found" if result["ok"] else "not ok"
        number = f"{len(warned)} warning{'s' if len(warned) > 1 else ''}"
        print(f"{verdict}, {'but ' if result['ok'] else ''}{number}" if warned else verdict)
    if not result["ok"]:
        raise typer.Exit(1)
