"""The verb `check`: what is wrong with a corpus or with files, as `checks` finds it; exit code 1 if anything is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json
from linkassay.errors import UsageError

if TYPE_CHECKING:
    from linkassay.formats import Reading


def check(
    target: Annotated[list[str], typer.Argument(help="A corpus by name, or files.")],
    format: Annotated[str, typer.Option(help="Format of the files; guessed if not given.")] = "",
    corpus: Annotated[str, typer.Option(help="The corpus that a predictions file is for.")] = "",
    units: Annotated[str, typer.Option(help="What offsets count: codepoint, byte, utf16.")] = "codepoint",
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8",
    as_json: Json = False,
) -> None:
    """Validate a corpus or a predictions file; exit code 1 if anything is wrong."""
    import linkassay
    from linkassay.checks import check_corpus
    from linkassay.formats import Reading

    terminal.one_of("--units", units, ("codepoint", "byte", "utf16"))
    paths = [Path(t) for t in target]
    if format or corpus or len(target) > 1 or paths[0].exists() or paths[0].suffix:
        result = _check_files(paths, format, corpus, Reading(units=units, encoding=encoding))  # type: ignore[arg-type]
    else:
        result = check_corpus(linkassay.corpus(target[0]))
    if as_json:
        terminal.print_json(result)
    else:
        head = {k: v for k, v in result.items() if k not in ("problems", "ok")}
        print("; ".join(f"{k}: {json.dumps(v) if isinstance(v, dict) else v}" for k, v in head.items()))
        terminal.problems(result["problems"])
        print("ok: nothing wrong found" if result["ok"] else "not ok")
    if not result["ok"]:
        raise typer.Exit(1)


def _check_files(paths: list[Path], format: str, corpus: str, reading: Reading) -> dict[str, Any]:
    """Predictions are held to their corpus, any other files to their format."""
    import linkassay
    from linkassay.checks import check_files, check_predictions, guess_format
    from linkassay.files import expand_paths

    format = format or ("predictions" if corpus else guess_format(expand_paths(paths)))
    if format != "predictions":
        return check_files(paths, format, reading)
    if not corpus:
        raise UsageError("a predictions file is checked against its corpus: add --corpus NAME")
    return check_predictions(paths, linkassay.corpus(corpus))
