"""End-to-end scoring of a stored run, the real linked articles fifty times over; documents of growing length."""

from __future__ import annotations

import json
import math
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.table import SHARED, Row, measured, not_measured, row
from linkassay.corpora.stored_corpus import SplitWriter
from linkassay.model import Document, Mention, Prediction
from linkassay.scoring.endtoend import evaluate

#: ELEVANT's own: labels of the 24 files and seconds for them without start-up (data/e2e/README.md).
THEIRS = 21_844 / 4.5
TIMES = 50
ROUNDS = 3

_SCORE = """
from pathlib import Path
from bench.endtoend import SHARED, TIMES
from linkassay.corpora.stored_corpus import Corpus
from linkassay.scoring.endtoend import evaluate
from tests.endtoend_helpers import excerpt
folder = Path(sys.argv[1])
facts = excerpt(SHARED)
split = Corpus("many", folder)["test"]
begin = time.perf_counter()
counts = evaluate(split, folder / "predictions.parquet", preset="elevant", facts=facts)
assert len(counts.documents) == 1240 * TIMES
"""
_REFERENCE = """
from bench.endtoend import SHARED
from tests.endtoend_helpers import BENCHMARKS, SYSTEMS, excerpt, linked
from tests.reference_endtoend import count
facts = excerpt(SHARED)
data = [linked(SHARED, s, b) for s in SYSTEMS for b in BENCHMARKS]
begin = time.perf_counter()
for documents, predictions in data:
    for nil in ("ignored", "required"):
        count(documents, predictions, "elevant", nil, facts)
"""


def replicate(folder: Path) -> int:
    """A stored corpus and run that hold the articles of all files so many times; returns the number of labels."""
    from tests.endtoend_helpers import BENCHMARKS, SYSTEMS, linked, write_predictions

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


def long_document(mentions: int) -> tuple[Document, list[Prediction]]:
    """One document with so many gold mentions, a tenth of them in trees, and about as many predictions."""
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
    data = {mentions: long_document(mentions) for mentions in (1_000, 2_000, 4_000, 8_000)}
    seconds = dict.fromkeys(data, math.inf)
    for _ in range(20):  # in turn, and the best of each
        for mentions, (document, predictions) in data.items():
            begin = time.process_time()
            evaluate([document], predictions, preset="elevant")
            seconds[mentions] = min(seconds[mentions], time.process_time() - begin)
    worst = max(seconds[2 * m] / seconds[m] / 2 for m in (1_000, 2_000, 4_000))
    shown = "/".join(f"{1000 * s:.0f}" for s in seconds.values())
    return [row(f"end to end, one document of 1/2/4/8 k mentions ({shown} ms): growth over linear", worst, "×", 1.3)]


def rows() -> list[Row]:
    """The rows about end-to-end scoring (SPEED-4)."""
    found = _growth()
    if not (SHARED / "e2e").is_dir():
        return [not_measured("end to end, 1.09 M labels", "needs e2e in ../shared/data beside the project"), *found]
    with tempfile.TemporaryDirectory() as folder:
        labels = replicate(Path(folder))
        # In turn, and the best of each, so that what else the machine does weighs on both alike.
        runs = [(measured(_SCORE, folder), measured(_REFERENCE)) for _ in range(ROUNDS)]
    ours, reference = (min(seconds for seconds, _ in side) for side in zip(*runs))
    memory = max(ours_[1] for ours_, _ in runs)
    return [
        row("end to end, 1.09 M labels", labels / ours, "labels/s", 8, True, yardstick=THEIRS,
            against="ELEVANT", rate=True),
        row("end to end, 1.09 M labels", labels / ours, "labels/s", 5, True, yardstick=21_844 / reference,
            against="tests' reference", rate=True),
        row("end to end, 1.09 M labels: peak memory", memory, "MB", 1500),
        *found,
    ]  # fmt: skip
