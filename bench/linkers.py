"""Linkers on MeSH with the mentions of BC5CDR, against scikit-learn with sparse_dot_topn, RapidFuzz and Gilda.

How good they are is said by `linkassay bench benchmarks/linkers.toml`.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bench.measure import (
    ROOT,
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
    real,
    row,
    scratch,
    wall,
)  # fmt: skip

FUZZY = 1_000
#: Gilda needs older versions of what others need, too: `make bench` gives it an environment of its own.
_GILDA = ROOT / "build/gilda/bin/python"
_SKLEARN = "scikit-learn, sparse_dot_topn"

_NAMES = """
import linkassay
names = [r[0] for r in linkassay.kb("mesh").sql("select distinct lower(name) as n from names order by n")]
open(sys.argv[1], "w").write(json.dumps(names))
"""
_TFIDF = """
import linkassay
from linkassay.linkers.protocol import Query
from linkassay.linkers.strings.tfidf import Tfidf
texts = json.load(open(sys.argv[1]))
linker = Tfidf()
linker.prepare(linkassay.kb("mesh"), ())
linker.link([Query("a", "", (), "", "")], 10)
linker.forget()
begin()
linker.link([Query(text, "", (), "", "") for text in texts], 10)
"""
_FUZZY = """
from linkassay.linkers.strings.fuzzy import Ratios
names, texts = (json.load(open(file)) for file in sys.argv[1:3])
Ratios.of(names[:100]).best("", 1)
index = Ratios.of(names)
begin()
said = [float(scores[0]) for _, scores in index.best_of(texts, 1)]
"""


def texts_of(home: Path, split: str = "*") -> list[str]:
    """The distinct lower-cased mentions of BC5CDR, the same each time."""
    [*found] = (home / "corpora/bc5cdr").glob(f"*/mentions.{split}.parquet")
    return sorted(
        {text.lower() for file in found for text in pq.read_table(file, columns=["text"])["text"].to_pylist()}
    )


def written(path: Path, texts: list[str]) -> Path:
    path.write_text(json.dumps(texts), encoding="utf-8")
    return path


def afresh(home: Path, *arguments: str) -> Taken:
    """A command that finds no index and no run."""
    for kept in ("linkers", "runs"):
        shutil.rmtree(home / kept, ignore_errors=True)
    return command(*arguments, home=home)


def rows() -> list[Row]:
    """Linkers on MeSH with real mentions (SPEED-6, SPEED-15)."""
    raw = real("kbs/mesh"), real("corpora/bc5cdr")
    with scratch() as folder:
        home = folder / "home"
        progress("linkers: storing MeSH and BC5CDR")
        command("get", "mesh", "--raw", raw[0], home=home)
        command("get", "bc5cdr", "--raw", raw[1], home=home)
        [names] = (home / "kbs/mesh").glob("*/names.parquet")
        test = written(folder / "test.json", texts_of(home, "test"))
        return [*_tfidf(home, names, test, folder), *_fuzzy(home, folder), *_gilda(home, names, test)]


def _tfidf(home: Path, names: Path, test: Path, folder: Path) -> list[Row]:
    every = written(folder / "every.json", texts_of(home))
    sides: dict[str, Any] = {
        "prepare": lambda: afresh(home, "prepare", "tfidf", "--kb", "mesh"),
        "link, index stored": lambda: command("link", "tfidf", "bc5cdr", "--kb", "mesh", "--again", home=home),
        "link": lambda: afresh(home, "link", "tfidf", "bc5cdr", "--kb", "mesh"),
        "inner": lambda: inside(_TFIDF, every, home=home),
        "hierarchy": lambda: command("score", "bc5cdr/tfidf", "--hierarchy", "mesh", home=home),
    }
    if not (lacking := missing("sklearn", "sparse_dot_topn")):
        sides[_SKLEARN] = lambda: peer("sklearn", names, test)
    turns = alternate("tfidf", 2, sides)
    theirs = turns.get(_SKLEARN, [])
    index = [Taken(t.said["index_cpu"], 0, t.said["index_memory"]) for t in theirs]
    search = [Taken(t.said["link_cpu"], 0, 0) for t in theirs]
    asked = len(json.loads(every.read_text(encoding="utf-8")))
    rate = Target("mentions a second", 3_000, True, value=asked / min(t.wall for t in turns["inner"]))
    against = {"against": _SKLEARN} if theirs else {}
    fast = [faster(2)] if theirs else []
    told = [not_measured("tfidf on MeSH, against scikit-learn", lacking)] if lacking else []
    return [
        *told,
        row("linkassay prepare tfidf --kb mesh: an index of 784 k names", turns["prepare"], *fast, memory(700),
            wall(60), peer=index, **against),
        row("linkassay link tfidf bc5cdr --kb mesh: 9.8 k mentions, top 10, index stored", turns["link, index stored"],
            peer=search, **against),
        row("linkassay link tfidf bc5cdr --kb mesh: the same with the index", turns["link"], memory(6000), peer=theirs,
            **against),
        row(f"Tfidf.link: {asked:,} distinct mentions, top 10 (inner function)", turns["inner"], rate),
        row("linkassay score bc5cdr/tfidf --hierarchy mesh", turns["hierarchy"]),
    ]  # fmt: skip


def _fuzzy(home: Path, folder: Path) -> list[Row]:
    every = texts_of(home)
    asked = written(folder / "asked.json", random.Random(0).sample(every, min(FUZZY, len(every))))
    names = folder / "names.json"
    inside(_NAMES, names, home=home)
    sides = {"inner": lambda: inside(_FUZZY, names, asked), "RapidFuzz": lambda: peer("rapidfuzz", names, asked)}
    turns = alternate("fuzzy", 2, sides)
    turns |= alternate("fuzzy", 1, {"link": lambda: afresh(home, "link", "fuzzy", "bc5cdr", "--kb", "mesh")})
    same = sum(abs(a - b) < 1e-6 for a, b in zip(turns["inner"][0].said, turns["RapidFuzz"][0].said, strict=True))
    return [
        row(f"Ratios.best_of: best match of {FUZZY:,} mentions over MeSH (inner function)", turns["inner"], faster(3),
            Target("with RapidFuzz's best score", FUZZY, True, value=float(same)), peer=turns["RapidFuzz"],
            against="RapidFuzz cdist"),
        row("linkassay link fuzzy bc5cdr --kb mesh: 9.8 k mentions, top 10, with the index", turns["link"]),
    ]  # fmt: skip


def _gilda(home: Path, names: Path, test: Path) -> list[Row]:
    work = "linkassay link normalised bc5cdr --kb mesh: 9.8 k mentions, with the index"
    ours = alternate("normalised", 2, {"ours": lambda: afresh(home, "link", "normalised", "bc5cdr", "--kb", "mesh")})
    if not _GILDA.exists():
        return [row(work, ours["ours"]), not_measured("Gilda on MeSH", "`make bench` installs it")]
    theirs = alternate("normalised", 2, {"Gilda": lambda: peer("gilda", names, test, python=_GILDA)})
    return [row(work, ours["ours"], peer=theirs["Gilda"], against="Gilda, with the same names")]


def quick_rows() -> list[Row]:
    """For the guard: the fuzzy search and the TF-IDF of the embedded benchmark's linkers on made-up names."""
    from bench import synthetic

    with scratch() as folder:
        synthetic.taxonomy(folder / "raw", names=60_000, merged=0)
        lines = (folder / "raw/names.dmp").read_text(encoding="utf-8").splitlines()
        every = sorted({line.split("\t|\t")[1].lower() for line in lines})
        names = written(folder / "names.json", every)
        asked = written(folder / "asked.json", [name.replace("a", "e", 1) for name in every[::200]])
        turns = alternate("fuzzy", 3, {
            "ours": lambda: inside(_FUZZY, names, asked), "RapidFuzz": lambda: peer("rapidfuzz", names, asked),
        })  # fmt: skip
    return [row("Ratios.best_of: 60 k names", turns["ours"], peer=turns["RapidFuzz"], against="RapidFuzz cdist")]
