"""mini: the knowledge base of the embedded benchmark, excerpts of six sources as JSON lines.

Identifiers, names and links are facts of MeSH, OMIM, NCBI Gene, NCBI Taxonomy, Cellosaurus and
dbSNP; the definitions are our own.
"""

from __future__ import annotations

from importlib import resources

from linkassay.files import RawFile, from_bytes
from linkassay.kbs.base import KbSource
from linkassay.kbs.jsonl import read_entities, read_history

__all__ = ["packaged_files", "source"]

_ENTITIES = ("disease", "chemical", "gene", "species", "cell_line", "variant")


def packaged_files() -> list[RawFile]:
    """One file of entities for each type, and `history.tsv` last; they ship inside the package."""
    folder = resources.files("linkassay") / "mini" / "kb"
    names = [*(f"{type_}.jsonl" for type_ in _ENTITIES), "history.tsv"]
    return [from_bytes(name, (folder / name).read_bytes()) for name in names]


def source() -> KbSource:
    """The knowledge base as `build` takes it."""
    files = packaged_files()
    return KbSource(
        name="mini",
        title="mini: excerpts of six knowledge bases for the embedded benchmark",
        licence="Apache-2.0 (definitions written for this project; names and identifiers are facts)",
        citation="linkassay contributors (2026)",
        files=files,
        entities=lambda: read_entities(files[:-1]),
        history=lambda: read_history(files[-1:]),
    )
