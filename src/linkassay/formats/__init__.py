"""File formats: one module each. `read` verifies what it reads; `write` exists where tools need it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linkassay.files import RawFile
from linkassay.formats.base import Reading
from linkassay.model import Document
from linkassay.registry import Registry

__all__ = ["FORMATS", "read"]

FORMATS = Registry(
    "format",
    {
        "pubtator": "linkassay.formats.pubtator",
        "bioc": "linkassay.formats.bioc",
        "brat": "linkassay.formats.brat",
        "standoff": "linkassay.formats.standoff",
        "nif": "linkassay.formats.nif",
        "iob": "linkassay.formats.iob",
        "elevant": "linkassay.formats.elevant",
        "mentions": "linkassay.formats.mentions",
        "jsonl": "linkassay.formats.jsonl",
        "belb-gold": "linkassay.formats.belb",
        "biosyn": "linkassay.formats.biosyn",
    },
)


def read(name: str, files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Read `files` in the format `name`."""
    documents: Iterator[Document] = FORMATS.load(name).read(files, reading)
    return documents
