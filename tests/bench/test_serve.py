"""The load on the explorer, in small: every part of it is measured, without an error."""

from __future__ import annotations

import pytest

from bench import serve


def test_a_small_home() -> None:
    rows = serve.rows(mentions=2_000, names=8_000, runs=6, corpora=3, requests=30)
    work = [row["name"] for row in rows]
    assert len(work) == len({*work}) == 13
    assert sum(row["held"] is not None for row in rows) == 12
    timed = ("p95", "wall", "cancelled after")  # on a busy machine these say nothing
    assert [broken for row in rows for broken in row["broken"] if not broken.startswith(timed)] == []


def test_a_request_that_fails_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve.Questions, "page", lambda self: ("/api/mentions", {"sort": "colour"}))
    with pytest.raises(RuntimeError, match="unknown order"):
        serve.rows(mentions=400, names=4_000, runs=3, corpora=2, requests=12)


def test_the_percentile() -> None:
    assert serve.p95(list(range(101))) == 95
