"""Mention tables: TSV and Parquet, mentions without their texts (DATA-11)."""

from __future__ import annotations

import contextlib
import io
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths
from linkassay.formats.documents import mention_table
from linkassay.formats.reading import Reading
from linkassay.model import Document
from linkassay.problems import Problems
from tests.conftest import ROOT
from tests.helpers import raw, reading
from tests.strategies import documents

SAMPLES = ROOT / "tests" / "samples" / "mentions"
HEADER = "document\tmention\tstart\tend\ttext\ttype\tids"


def table(*rows: str, header: str = HEADER) -> RawFile:
    return raw("t.tsv", "\n".join([header, *rows]) + "\n")


def parquet(**columns: Any) -> RawFile:
    size = len(next(iter(columns.values())))
    blank = {name: [None] * size for name in mention_table.COLUMNS} | {"document": ["d"] * size, "text": ["x"] * size}
    out = io.BytesIO()
    pq.write_table(pa.table(blank | columns), out)
    return raw("t.parquet", out.getvalue())


def test_sample() -> None:
    how = reading(prefix="mesh", composite="|")
    first, second = mention_table.read(expand_paths([SAMPLES]), how)
    assert (first.id, first.text, first.passages) == ("1001", "", ())
    asthma, ocular, quoted = first.mentions
    assert (asthma.id, asthma.spans, asthma.text, asthma.type) == ("m1", ((0, 6),), "asthma", "disease")
    assert asthma.gold == (frozenset({"mesh:D001249"}),)
    assert (ocular.spans, ocular.text) == (((10, 16), (30, 38)), "ocular toxicity")
    assert ocular.gold == (frozenset({"mesh:D005128", "mesh:D064420"}),)
    assert (quoted.spans, quoted.text, quoted.gold) == ((), 'a "quoted" name', ())
    assert [m.text for m in second.mentions] == ["BRCA1"]
    assert how.read == {"disease": 3, "gene": 1}


def test_rows_of_a_document_need_not_stand_together() -> None:
    found = list(
        mention_table.read([table("b\t1\t0\t1\tx\tt\t1", "a\t2\t0\t1\ty\tt\t2", "b\t3\t1\t2\tz\tt\t3")], reading())
    )
    assert [(d.id, [m.text for m in d.mentions]) for d in found] == [("b", ["x", "z"]), ("a", ["y"])]


def test_mention_column_is_optional_and_columns_come_in_any_order() -> None:
    header = "ids\ttext\tdocument\tnote\tend\tstart\ttype"
    (document,) = mention_table.read([table("MESH:D1\tx\ta\tignored\t4\t3\tt", header=header)], reading())
    assert [(m.id, m.spans, m.gold) for m in document.mentions] == [("a:3-4:t", ((3, 4),), (frozenset({"mesh:D1"}),))]


def test_mentions_without_a_place_are_never_merged() -> None:
    (document,) = mention_table.read([table("a\t\t\t\tx\tt\t1", "a\t\t\t\ty\tt\t2")], reading())
    assert [(m.id, m.text) for m in document.mentions] == [("a::t", "x"), ("a::t#2", "y")]


def test_rows_on_one_place_are_merged() -> None:
    (document,) = mention_table.read([table("a\t\t0\t1\tx\tt\t1", "a\t\t0\t1\tx\tt\t2")], reading())
    assert [m.gold for m in document.mentions] == [(frozenset({"1"}), frozenset({"2"}))]


def test_types_choose_rows_and_rules() -> None:
    how = reading(types={"D": "disease"})
    how.rules = {"disease": mention_table.IdRule(prefix="mesh")}
    (document,) = mention_table.read([table("a\t\t0\t1\tx\tD\tD1", "a\t\t0\t1\tx\tG\t2")], how)
    assert [(m.type, m.gold) for m in document.mentions] == [("disease", (frozenset({"mesh:D1"}),))]
    assert how.left_out == {"G": 1}


def test_crlf_byte_order_mark_blank_lines_and_lines_inside_cells() -> None:
    text = f'\ufeff{HEADER}\r\n\r\na\tm\t0.0\t5.0\t"x\r\ny"\tt\t1\r\n\r\na\tn\t0\t1\tz\tt\r\n'
    with pytest.raises(DataError) as error:
        list(mention_table.read([raw("t.tsv", text)], reading()))
    assert str(error.value) == "t.tsv:6: 6 cells, expected 7"
    (document,) = mention_table.read([raw("t.tsv", text.replace("z\tt\r\n", "z\tt\t2\r\n"))], reading())
    assert [(m.spans, m.text) for m in document.mentions] == [(((0, 5),), "x\r\ny"), (((0, 1),), "z")]


def test_long_cells() -> None:
    (document,) = mention_table.read([table(f"a\t\t0\t1\t{'x' * 200_000}\tt\t1")], reading())
    assert len(document.mentions[0].text) == 200_000


BAD = [
    (table(header=""), "t.tsv: the file is empty"),
    (table(header="document\tmention\tstrat\tend\ttext\ttype\tid"),
     "t.tsv:1: the table has no column 'start', 'ids'; it has 'strat', 'id': say what each is called, or that there "
     "is none, with --columns start=NAME or --columns start="),
    (table(header=HEADER + "\ttext"), "t.tsv:1: columns that occur twice: text"),
    (table("a\tm\t0\t1\tx\tt\t1", "a\tm\t2\t3\ty\tt\t1"), "t.tsv:3: mention id 'm' occurs twice"),
    (table(" \tm\t0\t1\tx\tt\t1"), "t.tsv:2: document: the cell is empty"),
    (table("a\tm\t0\t1\tx"), "t.tsv:2: 5 cells, expected 7"),
    (table("a\tm\t-1\t1\tx\tt\t1"),
     "t.tsv:2: start: expected offsets such as 17, or 17;42 for several pieces, found '-1'"),
    (table("a\tm\t0\t1;\tx\tt\t1"),
     "t.tsv:2: end: expected offsets such as 17, or 17;42 for several pieces, found '1;'"),
    (table("a\tm\t0\t\tx\tt\t1"), "t.tsv:2: 1 starts but 0 ends"),
    (table('a\tm\t0\t1\t"x\tt\t1'),
     "t.tsv:2: not a table (unexpected end of data); a cell that begins with a quotation mark must be quoted and "
     "its marks doubled"),
    (table("a\tm\t5\t5\tx\tt\t1"), "t.tsv:2: the span is empty or reversed; document a, span 5-5; found '', "
                                   "expected 'x' (use --skip-bad to leave such annotations out, counted)"),
    (table("a\tm\t5\t6\t \tt\t1"), "t.tsv:2: the mention is empty; document a, span 5-6; found '', expected ' ' "
                                   "(use --skip-bad to leave such annotations out, counted)"),
    (parquet(ids=[[1, 2]]),
     "t.parquet:1: ids: expected texts, lists of texts, or lists of such lists, found '[1, 2]'"),
    (parquet(ids=[True]), "t.parquet:1: ids: expected a text, found 'True'"),
    (parquet(start=[1.5], end=[2.0]),
     "t.parquet:1: start: expected offsets such as 17, or 17;42 for several pieces, found '1.5'"),
    (parquet(document=["d", None]), "t.parquet:2: document: the cell is empty"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "message"), BAD)
def test_broken_tables(file: RawFile, message: str) -> None:
    with pytest.raises(DataError) as error:
        list(mention_table.read([file], reading()))
    assert str(error.value) == message


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1 not really PAR1", HEADER.encode()])
def test_what_is_not_parquet(data: bytes) -> None:
    with pytest.raises(DataError, match=r"^t\.parquet: not a readable Parquet file \(.+\)$"):
        list(mention_table.read([raw("t.parquet", data)], reading()))


def test_mention_ids_are_unique_over_all_files() -> None:
    file = table("a\tm\t0\t1\tx\tt\t1")
    with pytest.raises(DataError, match="mention id 'm' occurs twice"):
        list(mention_table.read([file, file], reading()))


@pytest.mark.parametrize(
    ("ids", "gold"),
    [
        ("D1|D2", (frozenset({"mesh:D1", "mesh:D2"}),)),
        (["D1", "OMIM:2"], (frozenset({"mesh:D1"}), frozenset({"omim:2"}))),
        ([["D1", "D2"], ["D3"]], (frozenset({"mesh:D1", "mesh:D2"}), frozenset({"mesh:D3"}))),
        ([["D1"], [], ["-1"], ["MESH:-1"], ["MESH:"], ["D1"]], (frozenset({"mesh:D1"}),)),
        ([], ()),
        (None, ()),
    ],
)
def test_ids_of_parquet(ids: object, gold: object) -> None:
    (document,) = mention_table.read([parquet(ids=[ids])], reading(prefix="mesh", composite="|"))
    assert document.mentions[0].gold == gold


def test_offsets_of_parquet() -> None:
    (document,) = mention_table.read([parquet(document=[7, 7, 7], start=[1.0, None, 3], end=[2.0, None, 5])], reading())
    assert (document.id, [m.spans for m in document.mentions]) == ("7", [((1, 2),), (), ((3, 5),)])
    (document,) = mention_table.read([parquet(start=[[1, 4]], end=[[2, 6]])], reading())
    assert document.mentions[0].spans == ((1, 2), (4, 6))


def write(docs: list[Document]) -> str:
    out = io.StringIO()
    mention_table.write(docs, out)
    return out.getvalue()


@settings(max_examples=150, deadline=None)
@given(documents())
def test_round_trip(document: Document) -> None:
    how = Reading(rules={"": mention_table.RULE}, merge=False)
    try:
        text = write([document])
    except DataError:
        assert any(set(i) & set("|;") for m in document.mentions for i in m.ids)
        return
    got = [m for d in mention_table.read([raw("t.tsv", text)], how) for m in d.mentions]
    assert [replace(m, raw="") for m in got] == list(document.mentions)


def test_id_with_a_separator_is_refused() -> None:
    (document,) = mention_table.read([table("a\tm\t0\t1\tx\tt\ta|b")], reading())
    with pytest.raises(DataError) as error:
        write([document])
    assert str(error.value) == "document a, mention m: the id 'a|b' has a separator of the table in it"


GOOD_PARQUET = parquet(start=[1, 2], end=[2, 3], ids=[["a"], ["b", "c"]]).bytes()


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(GOOD_PARQUET)), st.binary(max_size=8), st.integers(0, 8), st.booleans())
def test_damaged_parquet_is_a_data_error(at: int, new: bytes, cut: int, skip: bool) -> None:
    data = GOOD_PARQUET[:at] + new + GOOD_PARQUET[at + cut :]
    with contextlib.suppress(DataError):
        list(mention_table.read([raw("t.parquet", data)], Reading(problems=Problems(skip=skip))))
