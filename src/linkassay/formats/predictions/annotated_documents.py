"""Predictions in formats of corpora: annotated documents, each annotation being an answer.

The readers of corpora do the reading, and so the verification of the files against themselves; here
their mentions become claims. Several ids at one annotation are tied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from linkassay.files import RawFile
from linkassay.formats import read_documents
from linkassay.formats.predictions.claims import Claim
from linkassay.formats.reading import Reading
from linkassay.model import Document, Mention, Prediction


def pubtator(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """PubTator."""
    return _claims("pubtator", files, reading)


def bioc(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """BioC, XML or JSON."""
    return _claims("bioc", files, reading)


def brat(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """brat: texts and annotations."""
    return _claims("brat", files, reading)


def nif(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """NIF in Turtle."""
    return _claims("nif", files, reading)


def jsonl(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """Our own JSON lines of documents."""
    return _claims("jsonl", files, reading)


def elevant(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """Linked articles of ELEVANT; their ids are Wikidata's, whatever the reading says."""
    from linkassay.formats.documents.elevant import read_linked

    claims: Iterator[Claim] = read_linked(files, reading)
    return claims


def _claims(name: str, files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    for file in [list(files)] if name == "brat" else ([f] for f in files):  # brat's files belong together
        for document in read_documents(name, file, replace(reading, merge=False)):
            yield from (_claim(file[0].name, document, mention) for mention in document.mentions)


def _claim(file: str, document: Document, mention: Mention) -> Claim:
    ids = tuple(dict.fromkeys(identifier for tied in mention.gold for identifier in sorted(tied)))
    nil = not ids and bool(mention.raw.strip())  # an id that says "none", not the absence of any
    prediction = Prediction(document.id, mention.spans, (ids,) if ids else (), type=mention.type, nil=nil)
    return Claim(file, 0, prediction, mention.text)
