"""BioWiC pairs: every offset is verified."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.wic import pair_files
from tests.conftest import ROOT
from tests.helpers import raw

SAMPLES = ROOT / "tests" / "samples" / "biowic"
GOOD: dict[str, Any] = {
    "term1": "cold", "term2": "flu", "sentence1": "A cold.", "sentence2": "The flu.", "start1": 2, "start2": 4,
    "end1": 6, "end2": 7, "cat": "synonyms", "label": 0,
}  # fmt: skip


def test_sample() -> None:
    first, second = pair_files.read_biowic(expand_paths([SAMPLES])[0])
    assert first == pair_files.TermPair("cold", "common cold", "She caught a cold.", "The common cold passes.",
                                (13, 17), (4, 15), "synonyms", True)  # fmt: skip
    assert (second.category, second.label) == ("term_identity", False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start1": 1}, "x.json: [0]: sentence1 has ' cold' at 1-6, expected 'cold'"),
        ({"term2": "Flu"}, "x.json: [0]: sentence2 has 'flu' at 4-7, expected 'Flu'"),
        ({"end2": 9}, "x.json: [0]: span 4-9 lies outside sentence2 of 8 characters"),
        ({"start1": -1}, "x.json: [0]: span -1-6 lies outside sentence1 of 7 characters"),
        ({"end1": 2}, "x.json: [0]: span 2-2 lies outside sentence1 of 7 characters"),
        ({"label": 2}, "x.json: [0].label: expected 0 or 1, found 2"),
        ({"label": True}, "x.json: [0].label: expected a whole number, found true"),
        ({"cat": None}, "x.json: [0].cat: expected a text, found nothing"),
        ({"start2": "4"}, 'x.json: [0].start2: expected a whole number, found "4"'),
    ],
)
def test_broken_pairs(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as error:
        list(pair_files.read_biowic(raw("x.json", json.dumps([GOOD | change]))))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "x.json: value: expected a list, found {}"),
        ("[1]", "x.json: [0]: expected an object, found 1"),
        ('[\n{"term1": "a",}]', "x.json:2: not valid JSON (Expecting property name enclosed in double quotes)"),
    ],
)
def test_broken_files(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        list(pair_files.read_biowic(raw("x.json", text)))
    assert str(error.value) == message


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=6), st.text(min_size=1, max_size=6), st.text(max_size=6))
def test_any_term_is_found_where_it_is(before: str, term: str, after: str) -> None:
    sides = {"term1": term, "sentence1": before + term + after, "start1": len(before), "end1": len(before + term)}
    (pair,) = pair_files.read_biowic(raw("x.json", json.dumps([GOOD | sides])))
    assert pair.sentence1[slice(*pair.span1)] == term


@pytest.mark.parametrize(("split", "size"), [("dev", 1000), ("test", 2000)])
def test_published_files(shared: Path, split: str, size: int) -> None:
    (file,) = expand_paths([shared / "corpora" / "biowic" / f"{split}.json.gz"])
    pairs = list(pair_files.read_biowic(file))
    assert Counter(p.label for p in pairs) == {True: size // 2, False: size // 2}
    assert Counter(p.category for p in pairs) == {
        "term_identity": 4 * size // 10, "synonyms": 4 * size // 10, "label_similarity": size // 10,
        "abbreviations": size // 10,
    }  # fmt: skip
