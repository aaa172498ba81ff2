"""The verb `serve`: the explorer of the data home in a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Json


def serve(
    port: Annotated[int, typer.Option(help="Where to listen; 0: any that is free.", min=0, max=65535)] = 8700,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    host: Annotated[str, typer.Option(help="Where to listen; open to other machines it needs a token.")] = "127.0.0.1",
    token: Annotated[
        str, typer.Option(envvar="LINKASSAY_TOKEN", help="What others have to know; a new one if not given.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Look at all runs, corpora and knowledge bases of the data home in a browser, until Ctrl-C."""
    from linkassay.serving import serve

    def ready(address: str, home: Path) -> None:
        if as_json:
            terminal.print_json({"address": address, "home": str(home)})
        else:
            print(f"explorer of {home}: {address}\nCtrl-C ends it.")
        sys.stdout.flush()

    serve(host=host, port=port, token=token, browser=open_, ready=ready)
