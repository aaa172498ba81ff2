"""Verbs about neural models: model convert."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json

app = typer.Typer(no_args_is_help=True, help="Folders of neural models.")


@app.callback()
def _models() -> None:
    pass


@app.command()
def convert(
    folder: Annotated[Path, typer.Argument(help="Folder of a model with a pytorch_model.bin.")],
    as_json: Json = False,
) -> None:
    """Write the weights as safetensors, which hold no code; the old file stays."""
    from linkassay.linkers.neural import convert_model, model_checksum

    target = convert_model(folder)
    if as_json:
        terminal.print_json({"path": str(target), "model_sha256": model_checksum(folder)})
    else:
        print(f"wrote {target}, {target.stat().st_size / 1e6:,.1f} MB")
