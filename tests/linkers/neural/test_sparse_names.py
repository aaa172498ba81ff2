"""Letters and pairs of letters as vectors (NEURAL-7): held to scikit-learn, which BioSyn takes them from."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from linkassay.linkers.neural import sparse_names
from linkassay.linkers.neural.sparse_names import SparseNames
from linkassay.store import MappedFolder, Texts

#: Spaces stand alone: scikit-learn makes one of several.
TEXTS = st.text("abcé -1", max_size=8).map(lambda text: re.sub("  +", " ", text))


@given(st.lists(TEXTS, min_size=1, max_size=12), st.lists(TEXTS, max_size=5))
def test_as_scikit_learn(names: list[str], asked: list[str]) -> None:
    names = [*names, "a"]  # it refuses texts without a single letter
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 2), lowercase=False)
    expected = (vectorizer.fit_transform(names) @ vectorizer.transform([*asked, "a"]).T).toarray().T
    sparse = SparseNames.of(Texts.of(names))
    assert len(sparse) == len(names)
    found = sparse.products(sparse.vectors([*asked, "a"]), np.arange(len(names)))
    assert found == pytest.approx(expected, abs=1e-6)


@given(st.lists(TEXTS, max_size=9), st.lists(TEXTS, max_size=4))
def test_further_texts_are_weighed_by_what_the_names_say(names: list[str], further: list[str]) -> None:
    sparse = SparseNames.of(Texts.of(names))
    joined = sparse.with_further(Texts.of(further))
    asked = sparse.vectors(["ab", "c"])
    assert len(joined) == len(names) + len(further)
    assert joined.vectors(["ab", "c"]) == pytest.approx(asked)
    expected = np.hstack([sparse.products(asked, np.arange(len(names))), asked @ sparse.vectors(further).T])
    assert joined.products(asked, np.arange(len(joined))) == pytest.approx(expected, abs=1e-6)


def test_stored_and_in_any_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = Texts.of([f"name {n % 7}{'é' * (n % 3)}" for n in range(50)])
    whole = SparseNames.of(names)
    monkeypatch.setattr(sparse_names, "_AT_ONCE", 7)
    pieces = SparseNames.of(names)
    whole.store(MappedFolder(tmp_path))
    opened = SparseNames.opened(MappedFolder(tmp_path))
    asked = whole.vectors(["name 3", "éé", ""])
    numbers = np.array([4, 4, 49, 0])
    expected = whole.products(asked, numbers)
    assert (pieces.products(asked, numbers) == expected).all()
    assert (opened.products(asked, numbers) == expected).all()
    assert (expected[2] == 0).all()
