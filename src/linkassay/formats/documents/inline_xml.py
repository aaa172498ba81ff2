"""XML with mentions tagged inside the running text, as OSIRIS has it.

Which tags hold articles, ids, passages and mentions is declared in a `Markup`. Other tags inside
a passage are formatting: their text counts, they do not. Offsets follow from the running text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.reading import Annotation, Reading
from linkassay.formats.syntax.xml import Element, iterate
from linkassay.model import Document


@dataclass(frozen=True, slots=True)
class Markup:
    """What the tags of a source mean."""

    article: str
    id: str
    passages: Mapping[str, str]  # tag → kind of passage
    mentions: Mapping[str, tuple[str, str]]  # tag → type, and the attribute with the ids


#: Genes with NCBI Gene ids, variants with dbSNP ids without their `rs`; `No` is no id.
OSIRIS = Markup(
    article="Article",
    id="Pmid",
    passages={"Title": "title", "Abstract": "abstract"},
    mentions={"gene": ("gene", "g_id"), "variant": ("variant", "v_id")},
)


def read(files: Iterable[RawFile], reading: Reading, *, markup: Markup = OSIRIS) -> Iterator[Document]:
    """Yield one document for each article; passages are one character apart."""
    reading = replace(reading, units="codepoint")  # the offsets are counted here
    for file in files:
        for article in iterate(file, markup.article):
            yield _document(article, reading, markup, file.name)


def _document(article: Element, reading: Reading, markup: Markup, file: str) -> Document:
    identifier = article.first(markup.id)
    if identifier is None:
        raise DataError(f"an <{markup.article}> without <{markup.id}>", file=file, line=article.line)
    passages: list[tuple[str, int | None, str]] = []
    annotations: list[Annotation] = []
    offset = 0
    for child in article.children():
        if child.tag in markup.passages:
            text = child.text
            passages.append((markup.passages[child.tag], offset, text))
            annotations += _mentions(child, offset, markup)
            offset += len(text) + 1
    return reading.document(identifier.text.strip(), passages, annotations, file=file, line=article.line)


def _mentions(passage: Element, offset: int, markup: Markup) -> list[Annotation]:
    """The tagged mentions in the order of their beginnings, outer before inner."""
    opened: list[tuple[Element, int]] = []
    ends: dict[int, int] = {}  # by place in `opened`
    waiting: list[str | Element | int] = [passage]  # a number closes the mention at that place
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            offset += len(item)
        elif isinstance(item, int):
            ends[item] = offset
        else:
            if item.tag in markup.mentions:
                waiting.append(len(opened))
                opened.append((item, offset))
            waiting.extend(reversed(item.content))
    return [
        Annotation(
            ((start, ends[at]),), element.text, type_, element.attributes.get(ids, "").strip(), line=element.line
        )
        for at, (element, start) in enumerate(opened)
        for type_, ids in [markup.mentions[element.tag]]
    ]
