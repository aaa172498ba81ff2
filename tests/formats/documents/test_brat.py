from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths
from linkassay.formats.documents import brat
from linkassay.formats.reading import Annotation, Reading
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.problems import Fix, Problems
from tests.conftest import ROOT
from tests.helpers import raw, reading

SAMPLES = ROOT / "tests" / "samples" / "brat"


def pair(ann: str, text: str = "Asthma and ocular\nor dermal toxicity.") -> list[RawFile]:
    return [raw("set/a.txt", text), raw("set/a.ann", ann)]


def only(files: list[RawFile], how: Reading | None = None) -> Document:
    (document,) = brat.read(files, how or reading())
    return document


def test_sample_folder() -> None:
    clinic, plain = brat.read(expand_paths([SAMPLES]), reading())
    assert [(m.text, m.spans, [sorted(a) for a in m.gold]) for m in clinic.annotations] == [
        ("Asthma", ((0, 6),), [["mesh:D001249"]]),
        ("seasonal allergy", ((11, 19), (20, 27)), [["mesh:D006255"], ["mesh:D065631"]]),
        ("Ocular toxicity", ((41, 47), (59, 67)), []),
    ]
    assert (clinic.id, plain.id, plain.annotations) == ("clinic", "plain", ())
    assert plain.text == "No disease is named here.\n"


def test_each_normalisation_is_an_alternative_and_may_be_composite() -> None:
    ann = "T1\tDisease 0 6\tAsthma\nN1\tReference T1 D1|D2\tx\nN2\tReference T1 D3\nN3\tReference T1 D3\ty\n"
    (mention,) = only(pair(ann), reading(prefix="mesh", composite="|")).annotations
    assert mention.gold == (frozenset({"mesh:D1", "mesh:D2"}), frozenset({"mesh:D3"}))
    assert mention.raw == "D1|D2;D3;D3"


def test_normalisation_may_come_before_its_mention() -> None:
    ann = "N1\tReference T1 MESH:D1\tAsthma\nT1\tDisease 0 6\tAsthma\n"
    assert only(pair(ann)).annotations[0].ids == {"mesh:D1"}


def test_normalisation_of_an_event_is_passed_over() -> None:
    ann = "T1\tDisease 0 6\tAsthma\nE1\tDisease:T1\nN1\tReference E1 MESH:D1\tAsthma\n"
    assert only(pair(ann)).annotations[0].gold == ()


def test_id_rule_is_that_of_the_mapped_type() -> None:
    how = Reading(rules={"species": IdRule(prefix="ncbitaxon")}, types={"LIVB": "species"})
    ann = "T1\tLIVB 0 6\tAsthma\nN1\tReference T1 9606\thuman\nT2\tOther 0 6\tAsthma\n"
    (mention,) = only(pair(ann), how).annotations
    assert (mention.type, mention.source_type, mention.ids) == ("species", "LIVB", {"ncbitaxon:9606"})
    assert how.left_out == {"Other": 1}


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_mention_across_a_line_break(line_break: str) -> None:
    text = f"ocular{line_break}toxicity"
    written = "ocular" + " " * len(line_break) + "toxicity"
    (mention,) = only(pair(f"T1\tDisease 0 {len(text)}\t{written}\n", text)).annotations
    assert (mention.spans, mention.text) == (((0, len(text)),), text)


def test_fragments_at_a_line_break_stay_fragments() -> None:
    (mention,) = only(pair("T1\tDisease 0 6;7 15\tocular toxicity\n", "ocular\ntoxicity")).annotations
    assert (mention.spans, mention.text) == (((0, 6), (7, 15)), "ocular toxicity")


def test_crlf_in_the_annotations_is_a_line_end() -> None:
    document = only(pair("T1\tDisease 0 6\tAsthma\r\n\r\nN1\tReference T1 MESH:D1\r\n"))
    assert document.annotations[0].ids == {"mesh:D1"}


def test_byte_offsets_are_converted_by_the_reading() -> None:
    how = Reading(units="byte")
    (mention,) = only(pair("T1\tDisease 6 12\tAsthma\n", "naïv Asthma"), how).annotations
    assert mention.spans == ((5, 11),)


def test_fixes_apply_to_what_the_file_says() -> None:
    fix = Fix("a", (0, 5), "Asthm", "one letter short", new_spans=((0, 6),), new_text="Asthma")
    how = Reading(fixes=(fix,))
    assert only(pair("T1\tDisease 0 5\tAsthm\n"), how).annotations[0].text == "Asthma"
    assert how.problems.fixes == [fix]


def test_pairs_are_by_path_and_other_files_do_not_matter() -> None:
    files = [
        raw("x/b.ann", "T1\tD 0 1\tb\n"), raw("x/b.txt", "b"), raw("x/annotation.conf", "[entities]"),
        raw("y/a.TXT", "a"), raw("y/a.ANN", "T1\tD 0 1\ta\n"), raw("README", "?"),
    ]  # fmt: skip
    assert [(d.id, len(d.annotations)) for d in brat.read(files, reading())] == [("b", 1), ("a", 1)]


BROKEN = [
    ("T1 Disease 0 6 Asthma", "set/a.ann:1: expected 'T1<tab>Type start end<tab>text', found 'T1 Disease 0 6 Asthma'"),
    ("T1\tDisease 0 x\tAsthma", "set/a.ann:1: expected 'T1<tab>Type start end<tab>text', found "
     "'T1\\tDisease 0 x\\tAsthma'"),
    ("T1\tDisease 0 -6\tAsthma", "set/a.ann:1: expected 'T1<tab>Type start end<tab>text', found "
     "'T1\\tDisease 0 -6\\tAsthma'"),
    ("T1\tDisease 0 6", "set/a.ann:1: expected 'T1<tab>Type start end<tab>text', found 'T1\\tDisease 0 6'"),
    ("T1\tDisease 0 6\tAsthma\nT1\tDisease 0 6\tAsthma", "set/a.ann:2: T1 occurs twice"),
    ("\nN1\tReference T1", "set/a.ann:2: expected 'N1<tab>Reference T1 id<tab>name', found 'N1\\tReference T1'"),
    ("<html>", "set/a.ann:1: not a brat annotation: '<html>'"),
    ("N1\tReference T7 MESH:D1\tx", "set/a.ann:1: normalisation of T7, which is not in the file; document a "
     "(use --skip-bad to leave such annotations out, counted)"),
    ("T1\tDisease 1 6\tAsthma", "set/a.ann:1: the text at the span differs from the annotation's; document a, "
     "span 1-6; found 'sthma', expected 'Asthma' (use --skip-bad to leave such annotations out, counted)"),
    ("T1\tDisease 0 999\tAsthma", "set/a.ann:1: the span lies outside the text of 37 characters; document a, "
     "span 0-999; found '', expected 'Asthma' (use --skip-bad to leave such annotations out, counted)"),
    ("T1\tDisease 28 36;0 6\ttoxicity Asthma", "set/a.ann:1: the spans overlap or are out of order; document a, "
     "span 28-36 0-6; found '', expected 'toxicity Asthma' (use --skip-bad to leave such annotations out, counted)"),
]  # fmt: skip


@pytest.mark.parametrize(("ann", "message"), BROKEN)
def test_broken_annotations(ann: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        only(pair(ann + "\n"))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([("x/a.ann", "")], "x/a.ann: there is no x/a.txt, the text of these annotations"),
        ([("x/a.ann", ""), ("y/a.txt", "")], "x/a.ann: there is no x/a.txt, the text of these annotations"),
        ([("x/a.xml", "")], "no brat files: none of the files ends in .txt"),
        (
            [("x/a.txt", "1"), ("x/a.ann", ""), ("y/a.txt", "2")],
            "y/a.txt: a second document is named 'a' (x/a.txt); read the folders one by one",
        ),
        (
            [("a.txt", b"fine\n\xff"), ("a.ann", "")],
            "a.txt:2: not utf-8 text (byte 0xff); re-encode it, or try --encoding latin-1",
        ),
    ],
)
def test_broken_sets_of_files(files: list[tuple[str, str | bytes]], message: str) -> None:
    with pytest.raises(DataError) as error:
        list(brat.read([raw(name, data) for name, data in files], reading()))
    assert str(error.value) == message


@pytest.mark.parametrize("suffix", ["txt", "ann"])
def test_files_of_the_same_name_do_not_replace_each_other(tmp_path: Path, suffix: str) -> None:
    for place in ("one", "two"):
        (tmp_path / place / "set").mkdir(parents=True)
        (tmp_path / place / "set" / f"x.{suffix}").write_text("")
    (tmp_path / "one" / "set" / "x.txt").write_text("text")
    with pytest.raises(DataError) as error:
        list(brat.read(expand_paths([tmp_path / "one/set", tmp_path / "two/set"]), reading()))
    assert str(error.value) == (f"{tmp_path}/two/set/x.{suffix}: has the same name as {tmp_path}/one/set/x.{suffix}; "
                                "read the folders one by one")  # fmt: skip


def test_bad_annotations_are_skipped_and_counted() -> None:
    how = reading(skip=True)
    ann = "T1\tDisease 1 6\tAsthma\nT2\tDisease 0 6\tAsthma\nN1\tReference T9 MESH:D1\tx\n"
    assert [m.start for m in only(pair(ann), how).annotations] == [0]
    assert how.problems.counts == {"offset": 1, "reference": 1}


def test_writer_refuses_ids_that_are_no_file_names(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        brat.write([Document("../a", "text")], tmp_path / "out")
    assert str(error.value) == "document '../a': the id cannot be the name of a brat file"
    assert list(tmp_path.rglob("*.txt")) == []


def test_writer_gives_what_brat_needs(tmp_path: Path) -> None:
    how = reading()
    gold = (frozenset({"mesh:D2", "mesh:D1"}), frozenset({"mesh:D3"}))
    annotations = [Annotation(((0, 3),), "a\nb", "", gold=gold), Annotation(((0, 1), (2, 3)), "a b", "my type")]
    brat.write([how.document("d", [("", 0, "a\nb")], annotations, file="")], tmp_path)
    assert (tmp_path / "d.ann").read_text() == (
        "T1\tEntity 0 3\ta b\nN1\tReference T1 mesh:D1|mesh:D2\ta b\nN2\tReference T1 mesh:D3\ta b\n"
        "T2\tmy_type 0 1;2 3\ta b\n"
    )


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(st.sampled_from("ab \n\r\té😀\ufeff"), min_size=1, max_size=30))
    cuts = st.integers(0, len(text))
    annotations = []
    for _ in range(draw(st.integers(0, 4))):
        places = sorted(draw(st.sets(cuts, min_size=2, max_size=4)))
        spans = tuple(zip(places[::2], places[1::2]))
        ids = st.frozensets(st.sampled_from(["mesh:D1", "omim:2", "x:y z"]), min_size=1, max_size=2)
        gold = tuple(draw(st.lists(ids, max_size=2, unique=True)))
        annotations.append(Annotation(spans, None, draw(st.sampled_from(["Disease", "Gene"])), gold=gold))
    return Reading(problems=Problems(skip=True)).document("d.1", [("", 0, text)], annotations, file="")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents())
def test_round_trip(tmp_path: Path, document: Document) -> None:
    brat.write([document], tmp_path)
    back = only(expand_paths([tmp_path]), reading(composite="|"))
    assert (back.id, back.text) == (document.id, document.text)
    assert [(m.spans, m.text, m.type, m.gold) for m in back.annotations] == [
        (m.spans, m.text, m.type, m.gold) for m in document.annotations
    ]


def test_linnaeus_spans(shared: Path) -> None:
    how = reading()
    found = list(brat.read(expand_paths([shared / "corpora/linnaeus_spans/LINNAEUS_GSC_brat.tar.gz"]), how))
    assert len(found) == 100
    assert sum(how.read.values()) == 4259
    assert sum(len(d.annotations) for d in found) == 4259
    assert {m.type for d in found for m in d.annotations} == {"LIVB"}
