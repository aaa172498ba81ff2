"""Words by spaCy are counted once for a split; what is damaged, or cannot be kept, is counted again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from linkassay import store
from linkassay.errors import UnwritableError
from linkassay.scoring.endtoend.kept_words import Counted, counted_once
from linkassay.scoring.endtoend.word_count import TOTALS


class Count:
    """Counts, and how often it was asked to."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> Counted:
        self.asked += 1
        return ["a", "b"], {name: np.array([at, 7]) for at, name in enumerate(TOTALS)}


@pytest.fixture
def documents(home: Path) -> Path:
    path = home / "corpora" / "x" / "0123456789ab" / "documents.test.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"whatever")
    return path


def plain(found: Counted) -> tuple[list[str], dict[str, list[int]]]:
    return found[0], {name: each.tolist() for name, each in found[1].items()}


def test_words_are_counted_once(documents: Path) -> None:
    count = Count()
    assert plain(counted_once(documents, count)) == plain(counted_once(documents, count)) == plain(Count()())
    assert count.asked == 1
    documents.write_bytes(b"something else")
    counted_once(documents, count)
    assert count.asked == 2


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"check": 3}', "\x00"])
def test_what_is_damaged_is_counted_again(damage: str, documents: Path) -> None:
    count = Count()
    counted_once(documents, count)
    (kept,) = (store.home() / "words").iterdir()
    kept.write_text(damage, encoding="utf-8")
    assert plain(counted_once(documents, count)) == plain(Count()())
    said = json.loads(kept.read_text(encoding="utf-8"))
    said[TOTALS[0]][1] = 8  # a digit that is another one
    kept.write_text(json.dumps(said), encoding="utf-8")
    assert plain(counted_once(documents, count)) == plain(Count()())
    assert count.asked == 3


def test_a_home_that_cannot_be_written_is_no_error(documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, _: str) -> None:
        raise UnwritableError(f"{path}: read-only")

    monkeypatch.setattr(store, "write_text", refuse)
    count = Count()
    assert plain(counted_once(documents, count)) == plain(counted_once(documents, count))
    assert count.asked == 2
