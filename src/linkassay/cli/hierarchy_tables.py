"""What `score --hierarchy`, `profile` and `scenario` have in common: profiles of runs, wide tables of them, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linkassay.cli import terminal

if TYPE_CHECKING:
    from linkassay.scoring.hierarchy import HierarchyChoices, Profile
    from linkassay.tables import Rows


def profiles_of(names: Sequence[str], choices: HierarchyChoices, **options: Any) -> list[Profile]:
    """The profiles of runs in a hierarchy; `options` are those of `linkassay.score`."""
    import linkassay
    from linkassay.scoring.hierarchy import profiles

    if choices.kb:
        linkassay.kb(choices.kb)  # obtains the embedded one; an unknown one is refused before anything is scored
    return profiles([linkassay.score(name, **options) for name in names], choices)


def warn_of_profiles(profiles: Sequence[Profile], strict: bool) -> list[dict[str, str]]:
    """What is doubtful about the runs, and gold ids that a hierarchy which was asked for lacks."""
    from linkassay.cautions import gold_cautions, result_cautions
    from linkassay.kbs import Kb

    found = dict.fromkeys(result_cautions(each.score.run for each in profiles))
    for run, name in [(each.score.run, each.choices.kb) for each in profiles if each.choices.kb]:
        found |= dict.fromkeys(gold_cautions(run.open_corpus(), Kb.open(name), run.split))
    return terminal.warn(list(found), strict)


def wide_rows(rows: Sequence[dict[str, Any]] | Rows, measures: list[str]) -> list[dict[str, Any]]:
    """One row for each system, set and slice; its measures side by side."""
    from linkassay.scoring.hierarchy import measure_kind

    wide_by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        if row["measure"] not in measures:
            continue
        key = tuple(row[k] for k in ("run", "corpus", "set", "slice"))
        wide = wide_by_key.setdefault(key, {k: row[k] for k in ("system", "corpus", "set", "slice")})
        if row["measure"] == "accuracy":  # its denominator is all rows; the others have their own, see --json
            wide["n"] = terminal.number(row["n"], 1)
        factor, digits = (100, 2) if measure_kind(row["measure"]).share else (1, 3)
        scaled = {k: None if row[k] is None else factor * row[k] for k in ("value", "low", "high")}
        wide[row["measure"].partition("(")[0]] = (
            f"{terminal.number(scaled['value'], digits)} ({terminal.interval(scaled, digits - 1)})"
        )
    return without_repeated_columns(list(wide_by_key.values()))


def without_repeated_columns(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the columns that say the same in every row."""
    same = [key for key in ("corpus", "slice") if len({row[key] for row in rows}) == 1]
    return [{key: value for key, value in row.items() if key not in same} for row in rows]


def hierarchy_notes(profiles: Sequence[Profile]) -> list[str]:
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
