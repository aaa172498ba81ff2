"""Scoring with given mentions (SPEED-2): a made-up corpus and runs in a data home, scored by the library, by what one
would write with pandas, and by a plain loop; the three must agree. And how long a report of five systems takes.

All three begin with the Parquet files of the data home and end with recall@1…10 under six protocols.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests import reference_scoring as reference

from bench.table import Row, measured, row
from linkassay import store

MENTIONS, CANDIDATES = 1_000_000, 10
KS = range(1, 11)
#: Two of the six are one and the same; all three implementations compute it once.
PROTOCOLS = ("bioel/basic", "bioel/relaxed", "bioel/strict", "belb/standard", "belb/strict", "belb/lenient")

Recall = dict[str, list[float]]  # protocol → recall at each of `KS`

_TYPES = ("cell line", "chemical", "disease", "gene", "species", "variant")
_PER_DOCUMENT = 40
_STORED: dict[str, Any] = {"row_group_size": 50_000, "compression": "zstd"}


def corpus(home: Path, mentions: int, train: int = 0, seed: int = 1) -> None:
    """A corpus `made` without a knowledge base; a tenth of the mentions has two alternatives, a twentieth two ids."""
    sizes = {"test": mentions} | ({"train": train} if train else {})
    folder = home / "corpora" / "made" / "1"
    folder.mkdir(parents=True)
    for split, size in sizes.items():
        random = np.random.default_rng([seed, len(split)])
        gold = _entities(random, (size, 2), mentions)
        kind = random.choice(3, size, p=[0.85, 0.1, 0.05])
        document = np.arange(size) // _PER_DOCUMENT
        # A name follows from the entity, often enough: the same mention comes again, here and in training.
        named = zip(gold[:, 0].tolist(), random.choice(list("abcde"), size).tolist(), strict=True)
        texts = [f"{_TYPES[entity % 6][:3]}{entity:x} {letter}" for entity, letter in named]
        starts, whole = _laid_out(texts)
        names = [f"{split[:2]}{d:06d}" for d in range(len(whole))]
        ids = (_ids(mentions).take(pa.array(column)).to_pylist() for column in gold.T)
        pq.write_table(pa.table({
            "split": [split] * len(whole), "id": names, "title": [""] * len(whole), "text": whole,
            "passages": [[{"kind": "text", "offset": 0, "length": len(text)}] for text in whole],
            "evaluation_spans": [None] * len(whole), "hyperlinks": [[] for _ in whole],
        }, schema=store.DOCUMENTS), folder / f"documents.{split}.parquet", **_STORED)  # fmt: skip
        empty = [""] * size
        pq.write_table(pa.table({
            "split": [split] * size, "document": [names[d] for d in document.tolist()],
            "id": [f"{names[d]}-{n % _PER_DOCUMENT:02d}" for n, d in enumerate(document.tolist())],
            "spans": [[{"start": s, "end": s + len(t)}] for s, t in zip(starts, texts, strict=True)],
            "text": texts, "type": [_TYPES[g % 6] for g in gold[:, 0].tolist()],
            "gold": [[[a], [b]] if k == 1 else [[a, b]] if k == 2 else [[a]]
                     for k, a, b in zip(kind.tolist(), *ids, strict=True)],
            "raw": empty, "source_type": empty, "optional": [False] * size, "parent": empty, "role": empty,
            "coreference": [False] * size, "kind": empty, "further_parents": [[]] * size,
        }, schema=store.MENTIONS), folder / f"mentions.{split}.parquet", **_STORED)  # fmt: skip
    about = dict.fromkeys(("title", "licence", "citation", "homepage", "kb"), "made up")
    splits = {split: {"documents": -(-size // _PER_DOCUMENT)} for split, size in sizes.items()}
    store.write_manifest(folder, about | {"name": "made", "revision": "1", "splits": splits, "types": list(_TYPES)})
    store.set_current(folder.parent, "1")


def run(home: Path, system: str, skill: float = 0.7, seed: int = 1) -> Path:
    """Answers of a system to the corpus: ten candidates with random ties; some repeat an id, one in fifty has none."""
    random = np.random.default_rng([seed, int(skill * 1e6)])
    columns = ["document", "id", "spans", "type", "gold"]
    mentions = pq.read_table(files(home, system)[0], columns=columns).combine_chunks()
    size = len(mentions)
    gold = [[int(i[6:]) for ids in alternatives for i in ids] for alternatives in mentions["gold"].to_pylist()]
    right = np.array([(ids[0], ids[-1]) for ids in gold])
    candidates = _entities(random, (size, CANDIDATES), size)
    place = np.minimum(random.geometric(0.4, size) - 1, CANDIDATES - 1)
    lucky = np.flatnonzero(random.random(size) < skill)
    candidates[lucky, place[lucky]] = right[lucky, 0]
    two = lucky[right[lucky, 0] != right[lucky, 1]]
    candidates[two, (place[two] + 1) % CANDIDATES] = right[two, 1]  # so that of some ties all ids are right
    again = random.random((size, CANDIDATES)) < 0.03
    again[:, 0] = False
    candidates = np.where(again, np.roll(candidates, 1, axis=1), candidates)
    begins = random.random((size, CANDIDATES)) < 0.6
    begins[:, 0] = True
    answered = random.random(size) >= 0.02
    ids = _ids(size).take(pa.array(candidates[answered].ravel()))
    inner = np.append(np.flatnonzero(begins[answered].ravel()), len(ids)).astype(np.int32)
    groups = begins.sum(axis=1) * answered
    outer = np.concatenate([[0], np.cumsum(groups)]).astype(np.int32)
    nested = pa.ListArray.from_arrays(outer, pa.ListArray.from_arrays(inner, ids))
    scores = pa.ListArray.from_arrays(outer, pa.array(np.round(random.random(len(inner) - 1), 3)))
    folder = home / "runs" / "made" / f"{system}-1"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({
        "document": mentions["document"], "mention": mentions["id"], "spans": mentions["spans"],
        "type": mentions["type"], "groups": nested, "scores": scores, "nil": pa.array(~answered),
        "nil_as": pa.repeat("", size),
    }, schema=store.PREDICTIONS), folder / "predictions.parquet", **_STORED)  # fmt: skip
    about = {"corpus": "made", "corpus_revision": "1", "split": "test", "kb": "made", "kb_revision": "",
             "system": system, "mentions": size, "finished": 0.0, "parameters": {}, "software": "made up"}  # fmt: skip
    (folder / "run.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


def _ids(mentions: int) -> Any:
    """The entities that so many mentions are of."""
    return pa.array([f"mesh:D{n:06d}" for n in range(max(1_000, mentions // 10))])


def _entities(random: Any, shape: tuple[int, int], mentions: int) -> Any:
    """Numbers of entities; a few are common, most are rare."""
    return (len(_ids(mentions)) * random.random(shape) ** 2).astype(np.int64)


def _laid_out(texts: list[str]) -> tuple[list[int], list[str]]:
    """Where each text begins, and the documents that they make up."""
    starts, documents = [], []
    for begin in range(0, len(texts), _PER_DOCUMENT):
        at = 0
        for text in texts[begin : begin + _PER_DOCUMENT]:
            starts.append(at)
            at += len(text) + 9
        documents.append(" is seen ".join(texts[begin : begin + _PER_DOCUMENT]))
    return starts, documents


def files(home: Path, system: str) -> tuple[Path, Path]:
    """Gold and answers."""
    return home / "corpora/made/1/mentions.test.parquet", home / f"runs/made/{system}-1/predictions.parquet"


def ours(home: Path, system: str) -> Recall:
    """The verb `score`; one resample, since the others make no intervals."""
    import linkassay

    os.environ["LINKASSAY_HOME"] = str(home)
    measures = [f"recall(protocol={protocol})@{k}" for protocol in PROTOCOLS for k in KS]
    table = linkassay.score(f"made/{system}", measures).table()
    found = {r["measure"]: r["value"] for r in table}
    from linkassay.scoring.disambiguation.measures import Measure

    return {p: [found[str(Measure.parse(f"recall(protocol={p})@{k}"))] for k in KS] for p in PROTOCOLS}


def with_pandas(home: Path, system: str) -> Recall:
    """Straightforward: one row per candidate, then one per group, then the formulas of TIE-1 to TIE-7 on columns."""
    import pandas as pd

    gold_file, answers_file = files(home, system)
    gold = pd.read_parquet(gold_file, columns=["id", "gold"])
    answers = pd.read_parquet(answers_file, columns=["mention", "groups"])
    mentions = len(gold)

    gold = gold.explode("gold").explode("gold").drop_duplicates()
    gold = gold.rename(columns={"id": "mention", "gold": "id"}).assign(right=1)

    rows = answers.explode("groups", ignore_index=True).rename_axis("group").reset_index()
    rows = rows.explode("groups").rename(columns={"groups": "id"}).dropna(subset="id")
    rows = rows.drop_duplicates(["mention", "id"])  # each id at its first rank only
    rows = rows.merge(gold, on=["mention", "id"], how="left").fillna({"right": 0})

    groups = rows.groupby(["mention", "group"], sort=False)["right"].agg(["size", "sum"]).reset_index()
    groups = groups.rename(columns={"sum": "right"}).astype({"right": int})
    by_mention = groups.groupby("mention", sort=False)
    groups["rank"] = by_mention.cumcount() + 1
    groups["before"] = by_mention["size"].cumsum() - groups["size"]
    groups = groups[groups["right"] > 0]

    def first(wanted: Any) -> list[float]:
        rank = wanted.groupby("mention", sort=False)["rank"].min()
        return [(rank <= k).sum() / mentions for k in KS]

    def one_per_group(k: int) -> float:
        missed = (1 - groups["right"] / groups["size"])[groups["rank"] <= k]
        return (1 - missed.groupby(groups["mention"], sort=False).prod()).sum() / mentions

    most = int(groups["size"].max())
    choose = np.array([[comb(n, s) for s in range(most + 1)] for n in range(most + 1)], dtype=float)
    best = groups.drop_duplicates("mention")
    size, right, before = best["size"].to_numpy(), best["right"].to_numpy(), best["before"].to_numpy()

    def expected(k: int) -> float:
        drawn = np.clip(k - before, 0, size)
        return (1 - choose[size - right, drawn] / choose[size, drawn]).sum() / mentions

    relaxed = first(groups)
    return {
        "bioel/basic": [expected(k) for k in KS],
        "bioel/relaxed": relaxed,
        "bioel/strict": first(groups[groups["right"] == groups["size"]]),
        "belb/standard": [one_per_group(k) for k in KS],
        "belb/strict": first(groups[groups["size"] == 1]),
        "belb/lenient": relaxed,
    }


Policy = Callable[[reference.Groups, frozenset[str], int], float]


def expected(groups: reference.Groups, gold: frozenset[str], k: int) -> float:
    """The closed form of TIE-1; the tests' own goes through all orders, of which ten tied ids have millions."""
    before = 0
    for group in groups:
        size, right = len(group), len(gold.intersection(group))
        if right:
            drawn = min(max(k - before, 0), size)
            return 1 - comb(size - right, drawn) / comb(size, drawn)
        before += size
    return 0.0


def one_per_group(groups: reference.Groups, gold: frozenset[str], k: int) -> float:
    """Likewise, in place of all draws."""
    missed = 1.0
    for group in groups[:k]:
        missed *= 1 - len(gold.intersection(group)) / len(group)
    return 1 - missed


def by_reference(home: Path, system: str, mentions: int) -> Recall:
    """The tests' reference, which goes through all orders and draws, over the first mentions."""
    return plain(home, system, mentions, reference.expected, reference.one_per_group)


def plain(
    home: Path, system: str, mentions: int | None = None, expected: Policy = expected, one: Policy = one_per_group
) -> Recall:
    """A plain loop over the first mentions (None: all), by closed forms if not told otherwise."""
    gold_file, answers_file = files(home, system)
    batch = mentions or MENTIONS
    gold = next(pq.ParquetFile(gold_file).iter_batches(batch, columns=["id", "gold"])).to_pylist()
    answers = next(pq.ParquetFile(answers_file).iter_batches(batch, columns=["mention", "groups"])).to_pylist()
    given = {answer["mention"]: answer["groups"] for answer in answers}
    policies = {
        "bioel/basic": expected, "bioel/relaxed": reference.any_, "bioel/strict": reference.all_,
        "belb/standard": one, "belb/strict": reference.single,
    }  # fmt: skip
    totals = {protocol: [0.0 for _ in KS] for protocol in policies}
    for mention in gold:
        right = frozenset(identifier for alternative in mention["gold"] for identifier in alternative)
        groups = reference.prepare(given.get(mention["id"], []))
        for protocol, policy in policies.items():
            for at, k in enumerate(KS):
                totals[protocol][at] += policy(groups, right, k)
    found = {protocol: [total / len(gold) for total in each] for protocol, each in totals.items()}
    return found | {"belb/lenient": found["bioel/relaxed"]}


def apart(one: Recall, other: Recall) -> float:
    """The largest difference between figures of two implementations."""
    return max(abs(a - b) for p in PROTOCOLS for a, b in zip(one[p], other[p], strict=True))


_SCORED = """
import json
from pathlib import Path
from bench import scoring
import linkassay.scoring.disambiguation.run_score, pandas
begin = time.perf_counter()
found = getattr(scoring, sys.argv[1])(Path(sys.argv[2]), "a", *map(int, sys.argv[4:]))
Path(sys.argv[3]).write_text(json.dumps(found))
"""
_REPORT = """
import os
os.environ["LINKASSAY_HOME"] = sys.argv[1]
import linkassay
linkassay.report([f"made/{system}" for system in "abcde"], sys.argv[2])
"""
_SLICED = """
import os
os.environ["LINKASSAY_HOME"] = sys.argv[1]
import linkassay
for system in "abcde":
    linkassay.score(f"made/{system}", by=["type", "zero-shot"]).table()
"""


def rows() -> list[Row]:
    """Scoring (SPEED-2)."""
    with tempfile.TemporaryDirectory() as folder:
        return _scoring(Path(folder) / "million")


def report_rows() -> list[Row]:
    """The report (SPEED-8)."""
    with tempfile.TemporaryDirectory() as folder:
        return _five_systems(Path(folder) / "five")


def _scoring(home: Path, mentions: int = MENTIONS, sample: int = 20_000, few: int = 100) -> list[Row]:
    corpus(home, mentions)
    run(home, "a")

    def timed(name: str, *further: int) -> tuple[float, float, Recall]:
        out = home / f"{name}.json"
        seconds, memory = measured(_SCORED, name, str(home), str(out), *map(str, further))
        return seconds, memory, json.loads(out.read_text())

    theirs, _, reference_ = timed("with_pandas")
    mine, memory, found = timed("ours")
    loop = timed("plain", sample)[0] * mentions / sample
    slow = timed("by_reference", few)[0] * mentions / few
    what = "score 1 M mentions × 10 candidates, six protocols, recall@1…10"
    return [
        row(what, mine, "s", 3, True, yardstick=theirs, against="pandas"),
        row(what, mine, "s", 30, True, yardstick=slow, against=f"tests' reference, of {few}"),
        row(what, mine, "s", yardstick=loop, against=f"plain loop, of {sample:,}"),
        row("score 1 M mentions: peak memory", memory, "MB", 2000),
        row("score 1 M mentions: largest distance from pandas' figures", apart(found, reference_), "", 1e-12),
    ]


def _five_systems(home: Path, mentions: int = 40_000) -> list[Row]:
    corpus(home, mentions, train=mentions)
    for at, system in enumerate("abcde"):
        run(home, system, 0.5 + 0.1 * at)
    page = home / "report.html"
    scored, _ = measured(_SLICED, str(home))
    seconds, memory = measured(_REPORT, str(home), str(page))
    return [
        row("score 5 systems × 40 k mentions by type and zero-shot", scored, "s"),
        row("report of 5 systems × 40 k mentions", seconds, "s", 30),
        row("report of 5 systems × 40 k mentions: size of the page", page.stat().st_size / 1e6, "MB", 10),
        row("report of 5 systems × 40 k mentions: peak memory", memory, "MB"),
    ]
