"""Verbs about hierarchies: profile, scenario, and the body of `score --hierarchy`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.terminal import Json
from linkassay.defaults import RESAMPLES
from linkassay.tables import fixed

if TYPE_CHECKING:
    from linkassay.scoring.hierarchy import HierarchyChoices, Profile
    from linkassay.tables import Rows

Runs = Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs of one corpus: folders or corpus/system.")]
HIERARCHY = (
    "Knowledge base whose parents to go by, with options if need be: 'mesh(denominator=placed, gold=best, "
    "items=common, location=longest, branch=mesh:D009369, relations=is_a)'."
)
Hierarchy = Annotated[str, typer.Option(help=HIERARCHY + " The runs' own if not given.")]
Scope = Annotated[list[str] | None, typer.Option(help="Only mentions inside of recognised(RUN); repeat to intersect.")]
Resamples = Annotated[int, typer.Option(help="Resamples of documents for intervals.", min=100, max=1_000_000)]
Form = Annotated[str, typer.Option("--format", help="Table as plain, tsv, md or latex.")]


def score(
    names: Sequence[str], hierarchy: str, *, sets: str, by: Sequence[str], measures: str, form: str, as_json: bool,
    **choices: Any,
) -> None:  # fmt: skip
    """Characteristics, distances and similarities of runs; several runs are also compared."""
    from linkassay.scoring.hierarchy import (
        FOUR_SETS,
        HierarchyChoices,
        comparable,
        compare_profiles,
        compared_row,
        match_counts,
        parse_characteristics,
        profile_figures,
    )
    from linkassay.scoring.results import Result

    wanted = parse_characteristics(measures)
    profiles = _profiles(names, HierarchyChoices.parse(hierarchy), **choices)
    chosen = [s.strip() for s in sets.split(",") if s.strip()] or list(FOUR_SETS)
    result = Result()
    rows = [f.row() for each in profiles for f in result.keep(profile_figures(each, chosen, by, wanted))]
    called = terminal.names(each.score.run for each in profiles)
    types = [
        {"system": called[run.corpus, run.key], "corpus": run.corpus, "set": set_, "slice": name}
        | {type_: result.figures.keep(f).value for type_, f in match_counts(each, set_, name, mask).items()}
        for each in profiles for run in [each.score.run] for set_ in chosen for name, mask in each.score.slices(by)
    ]  # fmt: skip
    tests = [
        compared_row(f) for group in comparable(profiles) for f in result.keep(compare_profiles(group, chosen, wanted))
    ]
    notes = _notes(profiles)
    if as_json:
        terminal.print_json({"rows": rows, "types": types, "tests": tests, "notes": notes})
        return
    if form:
        from linkassay.tables import render

        print(render(rows, form))
        return
    terminal.table("match types", _narrow(types))
    named = [row | {"system": called[row["corpus"], row["run"]]} for row in rows]
    for title, part in _parted(wanted):
        print()
        terminal.table(title, _wide(named, part))
    if tests:
        print()
        terminal.table("second against first (Holm over these)", [_test(row) for row in tests])
    for line in notes:
        print(line)


def profile(
    names: Runs,
    hierarchy: Hierarchy = "",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Where to write the page.")] = None,
    sets: Annotated[str, typer.Option("--set", help="Evaluation sets, with commas between.")] = "global,novel-unique",
    scope: Scope = None,
    fold: Annotated[bool, typer.Option("--fold-case", help="Compare texts lower-cased.")] = False,
    resamples: Resamples = RESAMPLES,
    form: Form = "",
    as_json: Json = False,
) -> None:
    """Show how far off runs are: heat map of type and distance, histogram of locations, characteristics.

    With -o as a page; without, the profile itself: one row per gold and predicted entity.
    """
    from linkassay.runs import labels
    from linkassay.scoring.hierarchy import HierarchyChoices
    from linkassay.scoring.results import Result
    from linkassay.tables import Rows

    profiles = _profiles(names, HierarchyChoices.parse(hierarchy), scope=scope or (), abbreviations="none", fold=fold,
                         resamples=resamples)  # fmt: skip
    chosen = [s.strip() for s in sets.split(",") if s.strip()] or ["global"]
    if out is not None:
        from linkassay.pages import write_profile_page

        path = write_profile_page(profiles, chosen, out, Result().figures.keep)
        if as_json:
            terminal.print_json({"page": str(path.resolve())})
        else:
            print(f"page: {path.resolve()}")
        return
    names_ = labels([each.score.run for each in profiles])
    rows = Rows({"system": label, "set": set_} | row
                for label, each in zip(names_, profiles, strict=True) for set_ in chosen
                for row in each.rows(set_))  # fmt: skip
    if as_json:
        terminal.print_json({"rows": list(rows), "notes": _notes(profiles)})
    else:
        print(rows.text(form or "tsv"))


def scenario(
    name: Annotated[str, typer.Argument(help="branch, coverage-first, neighbourhood, or a FILE.toml[:NAME].")],
    names: Runs,
    root: Annotated[str, typer.Option(help="Only gold entities that are this one or below it.")] = "",
    hierarchy: Hierarchy = "",
    scope: Scope = None,
    resamples: Resamples = RESAMPLES,
    form: Form = "",
    as_json: Json = False,
) -> None:
    """Say which system suits a use, and why."""
    from dataclasses import asdict, replace

    from linkassay.scoring.hierarchy import HierarchyChoices, choose_system, load_scenario
    from linkassay.scoring.results import Result

    choices = HierarchyChoices.parse(hierarchy)
    wanted = load_scenario(name, root or choices.branch)
    profiles = _profiles(names, replace(choices, branch=wanted.branch), scope=scope or (), abbreviations="none",
                         resamples=resamples)  # fmt: skip
    found = choose_system(wanted, profiles, Result().figures.keep)
    if as_json:
        terminal.print_json({
            "scenario": asdict(found.scenario), "rows": list(found.systems), "tests": list(found.tests),
            "suits": found.suits, "reasons": found.reasons, "notes": _notes(profiles),
        })  # fmt: skip
    elif form:
        print(found.systems.text(form))
    else:
        measures = list(dict.fromkeys(row["measure"] for row in found.systems))
        branch = f", branch {wanted.branch}" if wanted.branch else ""
        terminal.table(f"{wanted.name}: {wanted.summary}{branch}", _wide(found.systems, measures))
        print(f"suits: {found.suits or 'none'}")
        for reason in found.reasons:
            print(f"  {reason}")
        for line in _notes(profiles):
            print(line)


def _profiles(names: Sequence[str], choices: HierarchyChoices, **options: Any) -> list[Profile]:
    import linkassay
    from linkassay.scoring.hierarchy import profiles

    if choices.kb:
        linkassay.kb(choices.kb)  # obtains the embedded one; an unknown one is refused before anything is scored
    return profiles([linkassay.score(name, **options) for name in names], choices)


def _parted(wanted: list[str]) -> list[tuple[str, list[str]]]:
    """The measures in tables that fit on a terminal."""
    from linkassay.scoring.hierarchy import CHARACTERISTICS

    characteristics = [m for m in wanted if m in CHARACTERISTICS]
    distances = [m for m in wanted if m.endswith(("distance", "location"))]
    rest = [m for m in wanted if m not in (*characteristics, *distances, "no-answer", "outside")]
    titles = (
        "characteristics, in percent (95 % intervals over documents)",
        "distances and location",
        "similarity, in percent",
    )
    return [(t, p) for t, p in zip(titles, (characteristics, distances, rest), strict=True) if p]


def _wide(rows: Sequence[dict[str, Any]] | Rows, measures: list[str]) -> list[dict[str, Any]]:
    """One row for each system, set and slice; its measures side by side."""
    from linkassay.scoring.hierarchy import measure_kind

    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        if row["measure"] in measures:
            key = tuple(row[k] for k in ("run", "corpus", "set", "slice"))
            wide = found.setdefault(key, {k: row[k] for k in ("system", "corpus", "set", "slice")})
            if row["measure"] == "accuracy":  # its denominator is all rows; the others have their own, see --json
                wide["n"] = terminal.number(row["n"], 1)
            share = measure_kind(row["measure"]).share
            factor, digits = (100, 2) if share else (1, 3)
            scaled = {k: None if row[k] is None else factor * row[k] for k in ("value", "low", "high")}
            wide[row["measure"].partition("(")[0]] = (
                f"{terminal.number(scaled['value'], digits)} ({terminal.interval(scaled, digits - 1)})"
            )
    return _narrow(list(found.values()))


def _narrow(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the columns that say the same in every row."""
    same = [key for key in ("corpus", "slice") if len({row[key] for row in rows}) == 1]
    return [{key: value for key, value in row.items() if key not in same} for row in rows]


def _test(row: dict[str, Any]) -> dict[str, Any]:
    difference = "–" if row["difference"] is None else fixed(row["difference"], 4, sign=True)
    return {"pair": f"{row['first']} → {row['second']}", "set": row["set"], "measure": row["measure"],
            "difference": difference, "95 %": terminal.interval(row, 4),
            "bootstrap p": terminal.chance(row["bootstrap_p"]), "permutation p": terminal.chance(row["permutation_p"]),
            "bootstrap p (Holm)": terminal.chance(row.get("bootstrap_p_holm"))}  # fmt: skip


def _notes(profiles: Sequence[Profile]) -> list[str]:
    """What a reader must know: what was scored, and how the hierarchy is read."""
    from linkassay.tables import Rows

    first = profiles[0]
    hierarchy = first.relations.hierarchy
    notes = terminal.score_notes([p.score for p in profiles], Rows(), "")
    broken = f"; {len(hierarchy.broken)} edges left out, they close circles" if hierarchy.broken else ""
    notes.append(f"hierarchy {first.choices or first.score.run.kb}: {len(hierarchy)} entities, {len(hierarchy.roots)} "
                 f"roots, depth {hierarchy.depth}{broken}")  # fmt: skip
    if not first.score.sets.has_training():
        notes.append("there are no training data: novel sets are the global ones")
    return notes
