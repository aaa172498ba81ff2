"""The verb `profile`: how far off runs are in a hierarchy, as a page or as rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.hierarchy_tables import hierarchy_notes, profiles_of, warn_of_profiles
from linkassay.cli.options import (
    FoldCase,
    Form,
    Hierarchy,
    Json,
    OldResamples,
    RunsOfOneCorpus,
    Scope,
    Strict,
    between_commas,
)


def profile(
    names: RunsOfOneCorpus,
    hierarchy: Hierarchy = "",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where to write the page.")] = None,
    sets: Annotated[str, typer.Option("--set", help="Evaluation sets, with commas between.")] = "global,novel-unique",
    scope: Scope = None,
    fold: FoldCase = None,
    resamples: OldResamples = None,
    form: Form = "",
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Show how far off runs are: mismatches by type, distance and location, characteristics.

    With -o as a page, that part of the report; without, the profile itself: one row per gold and predicted entity.
    """
    from linkassay.runs import labels
    from linkassay.scoring.hierarchy import HierarchyChoices
    from linkassay.tables import Rows

    profiles = profiles_of(names, HierarchyChoices.parse(hierarchy), scope=scope or (), abbreviations="none", fold=fold)
    warned = warn_of_profiles(profiles, strict)
    chosen_sets = between_commas(sets) or ["global"]
    if out is not None:
        from linkassay.pages import write_profile_page

        path = write_profile_page(profiles, chosen_sets, out)
        if as_json:
            terminal.print_json({"page": str(path.resolve()), "warnings": warned})
        else:
            print(f"page: {path.resolve()}")
        return
    systems = labels([each.score.run for each in profiles])
    rows = Rows({"system": system, "set": set_} | row
                for system, each in zip(systems, profiles, strict=True) for set_ in chosen_sets
                for row in each.rows(set_))  # fmt: skip
    if as_json:
        terminal.print_json({"rows": list(rows), "notes": hierarchy_notes(profiles), "warnings": warned})
    else:
        print(rows.text(form or "tsv"))
