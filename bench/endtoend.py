"""End-to-end scoring: the real linked articles fifty times over, and documents of growing length."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.kb import Row, measured, row
from linkassay.model import Document, Mention, Prediction
from linkassay.scoring.endtoend import evaluate

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
#: ELEVANT's own: labels of the 24 files and seconds for them without start-up (data/e2e/README.md).
THEIRS = 21_844 / 4.5
TIMES = 50

_SCORE = """
from bench.endtoend import SHARED, TIMES, articles, claims
from linkassay.scoring.endtoend import evaluate
from tests.endtoend_helpers import excerpt
knowledge = excerpt(SHARED)
labels = sum(len(d.annotations) for d in articles(1)) * TIMES
sum(1 for _ in articles(1)), sum(1 for _ in claims(1))
begin = time.perf_counter()
sum(1 for _ in articles(TIMES)), sum(1 for _ in claims(TIMES))
making = time.perf_counter() - begin
begin = time.perf_counter()
counts = evaluate(articles(TIMES), claims(TIMES), preset="elevant", knowledge=knowledge)
assert len(counts.documents) == 1240 * TIMES
begin += making  # copying the articles is not scoring
"""
_REFERENCE = """
from bench.endtoend import SHARED
from tests.endtoend_helpers import BENCHMARKS, SYSTEMS, excerpt, linked
from tests.reference_endtoend import count
knowledge = excerpt(SHARED)
data = [linked(SHARED, s, b) for s in SYSTEMS for b in BENCHMARKS]
begin = time.perf_counter()
for documents, predictions in data:
    for nil in ("ignored", "required"):
        count(documents, predictions, "elevant", nil, knowledge)
"""


def _data() -> list[tuple[str, list[Document], list[Prediction]]]:
    from tests.endtoend_helpers import BENCHMARKS, SYSTEMS, linked

    return [(f"{s}.{b}", *linked(SHARED, s, b)) for s in SYSTEMS for b in BENCHMARKS]


def articles(times: int) -> Iterator[Document]:
    """The documents of all files, so many times under different names."""
    for time_ in range(times):
        for name, documents, _ in _data():
            for document in documents:
                yield replace(document, id=f"{name}.{time_}.{document.id}")


def claims(times: int) -> Iterator[Prediction]:
    """What was predicted for them."""
    for time_ in range(times):
        for name, _, predictions in _data():
            for prediction in predictions:
                yield replace(prediction, document=f"{name}.{time_}.{prediction.document}")


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
    seconds = {}
    for mentions in (1_000, 2_000, 4_000, 8_000):
        document, predictions = long_document(mentions)
        taken = []
        for _ in range(7):
            begin = time.perf_counter()
            evaluate([document], predictions, preset="elevant")
            taken.append(time.perf_counter() - begin)
        seconds[mentions] = min(taken)
    worst = max(seconds[2 * m] / seconds[m] / 2 for m in (1_000, 2_000, 4_000))
    shown = "/".join(f"{1000 * s:.0f}" for s in seconds.values())
    return [row(f"one document, 1/2/4/8 k mentions ({shown} ms): growth over linear", worst, "x", 1.3)]


def rows() -> list[Row]:
    """The rows of SPEC §12 about end-to-end scoring."""
    found = _growth()
    if not (SHARED / "e2e").is_dir():
        return found
    labels = 21_844 * TIMES
    ours, memory = measured(_SCORE)
    reference, _ = measured(_REFERENCE)
    return [
        row(f"end-to-end, {labels:,} labels: times ELEVANT's labels/s ({labels / ours:,.0f}/s)",
            labels / ours / THEIRS, "x", 8, True),
        row("  times the tests' reference", (labels / ours) / (21_844 / reference), "x", 5, True),
        row("  peak memory", memory, "MB", 1500),
        *found,
    ]  # fmt: skip
