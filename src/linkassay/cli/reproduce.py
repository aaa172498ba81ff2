"""The verb `reproduce`: figures of the literature beside ours. What they are lives in `published`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Form, Json
from linkassay.errors import UsageError

if TYPE_CHECKING:
    from linkassay.published import Reproduced
    from linkassay.tables import Rows


def reproduce(
    work: Annotated[str, typer.Argument(help="belb, bioel, biowic, fair, hierarchy, or all.")],
    table: Annotated[list[int] | None, typer.Option(help="Only this table of the work (repeatable).")] = None,
    abbreviations: Annotated[
        str, typer.Option(help="bioel: whose abbreviations count: schwartz-hearst, ab3p or a file.")
    ] = "",
    form: Form = "",
    as_json: Json = False,
) -> None:
    """Print a work's published figures beside those of the runs, corpora and KBs at hand, with the differences."""
    reproduced = _reproduced(work, abbreviations)
    if table:
        _require_a_table(work, reproduced, table)
        reproduced = {name: _only_tables(each, table) for name, each in reproduced.items()}
    if as_json:
        shown = {name: {"note": note, "rows": list(rows), "missing": list(missing)}
                 for name, (note, rows, missing) in reproduced.items()}  # fmt: skip
        terminal.print_json(shown if work == "all" else shown[work])
        return
    for name, (note, rows, missing) in reproduced.items():
        if form:
            print(rows.text(form))
        else:
            _print_tables(name, rows)
        print(f"{name}: {note}" if work == "all" else note)
        for line in missing:
            print(f"missing: {line}")


def _reproduced(work: str, abbreviations: str) -> dict[str, Reproduced]:
    """What there is of a work, or of each of all; of all one that has nothing at hand is not an error."""
    from linkassay.published import PUBLISHED, Reproduced
    from linkassay.tables import Rows

    if abbreviations and work not in ("bioel", "all"):
        raise UsageError(f"{work} counts no abbreviations; leave out --abbreviations")
    reproduced = {}
    for name in list(PUBLISHED) if work == "all" else [work]:
        options = {"abbreviations": abbreviations} if abbreviations and name == "bioel" else {}
        try:
            reproduced[name] = Reproduced(*PUBLISHED.load(name)(**options))
        except UsageError as error:
            if work != "all":
                raise
            reproduced[name] = Reproduced("nothing of this work is at hand", Rows(), [str(error)])
    return reproduced


def _require_a_table(work: str, reproduced: dict[str, Reproduced], wanted: Sequence[int]) -> None:
    """Refuse numbers of which none is that of a table that can be shown; if nothing can be, that is said elsewhere."""
    known = {n for each in reproduced.values() for row in each.rows if (n := _number(row)).isdigit()}
    if known and known.isdisjoint(map(str, wanted)):
        there = ", ".join(sorted(known, key=int))
        raise UsageError(f"--table {wanted[0]}: of {work} the tables {there} can be shown now")


def _only_tables(reproduced: Reproduced, wanted: Sequence[int]) -> Reproduced:
    from linkassay.tables import Rows

    numbers = set(map(str, wanted))
    return reproduced._replace(rows=Rows(row for row in reproduced.rows if _number(row) in numbers))


def _number(row: dict[str, Any]) -> str:
    """The table that a row is of, as the paper numbers it or as we call it."""
    return str(row.get("table", "")).removeprefix("table ")


def _print_tables(name: str, rows: Rows) -> None:
    """Each table of the work on its own, without the columns that are empty there."""
    from linkassay.tables import Rows

    for table in dict.fromkeys(row.get("table") for row in rows):
        of_table = [{k: v for k, v in row.items() if k != "table"} for row in rows if row.get("table") == table]
        used = {key for row in of_table for key, value in row.items() if value not in ("", None)}
        print(name if table is None else f"{name}, {table if isinstance(table, str) else f'table {table}'}")
        print(Rows({k: v for k, v in row.items() if k in used} for row in of_table).text("plain"), end="\n\n")
