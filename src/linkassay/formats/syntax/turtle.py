"""Turtle: a file in, triples out, errors with line numbers. pyoxigraph parses; published files need it lenient.

No graph is kept and no datatype checked; statements about statements (RDF 1.2) are left out. Nothing is written but
escaped strings.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import IO, NamedTuple, cast

from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, parse
from pyoxigraph import Triple as Statement

from linkassay.errors import DataError
from linkassay.files import RawFile

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

#: What the parser calls nodes that have no name in the file: random numbers.
_UNNAMED = re.compile(r"[0-9a-f]{20,32}")
_PLACE = re.compile(r"^Parser error [^:]*: ")
_PLAINLY = {
    "Unexpected end": "the file ends within a statement",
    "Unexpected end of file": "a string or an IRI that does not end",
}


class Term(NamedTuple):
    """An object: an IRI or blank node (`literal` false), or a literal's text."""

    value: str
    literal: bool = False


class Triple(NamedTuple):
    """One statement and the line on which it was whole."""

    subject: str
    predicate: str
    object: Term
    line: int


def parse_turtle(file: RawFile, encoding: str = "utf-8") -> Iterator[Triple]:
    """Yield the triples of a Turtle file, reading no further than it takes to know of each."""
    lines, names = _Lines(file, encoding), _Names(file.name)
    try:
        for found in parse(cast(IO[bytes], lines), RdfFormat.TURTLE, lenient=True):
            lines.last = line = lines.line
            subject, object_ = names.of(found.subject, line), found.object
            if type(object_) is Literal:
                term = Term(object_.value, literal=True)
            elif type(object_) is Statement:
                continue
            else:
                term = Term(names.of(object_, line))
            yield Triple(subject, names.once(found.predicate.value), term, line)
    except SyntaxError as error:
        line = min(error.lineno or 0, lines.line)  # an end that comes too early is said to be behind the last line
        what = _PLACE.sub("", error.msg)
        raise DataError(f"not Turtle: {_PLAINLY.get(what, what)}", file=file.name, line=line) from error
    except MemoryError as error:
        if "buffer" not in str(error):
            raise
        raise DataError("a string or name of more than 16 MB", file=file.name, line=lines.line) from error


def quoted(text: str) -> str:
    """`text` as a Turtle string.

    >>> quoted('say "a\\\\b"')
    '"say \\\\"a\\\\\\\\b\\\\""'
    """
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", "\\n").replace("\r", "\\r") + '"'


class _Lines:
    """The file as the parser asks for it, but never beyond a line: so `line` is where the parser is.

    The parser goes through an unfinished string again with every line of it. `last` is the line of the last triple:
    the further back it is, the more lines are given at once.
    """

    def __init__(self, file: RawFile, encoding: str) -> None:
        self.line = self.last = 1
        self._lines = file.lines(encoding, ends=True)
        self._left = io.BytesIO()

    def read(self, size: int = -1) -> bytes:
        found = self._left.read(size)
        if not found:
            text = ""
            for number, line in islice(self._lines, 1 + (self.line - self.last) // 64):
                self.line = number
                text += line
            if text and text[-1] != "\n":  # the parser needs it: else the last dot of all may count as part of a name
                text += "\n"
            self._left = io.BytesIO(text.encode("utf-8", "surrogatepass"))
            found = self._left.read(size)
        return found


class _Names:
    """Names of nodes: IRIs, `_:` and the name that the file gives, or `_:[…]` with a number if it gives none."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._unnamed: dict[str, str] = {}
        self._seen: dict[str, str] = {}

    def of(self, node: NamedNode | BlankNode, line: int) -> str:
        value = node.value
        if type(node) is BlankNode:
            if _UNNAMED.fullmatch(value):
                return self._unnamed.setdefault(value, f"_:[{len(self._unnamed) + 1}]")
            return "_:" + value
        if "<" in value:  # the parser takes all up to the next > for it
            raise DataError(f"an IRI that does not end: {'<' + value[:40]!r}", file=self._file, line=line)
        return value

    def once(self, predicate: str) -> str:
        """The same string for the same predicate: there are few of them."""
        return self._seen.setdefault(predicate, predicate)
