"""Rows as tables of other libraries; those that are not installed are named."""

from __future__ import annotations

import sys

import pytest

from linkassay.errors import UsageError
from linkassay.tables import Rows

ROWS = Rows([{"a": 1, "b": None, "mixed": 1}, {"a": 2.5, "c": "x", "mixed": "y"}])


def test_every_library_has_the_same_cells() -> None:
    found = ROWS.to_arrow().to_pylist()
    assert found == [{"a": 1.0, "b": None, "mixed": "1", "c": None}, {"a": 2.5, "b": None, "mixed": "y", "c": "x"}]
    assert ROWS.to_polars().to_dicts() == found
    frame = ROWS.to_pandas()
    assert list(frame.columns) == ["a", "b", "mixed", "c"]
    assert frame["a"].tolist() == [1.0, 2.5]
    assert Rows().to_arrow().num_rows == len(Rows().to_pandas()) == len(Rows().to_polars()) == 0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_not_there_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=f"pip install {library}"):
        getattr(ROWS, f"to_{library}")()
