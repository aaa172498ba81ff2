"""The verb `demo`: the whole flow on the embedded benchmark."""

from __future__ import annotations

import json
from pathlib import Path


def test_demo_runs_the_whole_flow(linkassay, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = linkassay("demo")
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in ("exact", "normalised", "tfidf + abbreviations", "recall@1"))
    path = Path(done.stdout.splitlines()[-1].removeprefix("report: "))
    assert path == tmp_path / "linkassay-demo" / "report.html"
    page = path.read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    rows = json.loads(linkassay("demo", "--json").stdout)["rows"]
    assert path.read_text(encoding="utf-8") == page  # to the last byte, pictures too
    assert set(rows[0]) == {"run", "corpus", "system", "measure", "slice", "value", "n", "low", "high", "key"}
    assert all(r["low"] <= r["value"] <= r["high"] and r["n"] > 0 for r in rows)
    best = {(r["system"]): r["value"] for r in rows if (r["measure"], r["slice"]) == ("recall@1", "all")}
    assert best["exact"] < best["normalised"] < best["tfidf"]
