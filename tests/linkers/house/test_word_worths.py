"""The table of words that stand for words, against the dictionaries that it is made of."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from linkassay.linkers.house.word_worths import WordWorths
from linkassay.store import MappedFolder

words = st.text("abä", max_size=2)
tables = st.dictionaries(words, st.dictionaries(words, st.floats(0, 1), max_size=4), max_size=6)


@given(tables)
def test_what_was_put_in_is_found(table: dict[str, dict[str, float]]) -> None:
    with TemporaryDirectory() as folder:
        files = MappedFolder(Path(folder))
        made = WordWorths.of(table)
        made.store(files)
        for found in (made, WordWorths.opened(files)):
            for word in ("", "a", "b", "ä", "ab", "ba", "aa", "bä", "elsewhere"):
                assert found.of_word(word) == table.get(word, {})
