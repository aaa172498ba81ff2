"""Mention tables: a corpus without its texts, one mention a row, as TSV or CSV with a header, Parquet, or Excel's.

Columns: document, mention (optional), start, end, text, type, ids. Cells of `start` and `end` may
be empty (no place known) or `;`-joined (several pieces). Cells are separated by tabs, commas or semicolons, as
the header tells, and quoted as spreadsheets do.
Since there is no text, offsets cannot be verified; everything that needs context is impossible (DATA-11).
"""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TextIO

from linkassay.errors import DataError, UsageError
from linkassay.files import MAX_LINE, MAX_WHOLE, RawFile
from linkassay.formats.reading import Annotation, Reading
from linkassay.ids import IdRule, curie
from linkassay.model import Document, Gold, Mention
from linkassay.problems import Problem
from linkassay.registry import near_miss

COLUMNS = ("document", "mention", "start", "end", "text", "type", "ids")
#: How `write` joins ids.
RULE = IdRule(composite="|", alternative=";")

_Row = tuple[int, dict[str, Any]]

_MONTH = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
#: What spreadsheets make of SEPT2 or MARCH1: 2-Sep, Mar-01, or a day and no hour.
_DATE = re.compile(rf"\d{{1,2}}-({_MONTH})|({_MONTH})-\d{{2}}|\d{{4}}-\d\d-\d\d 00:00:00")


@dataclass(frozen=True, slots=True)
class _Cells:
    """One row, and where it stands (a line of a TSV file, a row of a Parquet file)."""

    values: dict[str, Any]
    file: str
    line: int

    def text(self, column: str) -> str:
        value = self.values.get(column)
        if value is None or value == "":
            return ""
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return str(value)
        raise self.error(column, "expected a text", value)

    def offsets(self, column: str) -> list[int]:
        value = self.values.get(column)
        if isinstance(value, str):
            parts: Sequence[Any] = value.split(";") if value.strip() else []
        elif value is None or (isinstance(value, float) and math.isnan(value)):
            parts = []
        else:
            parts = value if isinstance(value, list) else [value]
        # A column of integers with gaps is often stored as floats: 12.0, in some countries 12,0
        matches = [re.fullmatch(r"\s*([0-9]{1,15})(?:\.0+|,0)?\s*", str(part)) for part in parts]
        if not all(matches):
            raise self.error(column, "expected offsets such as 17, or 17;42 for several pieces", value)
        return [int(m[1]) for m in matches if m]

    def error(self, column: str, message: str, value: Any) -> DataError:
        return DataError(f"{column}: {message}, found {str(value)[:60]!r}", file=self.file, line=self.line)


def read(
    files: Iterable[RawFile], reading: Reading, *, columns: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Document]:
    """Yield the documents of mention tables; they have mentions but no text.

    `columns` says how the files call some of ours; "" is one that they do not have.
    """
    if unknown := next((name for name in columns if name not in COLUMNS), ""):
        raise UsageError(f"a mention table has no column {unknown!r} to be named; {near_miss(unknown, list(COLUMNS))}")
    seen: set[str] = set()
    for file in files:
        documents: dict[str, list[Annotation]] = {}
        for line, values in _rows(file, reading, columns):
            with reading.problems.going_on():
                row = _Cells(values, file.name, line)
                annotation = _annotation(row, reading)
                if annotation.id:
                    if annotation.id in seen:
                        raise DataError(f"mention id {annotation.id!r} occurs twice", file=file.name, line=line)
                    seen.add(annotation.id)
                document = row.text("document")
                if not document.strip():
                    raise DataError("document: the cell is empty", file=file.name, line=line)
                if annotation.text and _DATE.fullmatch(annotation.text):
                    said = f"{annotation.text!r} looks like the date that spreadsheets make of a name such as SEPT2"
                    reading.problems.note(Problem("date", said, file.name, line, document))
                documents.setdefault(document, []).append(annotation)
        for document, mentions in documents.items():
            yield reading.document(document, [], mentions, file=file.name, textless=True)


def _annotation(row: _Cells, reading: Reading) -> Annotation:
    starts, ends = row.offsets("start"), row.offsets("end")
    if len(starts) != len(ends):
        raise DataError(f"{len(starts)} starts but {len(ends)} ends", file=row.file, line=row.line)
    type_ = row.text("type")
    raw, gold = _ids(row, reading.source_rule(type_))
    return Annotation(
        spans=tuple(zip(starts, ends)),
        text=row.text("text"),
        type=type_,
        raw=raw,
        gold=gold,
        id=row.text("mention"),
        line=row.line,
    )


def _ids(row: _Cells, rule: IdRule) -> tuple[str, Gold | None]:
    """The ids as text, for the rule to split, or as a list of alternatives, already split."""
    value = row.values.get("ids")
    if not isinstance(value, list):
        return row.text("ids"), None
    alternatives = [a if isinstance(a, list) else [a] for a in value]
    if not all(isinstance(i, str) for a in alternatives for i in a):
        raise row.error("ids", "expected texts, lists of texts, or lists of such lists", value)
    sets = (frozenset(curie(i, rule.prefix) for i in a if not rule.is_none(i)) for a in alternatives)
    return ";".join("|".join(a) for a in alternatives), tuple(dict.fromkeys(s for s in sets if s))


def _rows(file: RawFile, reading: Reading, columns: Mapping[str, str]) -> Iterator[_Row]:
    """The rows with the cells of our columns, and where each stands."""
    if file.suffix == ".parquet":
        return _parquet(file, columns)
    return _excel(file, columns) if file.suffix == ".xlsx" else _delimited(file, reading, columns)


def _ours(header: Sequence[str], columns: Mapping[str, str], file: str) -> list[str]:
    """The header in our words; an error if a column is not there."""
    header = [name.strip() for name in header]
    if absent := next((theirs for theirs in columns.values() if theirs and theirs not in header), ""):
        raise DataError(f"the table has no column {absent!r}; {near_miss(absent, header)}", file=file, line=1)
    theirs = {name: ours for ours, name in columns.items() if name}
    lower = [name.lower() for name in header]
    for name, ours in zip(header, lower):  # Document is document, if nothing else is
        if ours in COLUMNS and ours not in columns and name not in theirs and lower.count(ours) == 1:
            theirs[name] = ours
    taken = [theirs.get(name, "" if name in columns else name) for name in header]
    _check_columns(taken, file, [ours for ours, name in columns.items() if not name])
    return taken


def _delimiter(text: str, columns: Mapping[str, str]) -> str:
    """What separates the cells: that by which the header has most of the columns, else most cells."""
    line = text[: text.find("\n") + 1] or text
    wanted = {columns.get(name, name).lower() for name in COLUMNS}

    def met(delimiter: str) -> tuple[int, int]:
        cells = [cell.strip().strip('"').lower() for cell in line.split(delimiter)]
        return sum(cell in wanted for cell in cells), len(cells)

    return max("\t,;", key=met)


def _delimited(file: RawFile, reading: Reading, columns: Mapping[str, str]) -> Iterator[_Row]:
    csv.field_size_limit(MAX_LINE)  # by default a cell of 131,072 characters is an error
    text = file.text(reading.encoding)
    if not text.strip():
        raise DataError("the file is empty", file=file.name)
    said = re.match(r"\"?sep=(.)\"?\r?\n", text)  # where Excel wrote what separates cells
    before, text = (1, text[said.end() :]) if said else (0, text)
    delimiter = said[1] if said else _delimiter(text, columns)
    spaced = delimiter != "\t" and f"{delimiter} " in text[: text.find("\n") + 1]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=spaced)
    try:
        header = _ours(next(rows, []), columns, file.name)
        line = before + rows.line_num
        for cells in rows:
            line, first = before + rows.line_num, line + 1
            if not any(cells[len(header) :]):  # what spreadsheets leave at the end of lines
                cells = cells[: len(header)]
            if any(cell.strip() for cell in cells):
                with reading.problems.going_on():
                    if len(cells) != len(header):
                        raise DataError(f"{len(cells)} cells, expected {len(header)}", file=file.name, line=first)
                    yield first, dict(zip(header, cells))
    except csv.Error as error:
        hint = "a cell that begins with a quotation mark must be quoted and its marks doubled"
        raise DataError(f"not a table ({error}); {hint}", file=file.name, line=before + rows.line_num) from error


def _excel(file: RawFile, columns: Mapping[str, str]) -> Iterator[_Row]:
    """The rows of the first sheet of a workbook; whole numbers are texts without a point."""
    try:
        import openpyxl
    except ImportError:
        raise UsageError(f"{file.name}: Excel's files need openpyxl: pip install 'linkassay[xlsx]'") from None
    data = io.BytesIO(file.bytes())
    header: list[str] | None = None
    try:
        with zipfile.ZipFile(data) as archive:
            if sum(member.file_size for member in archive.infolist()) > MAX_WHOLE:
                raise DataError(f"larger than {MAX_WHOLE:,} bytes when unpacked", file=file.name)
            for member in archive.infolist():
                with archive.open(member) as part:
                    if b"<!" in part.read(4096) and member.filename.endswith((".xml", ".rels")):
                        raise DataError(f"{member.filename} declares a document type or entities", file=file.name)
        sheet = openpyxl.load_workbook(data, read_only=True, data_only=True).worksheets[0]
        for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
            texts = ["" if cell is None else _number(cell) for cell in cells]
            if not any(texts):
                continue
            if header is None:
                header = _ours([text.strip() for text in texts], columns, file.name)
            else:
                yield number, dict(zip(header, texts))
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, IndexError, TypeError, SyntaxError) as error:
        raise DataError(f"not a readable workbook ({str(error)[:200]})", file=file.name) from error
    if header is None:
        raise DataError("the first sheet is empty", file=file.name)


def _number(cell: Any) -> str:
    """A cell as text: Excel has only one kind of numbers."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _parquet(file: RawFile, names: Mapping[str, str]) -> Iterator[_Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = file.bytes()
    number = 0
    try:
        table = pq.ParquetFile(pa.BufferReader(data))
        header = table.schema_arrow.names
        ours = {name: mine for name, mine in zip(header, _ours(header, names, file.name)) if mine in COLUMNS}
        for batch in table.iter_batches(columns=list(ours)):
            for row in batch.to_pylist():
                number += 1
                yield number, {ours[name]: value for name, value in row.items()}
    except (pa.ArrowException, OSError, MemoryError, ValueError) as error:
        raise DataError(f"not a readable Parquet file ({str(error).splitlines()[0][:200]})", file=file.name) from error


def _check_columns(header: list[str], file: str, without: Sequence[str] = ()) -> None:
    twice = [c for c in COLUMNS if header.count(c) > 1]
    if twice:
        raise DataError(f"columns that occur twice: {', '.join(twice)}", file=file, line=1)
    missing = [c for c in COLUMNS if c not in header and c not in ("mention", *without)]
    if missing:
        there = ", ".join(repr(name) for name in header if name and name not in COLUMNS) or "no others"
        raise DataError(f"the table has no column {', '.join(map(repr, missing))}; it has {there}: say what each is "
                        f"called, or that there is none, with --columns {missing[0]}=NAME or --columns {missing[0]}=",
                        file=file, line=1)  # fmt: skip


def write(documents: Iterable[Document], out: TextIO) -> None:
    """Write the mentions of `documents` as TSV; with `RULE`, `read` gives them back.

    Texts, parts and alternatives of a mention, and flags have no place in a table.
    """
    out.write("\t".join(COLUMNS) + "\n")
    for document in documents:
        for m in document.mentions:
            starts, ends = (";".join(str(span[side]) for span in m.spans) for side in (0, 1))
            cells = (document.id, m.id, starts, ends, m.text, m.type, _joined(m))
            out.write("\t".join(_quoted(cell) for cell in cells) + "\n")


def _joined(mention: Mention) -> str:
    for identifier in sorted(mention.ids):
        if set(identifier) & set(";|"):
            raise DataError(f"document {mention.document}, mention {mention.id}: the id {identifier!r} has a "
                            "separator of the table in it")  # fmt: skip
    return ";".join("|".join(sorted(ids)) for ids in mention.gold)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if re.search(r'["\t\r\n]', cell) else cell
