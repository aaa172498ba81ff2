"""The tables of a view folder and of what it is of, as DuckDB sees them; one cursor for each question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.errors import LinkassayError, UsageError
from linkassay.explorer.entities import Entities
from linkassay.explorer.mention_context import Piece, alone, pieces, reach, stands, with_lines
from linkassay.model import Span
from linkassay.registry import near_miss
from linkassay.runs import Run
from linkassay.store import MappedFolder

#: Pages that begin up to here are sorted for.
_NEAR = 10_000


class Order(NamedTuple):
    """A column that no two rows share, and whether its largest come first."""

    column: str
    back: bool


class Tables:
    """A view folder and the files of its corpus and runs. `runs` may come in any order."""

    def __init__(self, folder: Path, runs: Sequence[Run], connection: Any = None) -> None:
        self.folder = folder
        about = store.read_json(folder / "view.json")
        self.cohort: dict[str, Any] = about["cohort"]
        self.sentences: list[str] = about["sentences"]
        self._systems: list[dict[str, Any]] = about["systems"]
        known = {run.key: run for run in runs}
        self.runs = [known[key] for key in self.cohort["runs"]]
        self._connection = connection if connection is not None else store.connect()

    def ask(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of an answer. Whatever a person wrote is a parameter."""
        with self._connection.cursor() as cursor:
            rows: list[tuple[Any, ...]] = cursor.execute(query, list(parameters)).fetchall()
        return rows

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """The same with the names of the columns."""
        with self._connection.cursor() as cursor:
            found = cursor.execute(query, list(parameters))
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def page(
        self, rest: str, parameters: Sequence[Any], order: Order, total: int | None, offset: int, limit: int
    ) -> tuple[int, list[int]]:
        """A part of the rows that `from … where …` selects, by their numbers, and how many there are altogether.

        `total` is that, if it is known. One that is far from either end, or that is not known, is found without
        sorting all rows, and with one look at them.
        """
        if total is not None:
            last = min(offset + limit, total)
            turned = total - last < offset  # it is nearer from the other end
            first = total - last if turned else offset
            if last <= offset:
                return total, []
            if first <= _NEAR:
                way = "desc" if order.back != turned else "asc"
                query = f"select row {rest} order by {order.column} {way} limit ? offset ?"
                rows = [row for (row,) in self.ask(query, [*parameters, last - offset, first])]
                return total, rows[::-1] if turned else rows
        with self._connection.cursor() as cursor:
            found = cursor.execute(f"select row, {order.column} as place {rest}", list(parameters)).fetchnumpy()
        place = -found["place"] if order.back else found["place"]
        last = min(offset + limit, len(place))
        if last <= offset:
            return len(place), []
        at = np.argpartition(place, [offset, last - 1])[offset:last]
        return len(place), found["row"][at[np.argsort(place[at])]].tolist()

    def page_with(self, identifier: str, rest: str, parameters: Sequence[Any], order: Order, limit: int) -> int:
        """Where the page begins that has the row of an id; the first page if there is no such row."""
        mine = f"(select {order.column} {rest} and id = ? limit 1)"
        query = f"select count(*) {rest} and {order.column} {'>' if order.back else '<'} {mine}"
        ((before,),) = self.ask(query, [*parameters, *parameters, identifier])
        return int(before) - int(before) % limit

    def order(self, plain: str, sort: str, among: Sequence[str]) -> Order:
        """An order as a person writes it: "" or what is sorted by, with `-` before it the other way round."""
        name = sort.removeprefix("-")
        return Order(f"by_{known('order', name, among)}" if name else plain, sort.startswith("-"))

    def table(self, name: str) -> str:
        """A table of the view in SQL."""
        return _file(self.folder / f"{name}.parquet")

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus in the revision that was linked."""
        return self.runs[0].open_corpus()

    @cached_property
    def entities(self) -> Entities:
        """Names, and the hierarchy."""
        return Entities(MappedFolder(self.folder / "entities"))

    @property
    def documents_file(self) -> str:
        """The documents of the split as the corpus has them, with `file_row_number`."""
        path = self.corpus.path / f"documents.{self.cohort['split']}.parquet"
        return _file(path, "file_row_number = true")

    def predictions_file(self, system: int) -> str:
        """The predictions of a system, with `file_row_number`."""
        return _file(self.runs[system].path / "predictions.parquet", "file_row_number = true")

    @cached_property
    def _has_moved(self) -> bool:
        return bool(self.ask(f"select 1 from {self.table('moved')} limit 1"))

    def moved(self, system: int, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """What became of ids, as the knowledge base of a system has it."""
        if not self._has_moved:
            return {}
        query = f"select old, new from {self.table('moved')} where kb = ? and old in (select unnest(?))"
        return {old: tuple(new) for old, new in self.ask(query, [self._systems[system]["kb"], list(set(ids))])}

    def gold(self, given: Iterable[Iterable[str]]) -> tuple[list[list[str]], list[list[Any]]]:
        """Gold as it is shown, in the ids of today, and the ids that have changed with what they are called now."""
        each = [sorted(ids) for ids in given]
        moved = self.moved(0, (i for ids in each for i in ids))
        shown = [[now for i in ids for now in moved.get(i, (i,))] for ids in each]
        return shown, [[old, list(moved[old])] for old in sorted(moved)]

    def text(self, document: int) -> DocumentText:
        """A document as it is shown."""
        query = f"select text, passages from {self.documents_file} where file_row_number = ?"
        ((text, passages),) = self.ask(query, [document])
        return DocumentText(text, passages)

    # ---- what a person asks for

    def system(self, value: str, among: Sequence[str]) -> int:
        """The number of a system that is written `=LABEL`."""
        label = value.removeprefix("=")
        if not value.startswith("=") or label not in among:
            raise UsageError(f"unknown system {value!r}; {near_miss(value, [f'={each}' for each in among])}")
        return list(among).index(label)

    def mode(self, nil: str) -> int:
        """The number of a NIL mode."""
        return list(self.cohort["nil"]).index(known("NIL mode", nil, self.cohort["nil"]))

    def document(self, identifier: str) -> int:
        """The number of a document."""
        found = self.ask(f"select number from {self.table('documents')} where id = ?", [identifier])
        if not found:
            raise UsageError(f"{self.cohort['title']} {self.cohort['split']} has no document {identifier!r}")
        return int(found[0][0])

    def slices_of(self, bits: int) -> list[str]:
        """The slices that some bits stand for."""
        return [name for bit, name in enumerate(self.cohort["slices"]) if bits >> bit & 1]

    def places_of(self, code: str) -> list[int]:
        """Where in the hierarchy mismatches lie, by the code of a system."""
        return list(self.cohort["places"][int(code[2:], 36)])

    def codes(self, codes: str) -> list[str]:
        """The codes of all systems one by one."""
        width = self.cohort["width"]
        return [codes[at : at + width] for at in range(0, len(codes), width)]


class DocumentText:
    """The text of a document, with each passage on a line of its own."""

    def __init__(self, text: str, passages: Sequence[dict[str, Any]]) -> None:
        self.given = text
        self.passages = [[each["kind"], each["offset"], each["length"]] for each in passages]
        self.shown = with_lines(text, [each["offset"] for each in passages])

    def context(self, spans: Sequence[Span], mention: str) -> list[Piece]:
        """A mention in its text, or alone where the text is not there."""
        if not stands(self.given, spans, mention):
            return alone(mention)
        return pieces(self.shown, spans, reach(self.shown, spans))


def spans_of(spans: Iterable[dict[str, int]]) -> list[Span]:
    """Spans as DuckDB gives them."""
    return [(each["start"], each["end"]) for each in spans]


def known(what: str, value: str, among: Iterable[str]) -> str:
    """`value`, if it is one of those; else an error that says what it could be."""
    among = list(among)
    if value not in among:
        raise UsageError(f"unknown {what} {value!r}; {near_miss(value, among)}")
    return value


def listed(numbers: Iterable[int]) -> str:
    """Numbers of ours as a list in SQL, which is read faster than a parameter."""
    return f"({', '.join(map(str, numbers)) or 'null'})"


def page(offset: int, limit: int, most: int) -> tuple[int, int]:
    """A part of a list; an error where it is none."""
    if offset < 0 or not 0 < limit <= most:
        raise UsageError(f"offset {offset}, limit {limit}: an offset is at least 0, a limit from 1 to {most}")
    return offset, limit


def _file(path: Path, *options: str) -> str:
    if not path.exists():
        raise LinkassayError(f"{path}: not there; remove the folder of the view, and it is made again")
    quoted = "'" + str(path).replace("'", "''") + "'"
    return f"read_parquet({', '.join([quoted, *options])})"
