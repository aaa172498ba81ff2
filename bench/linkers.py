"""Speed of the linkers on MeSH: `fuzzy` against RapidFuzz, `tfidf`. Needs BC5CDR and MeSH in the data home.

    python -m bench.linkers [--mentions 2000]

How good they are is said by `linkassay bench benchmarks/linkers.toml`.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from typing import Any

import linkassay
from bench.table import Row, home_with
from bench.table import row as line
from linkassay.linkers.protocol import Query

MENTIONS = 2_000


def mentions(n: int = MENTIONS) -> list[str]:
    """Distinct lower-cased mentions of BC5CDR, the same each time."""
    texts = sorted({m.text.lower() for d in linkassay.corpus("bc5cdr") for m in d.mentions})
    return random.Random(0).sample(texts, min(n, len(texts)))


def fuzzy(n: int) -> dict[str, Any]:
    """Best ratio over all names of MeSH, by us and by RapidFuzz's own parallel search."""
    import numpy as np
    from rapidfuzz import fuzz, process

    from linkassay.linkers.strings.fuzzy import Ratios

    names = [row[0] for row in linkassay.kb("mesh").sql("select distinct lower(name) as n from names order by n")]
    asked = mentions(n)
    Ratios.of(names[:100]).best("", 1)  # what is compiled is kept on disk
    begin = time.perf_counter()
    index = Ratios.of(names)
    indexed = time.perf_counter()
    ours = [float(scores[0]) for _, scores in index.best_of(asked, 1)]
    linked = time.perf_counter()
    theirs: list[float] = []
    for at in range(0, len(asked), 20):  # a matrix of all would not fit into memory
        table = process.cdist(asked[at : at + 20], names, scorer=fuzz.ratio, workers=-1, dtype=np.float32)
        theirs += (table.max(axis=1) / 100).tolist()
    end = time.perf_counter()
    same = sum(abs(a - b) < 1e-6 for a, b in zip(ours, theirs, strict=True))
    return {"names": len(names), "mentions": len(asked), "same best score": same, "index seconds": indexed - begin,
            "our seconds": linked - indexed, "RapidFuzz seconds": end - linked,
            "times faster": (end - linked) / (linked - indexed)}  # fmt: skip


def tfidf() -> dict[str, Any]:
    """Mentions of BC5CDR a second, top 10 on MeSH: distinct ones of all splits, then its test split as it is."""
    from linkassay.linkers.strings.tfidf import Tfidf

    linker = Tfidf()
    begin = time.perf_counter()
    linker.prepare(linkassay.kb("mesh"), ())
    figures: dict[str, Any] = {"index seconds": time.perf_counter() - begin}
    linker.link([Query("a", "", (), "", "")], 10)  # compiles, when it was not done before
    test = [m.text for d in linkassay.corpus("bc5cdr")["test"] for m in d.mentions]
    for what, texts in (("distinct mentions", mentions(10**9)), ("mentions", test)):
        linker.forget()
        begin, cpu = time.perf_counter(), time.process_time()
        linker.link([Query(text, "", (), "", "") for text in texts], 10)
        figures[what] = len(texts)
        figures[f"{what} per second"] = len(texts) / (time.perf_counter() - begin)
        figures[f"{what} per CPU second"] = len(texts) / (time.process_time() - cpu)
    return figures


def rows() -> list[Row]:
    """Linkers on MeSH with real mentions (SPEED-6)."""
    with home_with({"mesh": "kbs/mesh", "bc5cdr": "corpora/bc5cdr"}):
        quick = tfidf()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        edit = fuzzy(MENTIONS)
    asked = edit["mentions"]
    return [
        *(line(f"tfidf on MeSH, top 10, {what.removesuffix(' per second')}", value, "/s", 3_000, True)
          for what, value in quick.items() if what.endswith(" per second")),
        line("tfidf on MeSH: indexing", quick["index seconds"], "s", 60),
        line("tfidf on MeSH: peak memory", memory, "MB", 6_000),
        line(f"fuzzy, best match over MeSH, {asked:,} mentions", edit["our seconds"], "s", 3, True,
             yardstick=edit["RapidFuzz seconds"], against="RapidFuzz cdist"),
        line("fuzzy: mentions with RapidFuzz's best score", edit["same best score"], f"of {asked:,}", asked, True),
    ]  # fmt: skip


def main() -> None:
    """Print one JSON object a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, default=MENTIONS, help="how many for fuzzy")
    options = parser.parse_args()
    print(json.dumps(tfidf()), json.dumps(fuzzy(options.mentions)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
