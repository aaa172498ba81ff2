"""Forms of names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from linkassay.linkers.house.name_forms import loose, loose_words, plain_words
from linkassay.text import name_key
from tests.strategies import characters

texts = st.text(characters, max_size=20) | st.text("ab s'12+αβ-", max_size=20)


@given(texts)
def test_a_loose_form_has_the_words_of_its_keys(text: str) -> None:
    key = name_key(text)
    assert loose_words(loose(key)) == plain_words(key)
