"""Ids of MeSH and OMIM that corpora bear and later editions replaced, as BELB lists them for each corpus.

MeSH and CTD publish no such table. Of BELB's folder `metadata` the files `CORPUS/notinkb_identifiers_history.yaml` say
what became of the ids that BELB's authors missed: `'MESH:C040029' : 'MESH:D000077206' # remark`, one a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.ids import curie
from linkassay.kbs.schema import History, Part

_LINE = re.compile(r"""(["'])([^"']+)\1\s*:\s*(["'])([^"']+)\3\s*(?:#.*)?""")


def read_replaced(file: RawFile, options: Mapping[str, Any]) -> Iterator[History]:
    """Pairs of an old id and a new one; with the option `prefix` only those within that knowledge base."""
    within = f"{options['prefix']}:" if options.get("prefix") else ""
    for number, line in file.lines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        pair = _LINE.fullmatch(line.strip())
        if not pair:
            raise DataError("expected: 'OLD:ID' : 'NEW:ID'", file=file.name, line=number)
        old, new = curie(pair[2]), curie(pair[4])
        if old.startswith(within) and new.startswith(within):
            yield History(old, new)


REPLACED = Part(
    "notinkb_identifiers_history.yaml",
    "linkassay.kbs.readers.replaced_ids:read_replaced",
    optional=True,
    several=True,
)
