"""Writes src/linkassay/prefixes.py from the data that Bioregistry's package carries.

pip download --no-deps bioregistry
python tools/prefixes.py bioregistry-*.whl
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "src" / "linkassay" / "prefixes.py"

#: The prefixes whose spellings are taken. Of the thousands that Bioregistry knows some are words (`one`, `log`) that
#: ids of users' own knowledge bases begin with, or names of fields; what is not here stays as it is written (ID-2).
KEPT = (
    "bao", "bto", "cas", "cellosaurus", "chebi", "cl", "clinicaltrials", "clo", "corum", "dbsnp", "decipher",
    "doid", "efo", "gard", "go", "hgnc", "hp", "icd10", "icd10cm", "icd9", "icd9cm", "icdo", "meddra", "mesh",
    "mondo", "mp", "ncbigene", "ncbitaxon", "ncit", "omia", "omim", "omim.ps", "orphanet", "pubchem.compound",
    "pubmed", "rfam", "snomedct", "uberon", "umls", "unii", "uniprot", "wikidata",
)  # fmt: skip
#: What Bioregistry calls those that linkassay had another name for.
THEIRS = {"orphanet": "orpha"}
#: Spellings with a date are of one release; `kbs.readers` takes dates away.
_DATED = re.compile(r"_?\d{4}(_\d+)*$")


def spellings(registry: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Spelling, lower-cased → prefix, in the order of prefixes."""
    found: dict[str, str] = {}
    for prefix in KEPT:
        entry = registry[THEIRS.get(prefix, prefix)]
        written = (prefix, entry.get("preferred_prefix", prefix), *entry.get("synonyms", ()))
        found |= {each: prefix for each in sorted({w.lower() for w in written}) if not _DATED.search(each)}
    return found


def module(registry: Mapping[str, Mapping[str, Any]], version: str) -> str:
    """The text of the module."""
    lines = "".join(f"    {json.dumps(each)}: {json.dumps(prefix)},\n" for each, prefix in spellings(registry).items())
    return f'''"""How sources spell the prefixes of ids, by Bioregistry {version} (CC0): `tools/prefixes.py` makes it.

What Bioregistry does not know is in `ids.py`.
"""

from __future__ import annotations

__all__ = ["SPELLINGS"]

#: Spelling, lower-cased → prefix.
SPELLINGS: dict[str, str] = {{
{lines}}}
'''


def main(wheel: Path) -> None:
    """Read the registry from its package and write the module."""
    with zipfile.ZipFile(wheel) as package:
        registry = json.loads(package.read("bioregistry/data/bioregistry.json"))
    TARGET.write_text(module(registry, wheel.name.split("-")[1]), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
