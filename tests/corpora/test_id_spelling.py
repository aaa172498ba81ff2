"""Files of ids that a user writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkassay.corpora.id_spelling import read_same_as
from linkassay.errors import DataError


def test_pairs_of_ids(tmp_path: Path) -> None:
    (tmp_path / "same.csv").write_text('# ours\n<http://www.wikidata.org/entity/Q1>,Q2\n"a, b",Q3\n', encoding="utf-8")
    found = read_same_as(tmp_path / "same.csv", "wikidata")
    assert found["wikidata:Q1"] == ("wikidata:Q2",)
    assert found["a, b"] == ("wikidata:Q3",)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"a\tb\tc", "same.tsv:2: expected two columns, with a tab, a comma or a semicolon between"),
        (b"a\rb\tc", "same.tsv:2: not a row of a table (new-line character seen in unquoted field"),
    ],
)
def test_what_is_no_pair(line: bytes, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "same.tsv").write_bytes(b"a\tb\n" + line + b"\n")
    with pytest.raises(DataError) as caught:
        read_same_as(tmp_path / "same.tsv", "wikidata")
    assert str(caught.value).startswith(wrong)
