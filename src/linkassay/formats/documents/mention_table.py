"""Mention tables: a corpus without its texts, one mention a row, as TSV with a header or Parquet.

Columns: document, mention (optional), start, end, text, type, ids. Cells of `start` and `end` may
be empty (no place known) or `;`-joined (several pieces). TSV cells are quoted as spreadsheets do.
Since there is no text, offsets cannot be verified; everything that needs context is impossible (DATA-11).
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from linkassay.errors import DataError
from linkassay.files import MAX_LINE, RawFile
from linkassay.formats.reading import Annotation, Reading
from linkassay.ids import IdRule, curie
from linkassay.model import Document, Gold, Mention
from linkassay.registry import near_miss

COLUMNS = ("document", "mention", "start", "end", "text", "type", "ids")
#: How `write` joins ids.
RULE = IdRule(composite="|", alternative=";")

_Row = tuple[int, dict[str, Any]]


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
        # A column of integers with gaps is often stored as floats: 12.0
        matches = [re.fullmatch(r"\s*([0-9]{1,15})(?:\.0+)?\s*", str(part)) for part in parts]
        if not all(matches):
            raise self.error(column, "expected offsets such as 17, or 17;42 for several pieces", value)
        return [int(m[1]) for m in matches if m]

    def error(self, column: str, message: str, value: Any) -> DataError:
        return DataError(f"{column}: {message}, found {str(value)[:60]!r}", file=self.file, line=self.line)


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the documents of mention tables; they have mentions but no text."""
    seen: set[str] = set()
    for file in files:
        documents: dict[str, list[Annotation]] = {}
        for line, values in _parquet(file) if file.suffix == ".parquet" else _tsv(file, reading):
            row = _Cells(values, file.name, line)
            annotation = _annotation(row, reading)
            if annotation.id:
                if annotation.id in seen:
                    raise DataError(f"mention id {annotation.id!r} occurs twice", file=file.name, line=line)
                seen.add(annotation.id)
            document = row.text("document")
            if not document.strip():
                raise DataError("document: the cell is empty", file=file.name, line=line)
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


def _tsv(file: RawFile, reading: Reading) -> Iterator[_Row]:
    csv.field_size_limit(MAX_LINE)  # by default a cell of 131,072 characters is an error
    rows = csv.reader(io.StringIO(file.text(reading.encoding), newline=""), delimiter="\t", strict=True)
    try:
        header = next(rows, [])
        _check_columns(header, file.name)
        line = rows.line_num
        for cells in rows:
            line, first = rows.line_num, line + 1
            if cells:
                if len(cells) != len(header):
                    raise DataError(f"{len(cells)} cells, expected {len(header)}", file=file.name, line=first)
                yield first, dict(zip(header, cells))
    except csv.Error as error:
        hint = "a cell that begins with a quotation mark must be quoted and its marks doubled"
        raise DataError(f"not a table ({error}); {hint}", file=file.name, line=rows.line_num) from error


def _parquet(file: RawFile) -> Iterator[_Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = file.bytes()
    number = 0
    try:
        table = pq.ParquetFile(pa.BufferReader(data))
        _check_columns(table.schema_arrow.names, file.name)
        columns = [c for c in COLUMNS if c in table.schema_arrow.names]
        for batch in table.iter_batches(columns=columns):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pa.ArrowException, OSError, MemoryError, ValueError) as error:
        raise DataError(f"not a readable Parquet file ({str(error).splitlines()[0][:200]})", file=file.name) from error


def _check_columns(header: list[str], file: str) -> None:
    twice = [c for c in COLUMNS if header.count(c) > 1]
    if twice:
        raise DataError(f"columns that occur twice: {', '.join(twice)}", file=file, line=1)
    missing = [c for c in COLUMNS if c not in header and c != "mention"]
    if missing:
        others = [c for c in header if c not in COLUMNS]
        hints = "; ".join(f"{c!r} ({near_miss(c, others)})" for c in missing)
        raise DataError(f"the table has no column {hints}", file=file, line=1)


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
