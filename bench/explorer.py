"""The explorer: views of a million mentions, made and asked; and the size of what a page holds of 50 000."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench import scoring
from bench.measure import Row, Target, alternate, inside, memory, progress, row, scratch, wall
from bench.synthetic import _GENUS, _MIDDLE, _SPECIES, _START, _words
from linkassay import store

#: What a page must hold: mentions, systems, candidates; and how large the knowledge base is that these are of.
MENTIONS, SYSTEMS, CANDIDATES, ENTITIES = 50_000, 5, 10, 100_000
_PER_DOCUMENT, _WORDS = 10, 18  # mentions of a document, words between two of them
_WIDTH = 12  # letters of a mention

_BUILD = """
import linkassay
from linkassay.explorer import build_view
build_view([linkassay.run(each) for each in sys.argv[1:]])
"""
_ASK = """
import random
import linkassay
from linkassay.explorer import open_view
runs = [linkassay.run(each) for each in sys.argv[1:]]
begin()
view, draw, said = open_view(runs), random.Random(1), {}
label = "=" + view.cohort()["systems"][0]
outcomes = ["missed", "right", "wrong", "generation", "disambiguation", "partly"]
sorts = ["", "text", "-text", "type", "document", "-document", "rank"]
asked = {
    "list": lambda: view.mentions(system=label, outcome=draw.choice(outcomes), sort=draw.choice(sorts)),
    "far page": lambda: view.mentions(sort=draw.choice(sorts), offset=draw.randrange(900_000)),
    "find": lambda: view.mentions(find=f"{draw.randrange(999):03d}", sort=draw.choice(sorts)),
    "mention": lambda: view.mention(f"te{draw.randrange(25_000):06d}-{draw.randrange(40):02d}"),
    "documents": lambda: view.documents(sort=draw.choice(["", "errors", "-differ"]), offset=draw.randrange(20_000)),
    "document": lambda: view.document(f"te{draw.randrange(25_000):06d}"),
}
for name, ask in asked.items():
    taken = []
    for _ in range(40):
        start = time.perf_counter()
        ask()
        taken.append(1000 * (time.perf_counter() - start))
    said[name] = sorted(taken)[37]
"""
_EMBED = """
import base64, gzip
import linkassay
from linkassay.explorer import embed
from linkassay.scoring.results import cohorts
from bench.explorer import names
found = embed(cohorts([linkassay.score(each) for each in sys.argv[1:]]))
(cohort,) = found["cohorts"]
cohort["names"] = names(len(cohort["ids"]))
text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
said = [cohort["cohort"]["sizes"]["held"], len(base64.b64encode(gzip.compress(text.encode(), 6)))]
"""


def rows() -> list[Row]:
    """All of it."""
    with scratch() as folder:
        progress("explorer: making a million mentions")
        large = folder / "large"
        scoring.corpus(large, 1_000_000)
        scoring.run(large, "a")
        turns = alternate("explorer", 1, {
            "build": lambda: inside(_BUILD, "made/a", home=large), "ask": lambda: inside(_ASK, "made/a", home=large),
        })  # fmt: skip
        slowest = turns["ask"][0].said
        progress("explorer: making 50 000 mentions in texts")
        page = folder / "page"
        corpus(page)
        systems = [f"made/{run(page, at)}" for at in range(SYSTEMS)]
        embedded = alternate("explorer", 1, {"page": lambda: inside(_EMBED, *systems, home=page)})["page"]
        held, size = embedded[0].said
        assert held == MENTIONS
    told = ", ".join(f"{name} {taken:.0f} ms" for name, taken in slowest.items())
    return [
        row("build_view: 1 M mentions × 10 candidates (inner function)", turns["build"], wall(10)),
        row(f"View: questions about 1 M mentions, 95th percentile: {told}", turns["ask"], memory(600),
            Target("slowest", 300, unit="ms", value=max(slowest.values())),
            Target("mention", 100, unit="ms", value=slowest["mention"])),
        row(f"embed: {MENTIONS:,} mentions × {SYSTEMS} systems × {CANDIDATES} candidates, to the text of a page",
            embedded, wall(15), Target("page", 25, unit="MB", value=size / 1e6)),
    ]  # fmt: skip


def names(count: int) -> list[str]:
    """So many names of entities."""
    random = np.random.default_rng(2)
    genus, species = _words(_START, _MIDDLE, _GENUS), _words(_MIDDLE, _MIDDLE, _SPECIES)
    drawn = (words.take(pa.array(random.integers(0, len(words), count))).to_pylist() for words in (genus, species))
    return [f"{a} {b}" for a, b in zip(*drawn, strict=True)]


def corpus(home: Path) -> None:
    """A corpus `made` with mentions in texts of made-up words."""
    random = np.random.default_rng(1)
    words = names(20_000)
    folder = home / "corpora" / "made" / "1"
    folder.mkdir(parents=True)
    common = (len(words) * random.random((MENTIONS, _WORDS)) ** 3).astype(int)
    between = [" ".join(words[n].split()[n % 2] for n in line) for line in common.tolist()]
    said = [words[n][:_WIDTH] for n in random.integers(0, len(words), MENTIONS).tolist()]
    texts, starts = [], []
    for begin in range(0, MENTIONS, _PER_DOCUMENT):
        text = ""
        for n in range(begin, begin + _PER_DOCUMENT):
            starts.append(len(text) + len(between[n]) + 2)
            text += f"{between[n]}. {said[n]} "
        texts.append(text)
    ids = [f"{17_000_000 + 37 * n}" for n in range(len(texts))]
    document = [each for each in ids for _ in range(_PER_DOCUMENT)]
    gold = random.integers(0, ENTITIES, MENTIONS).tolist()
    blank = [""] * MENTIONS
    pq.write_table(pa.table({
        "split": ["test"] * len(ids), "id": ids, "title": [""] * len(ids), "text": texts,
        "passages": [[{"kind": "abstract", "offset": 0, "length": len(text)}] for text in texts],
        "evaluation_spans": [None] * len(ids), "hyperlinks": [[] for _ in ids],
    }, schema=store.DOCUMENTS), folder / "documents.test.parquet")  # fmt: skip
    pq.write_table(pa.table({
        "split": ["test"] * MENTIONS, "document": document,
        "id": [f"{d}:{s}-{s + len(t)}:disease" for d, s, t in zip(document, starts, said, strict=True)],
        "spans": [[{"start": s, "end": s + len(t)}] for s, t in zip(starts, said, strict=True)], "text": said,
        "type": ["disease"] * MENTIONS, "gold": [[[f"mesh:D{n:06d}"]] for n in gold], "raw": blank,
        "source_type": blank, "optional": [False] * MENTIONS, "parent": blank, "role": blank,
        "coreference": [None] * MENTIONS, "kind": blank, "further_parents": [[]] * MENTIONS,
    }, schema=store.MENTIONS), folder / "mentions.test.parquet")  # fmt: skip
    about = dict.fromkeys(("title", "licence", "citation", "homepage", "kb"), "made up")
    splits = {"test": {"documents": len(ids), "mentions": MENTIONS, "types": {"disease": MENTIONS}}}
    store.write_manifest(folder, about | {"name": "made", "revision": "1", "splits": splits, "types": ["disease"]})
    store.set_current(folder.parent, "1")


def run(home: Path, seed: int) -> str:
    """A system that ranks entities at random, gold among them for seven of ten mentions."""
    random = np.random.default_rng(seed)
    columns = ["document", "id", "spans", "type", "gold"]
    mentions = pq.read_table(home / "corpora/made/1/mentions.test.parquet", columns=columns)
    ids = random.integers(0, ENTITIES, (MENTIONS, CANDIDATES))
    gold = np.array([int(each[0][0][6:]) for each in mentions["gold"].to_pylist()])
    lucky = np.flatnonzero(random.random(MENTIONS) < 0.7)
    ids[lucky, np.minimum(random.geometric(0.5, len(lucky)) - 1, CANDIDATES - 1)] = gold[lucky]
    scores = -np.sort(-random.random((MENTIONS, CANDIDATES)), axis=1)
    known = pa.array([f"mesh:D{n:06d}" for n in range(ENTITIES)])
    outer, inner = (pa.array(np.arange(0, MENTIONS * CANDIDATES + 1, step), pa.int32()) for step in (CANDIDATES, 1))
    system = "abcdefghij"[seed]
    folder = home / "runs" / "made" / f"{system}-1"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({
        "document": mentions["document"], "mention": mentions["id"], "spans": mentions["spans"],
        "type": mentions["type"],
        "groups": pa.ListArray.from_arrays(outer, pa.ListArray.from_arrays(inner, known.take(pa.array(ids.ravel())))),
        "scores": pa.ListArray.from_arrays(outer, pa.array(scores.ravel())),
        "nil": pa.array(np.zeros(MENTIONS, dtype=bool)), "nil_as": pa.repeat("", MENTIONS),
    }, schema=store.PREDICTIONS), folder / "predictions.parquet")  # fmt: skip
    about = {"corpus": "made", "corpus_revision": "1", "split": "test", "kb": "made", "kb_revision": "",
             "system": system, "mentions": MENTIONS, "finished": 0.0, "parameters": {},
             "software": "made up"}  # fmt: skip
    (folder / "run.json").write_text(json.dumps(about), encoding="utf-8")
    return system
