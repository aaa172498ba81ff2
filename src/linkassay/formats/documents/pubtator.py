"""PubTator: title and abstract lines, then one tab-separated line for each annotation.

Read line by line; relations are counted and left out. The writer refuses what the format cannot
hold: line breaks, tabs in mentions, discontinuous mentions, passages beyond title and abstract.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TextIO

from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile
from linkassay.formats.reading import Annotation, Reading, Units, text_length
from linkassay.ids import IdRule
from linkassay.model import Document, Mention, join_text

_PASSAGE = re.compile(r"([^|\t]+)\|([A-Za-z])\|(.*)", re.DOTALL)
_KINDS = {"t": "title", "a": "abstract"}  # any other letter is its own kind
_OFFSET = re.compile(r" *-?[0-9]{1,15} *")
_NOVELTY = ("Novel", "No")  # fifth column of a BioRED relation
_DEFAULT_RULES = {"": IdRule(composite="|", alternative=";")}


def read(files: Iterable[RawFile], reading: Reading, *, join_blocks: bool = False) -> Iterator[Document]:
    """Yield the documents of PubTator files; relations are counted in `reading.left_out`.

    With `join_blocks` (or that of the reading) the blocks of one article in a file are one document, its passages those
    of all of them; without, a further block of an article is a document of an id that was there before.
    """
    reading.repeated = "; join the blocks of one article with --join-blocks"
    for file in files:
        blocks = _blocks(file, reading)
        for block in _joined(blocks, reading.units) if join_blocks or reading.join_blocks else blocks:
            yield block.document(reading, file.name)


def _blocks(file: RawFile, reading: Reading) -> Iterator[_Block]:
    """The blocks of a file, each a document so far."""
    block: _Block | None = None
    ended = False  # by a blank line, behind which more annotations may stand
    for number, line in file.lines(reading.encoding):
        passage = _PASSAGE.fullmatch(line)
        begins = passage is not None and (block is None or ended or not block.continued_by(passage[1], passage[2]))
        if block is not None and begins:
            yield block
            block = None
        ended = not line.strip() or (ended and not begins)
        if passage is not None:
            block = block or _Block(passage[1], number)
            block.passages.append((_KINDS.get(passage[2], passage[2]), None, passage[3]))
        elif line.strip():
            with reading.problems.going_on():
                _row(line, block, reading, file.name, number)
    if block is not None:
        yield block


def _joined(blocks: Iterable[_Block], units: Units) -> Iterable[_Block]:
    """One block for each article, in the order of their first ones; offsets count from the beginning of each block.

    A text that was there before is not repeated: its further annotations belong to it.
    """
    found: dict[str, _Block] = {}
    places: dict[tuple[str, tuple[str, ...]], int] = {}  # where the text of a block of an article begins
    for block in blocks:
        first = found.setdefault(block.id, block)
        text = tuple(text for _, _, text in block.passages)
        if first is block:
            places[block.id, text] = 0
        else:
            # passages have a space between
            end = sum(text_length(text, units) + 1 for _, _, text in first.passages)
            by = places.setdefault((block.id, text), end)
            first.passages += block.passages if by == end else []
            first.annotations += [
                each._replace(spans=tuple((start + by, end + by) for start, end in each.spans))
                for each in block.annotations
            ]
    return found.values()


@dataclass
class _Block:
    """A document while its lines come in."""

    id: str
    line: int
    passages: list[tuple[str, int | None, str]] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)

    def continued_by(self, id: str, letter: str) -> bool:
        """Whether a passage line belongs to this block: blank lines between blocks may be missing."""
        return id == self.id and letter != "t"

    def document(self, reading: Reading, file: str) -> Document:
        return reading.document(self.id, self.passages, self.annotations, file=file, line=self.line)


def _row(line: str, block: _Block | None, reading: Reading, file: str, number: int) -> None:
    """Add the annotation on `line` to its block, or count the relation."""
    cells = line.split("\t")
    if len(cells) < 4:
        raise DataError(f"neither a line 'id|t|title' nor an annotation with tabs: {line[:60]!r}",
                        file=file, line=number)  # fmt: skip
    if block is None:
        raise DataError(f"annotation of document {cells[0]!r} before its title", file=file, line=number)
    if cells[0] != block.id:
        raise DataError(f"annotation of document {cells[0]!r} among those of {block.id!r}", file=file, line=number)
    offsets = all(_OFFSET.fullmatch(cell) for cell in cells[1:3])
    if not offsets and (len(cells) == 4 or (len(cells) == 5 and cells[4] in _NOVELTY)):
        reading.left_out["relation"] = reading.left_out.get("relation", 0) + 1
        return
    if not offsets:
        raise DataError(f"start and end of an annotation must be whole numbers, found {cells[1][:20]!r} and "
                        f"{cells[2][:20]!r}", file=file, line=number)  # fmt: skip
    if len(cells) == 4:
        raise DataError("annotation without a type: expected id, start, end, text, type and perhaps ids, "
                        "separated by tabs", file=file, line=number)  # fmt: skip
    span = (int(cells[1]), int(cells[2]))
    identifiers = cells[5] if len(cells) > 5 else ""
    block.annotations.append(Annotation((span,), cells[3], cells[4], identifiers, line=number))


def write(documents: Iterable[Document], out: TextIO, rules: Mapping[str, IdRule] | None = None) -> None:
    """Write the mentions of each document; what PubTator has no place for (parts, flags, links) is left out.

    Types are ours, ids as `ids_text` says. A document that would not come back with the same text
    and spans is refused.
    """
    for document in documents:
        lines = [f"{document.id}|{letter}|{text}" for letter, text in _passages(document)]
        lines += [_line(mention, document, rules) for mention in document.mentions]
        out.write("\n".join(lines) + "\n\n")


def ids_text(mention: Mention, rules: Mapping[str, IdRule] | None = None) -> str:
    """The ids of a mention as one text for a file.

    With `rules` (type → rule, as a `Reading` has them) it is a text that they read as the mention's
    gold: the source's own where that still holds, else CURIEs joined by the rule's characters.
    Without, the source's own text if there is one, else CURIEs, `|` joining composites and `;`
    alternatives. NIL without a source text is the empty text.
    """
    if rules is None and mention.raw:
        return mention.raw
    rule = Reading(rules=_DEFAULT_RULES if rules is None else rules).rule(mention.type)
    if mention.raw and rule.gold(mention.raw) == mention.gold:
        return mention.raw
    text = rule.spelled(mention.gold)
    if text is None:
        gold = [sorted(ids) for ids in mention.gold]
        raise UsageError(f"mention {mention.id}: no text that the id rule reads as {gold}; "
                         "give a rule with characters for composites and alternatives")  # fmt: skip
    return text


def _passages(document: Document) -> list[tuple[str, str]]:
    """Letter and text of each passage; a text that is not divided is a title."""
    if not document.id.strip() or re.search(r"[|\t\r\n]|^\ufeff", document.id):
        raise _refusal(document.id, f"its id {document.id!r} is empty or has a bar, tab or line break")
    passages = [(p.kind, p.text) for p in document.passages] or [("title", document.text)]
    kinds = [kind for kind, _ in passages]
    if kinds not in ([""], ["title"], ["abstract"], ["title", "abstract"]):
        raise _refusal(document.id, f"its passages are {', '.join(map(repr, kinds))}, not one title and one abstract")
    if " ".join(text for _, text in passages) != document.text:
        raise _refusal(document.id, "its passages are not separated by exactly one space")
    for kind, text in passages:
        if "\n" in text or "\r" in text:
            raise _refusal(document.id, f"its {kind or 'text'} has a line break")
    return [(kind[:1] or "t", text) for kind, text in passages]


def _line(mention: Mention, document: Document, rules: Mapping[str, IdRule] | None) -> str:
    if len(mention.spans) != 1:
        raise _refusal(document.id, f"mention {mention.id} has {len(mention.spans)} spans")
    if join_text(document.text, mention.spans) != mention.text:
        raise _refusal(document.id, f"mention {mention.id} is not the document's text at its span")
    cells = [document.id, str(mention.start), str(mention.end), mention.text, mention.type]
    identifiers = ids_text(mention, rules)
    if identifiers:
        cells.append(identifiers)
    for cell in cells:
        if re.search(r"[\t\r\n]", cell):
            raise _refusal(document.id, f"mention {mention.id} has a tab or line break in {cell!r}")
    return "\t".join(cells)


def _refusal(document: str, why: str) -> UsageError:
    return UsageError(f"document {document}: PubTator cannot hold it: {why}; write BioC or JSON lines instead")
