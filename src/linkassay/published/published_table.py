"""A published table as data: the figures as printed, with citation, protocol and scope. Read from TOML, strictly.

A work is one file, `<work>.toml`: what is true of all its tables, then a `[[table]]` for each. A row begins with its
labels (`keys`), then has a cell for each of `columns` (`across` says what they are) and of `further`. With several
`measures` a cell is a list. A cell is a number, a number with a mark ("0.083‡"), or a word where there is no figure.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

import msgspec

from linkassay.decoding import described
from linkassay.errors import DataError, UsageError
from linkassay.registry import near_miss

_MARKED = re.compile(r"(-?\d+(?:\.\d+)?)([‡†*]+)")


@dataclass(frozen=True)
class PublishedFigure:
    """One printed figure: what it is of, its measure, and its value with so many digits after the point."""

    labels: Mapping[str, str]
    measure: str
    value: float
    digits: int = 0
    mark: str = ""

    @property
    def half(self) -> float:
        """Half a unit of the last printed digit: how far the value before rounding may have been."""
        return 0.5 / float(10**self.digits)


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is odd about a table. With `check`, the test of that name finds exactly the cells `at` inconsistent."""

    text: str
    check: str = ""
    at: tuple[str, ...] = ()


class PublishedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table of a work."""

    number: int
    title: str
    keys: tuple[str, ...]
    across: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    measures: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    protocol: str = ""
    scope: str = ""
    unit: Annotated[Literal["", "share", "percent", "count"], msgspec.Meta(description="share, percent or count")] = ""
    corpus: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def name(self) -> str:
        """How it is cited within its work."""
        return f"table {self.number}"

    def figures(self) -> Iterator[PublishedFigure]:
        """Every figure, in printed order; cells that hold a word are left out."""
        for labels, column, cell in self._cells():
            if column in self.further or self.across == "measure":
                yield from _figure(labels, column, cell)
            else:
                of = {**labels, self.across: column}
                parts = cell if isinstance(cell, list) else [cell]
                for measure, part in zip(self.measures, parts, strict=True):
                    yield from _figure(of, measure, part)

    def words(self) -> Iterator[tuple[Mapping[str, str], str]]:
        """Every cell that holds a word where a figure would be, e.g. "OOM": what it is of, and the word."""
        for labels, column, cell in self._cells():
            if isinstance(cell, str) and not _MARKED.fullmatch(cell):
                yield {**labels, self.across: column}, cell

    def value(self, measure: str = "", **labels: str) -> float | None:
        """The one figure with these labels (and this measure); None where no figure was printed."""
        found = [
            f
            for f in self.figures()
            if (not measure or f.measure == measure) and all(f.labels.get(k) == v for k, v in labels.items())
        ]
        if len(found) > 1:
            raise UsageError(f"{self.name}: {labels} name {len(found)} figures")
        return found[0].value if found else None

    def _cells(self) -> Iterator[tuple[dict[str, str], str, Any]]:
        for row in self.rows:
            labels = dict(zip(self.keys, row, strict=False))
            for column, cell in zip((*self.columns, *self.further), row[len(self.keys) :], strict=True):
                yield labels, column, cell


class Work(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A publication: its tables, and what its names of corpora, KBs, slices and systems mean here."""

    name: str
    title: str
    citation: str
    tables: Mapping[int, PublishedTable] = {}
    source: str = ""
    joint: tuple[str, ...] = ()
    corpora: Mapping[str, str] = {}
    kbs: Mapping[str, Sequence[str]] = {}
    slices: Mapping[str, str] = {}
    stands_for: Mapping[str, Mapping[str, str]] = {}
    groups: Mapping[str, Sequence[str]] = {}

    def system(self, printed: str, corpus: str) -> str:
        """The system that a printed name stands for on a corpus of the paper."""
        return self.stands_for.get(printed, {}).get(corpus, printed)


@cache
def load_work(name: str) -> Work:
    """The tables of a work that comes with the project.

    >>> belb = load_work("belb")
    >>> belb.tables[4].value(corpus="Linnaeus", system="arboEL")
    0.74
    >>> belb.system("RBES", "Linnaeus")
    'SR4GN'
    """
    file = files("linkassay.published").joinpath(f"{name}.toml")
    if not file.is_file():
        known = sorted(f.name[:-5] for f in files("linkassay.published").iterdir() if f.name.endswith(".toml"))
        raise UsageError(f"no published tables {name!r}; {near_miss(name, known)}")
    return parse_work(name, file.read_text(encoding="utf-8"))


def parse_work(name: str, text: str) -> Work:
    """A work from its TOML; what is unknown, missing or of another shape is an error that says where."""
    where = f"{name}.toml"
    try:
        data = tomllib.loads(text, parse_float=Decimal)  # Decimal keeps the digits as printed
    except tomllib.TOMLDecodeError as error:
        raise DataError(str(error), file=where) from None
    if "name" in data or "tables" in data:
        raise DataError("`name` and `tables` are given by the file's name and its [[table]]s", file=where)
    tables: dict[int, PublishedTable] = {}
    for raw in data.pop("table", []):
        table = described(PublishedTable, raw, f"{where}, table {raw.get('number', '?')}")
        _check(table, f"{where}, table {table.number}")
        if table.number in tables:
            raise DataError(f"table {table.number} is there twice", file=where)
        tables[table.number] = table
    return msgspec.structs.replace(described(Work, {**data, "name": name}, where), tables=tables)


def _check(table: PublishedTable, where: str) -> None:
    if (table.across == "measure") == bool(table.measures):
        raise DataError("`measures` are named unless the columns are measures themselves", file=where)
    width = len(table.keys) + len(table.columns) + len(table.further)
    seen = set()
    for row in table.rows:
        labels = tuple(row[: len(table.keys)])
        if len(row) != width or not all(isinstance(label, str) for label in labels):
            raise DataError(f"the row {labels} has {len(row)} cells, not {width}", file=where)
        if labels in seen:
            raise DataError(f"the row {labels} is there twice", file=where)
        seen.add(labels)
        for cell in row[len(table.keys) : width - len(table.further)]:
            parts = len(cell) if isinstance(cell, list) else 1
            if parts != max(1, len(table.measures)):
                raise DataError(f"a cell of {labels} has {parts} parts, not {len(table.measures)}", file=where)


def _figure(labels: Mapping[str, str], measure: str, cell: Any) -> Iterator[PublishedFigure]:
    mark = ""
    if isinstance(cell, str):
        if not (found := _MARKED.fullmatch(cell)):
            return
        cell, mark = Decimal(found[1]), found[2]
    digits = max(0, -int(cell.as_tuple().exponent)) if isinstance(cell, Decimal) else 0
    yield PublishedFigure(labels, measure, float(cell), digits, mark)
