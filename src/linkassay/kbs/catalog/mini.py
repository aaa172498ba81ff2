"""mini: the knowledge base of the embedded benchmark, excerpts of six sources as JSON lines.

Identifiers, names and links are facts of MeSH, OMIM, NCBI Gene, NCBI Taxonomy, Cellosaurus and
dbSNP; the definitions are our own.
"""

from __future__ import annotations

from importlib import resources

from linkassay.files import RawFile, from_bytes
from linkassay.kbs.schema import KbSpec, Part

_TYPES = ("disease", "chemical", "gene", "species", "cell_line", "variant")


def packaged_files() -> list[RawFile]:
    """One file of entities for each type, and `history.tsv` last; they ship inside the package."""
    folder = resources.files("linkassay") / "mini" / "kb"
    names = [*(f"{type_}.jsonl" for type_ in _TYPES), "history.tsv"]
    return [from_bytes(name, (folder / name).read_bytes()) for name in names]


SPEC = KbSpec(
    name="mini",
    title="mini: excerpts of six knowledge bases for the embedded benchmark",
    prefix="",
    types=_TYPES,
    licence="Apache-2.0 (definitions written for this project; names and identifiers are facts)",
    citation="linkassay contributors (2026)",
    homepage="",
    parts=(
        *(Part(f"{type_}.jsonl", "linkassay.kbs.readers.json_lines:read_entities", lines=True) for type_ in _TYPES),
        Part("history.tsv", "linkassay.kbs.readers.json_lines:read_history", lines=True),
    ),
    packaged=packaged_files,
)
