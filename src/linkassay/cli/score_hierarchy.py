"""`score --hierarchy`: how wrong is wrong, of the first ranks of runs with given mentions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkassay.cli import terminal
from linkassay.cli.hierarchy_tables import (
    hierarchy_notes,
    profiles_of,
    warn_of_profiles,
    wide_rows,
    without_repeated_columns,
)


def score_in_hierarchy(
    names: Sequence[str], hierarchy: str, *, sets: Sequence[str], by: Sequence[str], measures: str, form: str,
    strict: bool, as_json: bool, **choices: Any,
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
    profiles = profiles_of(names, HierarchyChoices.parse(hierarchy), **choices)
    warned = warn_of_profiles(profiles, strict)
    sets = sets or list(FOUR_SETS)
    result = Result()
    rows = [f.row() for each in profiles for f in result.keep(profile_figures(each, sets, by, wanted))]
    labels = terminal.labels_by_key(each.score.run for each in profiles)
    types = [
        {"system": labels[run.corpus, run.key], "corpus": run.corpus, "set": set_, "slice": name}
        | {type_: result.figures.keep(f).value for type_, f in match_counts(each, set_, name, mask).items()}
        for each in profiles for run in [each.score.run] for set_ in sets for name, mask in each.score.slices(by)
    ]  # fmt: skip
    tests = [
        compared_row(f) for group in comparable(profiles) for f in result.keep(compare_profiles(group, sets, wanted))
    ]
    notes = hierarchy_notes(profiles)
    said = terminal.figure_notes(rows, "set", "slice", runs=[each.score.run for each in profiles])
    if as_json:
        terminal.print_json({"rows": rows, "types": types, "tests": tests, "notes": notes, "warnings": warned})
        return
    if form:
        from linkassay.tables import render

        print(render(rows, form))
        return
    terminal.table("match types", without_repeated_columns(types))
    named = [row | {"system": labels[row["corpus"], row["run"]]} for row in rows]
    for title, part in _measures_by_table(wanted):
        print()
        terminal.table(title, wide_rows(named, part))
    if tests:
        print()
        terminal.table("second against first (Holm over these)", [_test_row(row) for row in tests])
    for line in [*said, *notes]:
        print(line)


def _measures_by_table(wanted: list[str]) -> list[tuple[str, list[str]]]:
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
    parts = (characteristics, distances, rest)
    return [(title, part) for title, part in zip(titles, parts, strict=True) if part]


def _test_row(row: dict[str, Any]) -> dict[str, Any]:
    return {"pair": f"{row['first']} → {row['second']}", "set": row["set"], "measure": row["measure"],
            "difference": terminal.difference(row["difference"], 4), "95 %": terminal.interval(row, 4),
            "bootstrap p": terminal.chance(row["bootstrap_p"]), "permutation p": terminal.chance(row["permutation_p"]),
            "bootstrap p (Holm)": terminal.chance(row.get("bootstrap_p_holm"))}  # fmt: skip
