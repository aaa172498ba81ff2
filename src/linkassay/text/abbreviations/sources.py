"""Where the expansions of a document come from: its text, Ab3P, or a file made before.

All of them answer one question, `of(document_id, text)`; which one it is is said by a name or a path
(`abbreviation_source`). Finding definitions in a text is the work of `schwartz_hearst`, not of this module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from linkassay import files, store
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile
from linkassay.registry import near_miss
from linkassay.text.abbreviations.schwartz_hearst import expansions
from linkassay.text.sentences import split_sentences


class Abbreviations(Protocol):
    """A source of expansions."""

    @property
    def name(self) -> str:
        """What revisions and figures say of it: with its version, or by its contents, wherever these lie."""

    def of(self, document_id: str, text: str) -> dict[str, str]:
        """Short form to long form for one document; empty if there are none."""


def expand(mention: str, expansions: Mapping[str, str]) -> str:
    """The expansion of a mention, else the mention itself: whole, case-sensitive, one level (ABBR-1).

    >>> pairs = {"CF": "cystic fibrosis", "CFP": "CF patients"}
    >>> [expand(mention, pairs) for mention in ("CF", "cf", "CF gene", "CFP")]
    ['cystic fibrosis', 'cf', 'CF gene', 'CF patients']
    """
    return expansions.get(mention, mention)


def abbreviation_source(spec: str) -> Abbreviations:
    """The source that `spec` names: `schwartz-hearst`, `ab3p`, or a file (JSON of pairs, or output of Ab3P).

    >>> abbreviation_source("schwartz-hearst").of("1", "Cystic fibrosis (CF) is inherited.")
    {'CF': 'Cystic fibrosis'}
    >>> abbreviation_source("schwarz-hearst")
    Traceback (most recent call last):
    linkassay.errors.UsageError: abbreviations 'schwarz-hearst': no such file; did you mean 'schwartz-hearst'?
    """
    if spec in _BY_NAME:
        return _BY_NAME[spec]()
    if not spec or not Path(spec).exists():
        raise UsageError(f"abbreviations {spec!r}: no such file; {near_miss(spec, list(_BY_NAME))}")
    return FromFile(files.one_file(spec, "abbreviations"))


def abbreviations_record(spec: str) -> str:
    """What a revision says of the source that `spec` names."""
    return abbreviation_source(spec).name


class SchwartzHearst:
    """Definitions in the text, by our own rules."""

    name = "schwartz-hearst"

    def of(self, document_id: str, text: str) -> dict[str, str]:
        """Short form to long form; the first definition of a form counts."""
        return expansions(text)


class Ab3P:
    """Definitions in the text, by Ab3P (Sohn et al. 2008) through the package `pyab3p`."""

    def __init__(self) -> None:
        _ab3p()  # missing or broken is said before any work is done
        self.name = f"ab3p (pyab3p {version('pyab3p')})"

    def of(self, document_id: str, text: str) -> dict[str, str]:
        """Short form to long form; the first definition of a form counts.

        Ab3P is given a line at a time, as its own program does, or a sentence where a line is too long for it.
        """
        found: dict[str, str] = {}
        for piece in _digestible(text):
            for pair in _ab3p().get_abbrs(piece):
                found.setdefault(pair.short_form, pair.long_form)
        return found


#: Bytes given to Ab3P at once: it ends the process on a text of 100 000, and slows down with the square.
_MOST_BYTES = 10_000


def _digestible(text: str) -> Iterator[str]:
    """Lines, or sentences of long lines; a sentence that is too long itself is passed over.

    White space becomes one space, since Ab3P complains at length on standard error about more.
    """
    for line in (" ".join(line.split()) for line in text.splitlines()):
        if len(line.encode()) <= _MOST_BYTES:
            yield line
        else:
            yield from (s for a, b in split_sentences(line) if len((s := line[a:b]).encode()) <= _MOST_BYTES)


@cache
def _ab3p() -> Any:
    """Ab3P with its word lists; one for the process, and no part of an `Ab3P`, which stays easy to send elsewhere."""
    try:
        import pyab3p
    except ImportError as error:
        raise UsageError(f"abbreviations 'ab3p' need pyab3p ({error}): pip install 'linkassay[ab3p]'") from error
    return pyab3p.Ab3p()


class FromFile:
    """Expansions that a file gives for each document id; a document that it does not have has none."""

    def __init__(self, file: RawFile) -> None:
        text = file.text()
        if text.lstrip()[:1] in ("{", "["):
            self._pairs = dict(_json(text, file.name))
        else:
            self._pairs = {}
            for block in read_ab3p(file):
                known = self._pairs.setdefault(block.id, {})
                for short, long in block.pairs:
                    known.setdefault(short, long)
        if not self._pairs:
            raise DataError("no document with abbreviations in it; expected JSON or output of Ab3P", file=file.name)
        with file.open() as stream:
            self.name = f"file {store.digest_and_size(stream)['sha256'][:12]}"

    def of(self, document_id: str, text: str) -> dict[str, str]:
        """Short form to long form, as the file has it."""
        return self._pairs.get(document_id, {})


def _json(text: str, file: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Documents of `{document id: {short form: long form}}`."""
    try:
        documents = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = getattr(error, "msg", None) or type(error).__name__
        raise DataError(f"not valid JSON ({message})", file=file, line=getattr(error, "lineno", 0)) from error
    if not isinstance(documents, dict):
        raise DataError("expected an object of document ids", file=file)
    for document, found in documents.items():
        if not isinstance(found, dict):
            raise DataError(f"document {document!r}: expected an object of short and long forms", file=file)
        for short, long in found.items():
            if not isinstance(long, str) or not long or not short:
                raise DataError(f"document {document!r}: {short!r} needs a long form that is a text", file=file)
        yield document, found


class Ab3PBlock(NamedTuple):
    """A document in the output of Ab3P."""

    id: str
    lines: list[str]
    pairs: list[tuple[str, str]]


_ID = re.compile(r"(?P<id>[^\s|]+)(?:\|[ta]\|.*)?\s*")


def read_ab3p(file: RawFile, encoding: str = "utf-8") -> Iterator[Ab3PBlock]:
    """Documents of Ab3P's output, and of its gold standard, which is written like it.

    A document begins after an empty line with its id (or PubTator's `id|t|…`); lines of text follow, and
    among them, after two spaces, `short|long` or `short|long|precision`. `//` begins a comment of the gold.
    """
    block: Ab3PBlock | None = None
    after_empty = True
    for number, line in file.lines(encoding):
        if not line.strip():
            after_empty = True
            continue
        match = _ID.fullmatch(line) if after_empty else None
        after_empty = False
        if line.startswith("//"):
            continue
        if match:
            if block:
                yield block
            block = Ab3PBlock(match["id"], [], [])
            if line.strip() != match["id"]:
                block.lines.append(line)
        elif block is None:
            raise DataError("expected the id of a document on a line of its own", file=file.name, line=number)
        elif line.startswith("  ") and "|" in line:
            short, long = (part.strip() for part in line.split("|")[:2])
            if not short or not long:
                raise DataError(f"expected short|long, found {line.strip()[:60]!r}", file=file.name, line=number)
            block.pairs.append((short, long))
        else:
            block.lines.append(line)
    if block:
        yield block


_BY_NAME: dict[str, Callable[[], Abbreviations]] = {"schwartz-hearst": SchwartzHearst, "ab3p": Ab3P}
