"""NIF 2.0 in Turtle: contexts are documents, phrases with `itsrdf:taIdentRef` are mentions.

Several `taIdentRef` are alternatives, none (or `notInWiki`) is NIL, `itsrdf:taClassRef` is the type.
Sentences, paragraphs, words and other structure are left alone. RDF has no order: mentions come
sorted by place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TextIO
from urllib.parse import quote, unquote

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.reading import Annotation, Reading, text_length
from linkassay.formats.syntax.turtle import RDF, Term, parse_turtle, quoted
from linkassay.ids import curie, from_iri, to_iri
from linkassay.model import Document, Gold, Span
from linkassay.problems import Problem

_NIF = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
_ITS = "http://www.w3.org/2005/11/its/rdf#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_NOT_IN_KB = re.compile(r"https?://(?:www\.)?aksw\.org/notInWiki/.*", re.DOTALL)
_STRUCTURE = {_NIF + name for name in ("Context", "ContextCollection", "Sentence", "Paragraph", "Word",
                                       "Section", "Structure", "Title")}  # fmt: skip
_PLACE = re.compile(r"[#?&](?:char=([0-9]{1,15}),([0-9]{0,15})|offset_([0-9]{1,15})_([0-9]{1,15})).*", re.DOTALL)
#: Composite gold has no word in NIF: its ids are joined into one IRI, which only we can read.
_ALL = "urn:linkassay:all:"


@dataclass(slots=True)
class _Resource:
    """What a file says of one subject."""

    line: int
    values: dict[str, dict[Term, None]] = field(default_factory=dict)  # objects by predicate

    def get(self, predicate: str) -> list[Term]:
        return list(self.values.get(predicate, ()))

    def first(self, predicate: str) -> str | None:
        return next((term.value for term in self.values.get(predicate, ())), None)


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the contexts of NIF files as documents."""
    for file in files:
        resources: dict[str, _Resource] = {}
        for triple in parse_turtle(file, reading.encoding):
            resource = resources.setdefault(triple.subject, _Resource(triple.line))
            resource.values.setdefault(triple.predicate, {})[triple.object] = None
        yield from _documents(resources, file.name, reading)


def _documents(resources: dict[str, _Resource], file: str, reading: Reading) -> Iterator[Document]:
    is_context = Term(_NIF + "Context")
    contexts = [iri for iri, resource in resources.items()
                if is_context in resource.get(RDF + "type") or resource.get(_NIF + "isString")]  # fmt: skip
    phrases: dict[str, list[str]] = {iri: [] for iri in contexts}
    places = {_without_place(iri): iri for iri in contexts}
    for iri, resource in resources.items():
        if not _is_mention(resource):
            continue
        if iri in phrases:  # a mention that covers all of its context, and so has the same IRI
            phrases[iri].append(iri)
            continue
        context = resource.first(_NIF + "referenceContext") or places.get(_without_place(iri), "")
        if context in phrases:
            phrases[context].append(iri)
        else:
            message = f"phrase <{iri}> belongs to no context of the file"
            reading.problems.add(Problem("context", message, file, resource.line))
    for (context, members), name in zip(phrases.items(), _names(contexts)):
        texts = resources[context].get(_NIF + "isString")
        line = resources[context].line
        if len(texts) != 1:
            message = f"context <{context}> has {len(texts) or 'no'} texts (nif:isString)"
            reading.problems.add(Problem("context", message, file, line, name))
            continue
        text = texts[0].value
        annotations = []
        for iri in members:
            span = _span(iri, resources[iri], text_length(text, reading.units))
            if isinstance(span, str):
                message = f"phrase <{iri}> {span}"
                reading.problems.add(Problem("span", message, file, resources[iri].line, name))
            else:
                annotations.append(_annotation(resources[iri], span, reading))
        annotations.sort(key=lambda a: (a.spans, a.type, a.raw))
        yield reading.document(name, [("", 0, text)], annotations, file=file, line=line)


def _is_mention(resource: _Resource) -> bool:
    types = {term.value for term in resource.get(RDF + "type")}
    strings = {_NIF + "RFC5147String", _NIF + "OffsetBasedString"}
    if resource.get(_ITS + "taIdentRef") or _NIF + "Phrase" in types:
        return True
    return not types & _STRUCTURE and bool(types & strings or resource.get(_ITS + "taClassRef"))


def _names(contexts: list[str]) -> list[str]:
    """The shortest name of each context that no other context of the file has."""
    levels = []
    for iri in contexts:
        whole = _without_place(iri)
        last = unquote(whole.partition("#")[0].rpartition("/")[2])
        levels.append((last if last.strip() else whole, whole, iri))
    counts = Counter(name for names in levels for name in set(names))
    return [next((n for n in names if counts[n] == 1), names[-1]) for names in levels]


def _without_place(iri: str) -> str:
    return _PLACE.sub("", iri)


def _span(iri: str, resource: _Resource, length: int) -> Span | str:
    """`beginIndex` and `endIndex`, else what the IRI says (`#char=0,10`), else what is wrong."""
    begin, end = resource.first(_NIF + "beginIndex"), resource.first(_NIF + "endIndex")
    if begin is None or end is None:
        place = _PLACE.search(iri)
        if place is None:
            return "has neither nif:beginIndex and nif:endIndex nor #char=… in its IRI"
        begin, end = place[1] or place[3], place[2] or place[4] or str(length)
    for number in (begin, end):
        if not re.fullmatch(r"\s*[0-9]{1,15}\s*", number):
            return f"has the offset {number[:40]!r}, which is no whole number"
    return int(begin.strip()), int(end.strip())  # by itself it takes fewer characters for blanks


def _annotation(resource: _Resource, span: Span, reading: Reading) -> Annotation:
    type_ = "|".join(sorted({_class_name(term.value) for term in resource.get(_ITS + "taClassRef")}))
    refs = sorted(resource.get(_ITS + "taIdentRef"))
    return Annotation(
        spans=(span,),
        text=resource.first(_NIF + "anchorOf"),
        type=type_,
        raw=" ".join(term.value for term in refs),
        gold=_gold(refs, type_, reading),
        line=resource.line,
    )


def _gold(refs: list[Term], type_: str, reading: Reading) -> Gold:
    rule = reading.source_rule(type_)
    found: dict[frozenset[str], None] = {}
    for term in refs:
        if term.value.startswith(_ALL) and not term.literal:
            ids = [unquote(part) for part in term.value.removeprefix(_ALL).split("+")]
        elif _NOT_IN_KB.fullmatch(term.value):
            continue
        else:
            ids = [curie(term.value, rule.prefix) if term.literal else from_iri(term.value)]
        kept = frozenset(i for i in ids if not rule.is_none(i))
        if kept:
            found[kept] = None
    return tuple(found)


def _class_name(iri: str) -> str:
    """The last part of a class IRI: `…/ontology/Person` is `Person`."""
    return unquote(re.split(r"[/#:]", iri.rstrip("/#:"))[-1])


def write(documents: Iterable[Document], out: TextIO) -> None:
    """Write texts and mentions so that `read` gives them back.

    What NIF cannot say is left out: passages, mention ids, parts and alternatives of a mention,
    flags. A mention of several pieces has no place in it and is refused.
    """
    for prefix, iri in (("nif", _NIF), ("itsrdf", _ITS), ("xsd", _XSD)):
        out.write(f"@prefix {prefix}: <{iri}> .\n")
    for document in documents:
        base = "urn:linkassay:document/" + quote(document.id, safe="")
        context = f"<{base}#char=0,{len(document.text)}>"
        out.write(f"\n{context}\n    a nif:Context, nif:RFC5147String ;\n{_indexes(0, len(document.text))}"
                  f"    nif:isString {quoted(document.text)} .\n")  # fmt: skip
        seen = Counter([(0, len(document.text))])  # the context itself
        for mention in document.mentions:
            if len(mention.spans) != 1:
                raise DataError(f"document {document.id}, mention {mention.id}: NIF has no mentions of "
                                f"{len(mention.spans)} pieces; write JSON lines instead")  # fmt: skip
            span = start, end = mention.spans[0]
            seen[span] += 1
            again = f";{seen[span]}" if seen[span] > 1 else ""  # another annotation needs another IRI
            out.write(f"\n<{base}#char={start},{end}{again}>\n    a nif:Phrase, nif:RFC5147String ;\n"
                      f"    nif:referenceContext {context} ;\n{_indexes(start, end)}")  # fmt: skip
            if mention.type:
                out.write(f"    itsrdf:taClassRef <urn:linkassay:type:{quote(mention.type, safe='')}> ;\n")
            if mention.gold:
                iris = ", ".join(f"<{_iri(ids)}>" for ids in mention.gold)
                out.write(f"    itsrdf:taIdentRef {iris} ;\n")
            out.write(f"    nif:anchorOf {quoted(mention.text)} .\n")


def _indexes(start: int, end: int) -> str:
    return (f'    nif:beginIndex "{start}"^^xsd:nonNegativeInteger ;\n'
            f'    nif:endIndex "{end}"^^xsd:nonNegativeInteger ;\n')  # fmt: skip


def _iri(ids: frozenset[str]) -> str:
    if len(ids) == 1:
        return to_iri(next(iter(ids)))
    return _ALL + "+".join(quote(i, safe="") for i in sorted(ids))
