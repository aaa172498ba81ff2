"""OBO flat files (1.2 and 1.4): stanzas of tags and values, and what is inside a value.

Knows the syntax only; what the tags mean for a knowledge base is said in `kbs.catalog.obo` and others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from linkassay.errors import DataError
from linkassay.files import RawFile

_HEADING = re.compile(r"\[([^\[\]]+)\]\s*(?:!.*)?")
_LINE = re.compile(r"([A-Za-z_][\w.-]*):\s*(.*)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "W": " "}
# Modifiers have this shape; names may hold braces of their own: "poly{…}".
_VALUE = r'[^{}"=\s,]+=(?:"(?:[^"\\]|\\.)*"|[^"{},\s]*)'
_MODIFIERS = re.compile(rf"\s\{{\s*{_VALUE}(?:\s*,\s*{_VALUE})*\s*\}}\s*(?:!.*)?$")


@dataclass
class Stanza:
    """One stanza: its kind (`Term`, `Typedef`, "" for the header) and its lines, by tag."""

    kind: str
    file: str
    line: int
    tags: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def all(self, tag: str) -> list[tuple[int, str]]:
        """(line, value) of each occurrence of `tag`."""
        return self.tags.get(tag, [])

    def plain(self, tag: str) -> str:
        """The one value of an unquoted tag, e.g. `name`, without modifiers; "" if there is none."""
        found = self.all(tag)
        return unescape(_MODIFIERS.sub("", found[0][1])).strip() if found else ""

    def tokens(self, tag: str) -> list[str]:
        """The first word of each value: an id, without its modifiers and comment."""
        return [token(value) for _, value in self.all(tag) if token(value)]


def stanzas(file: RawFile) -> Iterator[Stanza]:
    """The header, then each stanza in turn."""
    current = Stanza("", file.name, 1)
    for number, line in file.lines():
        text = line.strip()
        if not text or text.startswith("!"):
            continue
        if heading := _HEADING.fullmatch(text):
            yield current
            current = Stanza(heading[1].strip(), file.name, number)
            continue
        match = _LINE.fullmatch(text)
        if not match:
            raise DataError(f"expected 'tag: value' or '[Stanza]', found {text[:60]!r}", file=file.name, line=number)
        current.tags.setdefault(match[1], []).append((number, match[2]))
    yield current


def quoted(value: str, file: str, line: int) -> tuple[str, str]:
    """The quoted text that a value begins with, and what follows it.

    >>> quoted('"a \\\\"b\\\\"" EXACT [x:1]', "a.obo", 1)
    ('a "b"', 'EXACT [x:1]')
    """
    match = _QUOTED.match(value)
    if not match:
        raise DataError(f"expected a text in double quotes, found {value[:60]!r}", file=file, line=line)
    return unescape(match[1]), value[match.end() :]


def token(value: str) -> str:
    """The first word of a value, or "" where it has none but a comment.

    >>> token("HP:0000118 {source=\\"x\\"} ! a comment"), token("! nothing")
    ('HP:0000118', '')
    """
    first, *_ = value.split(None, 1) or [""]
    return "" if first.startswith(("!", "{")) else unescape(first)


def unescape(text: str) -> str:
    r"""Text without the backslashes that protect its characters.

    >>> unescape(r"poly\{x\}, 5\'")
    "poly{x}, 5'"
    """
    return _ESCAPE.sub(lambda m: _ESCAPED.get(m[1], m[1]), text) if "\\" in text else text
