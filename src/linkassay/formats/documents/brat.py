"""brat stand-off files: `X.txt` holds a text, `X.ann` beside it the annotations.

Read are text-bound annotations (`T`, also discontinuous) and normalisations (`N`), each of which
is one alternative. Relations, events, attributes, equivalences and notes are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.documents.standoff import source_text
from linkassay.formats.reading import Annotation, Reading
from linkassay.model import Document, Gold, Span
from linkassay.problems import Problem

_TEXT_BOUND = re.compile(r"(T\S*)\t(\S+) ([0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*)\t(.*)")
_NORMALISATION = re.compile(r"N\S*\t\S+ +(\S+) +(\S[^\t]*)(?:\t.*)?")
_PASSED_OVER = ("A", "M", "R", "E", "*", "#")
#: What may not be in the name of a file, nor begin it.
_NOT_A_NAME = re.compile(r"[/\\\x00-\x1f\x7f]|^\.|^$")


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield a document for each `.txt`; its id is the file's name without folder and suffix."""
    texts: dict[str, RawFile] = {}
    annotations: dict[str, RawFile] = {}
    for file in files:
        path, dot, suffix = file.name.rpartition(".")
        if dot and suffix.lower() in ("txt", "ann"):
            earlier = (texts if suffix.lower() == "txt" else annotations).setdefault(path, file)
            if earlier is not file:
                raise DataError(f"has the same name as {earlier.path or earlier.name}; read the folders one by one",
                                file=str(file.path or file.name))  # fmt: skip
    for path, file in annotations.items():
        if path not in texts:
            raise DataError(f"there is no {path}.txt, the text of these annotations", file=file.name)
    if not texts:
        raise DataError("no brat files: none of the files ends in .txt")
    if not annotations:
        raise DataError("no annotations: none of the files ends in .ann; give the folder that holds both")
    seen: dict[str, str] = {}
    for path, file in texts.items():
        name = path.rpartition("/")[2]
        if name in seen:
            raise DataError(f"a second document is named {name!r} ({seen[name]}); read the folders one by one",
                            file=file.name)  # fmt: skip
        seen[name] = file.name
        text = file.text(reading.encoding)
        beside = annotations.get(path)
        found = _annotations(name, text, beside, reading) if beside else []
        yield reading.document(name, [("", 0, text)], found, file=(beside or file).name)


def _annotations(document: str, text: str, file: RawFile, reading: Reading) -> list[Annotation]:
    bound: dict[str, tuple[tuple[Span, ...], str, str, int]] = {}  # spans, text, type, line
    references: dict[str, list[tuple[str, int]]] = {}  # id as written, line
    for number, line in file.lines(reading.encoding):
        if line.startswith("T"):
            match = _TEXT_BOUND.fullmatch(line)
            if match is None:
                raise DataError(f"expected 'T1<tab>Type start end<tab>text', found {line[:60]!r}",
                                file=file.name, line=number)  # fmt: skip
            key, type_, offsets, written = match.groups()
            if key in bound:
                raise DataError(f"{key} occurs twice", file=file.name, line=number)
            pairs = (pair.split(" ") for pair in offsets.split(";"))
            spans = tuple((int(start), int(end)) for start, end in pairs)
            bound[key] = spans, source_text(text, spans, written, reading), type_, number
        elif line.startswith("N"):
            match = _NORMALISATION.fullmatch(line)
            if match is None:
                raise DataError(f"expected 'N1<tab>Reference T1 id<tab>name', found {line[:60]!r}",
                                file=file.name, line=number)  # fmt: skip
            references.setdefault(match[1], []).append((match[2].strip(), number))
        elif line.strip() and not line.startswith(_PASSED_OVER):
            raise DataError(f"not a brat annotation: {line[:60]!r}", file=file.name, line=number)
    for target, ids in references.items():
        # Events and relations can be normalised too; they are no mentions.
        if target.startswith("T") and target not in bound:
            reading.problems.add(Problem("reference", f"normalisation of {target}, which is not in the file",
                                         file.name, ids[0][1], document))  # fmt: skip
    return [
        Annotation(spans, written, type_, *_ids(references.get(key, []), type_, reading), key=key, line=number)
        for key, (spans, written, type_, number) in bound.items()
    ]


def _ids(references: list[tuple[str, int]], type_: str, reading: Reading) -> tuple[str, Gold]:
    """The ids as written and what they stand for, each normalisation being an alternative."""
    rule = reading.source_rule(type_)
    gold = dict.fromkeys(ids for raw, _ in references for ids in rule.gold(raw))
    return ";".join(raw for raw, _ in references), tuple(gold)


def write(documents: Iterable[Document], folder: Path) -> None:
    """Write a pair of files for each document.

    brat knows no composite ids: they are written as one, joined by `|`. Mentions without a type
    become `Entity`, white space in a type `_`. Alternatives and parts of mentions are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for document in documents:
        if _NOT_A_NAME.search(document.id):
            raise DataError(f"document {document.id!r}: the id cannot be the name of a brat file")
        # Readers drop one byte order mark; one that belongs to the text needs another before it.
        mark = "\ufeff" if document.text.startswith("\ufeff") else ""
        (folder / f"{document.id}.txt").write_bytes((mark + document.text).encode("utf-8"))
        (folder / f"{document.id}.ann").write_bytes("".join(_lines(document)).encode("utf-8"))


def _lines(document: Document) -> Iterator[str]:
    normalisations = 0
    for number, mention in enumerate(document.mentions, 1):
        offsets = ";".join(f"{start} {end}" for start, end in mention.spans)
        type_ = re.sub(r"\s", "_", mention.type) or "Entity"
        text = _one_line(mention.text)
        yield f"T{number}\t{type_} {offsets}\t{text}\n"
        for ids in mention.gold:
            normalisations += 1
            yield f"N{normalisations}\tReference T{number} {_one_line('|'.join(sorted(ids)))}\t{text}\n"


def _one_line(text: str) -> str:
    return re.sub(r"[\t\r\n]", " ", text)
