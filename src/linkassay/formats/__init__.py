"""File formats: one module each. `read_documents` verifies what it reads; `write` exists where tools need it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from linkassay.files import RawFile
from linkassay.model import Document
from linkassay.registry import Registry, front_door

if TYPE_CHECKING:
    from linkassay.formats.reading import Annotation, Format, Reading, Units

__all__ = ["DOCUMENT_FORMATS", "Annotation", "Format", "Reading", "Units", "read_documents"]

__getattr__, __dir__ = front_door(__name__)

DOCUMENT_FORMATS = Registry(
    "format",
    {
        "pubtator": "linkassay.formats.documents.pubtator",
        "bioc": "linkassay.formats.documents.bioc",
        "brat": "linkassay.formats.documents.brat",
        "standoff": "linkassay.formats.documents.standoff",
        "nif": "linkassay.formats.documents.nif",
        "iob": "linkassay.formats.documents.iob",
        "elevant": "linkassay.formats.documents.elevant",
        "mentions": "linkassay.formats.documents.mention_table",
        "jsonl": "linkassay.formats.documents.jsonl",
        "belb-gold": "linkassay.formats.predictions.belb",
        "biosyn": "linkassay.formats.predictions.biosyn",
    },
)


def read_documents(name: str, files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Read `files` in the format `name`."""
    documents: Iterator[Document] = DOCUMENT_FORMATS.load(name).read(files, reading)
    return documents
