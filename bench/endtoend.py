"""End-to-end scoring: the real linked articles as 24 small runs, and ten and fifty times over; growing documents.

ELEVANT cannot be had by pip. Its seconds were measured once on the reference machine, and are scaled by a fixed piece
of Python that runs in turns with ours (`measure.elevant`); rows say so.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.measure import (
    SHARED,
    Row,
    Taken,
    Target,
    alternate,
    command,
    command_without,
    cpu,
    elevant,
    faster,
    inside,
    memory,
    not_measured,
    progress,
    real,
    row,
    scratch,
)  # fmt: skip

#: CPU seconds that ELEVANT took on the reference machine: all 24 files, start-up included; all of them ten times over.
SMALL, TENFOLD = 5.8, 43.0
#: Labels of the 24 files, and ELEVANT's seconds for them without start-up (data/e2e/README.md).
LABELS, RATE = 21_844, 21_844 / 4.5
TIMES = 50
SCALED = "ELEVANT, measured elsewhere, scaled"
SYSTEMS = ("baseline", "oracle", "refined__aida_", "rel__2014_")
BENCHMARKS = ("kore50", "msnbc-updated", "news-fair", "news-fair-no-coref", "wiki-fair", "wiki-fair-no-coref")
_END_TO_END = ("--task", "end-to-end", "--preset", "elevant")

_STORE = """
import linkassay
from bench.endtoend import BENCHMARKS, SYSTEMS
linkassay.get("wikidata", f"{sys.argv[1]}/kb")
for benchmark in BENCHMARKS:
    linkassay.get(benchmark, f"{sys.argv[1]}/benchmarks")
    for system in SYSTEMS:
        file = f"{sys.argv[1]}/dev/{system}.{benchmark}.linked_articles.jsonl.gz"
        linkassay.import_predictions("elevant", file, corpus=benchmark, system=system)
"""
_SCORE = """
from pathlib import Path
from bench.endtoend import SHARED, TIMES
from linkassay.corpora.stored_corpus import Corpus
from linkassay.scoring.endtoend import evaluate
from tests.endtoend_helpers import excerpt
folder = Path(sys.argv[1])
facts = excerpt(SHARED)
split = Corpus("many", folder)["test"]
begin()
counts = evaluate(split, folder / "predictions.parquet", preset="elevant", facts=facts)
assert len(counts.documents) == 1240 * TIMES
"""
_REFERENCE = """
from bench.endtoend import SHARED
from tests.endtoend_helpers import BENCHMARKS, SYSTEMS, excerpt, linked
from tests.reference_endtoend import count
facts = excerpt(SHARED)
data = [linked(SHARED, s, b) for s in SYSTEMS for b in BENCHMARKS]
begin()
for documents, predictions in data:
    for nil in ("ignored", "required"):
        count(documents, predictions, "elevant", nil, facts)
"""


def stored(home: Path) -> list[str]:
    """The knowledge base, the six benchmarks and the 24 runs in a data home; what the runs are called."""
    inside(_STORE, real("e2e"), home=home)
    return [f"{benchmark.replace('-', '_')}/{system}" for benchmark in BENCHMARKS for system in SYSTEMS]


def raw_files(folder: Path, times: int) -> tuple[Path, Path]:
    """Two raw files in ELEVANT's formats with the articles of all 24 so many times: gold, and what was linked."""
    gold, linked = folder / "many.benchmark.jsonl", folder / "many.linked_articles.jsonl"
    number = 0
    with gold.open("w", encoding="utf-8") as gold_file, linked.open("w", encoding="utf-8") as linked_file:
        for benchmark in BENCHMARKS:
            articles = {str(a["id"]): a for a in _lines(real("e2e") / f"benchmarks/{benchmark}.benchmark.jsonl.gz")}
            for system in SYSTEMS:
                answers = list(_lines(real("e2e") / f"dev/{system}.{benchmark}.linked_articles.jsonl.gz"))
                for answer in answers * times:
                    number += 1
                    for article, file in ((articles[str(answer["id"])], gold_file), (answer, linked_file)):
                        file.write(json.dumps(article | {"id": number}) + "\n")
    return gold, linked


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def from_raw(home: Path, kept: Path, gold: Path, linked: Path, command: Callable[..., Taken] = command) -> Taken:
    """get + import + score, in a home that has only the knowledge base."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(kept / "kbs", home / "kbs")
    steps = (("get", gold, "--format", "elevant", "--name", "many", "--kb", "wikidata"),
             ("import", "elevant", linked, "--corpus", "many", "--system", "all"),
             ("score", "many/all", *_END_TO_END))  # fmt: skip
    one, two, three = (command(*step, home=home) for step in steps)
    return one + two + three


def rows() -> list[Row]:
    """The rows about end-to-end scoring (SPEED-4, SPEED-10, SPEED-11)."""
    if not (SHARED / "e2e").is_dir():
        return [
            not_measured("end to end", "needs e2e of the real data, in ../shared/data beside the project"),
            *_growth(),
        ]
    found: list[Row] = []
    with scratch() as folder:
        progress("end to end: storing 24 runs")
        runs = stored(folder / "small")
        turns = alternate("end to end, 24 runs", 3, {
            "ours": lambda: command("score", *runs, *_END_TO_END, home=folder / "small"),
            SCALED: lambda: elevant(SMALL),
        })  # fmt: skip
        found.append(row("linkassay score: 24 small stored runs end to end, in one command", turns["ours"], faster(3),
                         cpu(1.9), peer=turns[SCALED], against=SCALED))  # fmt: skip
        files = raw_files(folder, 10)
        turns = alternate("end to end, 218 k labels", 2, {
            "from raw files": lambda: from_raw(folder / "bare", folder / "small", *files, command_without("spacy")),
            "words by spaCy": lambda: from_raw(folder / "large", folder / "small", *files),
            "stored": lambda: command("score", "many/all", *_END_TO_END, home=folder / "large"),
            SCALED: lambda: elevant(TENFOLD),
        })  # fmt: skip
        found += [
            row("linkassay get + import + score: 218 k labels end to end, from raw files", turns["from raw files"],
                faster(5), memory(300), peer=turns[SCALED], against=SCALED),
            row("the same where spaCy is installed, which counts the words once for a corpus", turns["words by spaCy"],
                peer=turns[SCALED], against=SCALED),
            row("linkassay score: 218 k labels end to end, stored", turns["stored"], faster(12), peer=turns[SCALED],
                against=SCALED),
        ]  # fmt: skip
    return [*found, *_million(), *_growth()]


def _million() -> list[Row]:
    """SPEC's own row: fifty times, the inner function alone."""
    with scratch() as folder:
        progress("end to end: making 1.09 M labels")
        labels = replicate(folder)
        turns = alternate("end to end, 1.09 M labels", 2, {
            "ours": lambda: inside(_SCORE, folder), SCALED: lambda: elevant(labels / RATE),
            "reference": lambda: inside(_REFERENCE).times(TIMES),
        })  # fmt: skip
    work = "evaluate: 1.09 M stored labels end to end (inner function)"
    return [
        row(work, turns["ours"], faster(8), memory(1500), peer=turns[SCALED], against=SCALED),
        row(
            work, turns["ours"], faster(5), peer=turns["reference"], against=f"tests' reference on {LABELS:,}, times 50"
        ),
    ]


def replicate(folder: Path) -> int:
    """A stored corpus and run that hold the articles of all files so many times; returns the number of labels."""
    from tests.endtoend_helpers import linked, write_predictions

    from linkassay.corpora.stored_corpus import SplitWriter

    once, predictions, labels = folder / "once", [], 0
    once.mkdir()
    with SplitWriter(once, "test") as writer:
        for system in SYSTEMS:
            for benchmark in BENCHMARKS:
                documents, said = linked(SHARED, system, benchmark)
                for document in documents:
                    name = f"{system}.{benchmark}.{document.id}"
                    own = tuple(replace(m, document=name) for m in document.annotations)
                    writer.add(replace(document, id=name, annotations=own))
                    labels += len(own)
                predictions += [replace(p, document=f"{system}.{benchmark}.{p.document}") for p in said]
    write_predictions(once / "predictions.parquet", predictions)
    columns = {"documents.test.parquet": "id", "mentions.test.parquet": "document", "predictions.parquet": "document"}
    for file, column in columns.items():
        table = pq.read_table(once / file)
        at = table.column_names.index(column)
        with pq.ParquetWriter(folder / file, table.schema, compression="zstd") as writer_:
            for time_ in range(TIMES):
                names = pc.binary_join_element_wise(f"{time_}", table[column], ".")
                writer_.write_table(table.set_column(at, table.schema.field(column), names))
    manifest = {"revision": "r", "types": [], "splits": {"test": {"documents": 1240 * TIMES}}}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return labels * TIMES


def long_document(mentions: int) -> tuple[Any, list[Any]]:
    """One document with so many gold mentions, a tenth of them in trees, and about as many predictions."""
    from linkassay.model import Document, Mention, Prediction

    draw = random.Random(mentions)
    words = draw.choices(["Ada", "Lake", "river", "New", "Paris", "of", "the", "1996", "aunt"], k=6 * mentions)
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    text = " ".join(words)

    def span(at: int) -> tuple[int, int]:
        last = min(at + draw.randrange(2), len(words) - 1)
        return starts[at], starts[last] + len(words[last])

    labels: list[Mention] = []
    predictions: list[Prediction] = []
    for number in range(mentions):
        at = 6 * number
        start, end = span(at)
        parent = labels[-1].id if number % 10 == 9 else ""
        gold = (frozenset({f"wikidata:Q{draw.randrange(50)}"}),) if draw.random() < 0.9 else ()
        labels.append(Mention(f"m{number}", "d", ((start, end),), text[start:end], "", gold, parent=parent))
        if draw.random() < 0.8:
            predictions.append(Prediction("d", (span(at + draw.choice([0, 0, 0, 1, 3])),),
                                          ((f"wikidata:Q{draw.randrange(50)}",),)))  # fmt: skip
    return Document("d", text, annotations=tuple(labels)), predictions


def _growth() -> list[Row]:
    from linkassay.scoring.endtoend import evaluate

    progress("end to end: growing documents")
    data = {mentions: long_document(mentions) for mentions in (1_000, 2_000, 4_000, 8_000)}
    seconds = dict.fromkeys(data, math.inf)
    for _ in range(20):  # in turn, and the best of each
        for mentions, (document, predictions) in data.items():
            begin = time.process_time()
            evaluate([document], predictions, preset="elevant")
            seconds[mentions] = min(seconds[mentions], time.process_time() - begin)
    worst = max(seconds[2 * m] / seconds[m] / 2 for m in (1_000, 2_000, 4_000))
    largest = seconds[8_000]
    return [row("evaluate: one document of 8 k mentions (inner function)", [Taken(largest, largest, 0)],
                Target("growth from 1 k, over linear", 1.3, unit="×", value=worst))]  # fmt: skip


def quick_rows() -> list[Row]:
    """For the guard: the 24 runs, and all of them once from raw files."""
    with scratch() as folder:
        runs = stored(folder / "small")
        files = raw_files(folder, 1)
        turns = alternate("end to end", 3, {
            "24": lambda: command("score", *runs, *_END_TO_END, home=folder / "small"),
            "raw": lambda: from_raw(folder / "large", folder / "small", *files), SCALED: lambda: elevant(SMALL),
        })  # fmt: skip
    return [
        row("linkassay score: 24 small stored runs end to end", turns["24"], peer=turns[SCALED], against=SCALED),
        row("linkassay get + import + score: 22 k labels end to end", turns["raw"], peer=turns[SCALED], against=SCALED),
    ]
