"""Native predictions (DATA-9): ties, scores, NIL, and every way to write them wrong."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.formats.predictions import native
from linkassay.model import Prediction
from tests.conftest import ROOT
from tests.helpers import raw
from tests.strategies import gold_ids, names, texts

SAMPLES = ROOT / "tests" / "samples" / "predictions"


def read(**value: Any) -> Prediction:
    line = json.dumps({"document": "d", "spans": [[0, 1]], **value})
    (prediction,) = native.read([raw("p.jsonl", line)])
    return prediction


def test_sample() -> None:
    tied, none, nil, negative = native.read(expand_paths([SAMPLES]))
    assert tied == Prediction("1001", ((13, 19),), (("mesh:D001249", "mesh:D012130"), ("omim:600807",)), (0.5, 0.25),
                              "a", "disease")  # fmt: skip
    assert none == Prediction("1001", ((20, 26), (40, 48)))
    assert nil == Prediction("1001", (), mention="d", nil=True)
    assert negative == Prediction("2", ((0, 7),), (("wikidata:Q30",),), (-3.0,))


def test_empty_groups_vanish_with_their_scores() -> None:
    found = read(candidates=[[], ["a:1"], [], "b:2"], scores=[9, 8, [], [7]])
    assert (found.groups, found.scores) == ((("a:1",), ("b:2",)), (8.0, 7.0))


def test_an_id_twice_in_a_group_counts_once() -> None:
    assert read(candidates=[["mesh:D1", "MESH:D1"]], scores=[[1, 1]]).groups == (("mesh:D1",),)


def test_prefix_of_bare_ids() -> None:
    line = '{"document": "d", "spans": [[0, 1]], "candidates": ["D001249", "omim:1"]}'
    (found,) = native.read([raw("p.jsonl", line)], prefix="mesh")
    assert found.groups == (("mesh:D001249",), ("omim:1",))


BAD: list[tuple[dict[str, Any], str]] = [
    ({"spans": []}, "expected `spans`, or `mention` with the id of a gold mention"),
    ({"spans": [[3, 3]]}, "spans: 3-3 is negative, empty, reversed or out of order"),
    ({"spans": [[-1, 3]]}, "spans: -1-3 is negative, empty, reversed or out of order"),
    ({"spans": [[5, 6], [0, 1]]}, "spans: 0-1 is negative, empty, reversed or out of order"),
    ({"spans": [0, 1]}, "spans[0]: expected [start, end], found 0"),
    ({"document": " "}, "document without an id"),
    ({"document": None}, "document: expected a text, found nothing"),
    ({"candidates": "a:1"}, 'candidates: expected a list, found "a:1"'),
    ({"candidates": [1]}, "candidates[0]: expected a text, found 1"),
    ({"candidates": [["a:1", None]]}, "candidates[0][1]: expected a text, found nothing"),
    ({"candidates": [[" "]]}, "candidates[0]: an id is empty; no answer is `[]`"),
    ({"candidates": ["a:\ud800"]}, 'candidates[0]: a lone surrogate is no character, found "a:\\ud800"'),
    ({"candidates": ["a:1"], "scores": []}, "0 scores for 1 groups of candidates"),
    ({"scores": [1]}, "1 scores for 0 groups of candidates"),
    ({"candidates": ["a:1"], "scores": [float("nan")]}, "scores[0]: expected a finite number, found nan"),
    ({"candidates": ["a:1"], "scores": [[float("-inf")]]}, "scores[0][0]: expected a finite number, found -inf"),
    ({"candidates": ["a:1"], "scores": [10**400]}, "scores[0]: expected a finite number, found inf"),
    ({"candidates": ["a:1"], "scores": ["1"]}, 'scores[0]: expected a number, found "1"'),
    ({"candidates": ["a:1"], "scores": [True]}, "scores[0]: expected a number, found true"),
    ({"candidates": ["a:1"], "scores": [None]}, "scores[0]: expected a number, found null"),
    ({"candidates": [["a:1", "a:2"]], "scores": [[1]]}, "scores[0]: 1 scores for 2 tied ids"),
    ({"candidates": ["a:1"], "scores": [[]]}, "scores[0]: 0 scores for 1 tied ids"),
    ({"candidates": [["a:1", "a:2"]], "scores": [[1, 2]]},
     "scores[0]: tied ids with different scores; put them into groups of their own"),
    ({"nil": 1}, "nil: expected true or false, found 1"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "message"), BAD)
def test_broken_lines(value: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as error:
        read(**value)
    assert str(error.value) == f"p.jsonl:1: {message}"


def test_line_that_is_not_json() -> None:
    with pytest.raises(DataError) as error:
        list(native.read([raw("p.jsonl", '{"document": "d", "mention": "m"}\nNaN,')]))
    assert str(error.value) == "p.jsonl:2: not valid JSON (Extra data)"


@st.composite
def answers(draw: st.DrawFn) -> Prediction:
    groups = tuple(draw(st.lists(st.lists(gold_ids, min_size=1, max_size=3, unique=True).map(tuple), max_size=3)))
    finite = st.floats(allow_nan=False, allow_infinity=False)
    cuts = sorted(draw(st.sets(st.integers(0, 1 << 53), min_size=2, max_size=4)))
    scores = draw(st.just(()) | st.tuples(*[finite] * len(groups)))
    return Prediction(draw(names), tuple(zip(cuts[::2], cuts[1::2])), groups, scores, draw(texts), draw(texts),
                      draw(st.booleans()))  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(answers(), max_size=3))
def test_round_trip(given: list[Prediction]) -> None:
    out = io.StringIO()
    native.write(given, out)
    assert list(native.read([raw("p.jsonl", out.getvalue())])) == given
