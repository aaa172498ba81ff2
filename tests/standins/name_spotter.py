"""An end-to-end system as an outside one would come: its answers in a file, imported."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import linkassay
from linkassay.model import Document
from linkassay.runs import Run
from linkassay.runs.importing import ImportOptions, import_run

WORDS = 6  # of the longest name that is looked for


def spotted() -> Run:
    """Its run on the embedded benchmark."""
    corpus, kb = linkassay.corpus("mini"), linkassay.kb("mini")
    names: dict[str, list[str]] = {}
    for identifier, name in kb.sql("select id, name from names order by id, name"):
        names.setdefault(name, []).append(identifier)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spotter.jsonl"
        lines = [line for document in corpus["test"] for line in _spot(document, names)]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return import_run("native", [file], corpus, "spotter", split="test", kb="mini", options=ImportOptions())[0]


def _spot(document: Document, names: dict[str, list[str]]) -> Iterator[dict[str, object]]:
    """From left to right the longest piece of the text that is a name."""
    words = [match.span() for match in re.finditer(r"[\w+-]+", document.text)]
    at = 0
    while at < len(words):
        for size in range(min(WORDS, len(words) - at), 0, -1):
            start, end = words[at][0], words[at + size - 1][1]
            if found := names.get(document.text[start:end]):
                yield {"document": document.id, "spans": [[start, end]], "candidates": [sorted(set(found))]}
                at += size
                break
        else:
            at += 1
