"""Scoring with given mentions, against pandas, pytrec_eval, ranx and a plain loop, which must all agree; and reports.

All begin with the Parquet files of the data home: a made-up corpus, and runs on it with ties or without.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests import reference_scoring as reference

from bench.measure import (
    Row,
    Taken,
    Target,
    alternate,
    command,
    faster,
    inside,
    memory,
    missing,
    not_measured,
    peer,
    progress,
    row,
    scratch,
    wall,
)  # fmt: skip
from bench.peers import KS, Recall
from linkassay import store

MENTIONS, CANDIDATES = 1_000_000, 10
#: Two of the six are one and the same; all implementations compute it once.
PROTOCOLS = ("bioel/basic", "bioel/relaxed", "bioel/strict", "belb/standard", "belb/strict", "belb/lenient")

_TYPES = ("cell line", "chemical", "disease", "gene", "species", "variant")
_PER_DOCUMENT = 40
_STORED: dict[str, Any] = {"row_group_size": 50_000, "compression": "zstd"}


def corpus(home: Path, mentions: int, train: int = 0, seed: int = 1, one_id: bool = False) -> None:
    """A corpus `made` without a knowledge base; a tenth of the mentions has two alternatives, a twentieth two ids.

    `one_id`: every mention has one id and no more.
    """
    sizes = {"test": mentions} | ({"train": train} if train else {})
    types: dict[str, dict[str, int]] = {}
    folder = home / "corpora" / "made" / "1"
    folder.mkdir(parents=True)
    for split, size in sizes.items():
        random = np.random.default_rng([seed, len(split)])
        gold = _entities(random, (size, 2), mentions)
        kind = random.choice(3, size, p=[1, 0, 0] if one_id else [0.85, 0.1, 0.05])
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
        of_type = [_TYPES[g % 6] for g in gold[:, 0].tolist()]
        types[split] = dict(Counter(of_type))
        pq.write_table(pa.table({
            "split": [split] * size, "document": [names[d] for d in document.tolist()],
            "id": [f"{names[d]}-{n % _PER_DOCUMENT:02d}" for n, d in enumerate(document.tolist())],
            "spans": [[{"start": s, "end": s + len(t)}] for s, t in zip(starts, texts, strict=True)],
            "text": texts, "type": of_type,
            "gold": [[[a], [b]] if k == 1 else [[a, b]] if k == 2 else [[a]]
                     for k, a, b in zip(kind.tolist(), *ids, strict=True)],
            "raw": empty, "source_type": empty, "optional": [False] * size, "parent": empty, "role": empty,
            "coreference": [False] * size, "kind": empty, "further_parents": [[]] * size,
        }, schema=store.MENTIONS), folder / f"mentions.{split}.parquet", **_STORED)  # fmt: skip
    about = dict.fromkeys(("title", "licence", "citation", "homepage", "kb"), "made up")
    splits = {split: {"documents": -(-size // _PER_DOCUMENT), "mentions": size, "types": types[split]}
              for split, size in sizes.items()}  # fmt: skip
    store.write_manifest(folder, about | {"name": "made", "revision": "1", "splits": splits, "types": list(_TYPES)})
    store.set_current(folder.parent, "1")


def run(home: Path, system: str, skill: float = 0.7, seed: int = 1, ties: bool = True) -> Path:
    """Answers of a system to the corpus: ten candidates with random ties; some repeat an id, one in fifty has none.

    Without `ties` each candidate has a rank of its own, and no id comes twice.
    """
    random = np.random.default_rng([seed, int(skill * 1e6)])
    columns = ["document", "id", "spans", "type", "gold"]
    mentions = pq.read_table(files(home, system)[0], columns=columns).combine_chunks()
    size = len(mentions)
    gold = [[int(i[6:]) for ids in alternatives for i in ids] for alternatives in mentions["gold"].to_pylist()]
    right = np.array([(ids[0], ids[-1]) for ids in gold])
    candidates = _entities(random, (size, CANDIDATES), size) if ties else _distinct(random, size)
    place = np.minimum(random.geometric(0.4, size) - 1, CANDIDATES - 1)
    lucky = np.flatnonzero(random.random(size) < skill)
    if not ties:  # what stood in the place of gold takes the place that gold had
        had = candidates[lucky] == right[lucky, :1]
        candidates[lucky] = np.where(had, candidates[lucky, place[lucky]][:, None], candidates[lucky])
    candidates[lucky, place[lucky]] = right[lucky, 0]
    two = lucky[right[lucky, 0] != right[lucky, 1]]
    candidates[two, (place[two] + 1) % CANDIDATES] = right[two, 1]  # so that of some ties all ids are right
    again = random.random((size, CANDIDATES)) < (0.03 if ties else 0)
    again[:, 0] = False
    candidates = np.where(again, np.roll(candidates, 1, axis=1), candidates)
    begins = random.random((size, CANDIDATES)) < (0.6 if ties else 1)
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


def _distinct(random: Any, mentions: int) -> Any:
    """Numbers of entities, no two of a row alike: steps from one to the next that are not back at the first."""
    entities = len(_ids(mentions))
    steps = random.integers(1, entities // CANDIDATES, (mentions, CANDIDATES))
    return (_entities(random, (mentions, 1), mentions) + np.cumsum(steps, axis=1)) % entities


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


_RECALL = """
import linkassay
from bench.scoring import measures
table = linkassay.score("made/a", measures()).table()
said = [r["value"] for r in table]
"""


def measures() -> list[str]:
    """recall@1…10 under the six protocols."""
    return [f"recall(protocol={protocol})@{k}" for protocol in PROTOCOLS for k in KS]


def scored(home: Path, system: str, wanted: list[str]) -> Taken:
    """`linkassay score`; what it says is the value of each measure as wanted."""
    from linkassay.scoring.disambiguation.measures import Measure

    taken = command("score", f"made/{system}", "--measures", ",".join(wanted), "--json", home=home)
    found = {r["measure"]: r["value"] for r in taken.said["rows"]}
    return Taken(taken.cpu, taken.wall, taken.memory, [found[str(Measure.parse(measure))] for measure in wanted])


def by_protocol(values: list[float]) -> Recall:
    """The values of `measures()`."""
    return {protocol: values[at * len(KS) : (at + 1) * len(KS)] for at, protocol in enumerate(PROTOCOLS)}


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


_PLAIN = """
from pathlib import Path
from bench import scoring
begin()
said = getattr(scoring, sys.argv[1])(Path(sys.argv[2]), "a", int(sys.argv[3]))
"""
_UNTIED = """
import linkassay
import linkassay.scoring.disambiguation.run_score
from bench.scoring import UNTIED
begin()
said = [r["value"] for r in linkassay.score("made/u", UNTIED).table()]
"""
_PYTREC = """
import pytrec_eval
from bench import peers
given = peers.dictionaries(*sys.argv[1:])
begin()
said = peers.pytrec_of(*given)
"""
_EXACT = 1e-12
UNTIED = [*(f"recall@{k}" for k in KS), "mrr"]


def rows(sample: int = 20_000, few: int = 100) -> list[Row]:
    """Scoring (SPEED-2, SPEED-12)."""
    found: list[Row] = []
    with scratch() as home:
        progress("scoring: making 1 M mentions with ties")
        corpus(home, MENTIONS)
        run(home, "a")
        turns = alternate("scoring, six protocols", 2, {
            "ours": lambda: scored(home, "a", measures()), "pandas": lambda: peer("pandas", *files(home, "a")),
        })  # fmt: skip
        ours, theirs = turns["ours"], turns["pandas"]
        off = apart(by_protocol(ours[0].said), theirs[0].said)
        turns |= alternate("scoring, plain", 1, {
            "inner": lambda: inside(_RECALL, home=home),
            "plain": lambda: inside(_PLAIN, "plain", home, str(sample)).times(MENTIONS / sample),
            "reference": lambda: inside(_PLAIN, "by_reference", home, str(few)).times(MENTIONS / few),
        })  # fmt: skip
        work = "linkassay score: 1 M mentions × 10 candidates, six protocols, recall@1…10"
        found += [
            row(work, ours, faster(3), memory(2000), Target("off", _EXACT, value=off), peer=theirs, against="pandas"),
            row(work, ours, faster(30), peer=turns["reference"], against=f"tests' reference on {few}, scaled"),
            row(work, ours, peer=turns["plain"], against=f"plain loop on {sample:,}, scaled"),
            row("linkassay.score: the same (inner function)", turns["inner"]),
        ]
    with scratch() as home:
        progress("scoring: making 1 M mentions without ties")
        found += untied(home, MENTIONS, 2, alone=True)
    return found


def untied(
    home: Path, mentions: int, rounds: int, packages: Sequence[str] = ("pytrec_eval", "ranx"), alone: bool = False
) -> list[Row]:
    """One id for each mention, ten candidates without ties: what libraries for rankings can do, too.

    With `alone` also against what pytrec_eval itself takes, without what must be made for it.
    """
    corpus(home, mentions, one_id=True)
    run(home, "u", ties=False)
    work = f"linkassay score: {mentions:,} mentions × 10 candidates without ties, recall@1…10 and MRR"
    known = {"pytrec_eval": ("pytrec", [faster(3)]), "ranx": ("ranx", [])}
    libraries = {package: known[package] for package in packages}
    lacking = {package: said for package in libraries if (said := missing(package))}
    sides = {"ours": lambda: scored(home, "u", UNTIED)} | {
        package: lambda n=name: peer(n, *files(home, "u"))
        for package, (name, _) in libraries.items()
        if package not in lacking
    }
    if alone := alone and "pytrec_eval" in sides:
        sides |= {
            "inner": lambda: inside(_UNTIED, home=home), "alone": lambda: inside(_PYTREC, *files(home, "u")),
        }  # fmt: skip
    turns = alternate("scoring without ties", rounds, sides)
    found = []
    for package, (_, targets) in libraries.items():
        if package in lacking:
            found.append(not_measured(f"{work}, against {package}", lacking[package]))
            continue
        off = max(abs(a - b) for a, b in zip(turns["ours"][0].said, turns[package][0].said, strict=True))
        found.append(row(work, turns["ours"], *targets, Target("off", 1e-9, value=off), peer=turns[package],
                         against=package))  # fmt: skip
    if alone:
        against = "pytrec_eval's evaluation alone, of dictionaries made before"
        found += [
            row(work, turns["ours"], peer=turns["alone"], against=against),
            row("linkassay.score: the same, from the stored files (inner function)", turns["inner"],
                peer=turns["alone"], against=against),
        ]  # fmt: skip
    return found


def report_rows() -> list[Row]:
    """The report (SPEED-8, SPEED-13), and paired tests as a command."""
    with scratch() as folder:
        progress("report: making runs")
        many, held, large = folder / "five", folder / "held", folder / "two"
        corpus(many, 40_000, train=40_000)
        for at, system in enumerate("abcde"):
            run(many, system, 0.5 + 0.1 * at)
        corpus(held, 50_000)
        for at, system in enumerate("abcde"):
            run(held, system, 0.5 + 0.1 * at, ties=False)
        corpus(large, 250_000)
        for at, system in enumerate("ab"):
            run(large, system, 0.6 + 0.1 * at)
        five, two = ([f"made/{system}" for system in systems] for systems in ("abcde", "ab"))
        turns = alternate("report", 2, {
            "sliced": lambda: command("score", *five, "--by", "type,zero-shot", home=many),
            "compared": lambda: command("compare", *five, home=many),
            "five": lambda: command("report", *five, "-o", folder / "five.html", home=many),
            "held": lambda: command("report", *five, "-o", folder / "held.html", home=held),
            "two": lambda: command("report", *two, "-o", folder / "two.html", home=large),
        })  # fmt: skip
        sizes = {name: (folder / f"{name}.html").stat().st_size / 1e6 for name in ("five", "held")}
    return [
        row("linkassay score: 5 systems × 40 k mentions by type and zero-shot", turns["sliced"]),
        row("linkassay compare: 5 systems × 40 k mentions, 10 000 swaps and resamples", turns["compared"]),
        row("linkassay report: 5 systems × 40 k mentions", turns["five"], wall(30),
            Target("page", 25, unit="MB", value=sizes["five"])),
        row("linkassay report: 5 systems × 50 k mentions × 10 candidates without ties, all held", turns["held"],
            Target("page", 25, unit="MB", value=sizes["held"])),
        row("linkassay report: 2 systems × 250 k mentions, of which a sample is held", turns["two"], wall(10),
            memory(700)),
    ]  # fmt: skip


def quick_rows() -> list[Row]:
    """For the guard: ties against pandas, none against pytrec_eval, on fewer mentions."""
    with scratch() as folder:
        tied = folder / "tied"
        corpus(tied, 50_000)
        run(tied, "a")
        turns = alternate("scoring", 3, {
            "ours": lambda: scored(tied, "a", measures()), "pandas": lambda: peer("pandas", *files(tied, "a")),
        })  # fmt: skip
        found = [row("linkassay score: 50 k mentions, six protocols", turns["ours"], peer=turns["pandas"],
                     against="pandas")]  # fmt: skip
        return found + untied(folder / "untied", 50_000, 3, ["pytrec_eval"])
