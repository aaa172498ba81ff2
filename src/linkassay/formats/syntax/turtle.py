"""A small Turtle parser: text in, triples out, errors with line numbers.

It reads all of Turtle 1.1 and is lenient about characters in IRIs, as published files are. It
keeps no graph, checks no datatypes and writes nothing but escaped strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urljoin

from linkassay.errors import DataError

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_MAX_DEPTH = 100

_LOCAL = r"(?:\.*+(?:[\w:·-]|%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]))*+"
_TOKENS = re.compile(
    rf"""
      (?P<space>(?:[ \t\r\n]++|\#[^\r\n]*+)+)
    | (?P<iri><[^<>\r\n]*+>)
    | (?P<long>\"\"\"(?:[^"\\]++|\\.|"(?!""))*+\"\"\"|'''(?:[^'\\]++|\\.|'(?!''))*+''')
    | (?P<short>"(?!"")(?:[^"\\\r\n]++|\\.)*+"|'(?!'')(?:[^'\\\r\n]++|\\.)*+')
    | (?P<blank>_:\w(?:\.*+[\w·-])*+)
    | (?P<name>(?:[^\W\d_](?:\.*+[\w·-])*+)?:{_LOCAL})
    | (?P<number>[+-]?(?:[0-9]+\.[0-9]*[eE][+-]?[0-9]+|[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+(?:[eE][+-]?[0-9]+)?))
    | (?P<at>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    | (?P<word>[A-Za-z]+)
    | (?P<mark>\^\^|[.;,\[\]()])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)
_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Term(NamedTuple):
    """An object: an IRI or blank node (`literal` false), or a literal's text."""

    value: str
    literal: bool = False


class Triple(NamedTuple):
    """One statement and the line of its object."""

    subject: str
    predicate: str
    object: Term
    line: int


def parse_turtle(text: str, file: str) -> Iterator[Triple]:
    """Yield the triples of a Turtle text; `file` is for messages only."""
    return _Parser(text, file).triples()


def quoted(text: str) -> str:
    """`text` as a Turtle string.

    >>> quoted('say "a\\\\b"')
    '"say \\\\"a\\\\\\\\b\\\\""'
    """
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\n", "\\n").replace("\r", "\\r") + '"'


class _Parser:
    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file
        self._start = self._at = 0  # where the current and the next piece begin
        self._line, self._counted = 1, 0  # line number of the offset up to which lines are counted
        self._prefixes: dict[str, str] = {}
        self._base = ""
        self._nodes = 0
        self._found: list[Triple] = []
        self._kind, self._piece = "", ""  # no piece of one kind looks like one of another
        self._advance()

    def triples(self) -> Iterator[Triple]:
        while self._kind:
            self._statement()
            yield from self._found
            self._found.clear()

    # Pieces

    def _advance(self) -> None:
        """Step to the next piece; `_kind` is "" at the end."""
        while True:
            if self._at == len(self._text):
                self._kind, self._piece = "", ""
                return
            match = _TOKENS.match(self._text, self._at)
            if match is None:
                self._kind = ""
                shown = self._text[self._at : self._at + 20].split("\n")[0]
                what = "a string that does not end" if shown[:1] in "\"'" and shown else "not Turtle"
                raise self._error(f"{what}: {shown!r}", self._at)
            self._start, self._at = self._at, match.end()
            self._kind, self._piece = match.lastgroup or "", match[0]
            if self._kind != "space":
                return

    def _error(self, message: str, at: int | None = None) -> DataError:
        return DataError(message, file=self._file, line=self._line_at(self._start if at is None else at))

    def _line_at(self, at: int) -> int:
        if at < self._counted:
            return self._text.count("\n", 0, at) + 1
        self._line += self._text.count("\n", self._counted, at)
        self._counted = at
        return self._line

    def _expected(self, what: str) -> DataError:
        found = repr(self._piece[:40]) if self._kind else "the end of the file"
        return self._error(f"expected {what}, found {found}", None if self._kind else len(self._text))

    def _take(self, mark: str) -> None:
        if self._piece != mark:
            raise self._expected(repr(mark))
        self._advance()

    # Statements

    def _statement(self) -> None:
        directive = self._piece.lower()
        if self._kind == "at" and directive in ("@prefix", "@base"):
            self._directive(directive[1:])
            self._take(".")
        elif self._kind == "word" and directive in ("prefix", "base"):
            self._directive(directive)
        else:
            if self._piece == "[":
                subject = self._node(0)
                if self._piece != ".":
                    self._properties(subject, 0)
            else:
                subject = self._subject()
                self._properties(subject, 0)
            self._take(".")

    def _directive(self, kind: str) -> None:
        self._advance()
        prefix = ""
        if kind == "prefix":
            if self._kind != "name" or not self._piece.endswith(":"):
                raise self._expected("a prefix such as 'nif:'")
            prefix = self._piece[:-1]
            self._advance()
        if self._kind != "iri":
            raise self._expected("an IRI in <…>")
        iri = self._resolve(self._piece)
        if kind == "prefix":
            self._prefixes[prefix] = iri
        else:
            self._base = iri
        self._advance()

    def _subject(self) -> str:
        if self._piece == "(":
            return self._collection(0)
        found = self._iri()
        if found is None:
            raise self._expected("a subject")
        return found

    def _properties(self, subject: str, depth: int) -> None:
        """Read what is said of `subject`: predicate object, object; predicate object …."""
        while True:
            if self._piece == "a":
                predicate: str | None = RDF + "type"
                self._advance()
            else:
                predicate = None if self._kind == "blank" else self._iri()
            if predicate is None:
                raise self._expected("a predicate")
            self._objects(subject, predicate, depth)
            if self._piece != ";":
                return
            while self._piece == ";":
                self._advance()
            if self._piece in (".", "]"):
                return

    def _objects(self, subject: str, predicate: str, depth: int) -> None:
        while True:
            line = self._line_at(self._start)
            self._found.append(Triple(subject, predicate, self._object(depth), line))
            if self._piece != ",":
                return
            self._advance()

    # Terms

    def _object(self, depth: int) -> Term:
        if self._kind in ("long", "short"):
            return Term(self._string(), literal=True)
        if self._kind == "number" or self._piece in ("true", "false"):
            token = self._piece
            self._advance()
            return Term(token, literal=True)
        if self._piece in ("[", "("):
            if depth >= _MAX_DEPTH:
                raise self._error(f"brackets nested more than {_MAX_DEPTH} deep")
            return Term(self._node(depth + 1) if self._piece == "[" else self._collection(depth + 1))
        found = self._iri()
        if found is None:
            raise self._expected("an object")
        return Term(found)

    def _string(self) -> str:
        width = 3 if self._kind == "long" else 1
        text = self._unescape(self._piece[width:-width])
        self._advance()
        if self._kind == "at":
            self._advance()
        elif self._piece == "^^":
            self._advance()
            if self._iri() is None:
                raise self._expected("a datatype")
        return text

    def _node(self, depth: int) -> str:
        """A blank node in brackets, with what is said of it."""
        self._take("[")
        node = self._fresh()
        if self._piece != "]":
            self._properties(node, depth)
        self._take("]")
        return node

    def _collection(self, depth: int) -> str:
        self._take("(")
        first = last = ""
        while self._piece != ")":
            node, line = self._fresh(), self._line_at(self._start)
            self._found.append(Triple(node, RDF + "first", self._object(depth), line))
            if last:
                self._found.append(Triple(last, RDF + "rest", Term(node), line))
            first, last = first or node, node
        self._take(")")
        nil = RDF + "nil"
        if last:
            self._found.append(Triple(last, RDF + "rest", Term(nil), self._line_at(self._start)))
        return first or nil

    def _fresh(self) -> str:
        self._nodes += 1
        return f"_:[{self._nodes}]"  # no name a file can give has brackets

    def _iri(self) -> str | None:
        """An IRI, prefixed name or blank node; None if the piece is none of these."""
        if self._kind == "iri":
            found = self._resolve(self._piece)
        elif self._kind == "name":
            prefix, _, local = self._piece.partition(":")
            if prefix not in self._prefixes:
                raise self._error(f"the prefix {prefix + ':'!r} is not declared")
            found = self._prefixes[prefix] + re.sub(r"\\(.)", r"\1", local)
        elif self._kind == "blank":
            found = self._piece
        else:
            return None
        self._advance()
        return found

    def _resolve(self, token: str) -> str:
        iri = self._unescape(token[1:-1]) if "\\" in token else token[1:-1]
        if not self._base or _ABSOLUTE.match(iri):
            return iri
        try:
            joined = urljoin(self._base, iri)
        except ValueError as error:
            raise self._error(f"the IRI {iri!r} cannot be read ({error})") from error
        # An empty fragment is lost on the way, but prefixes such as <#> are made of it.
        return joined + "#" if iri.endswith("#") and not joined.endswith("#") else joined

    def _unescape(self, text: str) -> str:
        return _ESCAPE.sub(self._character, text) if "\\" in text else text

    def _character(self, match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code:
            number = int(code, 16)
            if number < 0x110000 and not 0xD800 <= number < 0xE000:
                return chr(number)
        elif match[3] in _CHARACTERS:
            return _CHARACTERS[match[3]]
        raise self._error(f"{match[0]!r} is no escape of a character")
