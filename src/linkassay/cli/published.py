"""`reproduce`: figures of the literature beside ours. What they are lives in `published`."""

from __future__ import annotations

from typing import Annotated

import typer

from linkassay.cli import show
from linkassay.cli.show import Json

__all__ = ["reproduce"]


def reproduce(
    work: Annotated[str, typer.Argument(help="fair, …, or all of them.")],
    as_json: Json = False,
) -> None:
    """Print a work's published figures beside those of the runs at hand, with the differences."""
    from linkassay.published import PUBLISHED

    found = {name: PUBLISHED.load(name)() for name in (list(PUBLISHED) if work == "all" else [work])}
    if as_json:
        show.print_json(found if work == "all" else found[work])
        return
    for name, about in found.items():
        show.table(name, [
            {"system": row["system"], "published as": row["published_as"] or None, "figure": figure, "ours": value,
             "published": row["paper"].get(figure), "difference": row["difference"].get(figure)}
            for row in about["rows"] for figure, value in row["ours"].items()
        ])  # fmt: skip
        print(about["note"])
