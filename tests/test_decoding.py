"""Shapes of JSON and TOML: what has one is decoded, of what has not it is said where and what is expected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from linkassay.decoding import Offset, Place, SpanPair, converted, decoded, described
from linkassay.errors import DataError


class Pair(msgspec.Struct, array_like=True):
    text: str
    kind: str | None = None


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    column: str
    separator: str = ""


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    id: str | int
    at: Offset = 0
    spans: tuple[SpanPair, ...] | None = None
    pairs: list[Pair] = []
    scores: tuple[float | None, ...] = ()
    sure: bool | None = None
    inner: Inner | None = None


PLACE = Place("a.jsonl", 3)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "value: 'id' is missing, found {}"),
        ([1], "value: expected an object, found [1]"),
        ({"id": 1.5}, "id: expected a text, found 1.5"),
        ({"id": None}, "id: expected a text, found nothing"),
        ({"id": 1, "at": 1 << 60}, "at: expected a whole number, found 1152921504606846976"),
        ({"id": 1, "at": True}, "at: expected a whole number, found true"),
        ({"id": 1, "spans": [[0, 1], [2]]}, "spans[1]: expected [start, end], found [2]"),
        ({"id": 1, "spans": [[0, "1"]]}, 'spans[0][1]: expected a whole number, found "1"'),
        ({"id": 1, "pairs": [["a"], []]}, "pairs[1]: 0 is missing, found []"),
        ({"id": 1, "pairs": [["a", 2]]}, "pairs[0][1]: expected a text, found 2"),
        ({"id": 1, "pairs": ["a"]}, 'pairs[0]: expected a list, found "a"'),
        ({"id": 1, "scores": ["x"]}, 'scores[0]: expected a number, found "x"'),
        ({"id": 1, "sure": "x" * 99}, f'sure: expected true or false, found "{"x" * 59}'),
        ({"id": 1, "span": []}, "unknown key 'span'; did you mean 'spans'?"),
        ({"id": 1, "inner": {"colum": "x"}}, "unknown key 'colum'; did you mean 'column'?"),
        ({"id": 1, "inner": {}}, "inner: 'column' is missing, found {}"),
        ({"id": "\ud800"}, 'id: a lone surrogate is no character, found "\\ud800"'),
        ({"id": 1, "pairs": [["a", "\udfff"]]},
         'pairs[0][1]: a lone surrogate is no character, found "\\udfff"'),
    ],
)  # fmt: skip
def test_what_is_said_of_json(value: Any, message: str) -> None:
    """The same of text and of what was loaded before."""
    for read in (lambda: decoded(Shape, json.dumps(value), PLACE), lambda: converted(Shape, value, PLACE)):
        with pytest.raises(DataError) as error:
            read()
        assert str(error.value) == f"a.jsonl:3: {message}"


def test_text_that_is_no_json() -> None:
    for text, message in (
        ("{", "Expecting property name"),
        ("[" * 100_000, "nested too deeply"),
        ("1 2", "Extra data"),
    ):
        with pytest.raises(DataError, match=rf"a\.jsonl:3: not valid JSON \({message}"):
            decoded(Shape, text, PLACE)


def test_what_only_python_reads_is_read() -> None:
    assert str(decoded(Shape, '{"id": 1, "scores": [NaN, Infinity, 1e400]}', PLACE).scores) == "(nan, inf, inf)"


SHAPES = st.builds(
    dict, id=st.text() | st.integers(-(1 << 62), 1 << 62), at=st.integers(-(1 << 53), 1 << 53),
    pairs=st.lists(st.tuples(st.text(), st.none() | st.text())), sure=st.none() | st.booleans(),
    scores=st.lists(st.none() | st.integers() | st.floats()), inner=st.none() | st.builds(dict, column=st.text()),
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(SHAPES)
def test_text_and_loaded_values_are_decoded_alike(value: dict[str, Any]) -> None:
    text = json.dumps(value)
    found, same = (repr(read) for read in (_of(decoded, text), _of(converted, json.loads(text))))
    assert found == same


def _of(read: Any, value: Any) -> Any:
    try:
        return read(Shape, value, PLACE)
    except DataError as error:
        return str(error)


@pytest.mark.parametrize(
    "key", ["x` - at `$.pairs[3]", "x` - at `$.id[0]", "x` - at `$[...]", "a\nb", "`", "", "x" * 999]
)
def test_unknown_keys_may_look_like_anything(key: str) -> None:
    with pytest.raises(DataError, match=r"^a\.jsonl:3: unknown key '") as error:
        decoded(Shape, json.dumps({"id": 1, "pairs": [], key: 1}), PLACE)
    assert len(str(error.value)) < 200


def test_surrogates_are_found_however_deep_the_rest_is() -> None:
    text = '{"text": "\\ud800", "other": ' + "[" * 900 + "]" * 900 + "}"
    with pytest.raises(DataError, match="text: a lone surrogate is no character"):
        decoded(Named, text, PLACE)


class Named(msgspec.Struct):
    text: str


Text = Annotated[str, Meta(pattern=r"\S", description="a text")]


class Table(msgspec.Struct, forbid_unknown_fields=True):
    name: Text
    top: Annotated[int, Meta(ge=1, description="a whole number from 1 on")] | None = None
    units: Literal["byte", "character"] = "byte"
    splits: tuple[Text, ...] = ()
    file: Path | None = None
    files: dict[str, tuple[Path, ...]] = {}
    names: tuple[Inner, ...] = ()


def beside(_: type, value: Any) -> Path:
    if not isinstance(value, str):
        raise ValueError(value)
    return Path("/folder") / value


def test_what_stands_alone_is_a_list_of_one() -> None:
    data = {"name": "a", "splits": "test", "file": "x", "files": {"test": "t", "dev": ["d", "e"]},
            "names": {"column": "c"}}  # fmt: skip
    found = described(Table, data, "a.toml", hook=beside)
    assert (found.splits, found.file, found.names) == (("test",), Path("/folder/x"), (Inner("c"),))
    assert found.files == {"test": (Path("/folder/t"),), "dev": (Path("/folder/d"), Path("/folder/e"))}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3, "expected a table, found 3"),
        ({}, "'name' is missing"),
        ({"name": " "}, "'name' must be a text, not ' '"),
        ({"name": "a", "top": 0}, "'top' must be a whole number from 1 on, not 0"),
        ({"name": "a", "top": "1"}, "'top' must be a whole number from 1 on, not '1'"),
        ({"name": "a", "units": "bit"}, "'units' must be 'byte' or 'character', not 'bit'"),
        ({"name": "a", "splits": ["test", 3]}, "'splits' must be a text, not 3"),
        ({"name": "a", "file": 3}, "'file' must be a text, not 3"),
        ({"name": "a", "files": {"dev": "d", "test": ["t", 3]}}, "files: 'test' must be a text, not 3"),
        (
            {"name": "a", "names": [{"column": "c"}, {"colum": "d"}]},
            "names: unknown key 'colum'; did you mean 'column'?",
        ),
        ({"name": "a", "names": {"separator": "|"}}, "names: 'column' is missing"),
        ({"name": "a", "tops": 1}, "unknown key 'tops'; did you mean 'top'?"),
    ],
)
def test_what_is_said_of_toml(given: Any, message: str) -> None:
    with pytest.raises(DataError) as error:
        described(Table, given, "a.toml", "[[tables]] 1: ", beside)
    assert str(error.value) == f"a.toml: [[tables]] 1: {message}"


def test_a_key_with_half_a_pair_is_an_error_too() -> None:
    with pytest.raises(DataError, match="a lone surrogate is no character"):
        decoded(Shape, '{"\\ud800id": 1}', PLACE)
