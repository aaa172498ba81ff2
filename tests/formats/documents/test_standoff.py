from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths
from linkassay.formats.documents import standoff
from linkassay.formats.documents.standoff import Columns
from linkassay.formats.reading import Reading
from linkassay.ids import IdRule
from linkassay.model import Document
from tests.conftest import ROOT
from tests.helpers import raw, reading

SAMPLES = ROOT / "tests" / "samples" / "standoff"
HEADER = "document\tstart\tend\ttext\ttype\tids\n"


def folder(table: str, **texts: str) -> list[RawFile]:
    return [raw("set/table.tsv", table), *(raw(f"set/txt/{name}.txt", text) for name, text in texts.items())]


def shown(document: Document) -> list[tuple[str, str, set[str]]]:
    return [(m.text, m.type, set(m.ids)) for m in document.annotations]


def test_sample_folder_with_default_options() -> None:
    empty, farm = standoff.read(expand_paths([SAMPLES]), reading(prefix="ncbitaxon"))
    assert (empty.id, empty.annotations) == ("empty", ())
    assert shown(farm) == [
        ("Cattle", "species", {"ncbitaxon:9913"}),
        ("sheep", "species", {"ncbitaxon:9940"}),
        ("wheat", "species", {"ncbitaxon:4565"}),
        ("mice", "species", {"ncbitaxon:10090"}),
    ]


def test_columns_are_found_by_name_in_any_order_and_case() -> None:
    table = "note\tIDS\tType\tText\tEnd\tStart\tDocument\n\nx\tMESH:D1\tdrug\tgold\t4\t0\ta\n"
    (document,) = standoff.read(folder(table, a="gold"), reading())
    assert shown(document) == [("gold", "drug", {"mesh:D1"})]


def test_linnaeus_has_names_with_a_hash_and_prefixed_ids() -> None:
    table = (
        "#species id\tdocument\tstart\tend\ttext\tcode\n"
        "species:ncbi:9606\tpmcA12\t4\t7\tmen\t\nspecies:ncbi:0\tpmcA12\t12\t17\tmules\t4\n"
        "# a remark\nspecies:ncbi:9606 species:ncbi:9605\tpmcA12\t8\t11\tMen\t\n"
    )
    rule = IdRule(prefix="ncbitaxon", alternative=" ", none=("0",), strip="^species:ncbi:")
    (document,) = standoff.read(
        folder(table, pmcA12="Two men Men mules"),
        Reading(rules={"": rule}),
        columns=Columns(ids="species id", type=None, constant_type="species"),
        document_id=lambda name: name.removeprefix("pmcA"),
    )
    assert document.id == "12"
    assert [(m.text, m.type, m.gold) for m in document.annotations] == [
        ("men", "species", (frozenset({"ncbitaxon:9606"}),)),
        ("mules", "species", ()),
        ("Men", "species", (frozenset({"ncbitaxon:9606"}), frozenset({"ncbitaxon:9605"}))),
    ]


def test_s800_has_no_header_inclusive_ends_and_two_names_for_a_document() -> None:
    files = [
        raw("S800.tsv", "9606\tspecies001:777\t4\t6\tmen\n"),
        raw("pubmedid.tsv", "species001\t777\nspecies002\t888\n"),
        raw("abstracts/species001.txt", "Two men."),
        raw("abstracts/species002.txt", "Nobody."),
    ]
    first, second = standoff.read(
        files,
        reading(prefix="ncbitaxon"),
        columns=Columns(ids=0, document=1, start=2, end=3, text=4, type=None, constant_type="species"),
        table="S800.tsv",
        inclusive_end=True,
        text_of=lambda cell: cell.partition(":")[0],
        document_id={"species001": "777", "species002": "888"}.__getitem__,
    )
    assert (first.id, second.id, second.annotations) == ("777", "888", ())
    assert [(m.spans, m.text, m.ids) for m in first.annotations] == [(((4, 7),), "men", {"ncbitaxon:9606"})]


SNP = Columns(document=0, text=1, start=3, end=4, ids=5, type=6)


def test_snp_quotes_its_texts_and_leaves_the_documents_out() -> None:
    table = raw("corpus.txt", "12\t'A1T'\tA1T\t4\t7\trs5\tPSM \n")
    (document,) = standoff.read(
        [table], reading(), columns=SNP, table="corpus.txt", texts={"12": "The A1T variant"}, quote="'"
    )
    assert (document.id, document.text) == ("12", "The A1T variant")
    assert shown(document) == [("A1T", "PSM", {"dbsnp:rs5"})]


def test_only_paired_quotes_are_taken_off() -> None:
    for written, text in [("'b'", "b"), ("b'", "b'"), ("'b", "'b"), ("'", "'")]:
        table = raw("t.tsv", f"a\t{written}\t\t0\t{len(text)}\t\tx\n")
        (document,) = standoff.read([table], reading(), columns=SNP, texts={"a": text}, quote="'")
        assert [m.text for m in document.annotations] == [text]


def test_the_table_itself_may_be_given() -> None:
    files = [*folder(HEADER + "a\t0\t4\tgold\tmetal\tx\n", a="gold"), raw("other.tsv", "")]
    (document,) = standoff.read(files, reading(), table=files[0])
    assert shown(document) == [("gold", "metal", {"x"})]


def test_long_cells() -> None:
    (document,) = standoff.read(folder(f"{HEADER}a\t0\t200000\t{'x' * 200_000}\tt\t1\n", a="x" * 200_000), reading())
    assert len(document.annotations[0].text) == 200_000


def test_mention_across_a_line_break() -> None:
    table = HEADER + "a\t0\t8\tbrown  rat\tspecies\t10116\na\t0\t10\tbrown  rat\tspecies\t10116\n"
    how = reading(skip=True)
    (document,) = standoff.read(folder(table, a="brown\r\nrat"), how)
    assert [m.text for m in document.annotations] == ["brown\r\nrat"]
    assert how.problems.counts == {"offset": 1}


def test_without_a_text_column_the_offsets_are_trusted() -> None:
    table = "document\tstart\tend\na\t0\t4\n"
    (document,) = standoff.read(
        folder(table, a="gold ring"), reading(), columns=Columns(text=None, type=None, ids=None)
    )
    assert shown(document) == [("gold", "", set())]


def test_comments_and_suffixes_can_be_others() -> None:
    files = [raw("t.csv", "%c\na\t0\t2\n#\t1\t2\n"), raw("a.body", "gold"), raw("#.body", "##"), raw("b.txt", "?")]
    found = standoff.read(
        files, reading(), columns=Columns(0, 1, 2, None, None, None, "metal"),
        table="*.csv", text_suffix=".body", comment="%",
    )  # fmt: skip
    assert [(d.id, shown(d)) for d in found] == [("a", [("go", "metal", set())]), ("#", [("#", "metal", set())])]


def test_rows_of_unknown_documents_are_problems() -> None:
    how = reading(skip=True)
    table = HEADER + "b\t0\t4\tgold\tmetal\tx\na\t0\t4\tgold\tmetal\tx\n"
    (document,) = standoff.read(folder(table, a="gold"), how)
    assert len(document.annotations) == 1
    assert [str(p) for p in how.problems.examples] == ["set/table.tsv:2: no text is named 'b'; document b, span 0-4"]


HINT = " (use --skip-bad to leave such annotations out, counted)"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "set/table.tsv: the table is empty; expected a header line"),
        (
            "document\tstart\tend\ttext\ttyp\tids\n",
            "set/table.tsv:1: the header line does not name the column 'type'; it names 'document', 'start', "
            "'end', 'text', 'typ', 'ids'",
        ),
        (
            "a\t0\t4\tgold\n",
            "set/table.tsv:1: the header line does not name the column 'document'; it names 'a', '0', '4', 'gold'",
        ),
        (
            HEADER + "a\t0\t4\n",
            "set/table.tsv:2: expected at least 6 columns separated by tabs, found 3",
        ),
        (HEADER + "a\tx\t4\tgold\tm\ti\n", "set/table.tsv:2: start: expected a whole number, found 'x'"),
        (HEADER + "a\t0\t-4\tgold\tm\ti\n", "set/table.tsv:2: end: expected a whole number, found '-4'"),
        (HEADER + "a\t0\t" + "9" * 50, "set/table.tsv:2: expected at least 6 columns separated by tabs, found 3"),
        (
            HEADER + "a\t0\t" + "9" * 50 + "\tgold\tm\ti",
            f"set/table.tsv:2: end: expected a whole number, found '{'9' * 40}'",
        ),
        (HEADER + "b\t0\t4\tgold\tm\ti", f"set/table.tsv:2: no text is named 'b'; document b, span 0-4{HINT}"),
        (
            HEADER + "a\t1\t4\tgold\tm\ti",
            "set/table.tsv:2: the text at the span differs from the annotation's; document a, span 1-4; "
            f"found 'old', expected 'gold'{HINT}",
        ),
    ],
)
def test_broken_tables(table: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        list(standoff.read(folder(table, a="gold"), reading()))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a.txt"], "no file named '*.tsv' among the raw files"),
        (
            ["a.txt", "b.tsv", "c.tsv"],
            "several files match '*.tsv': b.tsv, c.tsv; keep one of them in the raw folder",
        ),
        (["a.md", "b.tsv"], "no texts: none of the files ends in '.txt'"),
        (
            ["x/a.txt", "y/a.txt", "b.tsv"],
            "y/a.txt: a second text is named 'a'; texts are told apart by file name without folder",
        ),
    ],
)
def test_broken_sets_of_files(names: list[str], message: str) -> None:
    with pytest.raises(DataError) as error:
        list(standoff.read([raw(name, HEADER) for name in names], reading()))
    assert str(error.value) == message


@settings(max_examples=150)
@given(st.text(st.sampled_from("ab \n\té😀"), min_size=1, max_size=25), st.data(), st.booleans())
def test_any_span_of_any_text_is_read_back(text: str, data: st.DataObject, inclusive: bool) -> None:
    spans = data.draw(st.sets(st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text))), max_size=5))
    spans = {(start, end) for start, end in spans if text[start:end].strip()}
    rows = "".join(
        f"a\t{start}\t{end - inclusive}\t{text[start:end].translate({9: 32, 10: 32})}\n" for start, end in spans
    )
    columns = Columns(0, 1, 2, 3, None, None, "t")
    (document,) = standoff.read(folder(rows, a=text), reading(), columns=columns, inclusive_end=inclusive)
    assert {m.spans[0] for m in document.annotations} == spans
    assert all(m.text == text[m.start : m.end] for m in document.annotations)


def test_snp_offsets_agree_with_the_texts_of_the_json_edition(shared: Path) -> None:
    at = shared / "corpora/snp_osiris"
    whole = json.loads(gzip.decompress((at / "thomas.json.gz").read_bytes()))
    texts = {d["document"]["ID"]: d["document"]["text"] for d in whole["documents"]}
    how = reading()
    found = list(
        standoff.read(
            expand_paths([at / "thomas2011_corpus.txt"]), how, columns=SNP, table="*_corpus.txt", texts=texts, quote="'"
        )
    )
    assert len(found) == 296
    assert all(d.annotations for d in found)
    assert how.read == {"PSM": 283, "NSM": 244}
    assert sum(len(m.ids) for d in found for m in d.annotations) == 527
