"""Fingerprints of JSON values, and JSON files that are damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay import store
from linkassay.errors import LinkassayError


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.integers())))
def test_fingerprint_does_not_depend_on_key_order(value: dict[str, object]) -> None:
    assert store.fingerprint(value) == store.fingerprint(dict(reversed(value.items())))
    assert store.fingerprint(value) != store.fingerprint({**value, "one more key, longer than any": 0})


def test_damaged_json_says_which_file(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text('{"a"')
    with pytest.raises(LinkassayError, match=r"manifest\.json: cannot be read .*; remove its folder and get it again"):
        store.read_json(path)
    path.write_text(json.dumps({"a": 1}))
    assert store.read_json(path) == {"a": 1}


@pytest.mark.parametrize("said", [None, 3, [], "text"])
def test_a_record_that_is_no_object_is_an_error_that_says_which_file(said: object, tmp_path: Path) -> None:
    with pytest.raises(LinkassayError) as error:
        store.Recorded(said, tmp_path / "manifest.json", "linkassay get x")
    assert (
        str(error.value)
        == f"{tmp_path / 'manifest.json'}: not a record, which is an object; make it again: linkassay get x"
    )
