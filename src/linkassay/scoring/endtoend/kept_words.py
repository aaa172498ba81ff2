"""How many words documents have by spaCy, counted once for a split and kept in the data home.

To load spaCy takes longer than to score a small run. What is kept says of itself whether it is whole; what is not, or
cannot be kept, is counted again.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from linkassay import store
from linkassay.errors import LinkassayError
from linkassay.scoring.endtoend.word_count import TOTALS

#: The documents of a split by name, and of each its words, by the names of their counts.
Counted = tuple[list[str], dict[str, np.ndarray]]


def counted_once(documents: Path, count: Callable[[], Counted]) -> Counted:
    """What `count` gives for a file of documents, from what is kept if it is there."""
    corpus, revision = documents.parent.parent.name, documents.parent.name
    key = store.fingerprint([corpus, revision, documents.name, documents.stat().st_size, version("spacy")])
    kept = store.home() / "words" / f"{key}.json"
    with suppress(LinkassayError, KeyError, TypeError, AttributeError, ValueError):
        said = store.read_json(kept)
        if said["check"] == _check(said):
            return said["documents"], {name: np.array(said[name], dtype=np.int64) for name in TOTALS}
    names, words = count()
    found: dict[str, Any] = {"documents": names} | {name: words[name].tolist() for name in TOTALS}
    with suppress(LinkassayError):  # a home that cannot be written
        store.write_text(kept, json.dumps(found | {"check": _check(found)}, ensure_ascii=False) + "\n")
    return names, words


def _check(said: dict[str, Any]) -> str:
    return store.fingerprint([said["documents"], *(said[name] for name in TOTALS)])
