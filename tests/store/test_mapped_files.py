"""Arrays and texts as files: what is read is what was written, a dictionary's answers are a dictionary's."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.errors import LinkassayError
from linkassay.store import MappedFolder, TextNumbers, Texts

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.lists(words))
def test_texts_are_a_list_of_texts(texts: list[str]) -> None:
    found = Texts.of(texts)
    assert list(found) == texts
    assert [found[n] for n in range(len(texts))] == texts
    assert found[1:-1] == texts[1:-1]
    assert len(found) == len(texts)
    if texts:
        assert found[-1] == texts[-1]


@given(st.lists(words), st.integers(0, 3))
def test_texts_of_an_arrow_column(texts: list[str], cut: int) -> None:
    column = pa.chunked_array([texts, texts], pa.string())
    assert list(Texts.of_arrow(column)) == texts + texts
    assert list(Texts.of_arrow(pa.array(texts, pa.string())[cut:])) == texts[cut:]


@given(st.lists(words))
def test_code_points(texts: list[str]) -> None:
    points, starts = Texts.of(texts).points()
    assert ["".join(map(chr, points[a:b])) for a, b in pairwise(starts)] == texts


@given(st.lists(words, unique=True), words)
def test_numbers_are_a_dictionary(texts: list[str], other: str) -> None:
    plain = {text: number for number, text in enumerate(texts)}
    found = TextNumbers.of(Texts.of(texts))
    assert dict(found) == plain
    assert found.get(other) == plain.get(other)
    assert (other in found) == (other in plain)
    assert found.get(other, -1) == plain.get(other, -1)


def test_texts_whose_digests_are_equal_are_told_apart() -> None:
    texts = Texts.of(["a", "b", "c"])
    digest = TextNumbers.of(Texts.of(["b"])).digests
    found = TextNumbers(texts, np.repeat(digest, 3), np.arange(3, dtype=np.int32))
    assert found["b"] == 1


def test_half_a_character_is_no_text_of_a_dictionary() -> None:
    found = TextNumbers.of(Texts.of(["?", "a"]))
    assert found.get("\ud800") is None
    with pytest.raises(KeyError):
        found["\ud800"]


@given(st.lists(words, unique=True))
def test_what_is_read_is_what_was_written(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("mapped")
    files = MappedFolder(folder)
    numbers = np.arange(6, dtype=np.int32).reshape(2, 3)
    files.put_array("x", numbers)
    files.part("inner").put_texts("x", texts)
    files.part("inner").put_numbers("y", texts)
    files.put_record("x", {"é": [1, None]})
    read = MappedFolder(folder)
    assert read.array("x").tolist() == numbers.tolist()
    assert read.array("x").dtype == np.int32
    assert list(read.part("inner").texts("x")) == texts
    assert dict(read.part("inner").numbers("y")) == {text: n for n, text in enumerate(texts)}
    assert read.record("x") == {"é": [1, None]}
    assert {path.suffix for path in folder.iterdir()} == {".npy", ".json"}


def test_who_changes_an_array_changes_a_copy(tmp_path: Path) -> None:
    files = MappedFolder(tmp_path)
    files.put_array("x", np.zeros(3))
    files.array("x")[0] = 1
    assert files.array("x").tolist() == [0, 0, 0]


@pytest.mark.parametrize("content", [b"", b"no array", pickle.dumps([1])])
def test_a_damaged_array_is_an_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(LinkassayError, match=r"x\.npy: cannot be read .* remove its folder"):
        MappedFolder(tmp_path).array("x")


def test_nothing_is_read_that_can_run(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(LinkassayError, match=r"x\.npy: cannot be read"):
        MappedFolder(tmp_path).array("x")
    with pytest.raises(ValueError, match="pickle"):
        MappedFolder(tmp_path).put_array("y", np.array([{"a": 1}], dtype=object))


@given(st.lists(words, unique=True), st.integers(0, 12))
def test_further_texts_have_the_next_numbers(texts: list[str], cut: int) -> None:
    both = TextNumbers.of(Texts.of(texts[:cut])).with_further(Texts.of(texts[cut:]))
    assert list(both.texts) == texts
    assert [both.get(text) for text in texts] == list(range(len(texts)))
    assert both.get("none of them, as it is too long") is None


@given(st.lists(words, unique=True))
def test_an_arrow_array_and_back(texts: list[str]) -> None:
    assert Texts.of(texts).to_arrow().to_pylist() == texts
    assert list(Texts.of_arrow(Texts.of(texts).to_arrow())) == texts


def test_numbers_that_were_made_are_written_as_they_are(tmp_path: Path) -> None:
    files, made = MappedFolder(tmp_path), TextNumbers.of(Texts.of(["b", "", "ä"]))
    files.put_numbers("made", made)
    files.put_numbers("given", ["b", "", "ä"])
    for name in ("made", "given"):
        assert [files.numbers(name)[text] for text in ("b", "", "ä")] == [0, 1, 2]
        assert files.numbers(name).digests.tolist() == made.digests.tolist()
