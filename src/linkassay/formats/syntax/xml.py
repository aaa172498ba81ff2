"""XML for readers and writers of corpora: streamed, bounded, without entities (SAFE-7).

No entity is ever expanded and nothing outside the file is ever fetched; only character references
and the five predefined entities work. Not a general XML library: no namespaces, no comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from linkassay.errors import DataError, UsageError
from linkassay.files import MAX_LINE, RawFile

#: No element lies deeper than this.
MAX_DEPTH = 500
#: No single tag or comment is longer than about this many bytes: the parser rescans unfinished ones.
MAX_TOKEN = 1 << 23

_CHUNK = 1 << 18
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Parsers turn a bare carriage return into a line feed, a character reference they keep.
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


@dataclass(slots=True, eq=False, repr=False)
class Element:
    """An element with its mixed content in order: texts and elements."""

    tag: str
    attributes: dict[str, str]
    line: int
    content: list[str | Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text inside, at any depth, as it stands."""
        pieces: list[str] = []
        waiting: list[str | Element] = [self]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                pieces.append(item)
            else:
                waiting.extend(reversed(item.content))
        return "".join(pieces)

    def children(self, tag: str = "") -> Iterator[Element]:
        """The elements directly inside, all or those named `tag`."""
        return (item for item in self.content if isinstance(item, Element) and tag in ("", item.tag))

    def first(self, tag: str) -> Element | None:
        """The first element named `tag` directly inside."""
        return next(self.children(tag), None)


def iterate(file: RawFile, tag: str, roots: tuple[str, ...] = ()) -> Iterator[Element]:
    """Yield each outermost element named `tag`, one at a time; the rest of the file is not kept.

    With `roots` the file's root element must have one of these names.
    """
    builder = _Builder(file.name, tag, roots)
    with file.open() as stream:
        while chunk := stream.read(_CHUNK):
            builder.feed(chunk)
            yield from builder.take()
        builder.feed(b"")
    yield from builder.take()


def escape(text: str) -> str:
    """`text` for use in XML content or attributes; refuses what XML 1.0 has no way to write."""
    if illegal := _ILLEGAL.search(text):
        near = text[max(illegal.start() - 20, 0) : illegal.end() + 20]
        raise UsageError(f"XML cannot hold the character U+{ord(illegal[0]):04X} in {near!r}; write JSON lines instead")
    return text.translate(_ESCAPES)


class _Builder:
    """Builds the wanted elements from the parser's events."""

    def __init__(self, file: str, tag: str, roots: tuple[str, ...]) -> None:
        self.file, self.tag, self.roots = file, tag, roots
        self.depth = 0
        self.fed = 0  # bytes given to the parser
        self.began = 0  # where in these the element under construction begins
        self.open: list[Element] = []
        self.done: list[Element] = []
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._skipped

    def feed(self, chunk: bytes) -> None:
        """Parse one more chunk; an empty one ends the file."""
        try:
            self.parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            raise DataError(f"not well-formed XML ({expat.ErrorString(error.code)})",
                            file=self.file, line=error.lineno) from error  # fmt: skip
        except (ValueError, LookupError) as error:  # a declared encoding that Python lacks or expat cannot use
            raise self._error(f"not readable XML ({error})") from error
        self.fed += len(chunk)
        if self.fed - max(self.parser.CurrentByteIndex, 0) > MAX_TOKEN:
            raise self._error(f"a tag or comment is longer than {MAX_TOKEN:,} bytes")

    def take(self) -> list[Element]:
        """The elements finished since the last call."""
        done, self.done = self.done, []
        return done

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.depth == 0 and self.roots and tag not in self.roots:
            expected = " or ".join(f"<{root}>" for root in self.roots)
            raise self._error(f"the root element is <{tag[:40]}>, expected {expected}")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(f"elements nested deeper than {MAX_DEPTH}")
        if not self.open and tag != self.tag:
            return
        element = Element(tag, attributes, self.parser.CurrentLineNumber)
        if self.open:
            self.open[-1].content.append(element)
            self._check_size()
        else:
            self.began = self.parser.CurrentByteIndex
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.depth -= 1
        if self.open:
            element = self.open.pop()
            if not self.open:
                self.done.append(element)

    def _characters(self, text: str) -> None:
        if self.open:
            self.open[-1].content.append(text)
            self._check_size()

    def _check_size(self) -> None:
        if self.parser.CurrentByteIndex - self.began > MAX_LINE:
            raise self._error(f"an element <{self.tag}> is larger than {MAX_LINE:,} bytes")

    def _entity(self, name: str, *_: object) -> None:
        raise self._error("declares XML entities, which are never expanded")

    def _skipped(self, name: str, _: bool) -> None:
        raise self._error(
            f"refers to the XML entity {name[:40]!r}, which is never expanded; write the character itself"
        )

    def _error(self, message: str) -> DataError:
        return DataError(message, file=self.file, line=self.parser.CurrentLineNumber)
