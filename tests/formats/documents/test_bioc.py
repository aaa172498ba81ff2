from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError, UsageError
from linkassay.files import expand_paths
from linkassay.formats.documents import bioc, pubtator
from linkassay.formats.reading import Annotation, Reading
from linkassay.ids import IdRule
from linkassay.model import Document, Mention, Passage
from linkassay.problems import Problems
from tests.conftest import ROOT
from tests.helpers import raw, reading

SAMPLES = ROOT / "tests" / "samples" / "bioc"
OPEN, CLOSE = "<collection><document><id>1</id>", "</document></collection>"


def read(text: str | bytes, how: Reading | None = None, name: str = "a", **options: Any) -> list[Document]:
    return list(bioc.read([raw(name, text)], how or reading(), **options))


def written(write: Callable[..., None], documents: list[Document], rules: Mapping[str, IdRule] | None = None) -> str:
    out: TextIO = io.StringIO()
    write(documents, out, rules)
    return out.getvalue()  # type: ignore[attr-defined, no-any-return]


def write_json(documents: list[Document], out: TextIO, rules: Mapping[str, IdRule] | None = None) -> None:
    """The same parts in the other spelling, which is read only."""

    def infons(of: ElementTree.Element) -> dict[str, str]:
        return {str(each.get("key")): each.text or "" for each in of.iter("infon") if each in list(of)}

    def said(of: ElementTree.Element) -> dict[str, Any]:
        return {"infons": infons(of), "text": of.findtext("text") or ""}

    def place(of: ElementTree.Element) -> dict[str, int]:
        return {key: int(value) for key, value in of.attrib.items()}

    json.dump({"documents": [
        {"id": document.findtext("id"), "passages": [
            said(passage) | {"offset": int(str(passage.findtext("offset"))), "annotations": [
                said(note) | {"id": note.get("id"), "locations": [place(each) for each in note.iter("location")]}
                for note in passage.iter("annotation")
            ]} for passage in document.iter("passage")
        ]} for document in ElementTree.fromstring(written(bioc.write, documents, rules)).iter("document")
    ]}, out)  # fmt: skip


WRITERS: list[Callable[..., None]] = [bioc.write, write_json]


def note(infons: Mapping[str, str], *locations: tuple[int, int], text: str | None = None) -> str:
    keys = "".join(f'<infon key="{key}">{value}</infon>' for key, value in infons.items())
    at = "".join(f'<location offset="{start}" length="{length}"/>' for start, length in locations)
    return f"<annotation>{keys}{at}{'' if text is None else f'<text>{text}</text>'}</annotation>"


def passage(text: str, offset: int = 0, inside: str = "", infons: str = "") -> str:
    return f"<passage>{infons}<offset>{offset}</offset><text>{text}</text>{inside}</passage>"


def only(inside: str, how: Reading | None = None, **options: Any) -> Document:
    (found,) = read(OPEN + inside + CLOSE, how, **options)
    return found


def test_xml_sample() -> None:
    how = reading(prefix="mesh", composite="|")
    (found,) = bioc.read(expand_paths([SAMPLES / "small.xml"]), how)
    assert found.id == "301"
    assert found.text == "Kidney and liver failure <1% with paracetamol It is rare β🙂. Asthma was not seen."
    assert [(p.kind, p.offset) for p in found.passages] == [("title", 0), ("ABSTRACT", 46)]
    assert [(m.text, m.spans, sorted(m.ids)) for m in found.mentions] == [
        ("Kidney and liver failure", ((0, 24),), ["mesh:D017093", "mesh:D051437"]),
        ("paracetamol", ((34, 45),), ["mesh:D000082"]),
        ("Asthma", ((61, 67),), ["mesh:D001249"]),
        ("It", ((46, 48),), []),
    ]
    parts = [m for m in found.annotations if m.role == "part"]
    assert [(m.text, m.spans, m.parent) for m in parts] == [
        ("Kidney failure", ((0, 6), (17, 24)), "301:0-24:Disease"),
        ("liver failure", ((11, 24),), "301:0-24:Disease"),
    ]
    assert how.left_out == {"relation": 1}


@pytest.mark.parametrize("name", ["small.json", "lines.json"])
def test_json_samples(name: str) -> None:
    how = reading(prefix="ncbigene")
    first, second = bioc.read(expand_paths([SAMPLES / name]), how)
    assert [(p.kind, p.offset) for p in first.passages] == [("title", 0), ("INTRO", 24), ("", 57)]
    assert [(m.text, sorted(m.ids)) for m in first.mentions] == [
        ("BRCA1", ["ncbigene:672"]), ("Mice", ["ncbitaxon:10090"]), ("mice", []),
    ]  # fmt: skip
    assert (second.id, second.text, second.mentions[0].text) == ("402", "Fever and cough", "Fever")
    assert how.left_out == {"relation": 1}


def json_document(**changes: Any) -> dict[str, Any]:
    return {"id": "1", "passages": [{"offset": 0, "text": "Asthma"}], **changes}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "wrap",
    [lambda d: d, lambda d: [d], lambda d: {"documents": [d]}, lambda d: {"PubTator3": [d]}],
)
def test_json_shapes(wrap: Callable[[Any], Any], indent: int | None) -> None:
    (found,) = read("\ufeff\n" + json.dumps(wrap(json_document()), indent=indent))
    assert (found.id, found.text) == ("1", "Asthma")


def test_empty_json_collections() -> None:
    assert read("[]") == []
    assert read('{"documents": []}') == []


@pytest.mark.parametrize("name", ["a.xml", "a.bioc", "a"])
@pytest.mark.parametrize("before", ["", "\ufeff", "\n "])
def test_xml_is_known_by_name_or_beginning(name: str, before: str) -> None:
    (found,) = read(before + OPEN + passage("Asthma") + CLOSE, name=name)
    assert found.text == "Asthma"


def test_a_document_may_be_the_root() -> None:
    (found,) = read(f"<document><id>1</id>{passage('Asthma')}</document>")
    assert found.text == "Asthma"


@pytest.mark.parametrize(
    ("infons", "kind"),
    [
        ('<infon key="type">title</infon><infon key="section_type">TITLE</infon>', "title"),
        ('<infon key="section">Results</infon><infon key="section_type">RESULTS</infon>', "RESULTS"),
        ('<infon key="section">Results</infon>', "Results"),
        ('<infon key="type"></infon><infon key="other">x</infon>', ""),
    ],
)
def test_kind_of_a_passage(infons: str, kind: str) -> None:
    assert only(passage("Asthma", infons=infons)).passages == (Passage(kind, 0, "Asthma"),)


def test_gaps_between_passages_are_spaces() -> None:
    assert only(passage("One", 2) + passage("Two", 8)).text == "  One   Two"


def test_passages_without_text_are_passed_over_unless_they_have_a_place() -> None:
    missing = "<passage><offset>0</offset></passage>"
    found = only(passage("One") + missing + passage("") + passage("", 5) + passage("Two", 6))
    assert [(p.offset, p.text) for p in found.passages] == [(0, "One"), (5, ""), (6, "Two")]


def test_sentences_make_up_the_passage() -> None:
    sentence = "<sentence><offset>{}</offset><text>{}</text>{}</sentence>"
    inside = sentence.format(12, "βeta one.", "") + sentence.format(23, "Asthma.", note({}, (23, 6), text="Asthma"))
    found = only(passage("Title") + f"<passage><offset>10</offset>{inside}</passage>")
    assert found.passages[1] == Passage("", 10, "  βeta one.  Asthma.")
    assert found.mentions[0].spans == ((23, 29),)


def test_text_of_a_passage_goes_before_that_of_its_sentences() -> None:
    sentence = f"<sentence><offset>0</offset><text>x</text>{note({}, (0, 6))}</sentence>"
    found = only(passage("Asthma", inside=sentence))
    assert (found.text, found.mentions[0].text) == ("Asthma", "Asthma")


@pytest.mark.parametrize(
    ("units", "sentence", "second", "at"), [("codepoint", 3, 5, 6), ("byte", 7, 9, 11), ("utf16", 4, 6, 7)]
)
def test_units_of_offsets(units: str, sentence: int, second: int, at: int) -> None:
    first = "<passage><offset>0</offset><sentence><offset>0</offset><text>β🙂</text></sentence>"
    first += f"<sentence><offset>{sentence}</offset><text>.</text></sentence></passage>"
    found = only(first + passage("βfever", second, note({}, (at, 5), text="fever")), reading(units=units))
    assert (found.text, found.mentions[0].spans) == ("β🙂 . βfever", ((6, 11),))


def composite(role: str, start: int, length: int, type_: str = "Disease") -> str:
    return note({"type": type_, "CompositeRole": f"{role}Mention"}, (start, length))


def test_parts_belong_to_the_last_composite_that_covers_them() -> None:
    inside = composite("Composite", 0, 5) + composite("Composite", 2, 10) + composite("Individual", 0, 3)
    inside += composite("Individual", 3, 2) + composite("Individual", 3, 1, "Gene") + composite("Individual", 11, 4)
    found = only(passage("abcdefghijklmnopqrst", inside=inside))
    assert [(m.id, m.parent, m.role) for m in found.annotations[2:]] == [
        ("1:0-3:Disease", "1:0-5:Disease", "part"),
        ("1:3-5:Disease", "1:2-12:Disease", "part"),
        ("1:3-4:Gene", "", ""),
        ("1:11-15:Disease", "", ""),
    ]
    assert [m.id for m in found.mentions] == ["1:0-5:Disease", "1:2-12:Disease", "1:3-4:Gene", "1:11-15:Disease"]


def test_a_part_before_its_composite_stands_for_itself() -> None:
    found = only(passage("abcdef", inside=composite("Individual", 0, 2) + composite("Composite", 0, 5)))
    assert [m.role for m in found.annotations] == ["", ""]


def test_annotations_without_location_are_problems_unless_left_out() -> None:
    inside = passage("Asthma", inside=note({"type": "Indexing", "identifier": "MESH:D1"}))
    how = Reading(types={"Disease": "Disease"})
    assert only(inside, how).annotations == ()
    assert how.left_out == {"Indexing": 1}
    with pytest.raises(DataError, match="the annotation has no span"):
        only(inside)


@pytest.mark.parametrize(
    ("infons", "rule", "own"),
    [
        ({"identifier": "MESH:D1", "MESH": "D2"}, IdRule(), "MESH:D1"),
        ({"identifier": " ", "MESH": "D2"}, IdRule(prefix="mesh"), "D2"),
        ({"Identifier": "D1"}, IdRule(), "D1"),
        ({"MESH": "D1|D2"}, IdRule(prefix="mesh", composite="|"), "D1|D2"),
        ({"MESH": "D1|OMIM:3;-1"}, IdRule(prefix="omim", composite="|", alternative=";"), "mesh:D1|OMIM:3;-1"),
        ({"MESH": "D1"}, IdRule(), "mesh:D1"),
        ({"MESH": "-1"}, IdRule(), "-1"),
        ({"NCBI Gene": "2(Tax:9606)"}, IdRule(prefix="mesh"), "ncbigene:2(Tax:9606)"),
        ({"NCBI Gene identifier": "2;3"}, IdRule(alternative=";"), "ncbigene:2;ncbigene:3"),
        ({"other": "x", "OMIM": "3"}, IdRule(prefix="mesh"), "omim:3"),
        ({"other": "x", "CellOsaurus": "CVCL_0030"}, IdRule(), "cellosaurus:CVCL_0030"),
        ({"other": "x"}, IdRule(), ""),
        ({}, IdRule(), ""),
    ],
)
def test_ids_come_from_infons(infons: dict[str, str], rule: IdRule, own: str) -> None:
    (mention,) = only(passage("Asthma", inside=note(infons, (0, 6))), Reading(rules={"": rule})).mentions
    assert (mention.raw, mention.gold) == (own, rule.gold(own))


def test_id_keys_can_be_chosen_and_rules_go_by_our_types() -> None:
    how = Reading(rules={"disease": IdRule(prefix="mesh")}, types={"Disease": "disease"})
    infons = {"type": "Disease", "MESH": "D1", "concept": "D2"}
    (mention,) = only(passage("Asthma", inside=note(infons, (0, 6))), how, id_keys=("Concept", "MESH")).mentions
    assert (mention.type, mention.raw, mention.ids) == ("disease", "D2", {"mesh:D2"})


GOOD = passage("Asthma")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a:1: not valid JSON (Expecting value)"),
        ("<html></html>", "a:1: the root element is <html>, expected <collection> or <document>"),
        ("<collection>\n<document>", "a:2: not well-formed XML (no element found)"),
        ("<!DOCTYPE c [<!ENTITY e 'x'>]>" + OPEN + CLOSE, "a:1: declares XML entities, which are never expanded"),
        (f"<collection>\n<document>{GOOD}{CLOSE}", "a:2: document without an id"),
        (f"{OPEN}\n<passage><text>x</text></passage>{CLOSE}",
         "a:2: the offset of a <passage> must be a whole number, found nothing"),
        (f"{OPEN}\n<passage><offset>1.5</offset></passage>{CLOSE}",
         "a:2: the offset of a <passage> must be a whole number, found '1.5'"),
        (f"{OPEN}<passage><offset>0</offset>\n<sentence><offset/></sentence></passage>{CLOSE}",
         "a:2: the offset of a <sentence> must be a whole number, found ''"),
        (f"{OPEN}<passage><offset>0</offset><text>Asthma</text>\n<annotation>\n<location offset='0'/></annotation>"
         f"</passage>{CLOSE}", "a:3: the length of a <location> must be a whole number, found nothing"),
        (f"{OPEN}{GOOD}{passage('x', 3)}{CLOSE}",
         "a:1: document 1: passage '' at offset 3 begins before the last one ends (6)"),
        (f"{OPEN}{passage('x', 99_999_999)}{CLOSE}",
         "a:1: document 1: passage '' at offset 99999999 is 99,999,999 characters after the last one"),
        (f"{OPEN}<passage><offset>0</offset><sentence><offset>2000</offset><text>x</text></sentence></passage>{CLOSE}",
         "a:1: document 1: sentence at offset 2000 does not follow what ends at 0"),
        (f"{OPEN}<passage><offset>5</offset><sentence><offset>2</offset><text>x</text></sentence></passage>{CLOSE}",
         "a:1: document 1: sentence at offset 2 does not follow what ends at 5"),
        (f"{OPEN}\n{passage('Asthma', 0, note({'type': 'D'}, (0, 5), text='Asthma'))}{CLOSE}",
         "a:2: the text at the span differs from the annotation's; document 1, span 0-5; found 'Asthm', expected "
         "'Asthma' (use --skip-bad to leave such annotations out, counted)"),
        (f"{OPEN}{passage('Asthma', 0, note({}, (3, 2), (0, 2)))}{CLOSE}",
         "a:1: the spans overlap or are out of order; document 1, span 3-5 0-2 "
         "(use --skip-bad to leave such annotations out, counted)"),
        ("1", "a:1: value: expected an object, found 1"),
        ("{}", "a:1: value: 'passages' is missing, found {}"),
        ('{"passages": []}', """a:1: value: 'id' is missing, found {"passages": []}"""),
        ('{"id": "1", "passages": []}\n{"id": ', "a:2: not valid JSON (Expecting value)"),
        ('{"documents": [\n{"id": "1"}\n', "a:3: not valid JSON (Expecting ',' delimiter)"),
        (json.dumps(json_document(passages=[{"text": "x"}])),
         """a:1: passages[0]: 'offset' is missing, found {"text": "x"}"""),
        (json.dumps(json_document(passages=[{"offset": "x", "text": "x"}])),
         'a:1: passages[0].offset: expected a whole number, found "x"'),
        (json.dumps(json_document(passages={})), "a:1: passages: expected a list, found {}"),
        (json.dumps([json_document(infons=1, passages=[{"offset": 0, "infons": []}])], indent=1),
         "a: [0].passages[0].infons: expected an object, found []"),
        (json.dumps(json_document(annotations=[{"locations": [{"offset": 0}]}])),
         """a:1: annotations[0].locations[0]: 'length' is missing, found {"offset": 0}"""),
    ],
)  # fmt: skip
def test_broken_files(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    assert str(caught.value) == message


def mention(start: int, end: int, text: str, **changes: object) -> Mention:
    found = Mention(f"1:{start}-{end}:Disease", "1", ((start, end),), text, "Disease")
    return replace(found, **changes)  # type: ignore[arg-type]


def example() -> Document:
    whole = mention(0, 24, "Kidney and liver failure", gold=(frozenset({"mesh:D2", "mesh:D1"}),))
    part = mention(0, 24, "Kidney failure", spans=((0, 6), (17, 24)), raw="D1", parent=whole.id, role="part")
    other = mention(11, 16, "liver", parent=whole.id, role="alternative")
    late = mention(26, 27, "&", gold=(frozenset({"mesh:D3"}), frozenset({"mesh:D4"})), id="x")
    text = "Kidney and liver failure  &\r"
    return Document("1", text, (Passage("title", 0, text[:24]), Passage("", 26, text[26:])), (whole, part, other, late))


def test_written_xml() -> None:
    assert written(bioc.write, [example()]).split("<key>linkassay.key</key>\n")[1] == (
        "<document>\n<id>1</id>\n<passage>\n"
        '<infon key="type">title</infon>\n<offset>0</offset>\n<text>Kidney and liver failure</text>\n'
        '<annotation id="0">\n<infon key="type">Disease</infon>\n<infon key="CompositeRole">CompositeMention</infon>\n'
        '<infon key="identifier">mesh:D1|mesh:D2</infon>\n<location offset="0" length="24"/>\n'
        "<text>Kidney and liver failure</text>\n</annotation>\n"
        '<annotation id="1">\n<infon key="type">Disease</infon>\n<infon key="CompositeRole">IndividualMention</infon>\n'
        '<infon key="identifier">D1</infon>\n<location offset="0" length="6"/>\n<location offset="17" length="7"/>\n'
        "<text>Kidney failure</text>\n</annotation>\n</passage>\n"
        "<passage>\n<offset>26</offset>\n<text>&amp;&#13;</text>\n"
        '<annotation id="2">\n<infon key="type">Disease</infon>\n<infon key="identifier">mesh:D3;mesh:D4</infon>\n'
        '<location offset="26" length="1"/>\n<text>&amp;</text>\n</annotation>\n</passage>\n'
        "</document>\n</collection>\n"
    )


@pytest.mark.parametrize("write", WRITERS)
def test_nothing_written_is_an_empty_collection(write: Callable[..., None]) -> None:
    assert read(written(write, [])) == []


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (
            Document("1", "a\nb", (Passage("", 0, "a"), Passage("", 2, "b"))),
            "BioC cannot hold the text '\\n' between passages; write JSON lines instead",
        ),
        (
            Document("1", "ab", (Passage("", 0, "a"),)),
            "BioC cannot hold the text after the last passage; write JSON lines instead",
        ),
        (Document("1", "ab", (Passage("", 0, "xy"),)), "the passage at offset 0 is not the text there"),
        (
            Document("1", "", (), (mention(0, 3, "abc"),)),
            "mention 1:0-3:Disease is not the document's text at its spans",
        ),
        (
            Document("1", "", (), (mention(0, 3, "abc", spans=()),)),
            "mention 1:0-3:Disease is not the document's text at its spans",
        ),
        (
            Document("1", "abc", (), (mention(0, 1, "a"), mention(1, 2, "b", parent="1:0-1:Disease", role="part"))),
            "part 1:1-2:Disease is of another type than the mention 1:0-1:Disease, or not inside it; "
            "write JSON lines instead",
        ),
    ],
)
def test_the_writer_refuses(bad: Document, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        written(bioc.write, [bad])
    assert str(caught.value) == f"document 1: {why}"


def test_xml_refuses_control_characters() -> None:
    document = Document("1", "a\x01b", (Passage("", 0, "a\x01b"),))
    with pytest.raises(UsageError) as caught:
        written(bioc.write, [document])
    assert (
        str(caught.value) == "document 1: XML cannot hold the character U+0001 in 'a\\x01b'; write JSON lines instead"
    )


TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | st.sampled_from("\t\r\n<&🙂"),
    max_size=12,
)
IDS = st.frozensets(st.sampled_from(["mesh:D1", "mesh:D2", "omim:3", "own:x:y"]), min_size=1, max_size=3)
GOLD = st.lists(IDS, max_size=3, unique=True).map(tuple)
TYPES = st.sampled_from(["Gene", "x <y>", ""])


def spans_inside(draw: st.DrawFn, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """One to three spans in [start, end)."""
    cuts = sorted(draw(st.sets(st.integers(start, end), min_size=2, max_size=6)))
    return tuple(zip(cuts[::2], cuts[1::2]))


@st.composite
def documents(draw: st.DrawFn) -> Document:
    passages, at = [], 0
    for text in draw(st.lists(TEXTS, min_size=1, max_size=4)):
        at += draw(st.integers(0, 3))
        passages.append((draw(st.sampled_from(["title", "abstract", "", "a & b"])), at, text))
        at += len(text)
    annotations = []
    for number in range(draw(st.integers(0, 4)) if at else 0):
        spans, type_ = spans_inside(draw, 0, at), draw(TYPES)
        annotations.append(Annotation(spans, None, type_, gold=draw(GOLD), key=str(number)))
        start, end = spans[0][0], spans[-1][1]
        annotations += [
            Annotation(spans_inside(draw, start, end), None, type_, gold=draw(GOLD), parent=str(number), role="part")
            for _ in range(draw(st.integers(0, 2)))
        ]
    how = Reading(problems=Problems(skip=True))  # blank mentions
    return how.document(draw(st.sampled_from(["1", " a ", "&"])), passages, annotations, file="-")


def contents(document: Document) -> list[object]:
    """The annotations without ids: mentions come back by passage, which may number them otherwise."""
    spans = {m.id: m.spans for m in document.annotations}
    return sorted(
        (m.spans, m.text, m.type, m.source_type, [sorted(ids) for ids in m.gold], m.role, spans.get(m.parent, ()))
        for m in document.annotations
    )


@pytest.mark.parametrize("write", WRITERS)
@settings(max_examples=100, deadline=None)
@given(st.lists(documents(), max_size=3))
def test_round_trip(write: Callable[..., None], given_documents: list[Document]) -> None:
    how = Reading(rules={"": IdRule(composite="|", alternative=";")})
    back = read(written(write, given_documents), how)
    assert [replace(d, annotations=()) for d in back] == [replace(d, annotations=()) for d in given_documents]
    for ours, theirs in zip(back, given_documents, strict=True):
        assert contents(ours) == contents(theirs)


# Real data


def real(shared: Path, split: str, form: str) -> tuple[list[Document], Reading]:
    how = Reading(rules={"": IdRule(prefix="mesh", composite="|")}, problems=Problems(skip=True))
    module, suffix = (bioc, "BioC.xml") if form == "bioc" else (pubtator, "PubTator.txt")
    return list(module.read(expand_paths([shared / "corpora" / "bc5cdr" / f"CDR_{split}Set.{suffix}.gz"]), how)), how  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("split", "chemical", "disease", "nil_chemical", "nil_disease", "parts", "bad_parts"),
    [
        ("Training", 5203, 4182, 44, 32, 185, 3),
        ("Development", 5347, 4244, 43, 16, 182, 1),
        ("Test", 5385, 4424, 30, 61, 119, 0),
    ],
)
def test_bc5cdr(
    shared: Path,
    split: str,
    chemical: int,
    disease: int,
    nil_chemical: int,
    nil_disease: int,
    parts: int,
    bad_parts: int,
) -> None:
    """The source places a few parts wrongly; all whole mentions are sound and those of the PubTator files."""
    found, how = real(shared, split, "bioc")
    mentions = [m for d in found for m in d.mentions]
    assert len(found) == 500
    assert Counter(m.type for m in mentions) == {"Chemical": chemical, "Disease": disease}
    assert Counter(m.type for m in mentions if m.gold == ()) == {"Chemical": nil_chemical, "Disease": nil_disease}
    assert sum(how.read.values()) == len(mentions) + parts
    assert how.problems.counts == ({"offset": bad_parts} if bad_parts else {})
    assert sum(m.role == "part" for d in found for m in d.annotations) == parts - bad_parts
    same, _ = real(shared, split, "pubtator")
    assert [replace(d, annotations=d.mentions) for d in found] == same


@pytest.mark.parametrize("write", WRITERS)
def test_bc5cdr_round_trip(shared: Path, write: Callable[..., None]) -> None:
    found, how = real(shared, "Test", "bioc")
    assert read(written(write, found), Reading(rules=how.rules)) == found
