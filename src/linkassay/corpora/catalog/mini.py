"""mini: the embedded benchmark, about a hundred short documents with every hard case on purpose.

Reads the plain text with inline markup in which it is written; `mini/GUIDE.md` describes the
markup and the annotation rules. Not a format for other corpora.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib import resources

from linkassay.corpora.corpus_spec import CorpusSpec
from linkassay.errors import DataError
from linkassay.files import RawFile, from_bytes
from linkassay.formats import Annotation, Reading
from linkassay.ids import IdRule
from linkassay.model import Document, Span
from linkassay.sources import only_file

_TYPES = ("disease", "chemical", "gene", "species", "cell_line", "variant")
_FLAGS = ("optional", "alternative")
_BRACKETS = re.compile(r"(\[\[|\]\])")
_ID = re.compile(r"[a-z]+:[^\s+/]+")


@dataclass
class _Mark:
    """One bracket pair: a mention, or a further piece of mentions that are begun elsewhere."""

    start: int
    line: int
    enclosing: _Mark | None
    pieces: list[tuple[Span, str]] = field(default_factory=list)
    type: str = ""  # none for a further piece
    ids: str = ""
    flags: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


@dataclass
class _Draft:
    """A document as far as it is read: plain text so far, and its marks in the order they open."""

    id: str
    file: str
    line: int
    lines: list[str] = field(default_factory=list)
    marks: list[_Mark] = field(default_factory=list)
    length: int = 0

    def fail(self, message: str, line: int) -> DataError:
        return DataError(f"document {self.id}: {message}", file=self.file, line=line)


def _read(files: list[RawFile], reading: Reading) -> Iterator[tuple[str, Document]]:
    reading = replace(reading, units="codepoint")  # the offsets are counted here
    for split in ("train", "dev", "test"):
        for draft in _drafts(only_file(files, f"{split}.txt"), reading.encoding):
            yield split, _document(draft, reading)


def _drafts(file: RawFile, encoding: str) -> Iterator[_Draft]:
    draft: _Draft | None = None
    for number, line in file.lines(encoding):
        if line.startswith("# "):
            if draft:
                yield draft
            draft = _Draft(line[2:].strip(), file.name, number)
        elif line.strip() and not line.startswith("%"):
            if draft is None:
                raise DataError("text before the first document; begin it with `# id`", file=file.name, line=number)
            _add_line(draft, line.strip(), number)
    if draft:
        yield draft


def _add_line(draft: _Draft, line: str, number: int) -> None:
    """Take the markup out of `line`, keeping its marks at their places in the document."""
    if draft.lines:
        draft.length += 1  # the space, or the gap between passages, before this line
    plain = ""
    opened: list[_Mark] = []
    parts = _BRACKETS.split(line)
    for index, part in enumerate(parts):
        if part == "[[":
            mark = _Mark(draft.length + len(plain), number, opened[-1] if opened else None)
            opened.append(mark)
            draft.marks.append(mark)
        elif part == "]]":
            if not opened:
                raise draft.fail("`]]` without `[[`", number)
            mark = opened.pop()
            surface = plain[mark.start - draft.length :]
            mark.pieces.append(((mark.start, mark.start + len(surface)), surface))
            _fill(draft, mark, parts[index - 1].split("|")[1:])
        else:
            closes = parts[index + 1 : index + 2] == ["]]"]
            plain += part.partition("|")[0] if closes else part
    if opened:
        raise draft.fail("`[[` without `]]` on the same line", number)
    draft.lines.append(plain)
    draft.length += len(plain)


def _fill(draft: _Draft, mark: _Mark, fields: list[str]) -> None:
    """What stands between the first `|` and `]]`: type, ids and flags, or keys of begun mentions."""
    if len(fields) == 1 and fields[0].startswith("#"):
        mark.keys = tuple(fields[0].split())
        return
    if not 2 <= len(fields) <= 3:
        raise draft.fail(f"{mark.pieces[0][1]!r}: expected [[text|type|ids]], [[text|type|ids|flags]] "
                         "or [[text|#key]]", mark.line)  # fmt: skip
    mark.type, mark.ids = fields[0], fields[1]
    words = fields[2].split() if len(fields) == 3 else []
    mark.keys = tuple(w for w in words if w.startswith("#"))
    mark.flags = tuple(w for w in words if not w.startswith("#"))
    if mark.type not in _TYPES:
        raise draft.fail(f"unknown type {mark.type!r}; known are: {', '.join(_TYPES)}", mark.line)
    for flag in mark.flags:
        if flag not in _FLAGS:
            raise draft.fail(f"unknown flag {flag!r}; known are: {', '.join(_FLAGS)} and #key", mark.line)
    for token in re.split(r"[+/]", mark.ids):
        if mark.ids != "NIL" and not _ID.fullmatch(token):
            raise draft.fail(f"{token!r} is no id; write prefix:local, joined by + or /, or NIL alone", mark.line)


def _document(draft: _Draft, reading: Reading) -> Document:
    if len(draft.lines) < 2:
        raise draft.fail("expected a title line and at least one line of text", draft.line)
    begun: dict[str, _Mark] = {}
    for mark in draft.marks:
        for key in mark.keys if mark.type else ():
            if key in begun:
                raise draft.fail(f"two mentions have the key {key}", mark.line)
            begun[key] = mark
    for mark in draft.marks:
        for key in () if mark.type else mark.keys:
            if key not in begun:
                raise draft.fail(f"no mention has the key {key}", mark.line)
            begun[key].pieces += mark.pieces
    mentions = [mark for mark in draft.marks if mark.type]
    keys = {id(mark): str(number) for number, mark in enumerate(mentions)}
    title, *body = draft.lines
    return reading.document(
        draft.id,
        [("title", None, title), ("abstract", None, " ".join(body))],
        [_annotation(draft, mark, keys) for mark in mentions],
        file=draft.file,
        line=draft.line,
        title=title,
    )


def _annotation(draft: _Draft, mark: _Mark, keys: dict[int, str]) -> Annotation:
    pieces = sorted(mark.pieces)
    parent = ""
    if "alternative" in mark.flags:
        around = mark.enclosing
        while around is not None and not around.type:
            around = around.enclosing
        if around is None:
            raise draft.fail(f"{mark.pieces[0][1]!r}: an alternative must stand inside another mention", mark.line)
        parent = keys[id(around)]
    return Annotation(
        spans=tuple(span for span, _ in pieces),
        text=" ".join(surface for _, surface in pieces),
        type=mark.type,
        raw=mark.ids,
        key=keys[id(mark)],
        parent=parent,
        role="alternative" if parent else "",
        optional="optional" in mark.flags,
        line=mark.line,
    )


def packaged_files() -> list[RawFile]:
    """The three split files, which ship inside the package."""
    folder = resources.files("linkassay") / "mini"
    return [from_bytes(name, (folder / name).read_bytes()) for name in SPEC.files]


SPEC = CorpusSpec(
    name="mini",
    title="mini: the embedded benchmark of linkassay",
    types=_TYPES,
    licence="Apache-2.0 (written for this project)",
    shares_text="full",
    citation="linkassay contributors (2026)",
    homepage="",
    kb="mini",
    files=("train.txt", "dev.txt", "test.txt"),
    read=_read,
    packaged=packaged_files,
    rules={"": IdRule(composite="+", alternative="/")},
    expected={
        "train": {"documents": 64, "annotations": 687, "labels": 691},
        "dev": {"documents": 14, "annotations": 145, "labels": 147},
        "test": {"documents": 32, "annotations": 343, "labels": 347},
    },
    notes="Every hard case on purpose; the guide in linkassay/mini/GUIDE.md lists them.",
)
