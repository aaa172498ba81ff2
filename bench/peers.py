"""What one would write with other tools: `python -m bench.peers NAME ARGUMENTS…`, each as plain as its documentation.

Each reads the same files as the command that it stands beside, and prints as JSON what the two must agree on. Nothing
of linkassay is imported, and of the tools only the one that is measured.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from math import comb
from pathlib import Path
from typing import Any

KS = range(1, 11)
Recall = dict[str, list[float]]  # protocol → recall at each of `KS`


# --- knowledge bases

_DUMPS = (("names.dmp", "names", (0, 1, 3)), ("nodes.dmp", "nodes", (0, 1, 2)), ("merged.dmp", "history", (0, 1)))


def sqlite(raw: str, target: str) -> int:
    """A taxonomy dump: read, split, insert; names indexed by id and by name."""
    import sqlite3

    connection = sqlite3.connect(target)
    connection.executescript(
        "create table names(id text, name text, kind text); create index by_id on names(id);"
        "create index by_name on names(name); create table nodes(id text, parent text, rank text);"
        "create table history(old text, new text);"
    )
    for file, table, columns in _DUMPS:
        marks = ", ".join("?" * len(columns))
        with (Path(raw) / file).open(encoding="utf-8") as lines:
            rows = (line.rstrip("\t|\n").split("\t|\t") for line in lines)
            connection.executemany(f"insert into {table} values ({marks})", ([r[i] for i in columns] for r in rows))
    connection.commit()
    return int(connection.execute("select count(*) from names").fetchone()[0])


def duckdb(raw: str, target: str) -> int:
    """The same rows, each table sorted by its first column into a Parquet file, and nothing else."""
    import duckdb as duck

    Path(target).mkdir(parents=True)
    for file, table, columns in _DUMPS:
        # Between two columns is `\t|\t`: cut at `|`, and trim.
        read = f"read_csv('{raw}/{file}', delim='|', header=false, quote='', escape='', all_varchar=true)"
        wanted = ", ".join(f"trim(#{c + 1}, chr(9)) as c{c}" for c in columns)
        duck.sql(f"copy (select {wanted} from {read} order by 1) to '{target}/{table}.parquet' (compression zstd)")
    return int(duck.sql(f"select count(*) from '{target}/names.parquet'").fetchall()[0][0])


def sqlite_lookup(database: str, asked: str) -> int:
    """Ids of many names, through the index."""
    import sqlite3

    connection = sqlite3.connect(database)
    names = json.loads(Path(asked).read_text(encoding="utf-8"))
    return sum(bool(connection.execute("select id from names where name = ?", (name,)).fetchall()) for name in names)


# --- scoring with given mentions


def pandas(gold_file: str, answers_file: str) -> Recall:
    """Six protocols: one row per candidate, then one per group, then the formulas of TIE-1 to TIE-7 on columns."""
    import numpy as np
    import pandas as pd

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
        return [float((rank <= k).sum() / mentions) for k in KS]

    def one_per_group(k: int) -> float:
        missed = (1 - groups["right"] / groups["size"])[groups["rank"] <= k]
        return float((1 - missed.groupby(groups["mention"], sort=False).prod()).sum() / mentions)

    most = int(groups["size"].max())
    choose = np.array([[comb(n, s) for s in range(most + 1)] for n in range(most + 1)], dtype=float)
    best = groups.drop_duplicates("mention")
    size, right, before = best["size"].to_numpy(), best["right"].to_numpy(), best["before"].to_numpy()

    def expected(k: int) -> float:
        drawn = np.clip(k - before, 0, size)
        return float((1 - choose[size - right, drawn] / choose[size, drawn]).sum() / mentions)

    relaxed = first(groups)
    return {
        "bioel/basic": [expected(k) for k in KS],
        "bioel/relaxed": relaxed,
        "bioel/strict": first(groups[groups["right"] == groups["size"]]),
        "belb/standard": [one_per_group(k) for k in KS],
        "belb/strict": first(groups[groups["size"] == 1]),
        "belb/lenient": relaxed,
    }


def dictionaries(gold_file: str, answers_file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Gold and answers without ties as dictionaries of dictionaries, which is what both libraries take."""
    import pyarrow.parquet as pq

    gold = pq.read_table(gold_file, columns=["id", "gold"])
    qrels = {
        mention: dict.fromkeys((i for ids in alternatives for i in ids), 1)
        for mention, alternatives in zip(gold["id"].to_pylist(), gold["gold"].to_pylist(), strict=True)
    }
    answers = pq.read_table(answers_file, columns=["mention", "groups"])
    run = {
        mention: {group[0]: 100.0 - rank for rank, group in enumerate(groups)}
        for mention, groups in zip(answers["mention"].to_pylist(), answers["groups"].to_pylist(), strict=True)
        if groups
    }
    return qrels, run


def pytrec(gold_file: str, answers_file: str) -> list[float]:
    """recall@1…10 and MRR of answers without ties; who has no answer is not told, and counts as wrong."""
    return pytrec_of(*dictionaries(gold_file, answers_file))


def pytrec_of(qrels: dict[str, Any], run: dict[str, Any]) -> list[float]:
    """The same of dictionaries that are made already: what the library itself takes."""
    import pytrec_eval

    names = [f"recall_{k}" for k in KS]
    found = pytrec_eval.RelevanceEvaluator(qrels, {f"recall.{','.join(map(str, KS))}", "recip_rank"}).evaluate(run)
    totals = dict.fromkeys([*names, "recip_rank"], 0.0)
    for each in found.values():
        for name in totals:
            totals[name] += each[name]
    return [total / len(qrels) for total in totals.values()]


def ranx(gold_file: str, answers_file: str) -> list[float]:
    """The same."""
    from ranx import Qrels, Run, evaluate

    qrels, run = dictionaries(gold_file, answers_file)
    measures = [*(f"recall@{k}" for k in KS), "mrr"]
    found = evaluate(Qrels(qrels), Run(run), measures, make_comparable=True)
    return [float(found[measure]) for measure in measures]


# --- linkers


def sklearn(names_file: str, asked_file: str, top: str = "10") -> dict[str, Any]:
    """Character 3-grams by scikit-learn, the nearest names by sparse_dot_topn; seconds of index and search."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sparse_dot_topn import sp_matmul_topn

    names = pc.unique(pq.read_table(names_file, columns=["key"])["key"]).to_pylist()
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False, dtype="float32")
    index = vectorizer.fit_transform([f" {name} " for name in names]).T.tocsr()
    indexed = {"index_cpu": _spent(), "index_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    asked = json.loads(Path(asked_file).read_text(encoding="utf-8"))
    if asked:
        found = sp_matmul_topn(vectorizer.transform([f" {text} " for text in asked]), index, top_n=int(top), sort=True)
        indexed["found"] = int(found.nnz)
    return indexed | {"names": len(names), "link_cpu": _spent() - indexed["index_cpu"]}


def rapidfuzz(names_file: str, asked_file: str) -> list[float]:
    """The best ratio of each text over all names, by RapidFuzz's own parallel search."""
    import numpy as np
    from rapidfuzz import fuzz, process

    names, asked = (json.loads(Path(file).read_text(encoding="utf-8")) for file in (names_file, asked_file))
    best: list[float] = []
    for at in range(0, len(asked), 20):  # a matrix of all would not fit into memory
        table = process.cdist(asked[at : at + 20], names, scorer=fuzz.ratio, workers=-1, dtype=np.float32)
        best += (table.max(axis=1) / 100).tolist()
    return best


def gilda(names_file: str, asked_file: str) -> int:
    """How many texts Gilda grounds with the names of a knowledge base."""
    import pyarrow.parquet as pq
    from gilda.grounder import Grounder
    from gilda.process import normalize
    from gilda.term import Term

    terms: dict[str, list[Term]] = {}
    table = pq.read_table(names_file, columns=["id", "name", "primary"])
    for curie, name, primary in zip(*(column.to_pylist() for column in table.columns), strict=True):
        prefix, _, identifier = curie.partition(":")
        key = normalize(name)
        if not key:
            continue  # nothing but marks
        status = "name" if primary else "synonym"
        terms.setdefault(key, []).append(Term(key, name, prefix.upper(), identifier, name, status, prefix))
    grounder = Grounder(terms)
    return sum(bool(grounder.ground(text)) for text in json.loads(Path(asked_file).read_text(encoding="utf-8")))


# --- hierarchy


def rustworkx(edges_file: str, pairs: str) -> dict[str, float]:
    """Distances of pairs through common ancestors: both ways up, then the least sum; seconds of build and pairs."""
    import numpy as np
    import rustworkx as rx

    saved = np.load(edges_file)
    graph = rx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(int(saved["size"])))
    graph.add_edges_from_no_data(list(zip(saved["child"].tolist(), saved["parent"].tolist(), strict=True)))
    built, total = _spent(), 0

    def upwards(node: int) -> dict[int, int]:
        steps = {node: 0}
        queue = [node]
        for each in queue:
            for parent in graph.successor_indices(each):
                if parent not in steps:
                    steps[parent] = steps[each] + 1
                    queue.append(parent)
        return steps

    for one, other in zip(*(saved[side][: int(pairs)].tolist() for side in ("left", "right")), strict=True):
        up, across = upwards(one), upwards(other)
        total += min(up[node] + across[node] for node in up.keys() & across.keys())
    return {"build_cpu": built, "pairs_cpu": _spent() - built, "total": total}


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


PEERS: dict[str, Callable[..., Any]] = {
    "sqlite": sqlite, "duckdb": duckdb, "sqlite_lookup": sqlite_lookup, "pandas": pandas, "pytrec": pytrec,
    "ranx": ranx, "sklearn": sklearn, "rapidfuzz": rapidfuzz, "gilda": gilda, "rustworkx": rustworkx,
}  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(PEERS[sys.argv[1]](*sys.argv[2:])))
