"""A tiny corpus with hostile, long, right-to-left and renamed things, for tests of pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.schema import KbSpec, Part
from tests.helpers import raw

HOSTILE = "<script>alert(1)</script>"
LONG = "long " * 20_000  # 100 kB on one line
NAMES = [
    ("t:1", "Gene", ["alpha"]),
    ("t:2", "Gene", ["Alpha"]),
    ("t:3", "Gene", ["beta", "alphabet"]),
    ("t:4", HOSTILE, [HOSTILE, "delta"]),
    ("t:5", "Drug", ["gamma", "شلل"]),
    ("t:6", "Drug", ["omega \U0001f9ec \u2028 line"]),
]
OLD = "t:9\tt:5\n"
TRAIN = [("Here is beta.", [("beta", "Gene", "t:3")]), ("And gamma.", [("gamma", "Drug", "t:5")])]
TEST = [
    ("We saw alpha and Alpha and beta.", [("alpha", "Gene", "t:1"), ("Alpha", "Gene", "t:2"), ("beta", "Gene", "t:3")]),
    (f"Some {HOSTILE} & \"quoted\" 'text' --> </script><!-- here.",
     [(HOSTILE, HOSTILE, "t:4"), ("</script>", HOSTILE, "t:4")]),
    ("Old شلل stays, omega \U0001f9ec too.", [("شلل", "Drug", "t:9"), ("omega \U0001f9ec", "Drug", "t:6")]),
    (LONG + "gamma " + LONG, [("gamma", "Drug", "t:5"), ("gamma ", "Drug", "")]),
    ("Nothing like zeta is known.", [("zeta", "Drug", "t:5")]),
]  # fmt: skip


def corpus(folder: Path, name: str, split: str, documents: list[Any]) -> None:
    """Put a split of a corpus into the data home."""
    lines = []
    for number, (text, mentions) in enumerate(documents):
        found = [
            {"spans": [[text.index(m), text.index(m) + len(m)]], "type": type_, "gold": [[gold]] if gold else []}
            for m, type_, gold in mentions
        ]
        lines.append(json.dumps({"id": f"{split}{number}", "text": text, "mentions": found}) + "\n")
    path = folder / f"{split}.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    get_own_corpus(OwnCorpus(name=name, format="jsonl", paths=(path,), split=split, kb="tiny", merge=False))


def kb(name: str, history: str = OLD) -> None:
    """Put a knowledge base into the data home."""
    parents = {"t:2": "t:3", "t:4": "t:3", "t:3": "t:1", "t:5": "t:1", "t:6": "t:5"}
    lines = [{"id": i, "type": t, "names": [[n, "synonym"] for n in names],
              **({"parents": [[parents[i], "is_a"]]} if i in parents else {})} for i, t, names in NAMES]  # fmt: skip
    entities = raw("kb.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    parts = (Part("kb.jsonl", "linkassay.kbs.readers.json_lines:read_entities"),
             Part("history.tsv", "linkassay.kbs.readers.json_lines:read_history"))  # fmt: skip
    files = [entities, raw("history.tsv", history)]
    build_kb(KbSpec(name, name.title(), name, ("disease",), "CC0", "", "", parts, packaged=lambda: files))


def make(folder: Path) -> None:
    """Put the corpora `own` and `other` and the knowledge base `tiny` into the data home."""
    kb("tiny")
    corpus(folder, "own", "train", TRAIN)
    corpus(folder, "own", "test", TEST)
    corpus(folder, "other", "test", TEST[:3] + TRAIN)
