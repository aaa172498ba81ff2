"""Small things that the readers of knowledge bases share: distinct names, lists in a field, edges alone.

Not for reading files; each source has its own module for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pyarrow as pa

from linkassay.ids import curie
from linkassay.kbs.schema import SCHEMAS, Batch

#: Releases that some sources write into the prefix: `SNOMEDCT_US_2023_03_01:64572001`.
_RELEASE = re.compile(r"_\d{4}_\d{2}_\d{2}$")


def distinct_names(names: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """(name, kind) pairs in order; of a name that occurs again the first kind stays, empty ones go.

    >>> distinct_names([("Ache", "label"), ("ache", "exact"), ("Ache", "broad"), (" ", "exact")])
    (('Ache', 'label'), ('ache', 'exact'))
    """
    found: dict[str, str] = {}
    for name, kind in names:
        if name and not name.isspace():
            found.setdefault(name, kind)
    return tuple(found.items())


def listed(text: str, separator: str) -> list[str]:
    """The parts of a field that holds several values, without surrounding space and without empty ones.

    >>> listed("a|b c||", "|"), listed(" ", "|")
    (['a', 'b c'], [])
    """
    return [part for piece in text.split(separator) if (part := piece.strip())]


def xref(prefix: str, local: str) -> str:
    """A cross-reference as a CURIE, however often the source writes the prefix.

    >>> xref("DOID", "4"), xref("DO", "DOID:4"), xref("EFO", "EFO_0001185"), xref("CLO", "CLO:0000019")
    ('doid:4', 'doid:4', 'efo:0001185', 'clo:0000019')
    >>> xref("SNOMEDCT_US_2023_03_01", "64572001"), xref("ATCC", "CCL-2")
    ('snomedct:64572001', 'ATCC:CCL-2')
    """
    prefix, local = _RELEASE.sub("", prefix.strip()), local.strip()
    if ":" in local and (known := curie(local)) != local:
        return known
    head = prefix.lower()
    if local.lower().startswith((head + ":", head + "_")):
        local = local[len(head) + 1 :]
    return curie(f"{prefix}:{local}")


def edges(rows: Iterable[tuple[str, str, str]]) -> Batch:
    """Rows (child, parent, relation) of the table `parents` alone, for files that know of nothing else."""
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    schema = SCHEMAS["parents"]
    return {"parents": pa.table([pa.array(c, type=pa.string()) for c in columns], schema=schema)}
