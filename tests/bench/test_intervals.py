"""The loops that intervals and resamples are measured against compute the same."""

from __future__ import annotations

import numpy as np
import pytest

from bench import intervals


@pytest.mark.parametrize("documents", [40, 500])
def test_the_loop_is_the_same_method(documents: int) -> None:
    right, n = intervals.corpus(documents)
    n[3], right[:, 3] = 0, 0  # a document without any mention counts for nothing
    found, slow = intervals.computed(right, n), intervals.left_out(right, n)
    assert np.abs(found - slow).max() < 1e-9
    assert (found[:, 0] < found[:, 1]).all()
    assert np.abs(found - intervals.left_out(right, n + 1)).max() > 1e-6


def test_resamples_agree_but_for_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "RESAMPLES", 2_000)
    right, n = intervals.corpus(100)
    slow = intervals.drawn(right, n)
    width = (slow[:, 1] - slow[:, 0])[:, None]
    assert (np.abs(intervals.resampled(right, n) - slow) / width).max() < 0.15
