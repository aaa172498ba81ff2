"""Rows as text: whatever the values are, a table stays a table."""

from __future__ import annotations

import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.errors import UsageError
from linkassay.tables import Rows, fixed, percent, points, render, rounded

VALUES = st.text("ab \t\n\r\x0b\u2028|\\&<>%$#_{}~^\"'", max_size=12) | st.integers(0, 99) | st.none() | st.floats(0, 1)
ROWS = st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES}, optional={"c": VALUES}), min_size=1, max_size=4)


@given(ROWS)
def test_every_form_has_one_line_for_each_row_and_as_many_cells(rows: list[dict[str, object]]) -> None:
    columns = len({key for row in rows for key in row})
    tsv = render(rows, "tsv").split("\n")
    assert [line.count("\t") for line in tsv] == [columns - 1] * (len(rows) + 1)
    markdown = render(rows, "md").split("\n")
    bars = [len(re.findall(r"\|", re.sub(r"\\.", "", line))) for line in markdown]
    assert bars == [columns + 1] * (len(rows) + 2)
    latex = render(rows, "latex").split("\n")
    assert len(latex) == len(rows) + 6
    for line in latex[4:-2]:
        assert len(re.findall(r"(?<!\\)&", line)) == columns - 1
        assert not re.search(r"(?<!\\)[%$#_]", line)
    for form in ("tsv", "md", "latex", "plain"):
        text = render(rows, form) + "."  # an empty last line is one
        assert text.splitlines() == text.split("\n")


@given(ROWS)
def test_text_is_never_markup(rows: list[dict[str, object]]) -> None:
    assert "<" not in render(rows, "md")
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.append(tag)  # type: ignore[method-assign]
    parser.feed(Rows(rows)._repr_html_())
    assert set(tags) <= {"table", "thead", "tbody", "tr", "th", "td"}


def test_forms() -> None:
    rows = Rows([{"system": "a_b", "value": 0.5, "n": 2}, {"system": "c", "value": None, "n": 10, "p": 0.01}])
    assert rows.text("tsv") == "system\tvalue\tn\tp\na_b\t0.5000\t2\t\nc\t\t10\t0.0100"
    assert rows.text("md").splitlines()[1:3] == ["|---|---:|---:|---:|", "| a_b | 0.5000 | 2 |  |"]
    assert r"a\_b & 0.5000 & 2 &  \\" in rows.text("latex")
    assert str(rows).splitlines() == ["system   value   n       p", "a_b     0.5000   2", "c               10  0.0100"]
    with pytest.raises(UsageError, match="unknown table format 'markdwn'; known are: plain, tsv, md, latex"):
        rows.text("markdwn")


def test_no_rows_are_an_empty_table() -> None:
    assert [render([], form).strip() for form in ("plain", "tsv")] == ["", ""]


def _half_up(value: Fraction, digits: int) -> str:
    """The rule by whole numbers only: of two neighbours the nearer, of two as near the one farther from zero."""
    shifted = abs(value) * 10**digits
    whole = (2 * shifted.numerator + shifted.denominator) // (2 * shifted.denominator)
    text = str(whole).rjust(digits + 1, "0")
    return ("-" if value < 0 and whole else "") + (f"{text[:-digits]}.{text[-digits:]}" if digits else text)


@given(st.integers(-100_000, 100_000), st.integers(1, 100_000), st.integers(0, 5))
def test_a_ratio_is_rounded_as_the_exact_ratio_is(part: int, whole: int, digits: int) -> None:
    assert fixed(part / whole, digits) == _half_up(Fraction(part, whole), digits)
    assert rounded(part / whole, digits) == float(fixed(part / whole, digits))


@given(st.integers(0, 2_000))
def test_percent_and_shares_round_alike(part: int) -> None:
    """88.75 % and 0.8875 are one number: the page's 88.8 is the command line's 0.888."""
    assert percent(part / 2_000) == _half_up(100 * Fraction(part, 2_000), 1)
    assert percent(part / 2_000).replace(".", "").zfill(4) == fixed(part / 2_000, 3).replace(".", "")


def test_sums_of_parts_that_lie_half_way_are_seen_as_such() -> None:
    assert 0.1 + 0.2 + 0.0125 != 0.3125
    assert fixed(0.1 + 0.2 + 0.0125, 3) == "0.313"
    assert (points(-0.0125), points(0.0004), fixed(float("nan"), 2)) == ("\u22121.3", "±0.0", "nan")
