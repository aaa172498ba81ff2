"""Reading: the one place where offsets are verified and mentions are made (DATA-1 to DATA-7)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.corpora.stored_corpus import SplitWriter
from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.formats.documents import elevant
from linkassay.formats.reading import Annotation, Reading, Units
from linkassay.ids import IdRule
from linkassay.model import Document, Hyperlink, Passage, join_text, types_of
from linkassay.problems import Fix
from tests.helpers import reading
from tests.strategies import characters, golds

TEXT = "α 🙂 asthma, é flu"  # α and é are two bytes; the face is four, and two UTF-16 units


def one(annotation: Annotation, how: Reading | None = None, text: str = TEXT) -> Document:
    return (how or reading()).document("d", [("", 0, text)], [annotation], file="f")


def mark(start: int, end: int, text: str | None = None, type: str = "t", **more: Any) -> Annotation:
    return Annotation(((start, end),), text, type, **more)


@pytest.mark.parametrize(("units", "span"), [("codepoint", (4, 10)), ("byte", (8, 14)), ("utf16", (5, 11))])
def test_units_of_offsets(units: Units, span: tuple[int, int]) -> None:
    (mention,) = one(mark(*span, "asthma"), reading(units=units)).annotations
    assert (mention.spans, mention.text) == (((4, 10),), "asthma")
    end = len(TEXT)
    whole = {"codepoint": end, "byte": len(TEXT.encode()), "utf16": len(TEXT.encode("utf-16-le")) // 2}[units]
    (mention,) = one(mark(0, whole), reading(units=units)).annotations
    assert mention.spans == ((0, end),)


@pytest.mark.parametrize(("units", "start"), [("byte", 1), ("byte", 4), ("utf16", 3)])
def test_offset_inside_a_character(units: Units, start: int) -> None:
    with pytest.raises(DataError) as error:
        one(mark(start, 8 if units == "byte" else 5), reading(units=units))
    assert str(error.value).startswith("f: the span cuts a character or lies outside the text; document d, span ")


@settings(max_examples=150, deadline=None)
@given(st.data(), st.text(characters, min_size=1, max_size=20).filter(str.strip))
def test_units_agree(data: st.DataObject, text: str) -> None:
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    codecs: dict[Units, tuple[str, int]] = {"byte": ("utf-8", 1), "utf16": ("utf-16-le", 2)}
    expected = one(mark(start, end), reading(skip=True), text)
    for units, (codec, size) in codecs.items():
        at, to = (len(text[:n].encode(codec)) // size for n in (start, end))
        assert one(mark(at, to), reading(skip=True, units=units), text) == expected


def test_passages_of_byte_offsets_become_code_points() -> None:
    passages = [("title", 0, "é"), ("abstract", 3, "b")]
    document = reading(units="byte").document(
        "d", passages, [mark(3, 4)], file="f", hyperlinks=(Hyperlink((3, 4), "B"),), evaluation_spans=((0, 4),)
    )
    assert document.text == "é b"
    assert document.passages == (Passage("title", 0, "é"), Passage("abstract", 2, "b"))
    assert document.annotations[0].spans == ((2, 3),)
    assert document.hyperlinks == (Hyperlink((2, 3), "B"),)
    assert document.evaluation_spans == ((0, 3),)


def test_gaps_between_passages_are_spaces() -> None:
    passages = [("a", 2, "one"), ("b", None, "two"), ("c", 12, "three"), ("", None, "")]
    document = reading().document("d", passages, file="f")
    assert document.text == "  one two   three "
    assert all(document.text[p.offset :].startswith(p.text) for p in document.passages)


def test_many_small_gaps_cannot_make_a_large_text() -> None:
    passages = [("p", 6_000_000 * n, "") for n in range(3)]
    with pytest.raises(DataError) as error:
        reading().document("d", passages, file="f", line=3)
    assert (
        str(error.value) == "f:3: document d: passage 'p' at offset 12000000 is 6,000,000 characters after the last one"
    )


def test_annotations_on_one_span_are_merged_without_losing_ids() -> None:
    how = reading(prefix="mesh", composite="|")
    annotations = [mark(4, 10, raw="D1|D2", optional=True), mark(4, 10, raw="D3"), mark(4, 10, raw="D3"),
                   mark(4, 10, raw="D1", type="other"), mark(4, 9, raw="D1"), mark(4, 10, raw="-1")]  # fmt: skip
    document = how.document("d", [("", 0, TEXT)], annotations, file="f")
    first, other, shorter = document.annotations
    assert first.gold == (frozenset({"mesh:D1", "mesh:D2"}), frozenset({"mesh:D3"}))
    assert first.raw == "D1|D2;D3;-1"
    assert not first.optional
    assert other.gold == shorter.gold == (frozenset({"mesh:D1"}),)
    assert how.read == {"t": 5, "other": 1}


def test_merging_keeps_what_only_a_later_annotation_says() -> None:
    annotations = [mark(4, 10, type=""), mark(4, 10, type="", coreference=False, raw="1"),
                   mark(4, 10, type="", coreference=True, kind="quantity", source_type="Other")]  # fmt: skip
    (mention,) = reading().document("d", [("", 0, TEXT)], annotations, file="f").annotations
    assert (mention.coreference, mention.kind, mention.source_type, mention.raw) == (False, "quantity", "Other", "1")


def test_many_annotations_on_one_span_are_merged_in_linear_time() -> None:
    annotations = [mark(4, 10, raw=str(number)) for number in range(20_000)]
    began = time.process_time()
    (mention,) = reading().document("d", [("", 0, TEXT)], annotations, file="f").annotations
    assert time.process_time() - began < 3  # one by one it is 22 s
    assert len(mention.gold) == 20_000


def test_merge_can_be_off() -> None:
    document = reading(merge=False).document("d", [("", 0, TEXT)], [mark(4, 10), mark(4, 10)], file="f")
    assert [m.id for m in document.annotations] == ["d:4-10:t", "d:4-10:t#2"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(4, 6), st.sampled_from("ab"), golds), max_size=8))
def test_merging_keeps_the_union_of_ids(rows: list[tuple[int, int, str, Any]]) -> None:
    annotations = [mark(start, end, type=type_, gold=gold) for start, end, type_, gold in rows]
    document = reading().document("d", [("", 0, "abcdef")], annotations, file="f")
    expected: dict[object, set[frozenset[str]]] = {}
    for start, end, type_, gold in rows:
        expected.setdefault((start, end, type_), set()).update(gold)
    assert {(m.start, m.end, m.type): set(m.gold) for m in document.annotations} == expected
    assert len({m.id for m in document.annotations}) == len(document.annotations) == len(expected)
    assert all(m.text == join_text(document.text, m.spans) for m in document.annotations)


def test_given_names_never_collide_with_adopted_ones() -> None:
    annotations = [mark(0, 1, id="d:0-1:t#2"), mark(0, 1), mark(0, 1)]
    document = reading(merge=False).document("d", [("", 0, "a")], annotations, file="f")
    assert [m.id for m in document.annotations] == ["d:0-1:t#2", "d:0-1:t", "d:0-1:t#3"]


def test_fixes_are_applied_and_counted() -> None:
    move = Fix("d", (3, 9), "asthma", "one too far left", new_spans=((4, 10),))
    respell = Fix("d", (13, 14), "E", "accent lost", new_text="é")
    drop = Fix("d", (0, 0), "", "empty in the source")
    unused = Fix("other", (3, 9), "asthma", "not this document")
    how = reading(fixes=(move, respell, drop, unused))
    text = "α 🙂 asthma,  é flu"
    document = how.document("d", [("", 0, text)], [mark(3, 9, "asthma"), mark(13, 14, "E"), mark(0, 0, "")], file="f")
    assert [(m.spans, m.text) for m in document.annotations] == [(((4, 10),), "asthma"), (((13, 14),), "é")]
    assert how.problems.fixes == [move, respell, drop]
    assert how.read == {"t": 3}


def test_a_fix_that_does_not_mend_is_still_a_problem() -> None:
    how = reading(fixes=(Fix("d", (3, 9), "asthma", "wrong", new_spans=((5, 11),)),))
    with pytest.raises(DataError, match="found 'sthma,', expected 'asthma'"):
        one(mark(3, 9, "asthma"), how)


def test_other_types_are_left_out_and_counted() -> None:
    how = reading(types={"D": "disease", "": "untyped"})
    annotations = [mark(4, 10, type="D"), mark(4, 5, type="Gene"), mark(99, 0, type="Gene"), mark(0, 1, type="")]
    document = how.document("d", [("", 0, TEXT)], annotations, file="f")
    assert [(m.type, m.source_type) for m in document.annotations] == [("disease", "D"), ("untyped", "")]
    assert how.left_out == {"Gene": 2}
    assert how.read == {"disease": 1, "untyped": 1}


def test_a_tree_is_kept_or_left_out_as_its_root_is() -> None:
    how = reading(types={"D": "disease"})
    rows = [
        mark(0, 1, key="x", parent="a", type="Gene"), mark(4, 10, key="a", type="D"), mark(4, 5, parent="x", type="D"),
        mark(4, 6, key="y", parent="b", type="D"), mark(4, 10, key="b", type="Gene"), mark(4, 5, parent="y", type="D"),
    ]  # fmt: skip
    document = how.document("d", [("", 0, TEXT)], rows, file="f")
    assert [(m.type, m.source_type, m.parent) for m in document.annotations] == [
        ("Gene", "Gene", "d:4-10:disease"), ("disease", "D", ""), ("disease", "D", "d:0-1:Gene")
    ]  # fmt: skip
    assert how.left_out == {"D": 2, "Gene": 1}
    assert how.read == {"Gene": 1, "disease": 2}


def test_parents_that_are_missing_or_form_a_circle_are_errors_with_types_too() -> None:
    for rows, message in [
        (family(("a", "gone")), "'gone' is not in the"),
        (family(("a", "b"), ("b", "a")), "a circle"),
    ]:
        with pytest.raises(DataError, match=message):
            reading(types={"t": "t"}).document("d", [("", 0, "abc")], rows, file="f")


@pytest.mark.parametrize(("type_", "roots", "kept"), [("Q33829", 6, 6), ("Q27096213|Q43229", 167, 218)])
def test_trees_of_a_real_benchmark_by_type(shared: Path, type_: str, roots: int, kept: int) -> None:
    files = expand_paths([shared / "e2e" / "benchmarks" / "wiki-fair.benchmark.jsonl.gz"])
    how = reading(types={type_: "wanted"})
    documents = list(elevant.read(files, how))
    assert ["wanted" in types_of(m.type) for d in documents for m in d.mentions] == [True] * roots
    assert sum(len(d.annotations) for d in documents) == kept
    assert sum(how.left_out.values()) == 1961 - kept


def test_rules_go_by_our_type() -> None:
    how = Reading(rules={"disease": IdRule(prefix="mesh"), "": IdRule(prefix="omim")}, types={"D": "disease", "G": "g"})
    document = how.document(
        "d", [("", 0, TEXT)], [mark(0, 1, type="D", raw="1"), mark(0, 1, type="G", raw="1")], file="f"
    )
    assert [sorted(m.ids) for m in document.annotations] == [["mesh:1"], ["omim:1"]]
    assert Reading(rules={}).rule("any") == IdRule()
    assert [how.source_rule(t).prefix for t in ("D", "disease", "G")] == ["mesh", "mesh", "omim"]


def family(*rows: tuple[str, str], bad: tuple[str, ...] = ()) -> list[Annotation]:
    return [mark(n, n if key in bad else n + 1, key=key, parent=parent, role="part" if parent else "")
            for n, (key, parent) in enumerate(rows)]  # fmt: skip


def test_parents_are_resolved_to_ids_in_any_order() -> None:
    document = reading().document("d", [("", 0, "abc")], family(("x", "y"), ("y", "z"), ("z", "")), file="f")
    assert [m.parent for m in document.annotations] == ["d:1-2:t", "d:2-3:t", ""]
    assert document.mentions == document.annotations[2:]


def test_parent_that_was_merged_into_another() -> None:
    rows = [mark(0, 2, key="x"), mark(0, 2, key="y"), mark(0, 1, key="z", parent="y")]
    document = reading().document("d", [("", 0, "abc")], rows, file="f")
    assert [(m.id, m.parent) for m in document.annotations] == [("d:0-2:t", ""), ("d:0-1:t", "d:0-2:t")]


def test_missing_parent_is_a_problem_of_all_below_it() -> None:
    rows = family(("a", ""), ("b", "gone"), ("c", "b"), ("d", "a"))
    with pytest.raises(DataError) as error:
        reading().document("d", [("", 0, "abcdef")], rows, file="f")
    assert str(error.value) == ("f: parent annotation 'gone' is not in the document; document d, span 1-2 "
                                "(use --skip-bad to leave such annotations out, counted)")  # fmt: skip
    how = reading(skip=True)
    document = how.document("d", [("", 0, "abcdef")], rows, file="f")
    assert [m.spans for m in document.annotations] == [((0, 1),), ((3, 4),)]
    assert how.problems.counts == {"parent": 2}


def test_children_of_a_skipped_parent_are_skipped_too() -> None:
    how = reading(skip=True)
    document = how.document("d", [("", 0, "abc")], family(("a", ""), ("b", "a"), ("c", "b"), bad=("a",)), file="f")
    assert document.annotations == ()
    assert how.problems.counts == {"span": 1, "parent": 2}


@pytest.mark.parametrize("rows", [[("a", "a")], [("r", ""), ("a", "b"), ("b", "c"), ("c", "b")]])
def test_circle_of_parents(rows: list[tuple[str, str]]) -> None:
    with pytest.raises(DataError, match=r"^f: document d: the parents of annotation 'd:.-.:t' form a circle$"):
        reading(skip=True).document("d", [("", 0, "abcd")], family(*rows), file="f")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "d\ud800"},
        {"title": "\udfff"},
        {"passages": [("", 0, "abc\ud83d")]},
        {"passages": [("\ud800", 0, "abc")]},
        {"hyperlinks": (Hyperlink((0, 1), "\ud800"),)},
        {"annotations": [mark(0, 1, type="\ud800")]},
        {"annotations": [mark(0, 1, raw="\ud800")]},
        {"annotations": [mark(0, 1, gold=(frozenset({"\ud800"}),))]},
        {"annotations": [mark(0, 1, id="\ud800")]},
        {"annotations": [mark(0, 1, "\ud800")], "textless": True, "passages": []},
    ],
)
@pytest.mark.parametrize("units", ["codepoint", "byte", "utf16"])
def test_lone_surrogates_are_refused(change: dict[str, Any], units: Units) -> None:
    given = {"id": "d", "passages": [("", 0, "abc")], **change}
    with pytest.raises(
        DataError, match=r"^f:7: document '.*': lone surrogate U\+D[0-9A-F]{3} is no character$"
    ) as error:
        reading(units=units).document(**given, file="f", line=7)
    str(error.value).encode()  # can be shown


def test_document_needs_an_id() -> None:
    with pytest.raises(DataError, match=r"^f:2: document without an id$"):
        reading().document(" ", [], file="f", line=2)


def test_textless_documents() -> None:
    how = reading(skip=True)
    annotations = [
        Annotation((), "asthma", "t"),
        Annotation((), "flu", "t"),
        Annotation(((9, 12), (20, 25)), "a b", "t"),
        Annotation((), " ", "t"),
        Annotation((), None, "t"),
        mark(5, 4, "x"),
        mark(-1, 4, "x"),
        mark(2**53, 2**53 + 1, "x"),
    ]
    document = how.document("d", [], annotations, file="f", textless=True, evaluation_spans=((0, 99),))
    assert (document.text, document.passages, document.evaluation_spans) == ("", (), ((0, 99),))
    assert [(m.id, m.spans, m.text) for m in document.annotations] == [
        ("d::t", (), "asthma"), ("d::t#2", (), "flu"), ("d:9-12,20-25:t", ((9, 12), (20, 25)), "a b")
    ]  # fmt: skip
    assert how.problems.counts == {"empty": 2, "span": 3}
    assert str(how.problems.examples[-1]) == (
        "f: the span lies outside any text; document d, span 9007199254740992-9007199254740993; found '', expected 'x'"
    )


def test_the_largest_offsets_can_be_stored(tmp_path: Path) -> None:
    far = (2**53 - 1, 2**53)
    document = reading().document("d", [], [mark(*far, "x")], file="f", textless=True, evaluation_spans=(far,),
                                  hyperlinks=(Hyperlink(far, "B"),))  # fmt: skip
    with SplitWriter(tmp_path, "test") as writer:
        writer.add(document)
    [(spans,)] = pq.read_table(tmp_path / "mentions.test.parquet", columns=["spans"]).to_pydict().values()
    assert spans == [{"start": far[0], "end": far[1]}]


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ((5, 5), "5-5: the span is empty or reversed"),
        ((5, 4), "5-4: the span is empty or reversed"),
        ((-1, 4), "-1-4: the span lies outside any text"),
        ((0, 2**53 + 1), "0-9007199254740993: the span lies outside any text"),
    ],
)
def test_spans_of_textless_documents_are_verified(span: tuple[int, int], message: str) -> None:
    given: list[tuple[str, dict[str, Any]]] = [
        ("evaluation span", {"evaluation_spans": (span,)}), ("hyperlink", {"hyperlinks": (Hyperlink(span, "B"),)})
    ]  # fmt: skip
    for what, options in given:
        with pytest.raises(DataError) as error:
            reading().document("d", [], file="f", line=2, textless=True, **options)
        assert str(error.value) == f"f:2: document d: {what} {message}"
