"""`reproduce`: figures of the literature beside ours. What they are lives in `published`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.terminal import Json
from linkassay.errors import UsageError

if TYPE_CHECKING:
    from linkassay.tables import Rows


def reproduce(
    work: Annotated[str, typer.Argument(help="belb, bioel, biowic, fair, hierarchy, or all.")],
    table: Annotated[list[int] | None, typer.Option(help="Only this table of the work (repeatable).")] = None,
    abbreviations: Annotated[
        str, typer.Option(help="bioel: whose abbreviations count: schwartz-hearst, ab3p or a file.")
    ] = "",
    form: Annotated[str, typer.Option("--format", help="Table as plain, tsv, md or latex.")] = "",
    as_json: Json = False,
) -> None:
    """Print a work's published figures beside those of the runs, corpora and KBs at hand, with the differences."""
    from linkassay.published import PUBLISHED, Reproduced
    from linkassay.tables import Rows

    if abbreviations and work not in ("bioel", "all"):
        raise UsageError(f"{work} counts no abbreviations; leave out --abbreviations")
    found = {}
    for name in list(PUBLISHED) if work == "all" else [work]:
        try:
            options = {"abbreviations": abbreviations} if abbreviations and name == "bioel" else {}
            found[name] = Reproduced(*PUBLISHED.load(name)(**options))
        except UsageError as error:
            if work != "all":
                raise
            found[name] = Reproduced("nothing of this work is at hand", Rows(), [str(error)])
    if table:
        wanted = set(map(str, table))
        known = {n for _, rows, _ in found.values() for row in rows if (n := _number(row)).isdigit()}
        if known and known.isdisjoint(wanted):
            there = ", ".join(sorted(known, key=int))
            raise UsageError(f"--table {table[0]}: of {work} the tables {there} can be shown now")
        for name, (note, rows, missing) in found.items():
            kept = Rows(row for row in rows if _number(row) in wanted)
            found[name] = Reproduced(note, kept, missing)
    if as_json:
        shown = {n: {"note": f.note, "rows": list(f.rows), "missing": list(f.missing)} for n, f in found.items()}
        terminal.print_json(shown if work == "all" else shown[work])
        return
    for name, (note, rows, missing) in found.items():
        if form:
            print(rows.text(form))
        else:
            _print(name, rows)
        print(f"{name}: {note}" if work == "all" else note)
        for line in missing:
            print(f"missing: {line}")


def _number(row: dict[str, Any]) -> str:
    """The table that a row is of, as the paper numbers it or as we call it."""
    return str(row.get("table", "")).removeprefix("table ")


def _print(name: str, rows: Rows) -> None:
    """Each table of the work on its own, without the columns that are empty there."""
    from linkassay.tables import Rows

    for table in dict.fromkeys(row.get("table") for row in rows):
        own = [{k: v for k, v in row.items() if k != "table"} for row in rows if row.get("table") == table]
        used = {key for row in own for key, value in row.items() if value not in ("", None)}
        print(name if table is None else f"{name}, {table if isinstance(table, str) else f'table {table}'}")
        print(Rows({k: v for k, v in row.items() if k in used} for row in own).text("plain"), end="\n\n")
