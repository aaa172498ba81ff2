"""An answer to the request `runs`, made up: many runs, some that found mentions themselves, one that failed."""

from __future__ import annotations

import random
from typing import Any

SYSTEMS = ("exact", "normalised", "tfidf", "fuzzy", "bm25", "house")


def run_row(corpus: str, system: str, chance: random.Random, **changes: Any) -> dict[str, Any]:
    """One run with given mentions."""
    value = round(chance.uniform(0.3, 0.95), 4)
    ends = {"low": value - 0.04, "high": min(1.0, value + 0.04)}
    key = f"{system}-{chance.getrandbits(48):012x}"
    figures = [
        {"run": key, "corpus": corpus, "system": system, "measure": measure, "slice": "all", "value": share,
         "low": share - 0.04, "high": min(1.0, share + 0.04), "n": 334, "key": f"{corpus}/{key}|{measure}|all"}
        for measure, share in (("coverage", 0.97), ("recall@1", value), ("recall@5", min(0.99, value + 0.05)))
    ]  # fmt: skip
    cost = {"index": chance.uniform(0.1, 40), "train": None, "link": chance.uniform(0.004, 900),
            "cpu": chance.uniform(0.01, 1800), "memory": chance.uniform(8e7, 4e9),
            "rate": chance.uniform(5, 90_000)}  # fmt: skip
    return {
        "run": key, "name": f"{corpus}/{system}", "corpus": corpus, "split": "test", "system": system, "label": system,
        "kb": "mesh", "finished": 1_790_000_000 + chance.randrange(10_000_000), "task": "given", "leak": "",
        "cost": cost, "figures": figures, "leading": {"measure": "recall@1", "value": value, "n": 334} | ends,
        "documents": 100, "mentions": 334, "state": "ready", "why": "",
    } | changes  # fmt: skip


def found_row(corpus: str, system: str, chance: random.Random) -> dict[str, Any]:
    """One run that found its mentions: figures of both ways of handling NIL, in wide rows."""
    shares = {mode: round(chance.uniform(0.3, 0.7), 4) for mode in ("IGNORED", "REQUIRED")}
    figures = [
        {"system": system, "benchmark": corpus, "mode": mode, "all_tp": 120, "all_fp": 60, "all_fn": 70}
        | {f"all_{name}{end}": share + by for name in ("f1", "p", "r")
           for end, by in (("", 0.0), ("_low", -0.05), ("_high", 0.05))}
        for mode, share in shares.items()
    ]  # fmt: skip
    share = shares["IGNORED"]
    leading = {"measure": "all_f1", "value": share, "low": share - 0.05, "high": share + 0.05, "n": 190,
               "preset": "fair", "nil": "ignored"}  # fmt: skip
    return run_row(corpus, system, chance, task="found", figures=figures, leading=leading)


def runs_answer(corpora: int = 3, systems: int = 4, hostile: str = "") -> dict[str, Any]:
    """Every system on every corpus, and on the first one that found mentions, one that waits, and one that failed."""
    chance = random.Random(11)
    names = [f"corpus{n + 1}" for n in range(corpora)]
    kinds = [f"{SYSTEMS[n % len(SYSTEMS)]}{n // len(SYSTEMS) or ''}" for n in range(systems)]
    rows = [run_row(corpus, system, chance) for corpus in names for system in kinds]
    rows.append(found_row(names[0], "spotter", chance))
    rows.append(run_row(names[0], "slow", chance, state="waiting", figures=[], leading=None))
    rows.append(run_row(names[0], "broken", chance, state="failed", figures=[], leading=None,
                        why=f"run.json is damaged: {hostile or 'not JSON'}"))  # fmt: skip
    if hostile:
        rows.append(run_row(names[0], hostile, chance, kb=hostile))
    return {
        "rows": rows,
        "corpora": [{"name": name, "title": name.title(), "licence": "CC0", "splits": ["test"], "documents": 100,
                     "mentions": 334} for name in names],
        "kbs": [{"name": "mesh", "title": "MeSH", "entities": 30_000, "names": 780_000}],
    }  # fmt: skip
