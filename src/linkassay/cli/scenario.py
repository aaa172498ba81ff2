"""The verb `scenario`: which system suits a use, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from linkassay.cli import terminal
from linkassay.cli.hierarchy_tables import hierarchy_notes, profiles_of, warn_of_profiles, wide_rows
from linkassay.cli.options import Form, Hierarchy, Json, OldResamples, RunsOfOneCorpus, Scope, Strict


def scenario(
    name: Annotated[str, typer.Argument(help="branch, coverage-first, neighbourhood, or a FILE.toml[:NAME].")],
    names: RunsOfOneCorpus,
    root: Annotated[str, typer.Option(help="Only gold entities that are this one or below it.")] = "",
    hierarchy: Hierarchy = "",
    scope: Scope = None,
    resamples: OldResamples = None,
    form: Form = "",
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Say which system suits a use, and why."""
    from dataclasses import asdict, replace

    from linkassay.scoring.hierarchy import HierarchyChoices, choose_system, load_scenario
    from linkassay.scoring.results import Result

    choices = HierarchyChoices.parse(hierarchy)
    wanted = load_scenario(name, root or choices.branch)
    profiles = profiles_of(names, replace(choices, branch=wanted.branch), scope=scope or (), abbreviations="none")
    warned = warn_of_profiles(profiles, strict)
    choice = choose_system(wanted, profiles, Result().figures.keep)
    if as_json:
        terminal.print_json({
            "scenario": asdict(choice.scenario), "rows": list(choice.systems), "tests": list(choice.tests),
            "suits": choice.suits, "open": choice.open, "reasons": choice.reasons, "notes": hierarchy_notes(profiles),
            "warnings": warned,
        })  # fmt: skip
    elif form:
        print(choice.systems.text(form))
    else:
        measures = list(dict.fromkeys(row["measure"] for row in choice.systems))
        branch = f", branch {wanted.branch}" if wanted.branch else ""
        terminal.table(f"{wanted.name}: {wanted.summary}{branch}", wide_rows(choice.systems, measures))
        undecided = f"open between {' and '.join(choice.open)}" if choice.open else "none"
        print(f"suits: {choice.suits or undecided}")
        for reason in choice.reasons:
            print(f"  {reason}")
        for line in hierarchy_notes(profiles):
            print(line)
