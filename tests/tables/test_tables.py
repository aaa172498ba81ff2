"""Rows as text: whatever the values are, a table stays a table."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkassay.errors import UsageError
from linkassay.tables import TABLE_FORMATS, Rows, fixed, percent, points, render, rounded
from linkassay.tables.figure_cells import shown, written
from linkassay.tables.numbers import NUMBER_FORMS

HOSTILE = st.text("ab1 \t\n\r\x0b\u2028\xa0|\\&<>%$#_{}[]*`~^\"'–\u2212±≈é", max_size=12) | st.sampled_from(
    ["<script>alert(1)</script>", "a\tb\nc", r"\|", r"\\", "$x$ _y_ **z**", "&lt;", "[1]", "*", "\u22120.5"]
)
VALUES = HOSTILE | st.integers(0, 99) | st.none() | st.floats(0, 1)
ROWS = st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES}, optional={"c": VALUES}), min_size=1, max_size=4)

FIGURES = st.fixed_dictionaries(
    {"v": st.floats(0, 1) | st.integers(0, 10**6) | st.none()},
    optional={"interval": st.tuples(st.floats(0, 1), st.floats(0, 1)), "mark": st.sampled_from(["*", "≈", ""]),
              "strong": st.booleans(), "difference": st.floats(-1, 1), "key": st.text(max_size=3)},
).map(lambda cell: {k: v for k, v in cell.items() if k != "interval"}
      | (dict(zip(("low", "high"), cell["interval"], strict=True)) if "interval" in cell else {}))  # fmt: skip


@st.composite
def tables(draw: Any) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    """Columns and rows as the report has them."""
    columns = [
        {"label": draw(HOSTILE), "form": draw(st.sampled_from(list(NUMBER_FORMS))), "interval": draw(st.booleans())}
        for _ in range(draw(st.integers(1, 4)))
    ]
    columns = [c | {"interval": c["interval"] and c["form"] != "text"} for c in columns]
    texts, figures = HOSTILE | HOSTILE.map(lambda v: {"v": v}), FIGURES | FIGURES.map(lambda c: c["v"])
    rows = [[draw(texts if c["form"] == "text" else figures) for c in columns] for _ in range(draw(st.integers(0, 4)))]
    return columns, rows


def _line(text: Any) -> str:
    return " ".join(str(text).split())


def _read_markdown(line: str) -> list[str]:
    """The cells of a line: a bar without a backslash parts them; what was escaped is itself again."""
    assert line[:2] + line[-2:] == "|  |"
    inner = re.split(r" \| ", "".join(f"\0{ord(e[1])}\0" if e[0] == "\\" else e
                                      for e in re.findall(r"\\.|[^\\]", line[2:-2])))  # fmt: skip
    assert not re.search(r"[|<`*_~$\[\]]", "".join(inner))
    return [html.unescape(re.sub("\0(\\d+)\0", lambda m: chr(int(m[1])), cell)) for cell in inner]


def _balanced(latex: str) -> bool:
    """Braces and dollars close what they open, and no other character is special where it stands."""
    bare = re.sub(r"\\(?:[\\&%$#_{}]|[a-z]+)", lambda m: m[0] if m[0] == r"\\" else "", latex)
    depth = 0
    for c in bare:
        depth += {"{": 1, "}": -1}.get(c, 0)
        if depth < 0:
            return False
    maths = re.sub(r"\$[<>-]?\$", "", bare)  # what is left of a sign such as ≈ is nothing
    return depth == 0 and not re.search(r"[$%#_^~|<>\u2212±≈–]", maths)


@given(tables())
def test_every_cell_of_a_report_is_read_back_from_every_format(table: tuple[list[Any], list[list[Any]]]) -> None:
    columns, rows = table
    seen = shown(columns, rows)
    tsv, markdown, latex, plain = (written(form, columns, rows) for form in ("tsv", "md", "latex", "plain"))
    for each in (tsv, markdown, latex, plain):
        assert len(each.rows) == len(rows)
        assert f"{each.text()}.".splitlines() == f"{each.text()}.".split("\n")
    (head,) = tsv.head
    assert len(set(head.split("\t"))) == len(head.split("\t")) == len(columns) + 2 * sum(c["interval"] for c in columns)
    assert _read_markdown(markdown.head[0]) == [_line(c["label"]) for c in columns]
    assert latex.head[:2] == [
        f"\\begin{{tabular}}{{{''.join('lr'[c['form'] != 'text'] for c in columns)}}}",
        r"\toprule",
    ]
    assert latex.head[3:] + latex.tail == [r"\midrule", r"\bottomrule", r"\end{tabular}"]
    for at, row in enumerate(rows):
        cells = [cell if isinstance(cell, dict) else {"v": cell} for cell in row]
        exact = [cell.get(key) for cell, c in zip(cells, columns, strict=True)
                 for key in ("v", "low", "high")[: 3 if c["interval"] else 1]]  # fmt: skip
        read = tsv.rows[at].split("\t")
        assert [type(e)(r) if isinstance(e, int | float) else r for e, r in zip(exact, read, strict=True)] == [
            "" if e is None else _line(e) if isinstance(e, str) else e for e in exact
        ]
        assert _read_markdown(markdown.rows[at]) == [
            _line(f"{s.value}{cell.get('mark', '')}" + (f" ({s.interval})" if s.interval else ""))
            for s, cell in zip(seen[at], cells, strict=True)
        ]
    for line in [latex.head[2], *latex.rows]:
        assert line.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", line)) == len(columns) - 1
        assert not line.startswith(("[", "*"))  # which the line before would take for its own
        assert _balanced(line.removesuffix(r" \\"))


@given(ROWS)
def test_every_form_has_one_line_for_each_row_and_as_many_cells(rows: list[dict[str, object]]) -> None:
    columns = len({key for row in rows for key in row})
    tsv = render(rows, "tsv").split("\n")
    assert [line.count("\t") for line in tsv] == [columns - 1] * (len(rows) + 1)
    head, rule, *lines = render(rows, "md").split("\n")
    assert [len(_read_markdown(line)) for line in (head, *lines)] == [columns] * (len(rows) + 1)
    assert rule.count("|") == columns + 1
    latex = render(rows, "latex").split("\n")
    assert len(latex) == len(rows) + 6
    for line in latex[4:-2]:
        assert len(re.findall(r"(?<!\\)&", line)) == columns - 1
        assert _balanced(line.removesuffix(r" \\"))
    for form in ("tsv", "md", "latex", "plain"):
        text = render(rows, form) + "."  # an empty last line is one
        assert text.splitlines() == text.split("\n")


@given(HOSTILE, HOSTILE)
def test_both_kinds_of_table_have_the_same_escapes_and_frame(name: str, value: str) -> None:
    columns = [{"label": "name", "form": "text"}, {"label": "n", "form": "count"}]
    for form in TABLE_FORMATS:
        one, other = (
            render([{"name": f"{name}.{value}", "n": 3}], form),
            written(form, columns, [[f"{name}.{value}", 3]]),
        )
        assert one == other.text()


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
    assert rows.text("md").splitlines()[1:3] == ["|---|---:|---:|---:|", r"| a\_b | 0.5000 | 2 |  |"]
    assert r"a\_b & 0.5000 & 2 &  \\" in rows.text("latex")
    assert str(rows).splitlines() == ["system   value   n       p", "a_b     0.5000   2", "c               10  0.0100"]
    with pytest.raises(UsageError, match="unknown table format 'markdwn'; known are: plain, tsv, md, latex"):
        rows.text("markdwn")


@pytest.mark.parametrize(
    ("form", "values", "said"),
    [
        ("text", ["a", None, True, 3], ["a", "–", "yes", "3"]),
        ("percent", [0.8875, None, 1], ["88.8", "–", "100.0"]),
        ("points", [0.0125, -0.0125, 0.0004], ["+1.3", "\u22121.3", "±0.0"]),
        ("count", [1234567, 2.5], ["1,234,567", "3"]),
        ("weight", [1200, 3.0, None], ["1,200", "3", "–"]),
        ("weight", [1200, 6.25], ["1,200.0", "6.3"]),
        ("seconds", [0, 0.0042, 0.5, 61.25, 600, 9000], ["0 s", "4.2 ms", "500 ms", "61.3 s", "10.0 min", "2.5 h"]),
        ("bytes", [1_500_000, 999_000_000, 2_250_000_000], ["2 MB", "999 MB", "2.3 GB"]),
        ("rate", [9.95, 12345.6], ["10.0", "12,346"]),
        ("chance", [0.0009, 0.0125, 1], ["< 0.001", "0.013", "1.000"]),
        ("decimal", [-0.125, 2], ["\u22120.13", "2.00"]),
    ],
)
def test_how_the_values_of_a_column_are_written(form: str, values: list[Any], said: list[str]) -> None:
    assert [row[0].value for row in shown([{"label": "", "form": form}], [[value] for value in values])] == said


def test_a_figure_has_its_interval_and_its_difference() -> None:
    columns = [{"label": "a", "form": "percent", "interval": True}, {"label": "b", "form": "points", "interval": True}]
    rows = [
        [{"v": 0.5, "low": 0.25, "high": 0.75, "difference": -0.1}, {"v": 0.1, "low": -0.1, "high": 0.3}],
        [0, None],
    ]
    assert shown(columns, rows) == [
        [("50.0", "25.0–75.0", "\u221210.0"), ("+10.0", "\u221210.0 to +30.0", "")],
        [("0.0", "", ""), ("–", "", "")],
    ]


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
