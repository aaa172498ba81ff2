"""Tables without `rich` are those of `rich`."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table

from linkassay.cli.plain_table import Column, plain_table

TEXTS = st.text(st.sampled_from("ab 1.–†é漢\té́"), max_size=12)
COLUMNS = st.integers(1, 4).flatmap(
    lambda rows: st.lists(
        st.builds(Column, TEXTS, st.booleans(), st.lists(TEXTS, min_size=rows, max_size=rows)), min_size=1, max_size=4
    )
)


def by_rich(title: str, columns: list[Column], width: int) -> list[str]:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column.head, justify="right" if column.numeric else "left", overflow="fold")
    for texts in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*texts)
    file = io.StringIO()
    Console(file=file, markup=False, highlight=False, emoji=False, width=width).print(table)
    return file.getvalue().split("\n")[:-1]


@given(TEXTS, COLUMNS, st.sampled_from([10, 40, 160]))
def test_lines_are_those_of_rich(title: str, columns: list[Column], width: int) -> None:
    found = plain_table(title, columns, width)
    assert not found or found == by_rich(title, columns, width)


def test_most_tables_are_plain() -> None:
    columns = [Column("system", False, ["tfidf †", "exact"]), Column("F1 (0.1–0.2)", True, ["0.5", "12.25"])]
    assert plain_table("two systems", columns, 160) == by_rich("two systems", columns, 160)
    assert not plain_table("two systems", columns, 20)
    assert not plain_table("two systems of a title longer than the table", columns, 160)
    assert not plain_table("two systems", [Column("漢", False, ["a"])], 160)
