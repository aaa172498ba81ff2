"""Plain text files plus one tab-separated table of annotations, as Linnaeus, S800 and SNP have it.

Where the columns are is declared by the corpus. Without a declaration the table has a header line
that names `document`, `start`, `end`, `text`, `type` and `ids`, in any order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.reading import Annotation, Reading
from linkassay.model import Document, Span, join_text
from linkassay.problems import Problem
from linkassay.sources import only_file

_OFFSET = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each thing stands: a position from 0, or a name of the header line; None: nowhere.

    Named columns mean that the table has a header line. Without `type` all mentions are of
    `constant_type`.
    """

    document: int | str = "document"
    start: int | str = "start"
    end: int | str = "end"
    text: int | str | None = "text"
    type: int | str | None = "type"
    ids: int | str | None = "ids"
    constant_type: str = ""


_NAMED = Columns()


def read(
    files: Iterable[RawFile],
    reading: Reading,
    *,
    columns: Columns = _NAMED,
    table: str | RawFile = "*.tsv",
    text_suffix: str = ".txt",
    texts: Mapping[str, str] | None = None,
    comment: str = "#",
    quote: str = "",
    inclusive_end: bool = False,
    text_of: Callable[[str], str] = str,
    document_id: Callable[[str], str] = str,
) -> Iterator[Document]:
    """Yield one document for each text, annotated or not.

    `table` is one of `files`, or a glob that one of them must match. Texts are the files that end in `text_suffix`, or
    `texts` by name. `text_of` turns the table's document cell into the name of a text (a file's
    name without folder and suffix), `document_id` such a name into the document's id. Lines that
    begin with `comment` are left out; the character `quote` is taken off both ends of a text.
    """
    files = list(files)
    source = only_file(files, table) if isinstance(table, str) else table
    sources = _sources([f for f in files if f is not source], text_suffix, texts)
    rows: dict[str, list[Annotation]] = {}
    for name, annotation in _rows(source, reading, columns, comment, quote, inclusive_end, text_of):
        if name in sources:
            rows.setdefault(name, []).append(annotation)
        else:
            reading.problems.add(Problem("document", f"no text is named {name!r}", source.name, annotation.line,
                                         name, annotation.spans, type=annotation.type))  # fmt: skip
    for name, text_source in sources.items():
        text = text_source if isinstance(text_source, str) else text_source.text(reading.encoding)
        annotations = (
            a if a.text is None else a._replace(text=source_text(text, a.spans, a.text, reading))
            for a in rows.pop(name, [])
        )
        yield reading.document(document_id(name), [("", 0, text)], annotations, file=source.name)


def source_text(text: str, spans: tuple[Span, ...], written: str, reading: Reading) -> str:
    """What a table's cell or line says the text at `spans` is, with its line breaks restored.

    Tables hold a record per line, so a mention across a line break is written with a space there.
    Where `written` is the text at `spans` apart from that, the latter is returned.
    """
    if reading.units == "codepoint" or text.isascii():
        found = join_text(text, spans)
        if found != written and _flat(found) == _flat(written):
            return found
    return written


def _flat(text: str) -> str:
    return re.sub(r"[\t\r\n]", " ", text)


def _sources(files: list[RawFile], suffix: str, texts: Mapping[str, str] | None) -> Mapping[str, RawFile | str]:
    """The texts by name: files not yet read, or those that were given."""
    if texts is not None:
        return texts
    found: dict[str, RawFile | str] = {}
    for file in files:
        if not file.name.lower().endswith(suffix):
            continue
        name = file.name.rpartition("/")[2][: -len(suffix)]
        if name in found:
            raise DataError(f"a second text is named {name!r}; texts are told apart by file name without folder",
                            file=file.name)  # fmt: skip
        found[name] = file
    if not found:
        raise DataError(f"no texts: none of the files ends in {suffix!r}")
    return found


def _rows(
    file: RawFile,
    reading: Reading,
    columns: Columns,
    comment: str,
    quote: str,
    inclusive_end: bool,
    text_of: Callable[[str], str],
) -> Iterator[tuple[str, Annotation]]:
    """(Name of its text, annotation) for each row."""
    named = any(isinstance(getattr(columns, f.name), str) for f in fields(columns) if f.name != "constant_type")
    places: dict[str, int] | None = None if named else _places(columns, [], file.name, 0)
    for number, line in file.lines(reading.encoding):
        if not line.strip():
            continue
        if places is None:
            places = _places(columns, line.removeprefix(comment).split("\t"), file.name, number)
            continue
        if comment and line.startswith(comment):
            continue
        cells = line.split("\t")
        if len(cells) <= max(places.values()):
            raise DataError(f"expected at least {max(places.values()) + 1} columns separated by tabs, "
                            f"found {len(cells)}", file=file.name, line=number)  # fmt: skip
        cell = {key: cells[at] for key, at in places.items()}
        start, end = (_offset(cell[key], key, file.name, number) for key in ("start", "end"))
        yield (
            text_of(cell["document"].strip()),
            Annotation(
                spans=((start, end + inclusive_end),),
                text=_unquoted(cell["text"], quote) if "text" in cell else None,
                type=cell["type"].strip() if "type" in cell else columns.constant_type,
                raw=cell.get("ids", "").strip(),
                line=number,
            ),
        )
    if places is None:
        raise DataError("the table is empty; expected a header line", file=file.name)


def _places(columns: Columns, header: list[str], file: str, line: int) -> dict[str, int]:
    """Position of each column that there is."""
    known = {name.strip().lower(): at for at, name in reversed(list(enumerate(header)))}
    places: dict[str, int] = {}
    for key in ("document", "start", "end", "text", "type", "ids"):
        where: int | str | None = getattr(columns, key)
        if isinstance(where, str):
            if where.lower() not in known:
                names = ", ".join(repr(name.strip()) for name in header[:12])
                raise DataError(f"the header line does not name the column {where!r}; it names {names}",
                                file=file, line=line)  # fmt: skip
            places[key] = known[where.lower()]
        elif where is not None:
            places[key] = where
    return places


def _offset(cell: str, key: str, file: str, line: int) -> int:
    if not _OFFSET.fullmatch(cell.strip()):
        raise DataError(f"{key}: expected a whole number, found {cell[:40]!r}", file=file, line=line)
    return int(cell.strip())  # by itself it takes fewer characters for blanks


def _unquoted(text: str, quote: str) -> str:
    if quote and len(text) >= 2 and text.startswith(quote) and text.endswith(quote):
        return text[1:-1]
    return text
