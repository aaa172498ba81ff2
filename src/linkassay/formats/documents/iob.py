"""CoNLL-IOB: a token with its tag on each line, a blank line between sentences.

IOB1, IOB2 and BIOES (or BILOU) tags are understood. The original spacing is not in such files:
the text is the tokens joined by a space, sentences by a line break.

A line `# columns: token tag ids` names the columns (other names are passed over); else the token
is first and the tag last. `-DOCSTART-`, `#doc ID` or `# newdoc id = ID` begins a document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TextIO

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.reading import Annotation, Reading
from linkassay.model import Document, Mention, Span
from linkassay.problems import Problem

_COLUMNS = re.compile(r"# *columns:(.*)")
_DOCSTART = "-DOCSTART-"
_DOCUMENT = re.compile(r"# *doc +(\S[^\t]*)|# *newdoc(?: +id *= *(\S[^\t]*))?")
_COMMENT = re.compile(r"# *\w+ *=[^\t]*")  # of CoNLL-U, e.g. `# sent_id = 3`
_FILLERS = {"-X-", "O", "-", "_"}  # what CoNLL 2003 puts behind -DOCSTART-
_TAG = re.compile(r"([BIESLU])(?:-(.*))?")


@dataclass(frozen=True, slots=True)
class Columns:
    """Positions from 0, or from the end if negative; without `ids` all mentions are NIL."""

    token: int = 0
    tag: int = -1
    ids: int | None = None


#: AIDA-CoNLL: token, B or I, the whole mention, the entity (and more); other tokens stand alone.
AIDA = Columns(token=0, tag=1, ids=3)


@dataclass(slots=True)
class _Open:
    """A mention that may go on."""

    start: int
    end: int
    type: str
    ids: str
    line: int
    torn: bool = False


@dataclass(slots=True)
class _Builder:
    """The document so far."""

    name: str
    line: int
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    sentence: bool = True  # the next token begins a sentence
    open: _Open | None = None
    found: list[_Open] = field(default_factory=list)
    tagged: bool = False  # some line has more than a token

    def token(self, token: str, tag: str, type_: str, ids: str, line: int, *, no_id: bool = True) -> None:
        if self.pieces:
            self.pieces.append("\n" if self.sentence else " ")
            self.length += 1
        self.sentence = False
        start, self.length = self.length, self.length + len(token)
        self.pieces.append(token)
        goes_on = self.open is not None and tag in "IEL" and type_ == self.open.type
        if not goes_on:
            self.close()
            if tag == "O":
                return
            self.open = _Open(start, self.length, type_, ids, line)
        assert self.open is not None
        self.open.end = self.length
        # Ids stand on the first token or on all; others inside would be lost without a word.
        self.open.torn |= ids != self.open.ids and not no_id
        if tag in "ESLU":
            self.close()

    def close(self) -> None:
        if self.open is not None:
            self.found.append(self.open)
            self.open = None

    def break_sentence(self) -> None:
        self.close()
        self.sentence = True


def read(
    files: Iterable[RawFile], reading: Reading, *, columns: Columns | None = None, separator: str = ""
) -> Iterator[Document]:
    """Yield the documents of `files`.

    A document without an id is named after its file, with a number if the file has several.
    `separator` parts the columns; without it a tab does if there is one in the line, else spaces.
    """
    reading = replace(reading, units="codepoint")  # the text is made here, and its offsets with it
    for file in files:
        yield from _file(file, reading, columns, separator)


def _file(file: RawFile, reading: Reading, columns: Columns | None, separator: str) -> Iterator[Document]:
    given = columns
    columns = columns or Columns()
    builder: _Builder | None = None
    count = 0
    for number, line in file.lines(reading.encoding):
        if not line.strip(" \t"):
            if builder:
                builder.break_sentence()
            continue
        if header := _COLUMNS.fullmatch(line):
            columns = given or _named(header[1].split(), file.name, number)
            continue
        name = _begins(line)
        if name is not None:
            count += 1
            if builder:
                yield _document(builder, file, reading)
            builder = _Builder(name or f"{file.stem}-{count}", number)
            continue
        if _COMMENT.fullmatch(line):
            continue
        if builder is None:
            builder = _Builder("", number)
            count = 1
        _token(builder, line, columns, separator, reading, file.name, number)
    if builder and builder.pieces and count == 1 and not builder.tagged:
        raise DataError("no line has a tag beside its token: is this CoNLL-IOB?", file=file.name)
    if builder:
        # Only a file without any marker is one document, and has the whole name for itself.
        builder.name = builder.name or file.stem
        yield _document(builder, file, reading)


def _begins(line: str) -> str | None:
    """Name of the document that begins here, "" if it has none; None if none begins."""
    if line.startswith(_DOCSTART):
        rest = line.removeprefix(_DOCSTART).strip()
        if rest.startswith("(") and rest.endswith(")"):
            return rest[1:-1].strip()
        return " ".join(word for word in rest.split() if word not in _FILLERS)
    match = _DOCUMENT.fullmatch(line)
    return (match[1] or match[2] or "").strip() if match else None


def _named(names: list[str], file: str, line: int) -> Columns:
    lower = [name.lower() for name in names]
    for needed in ("token", "tag"):
        if needed not in lower:
            raise DataError(f"the columns line does not name {needed!r}; it names {', '.join(names) or 'none'}",
                            file=file, line=line)  # fmt: skip
    return Columns(lower.index("token"), lower.index("tag"), lower.index("ids") if "ids" in lower else None)


def _token(
    builder: _Builder, line: str, columns: Columns, separator: str, reading: Reading, file: str, number: int
) -> None:
    separator = separator or ("\t" if "\t" in line else " ")
    cells = [cell for cell in line.split(" ") if cell] if separator == " " else line.split(separator)
    builder.tagged = builder.tagged or len(cells) > 1
    if len(cells) == 1:  # a token alone is outside any mention
        builder.token(cells[0], "O", "", "", number)
        return
    token, tag = _cell(cells, columns.token), _cell(cells, columns.tag)
    if token is None or tag is None:
        raise DataError(f"expected a token and a tag, found {len(cells)} columns", file=file, line=number)
    if not token.strip():
        raise DataError("the token is empty", file=file, line=number)
    if tag.strip() == "O":
        builder.token(token, "O", "", "", number)
        return
    match = _TAG.fullmatch(tag.strip())
    if match is None:
        raise DataError(f"unknown tag {tag[:40]!r}; expected O, or B, I, E or S with -Type", file=file, line=number)
    type_ = match[2] or ""
    ids = "" if columns.ids is None else (_cell(cells, columns.ids) or "").strip()
    builder.token(token, match[1], type_, ids, number, no_id=reading.source_rule(type_).is_none(ids))


def _cell(cells: list[str], at: int) -> str | None:
    return cells[at] if -len(cells) <= at < len(cells) else None


def _document(builder: _Builder, file: RawFile, reading: Reading) -> Document:
    builder.close()
    name = builder.name or f"{file.stem}-1"
    kept = []
    for mention in builder.found:
        span = (mention.start, mention.end)
        if mention.torn:
            reading.problems.add(Problem("ids", "the ids change inside the mention; a new one begins with B", file.name,
                                         mention.line, name, (span,), type=mention.type))  # fmt: skip
        else:
            kept.append(Annotation((span,), None, mention.type, mention.ids, line=mention.line))
    return reading.document(name, [("", 0, "".join(builder.pieces))], kept, file=file.name, line=builder.line)


def tokens(text: str) -> Iterator[Span]:
    """Runs of letters, digits and `_`; any other character that is not white space, alone.

    >>> text = "IL-2 (human)"
    >>> [text[start:end] for start, end in tokens(text)]
    ['IL', '-', '2', '(', 'human', ')']
    """
    return (match.span() for match in re.finditer(r"\w+|[^\w\s]", text))


def write(documents: Iterable[Document], out: TextIO, *, tokenizer: Callable[[str], Iterable[Span]] = tokens) -> None:
    """Write documents with IOB2 tags; tokens are cut where a mention begins or ends.

    In the ids column `|` joins the ids of a composite and `;` separates alternatives, `-` is NIL.
    Alternatives and parts of mentions are left out. Mentions that overlap, or are discontinuous,
    cannot be written.
    """
    out.write("# columns: token tag ids\n")
    for document in documents:
        if not document.id.strip() or re.search(r"[\t\r\n]", document.id):
            raise DataError(f"document {document.id!r}: the id cannot be written on one line")
        out.write(f"#doc {document.id}\n")
        out.writelines(_lines(document, tokenizer))
        out.write("\n")


def _lines(document: Document, tokenizer: Callable[[str], Iterable[Span]]) -> Iterator[str]:
    text, mentions = document.text, _in_order(document)
    last, at, begun = 0, 0, False  # end of the last token; mention to come or open; is it open
    for start, end in _cut(tokenizer(text), [edge for m in mentions for edge in m.spans[0]]):
        while at < len(mentions) and mentions[at].end <= start:
            _expect(begun, mentions[at])
            at, begun = at + 1, False
        inside = at < len(mentions) and mentions[at].start <= start
        if last and "\n" in text[last:start] and not begun:
            yield "\n"
        if inside:
            mention = mentions[at]
            tag = ("I" if begun else "B") + ("-" if mention.type else "") + re.sub(r"\s", "_", mention.type)
            yield f"{text[start:end]}\t{tag}\t{_ids(mention)}\n"
            begun = True
        else:
            yield f"{text[start:end]}\tO\t-\n"
        last = end
    for mention in mentions[at:]:
        _expect(begun, mention)
        begun = False


def _in_order(document: Document) -> list[Mention]:
    mentions = sorted(document.mentions, key=lambda m: m.spans)
    for mention in mentions:
        if len(mention.spans) > 1:
            raise DataError(f"document {document.id}: {_shown(mention)} is discontinuous; IOB cannot hold it")
    for first, second in pairwise(mentions):
        if second.start < first.end:
            raise DataError(f"document {document.id}: {_shown(first)} and {_shown(second)} overlap; "
                            "IOB cannot hold both")  # fmt: skip
    return mentions


def _cut(spans: Iterable[Span], edges: list[int]) -> Iterator[Span]:
    """The tokens, cut at those `edges` (in order) that lie inside them."""
    at = 0
    for start, end in spans:
        while at < len(edges) and edges[at] < end:
            if edges[at] > start:
                yield start, edges[at]
                start = edges[at]
            at += 1
        yield start, end


def _expect(begun: bool, mention: Mention) -> None:
    if not begun:
        raise DataError(f"document {mention.document}: the tokenizer gives no token inside {_shown(mention)}")


def _shown(mention: Mention) -> str:
    at = " ".join(f"{start}-{end}" for start, end in mention.spans)
    return f"{mention.text[:60]!r} ({at})"


def _ids(mention: Mention) -> str:
    for id_ in mention.ids:
        if re.search(r"[\t\r\n;|]", id_):
            raise DataError(f"document {mention.document}: the id {id_!r} of {_shown(mention)} has a tab, line break, "
                            "';' or '|', which separate ids")  # fmt: skip
    return ";".join("|".join(sorted(ids)) for ids in mention.gold) or "-"
