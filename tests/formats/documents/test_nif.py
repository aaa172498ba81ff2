"""NIF: contexts and phrases, ids of many namespaces, and back again."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.formats.documents import nif
from linkassay.formats.reading import Annotation, Reading
from linkassay.model import Document, Mention
from tests.conftest import ROOT
from tests.helpers import raw, reading
from tests.strategies import documents

SAMPLES = ROOT / "tests" / "samples" / "nif"
HEAD = """@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
@prefix its: <http://www.w3.org/2005/11/its/rdf#> .
@base <http://example.org/> .
"""
CONTEXT = '<d#char=0,11> a nif:Context ; nif:isString "Rome 🙂 Paris" .\n'
HINT = " (use --skip-bad to leave such annotations out, counted)"


def read(text: str, how: Reading | None = None) -> list[Document]:
    return list(nif.read([raw("x.ttl", HEAD + text)], how or reading()))


def phrase(more: str, iri: str = "d#char=0,4") -> str:
    return f"<{iri}> a nif:Phrase ; nif:referenceContext <d#char=0,11> {more} .\n"


def only(text: str, how: Reading | None = None) -> Mention:
    (document,) = read(CONTEXT + text, how)
    (mention,) = document.annotations
    return mention


def test_sample() -> None:
    river, gene = nif.read(expand_paths([SAMPLES]), reading())
    assert (river.id, river.text[:11]) == ("river", 'The "Spree"')
    spree, berlin, old = river.annotations
    assert (spree.spans, spree.text, spree.type) == (((5, 10),), "Spree", "Q4022")
    assert set(spree.gold) == {frozenset({"wikidata:Q1684"}), frozenset({"dbpedia:Spree_(river)"})}
    assert spree.raw == "http://dbpedia.org/resource/Spree_%28river%29 http://www.wikidata.org/entity/Q1684"
    assert (berlin.text, berlin.gold) == ("Berlin", (frozenset({"wikidata:Q64"}),))
    assert (old.text, old.gold, old.raw) == ("old", (), "http://aksw.org/notInWiki/old")
    assert [(m.text, m.gold) for m in gene.annotations] == [
        ("BRCA1", (frozenset({"ncbigene:672"}),)), ("disease", ()), ("asthma", (frozenset({"doid:2841"}),))
    ]  # fmt: skip


def test_indexes_win_over_the_iri() -> None:
    assert only(phrase("; nif:beginIndex 7 ; nif:endIndex ' 12 '")).text == "Paris"


@pytest.mark.parametrize(
    ("iri", "text"),
    [("d#char=7,12", "Paris"), ("d?char=7,12", "Paris"), ("d#offset_7_12", "Paris"), ("d#char=7,", "Paris"),
     ("d#offset_7_12_Paris", "Paris"), ("d#char=0,4;length=4", "Rome")],
)  # fmt: skip
def test_offsets_in_the_iri(iri: str, text: str) -> None:
    assert only(phrase("; its:taIdentRef <http://www.wikidata.org/entity/Q1>", iri)).text == text


def test_offsets_of_java_tools_count_utf16_units() -> None:
    mention = only(phrase("; nif:anchorOf 'Paris'", "d#char=8,13"), reading(units="utf16"))
    assert mention.spans == ((7, 12),)
    assert only(phrase("", "d#char=8,"), reading(units="utf16")).text == "Paris"


def test_context_by_place_of_the_iri_if_not_stated() -> None:
    assert only("<d#char=7,12> a nif:Phrase .").text == "Paris"


@pytest.mark.parametrize(
    ("types", "kept"),
    [
        ("nif:Phrase", True),
        ("nif:RFC5147String", True),
        ("nif:Sentence, nif:RFC5147String", False),
        ("nif:Word", False),
        ("nif:Paragraph", False),
        ("nif:Sentence; its:taIdentRef <x>", True),
        ("nif:Word; its:taClassRef <x>", False),
        ("<z>; its:taClassRef <x>", True),
        ("nif:Context", False),
        ("<other>", False),
    ],
)
def test_which_strings_are_mentions(types: str, kept: bool) -> None:
    documents = read(CONTEXT + f"<d#char=0,4> nif:referenceContext <d#char=0,11> ; a {types} .", reading(skip=True))
    assert len(documents[0].annotations) == kept


def test_several_classes_make_one_type_in_a_stable_order() -> None:
    refs = "<http://x/ontology/Person>, <http://y#Agent>, <http://z/Person/>, <http://www.wikidata.org/entity/Q5>"
    assert only(phrase(f"; its:taClassRef {refs}")).type == "Agent|Person|Q5"


def test_ids_in_literals_follow_the_rule() -> None:
    assert only(phrase("; its:taIdentRef 'D001249'"), reading(prefix="mesh")).gold == (frozenset({"mesh:D001249"}),)
    assert only(phrase("; its:taIdentRef 'NIL'")).gold == ()


def test_a_mention_that_covers_its_whole_context() -> None:
    (document,) = read("<d#char=0,4> a nif:Context, nif:Phrase ; nif:isString 'Rome' ; its:taIdentRef <x> .")
    assert [(m.text, m.gold) for m in document.annotations] == [("Rome", (frozenset({"http://example.org/x"}),))]


def test_types_choose_mentions() -> None:
    how = reading(types={"Person": "person"})
    text = phrase("; its:taClassRef <x/Person>") + phrase("; its:taClassRef <x/City>", "d#char=7,12")
    assert [(m.type, m.source_type) for m in read(CONTEXT + text, how)[0].annotations] == [("person", "Person")]
    assert how.left_out == {"City": 1}


def test_order_is_by_place_and_repeated_statements_count_once() -> None:
    first, second = phrase("; its:taIdentRef <x>"), phrase("; nif:anchorOf 'Paris'", "d#char=7,12")
    assert read(CONTEXT + first + second) == read(second + first + first + CONTEXT + CONTEXT)


@pytest.mark.parametrize(
    ("contexts", "names"),
    [
        (["http://x/a#char=0,1", "http://x/b#char=0,1"], ["a", "b"]),
        (["http://x/Caf%C3%A9?char=0,1"], ["Café"]),
        (["http://x/a/i#char=0,1", "http://x/b/i#char=0,1", "http://x/c"], ["http://x/a/i", "http://x/b/i", "c"]),
        (["http://x/a#char=0,1", "http://x/a#char=1,2"], ["http://x/a#char=0,1", "http://x/a#char=1,2"]),
        (["http://x/a#p1", "http://x/a#p2"], ["http://x/a#p1", "http://x/a#p2"]),
        (["http://x/a/#char=0,1"], ["http://x/a/"]),
        (["urn:a"], ["urn:a"]),
    ],
)
def test_document_ids(contexts: list[str], names: list[str]) -> None:
    text = "".join(f"<{iri}> a nif:Context ; nif:isString 'ab' .\n" for iri in contexts)
    assert [d.id for d in read(text)] == names


BAD = [
    (CONTEXT + phrase("; nif:anchorOf 'Romx'"), "offset",
     "x.ttl:5: the text at the span differs from the annotation's; document d, span 0-4; found 'Rome', "
     "expected 'Romx'"),
    (CONTEXT + phrase("", "d#char=4,99"), "span",
     "x.ttl:5: the span lies outside the text of 12 characters; document d, span 4-99"),
    (CONTEXT + phrase("", "p1"), "span",
     "x.ttl:5: phrase <http://example.org/p1> has neither nif:beginIndex and nif:endIndex nor #char=… in its IRI; "
     "document d"),
    (CONTEXT + phrase("; nif:beginIndex -1 ; nif:endIndex 2"), "span",
     "x.ttl:5: phrase <http://example.org/d#char=0,4> has the offset '-1', which is no whole number; document d"),
    (CONTEXT + phrase("; nif:beginIndex '1' ; nif:endIndex 'x'"), "span",
     "x.ttl:5: phrase <http://example.org/d#char=0,4> has the offset 'x', which is no whole number; document d"),
    (CONTEXT + "<e#char=0,4> a nif:Phrase .", "context",
     "x.ttl:5: phrase <http://example.org/e#char=0,4> belongs to no context of the file"),
    ("<d#char=0,4> a nif:Context .", "context",
     "x.ttl:4: context <http://example.org/d#char=0,4> has no texts (nif:isString); document d"),
    ("<d> nif:isString 'a', 'b' .", "context",
     "x.ttl:4: context <http://example.org/d> has 2 texts (nif:isString); document d"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "message"), BAD)
def test_problems(text: str, kind: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read(text)
    assert str(error.value) == message + HINT
    how = reading(skip=True)
    read(text, how)
    assert how.problems.counts == {kind: 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<d> a nif:Context ; nif:isString 'a ", "x.ttl:4: not Turtle: a string or an IRI that does not end"),
        ("<d> a nuf:Context .", "x.ttl:4: not Turtle: The prefix nuf: has not been declared"),
    ],
)
def test_broken_files(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read(text, reading(skip=True))
    assert str(error.value) == message


def written(docs: list[Document]) -> str:
    out = io.StringIO()
    nif.write(docs, out)
    return out.getvalue()


def essence(document: Document) -> tuple[object, ...]:
    return document.id, document.text, sorted(
        (m.spans, m.type, m.text, sorted(sorted(ids) for ids in m.gold)) for m in document.mentions
    )  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(documents(), max_size=3, unique_by=lambda d: d.id))
def test_round_trip(docs: list[Document]) -> None:
    text = written(docs)
    got = list(nif.read([raw("x.ttl", text)], reading()))
    assert [essence(d) for d in got] == [essence(d) for d in docs]
    again = list(nif.read([raw("x.ttl", written(got))], reading()))
    assert again == [replace(d, annotations=a.annotations) for d, a in zip(got, again)]
    assert [essence(d) for d in again] == [essence(d) for d in docs]


def test_what_is_written() -> None:
    annotation = Annotation(((0, 4),), None, "city", gold=(frozenset({"wikidata:Q220"}),))
    document = Reading().document("a b", [("", 0, "Rome!")], [annotation], file="")
    assert written([document]).split("\n\n")[1:] == [
        '<urn:linkassay:document/a%20b#char=0,5>\n    a nif:Context, nif:RFC5147String ;\n'
        '    nif:beginIndex "0"^^xsd:nonNegativeInteger ;\n    nif:endIndex "5"^^xsd:nonNegativeInteger ;\n'
        '    nif:isString "Rome!" .',
        '<urn:linkassay:document/a%20b#char=0,4>\n    a nif:Phrase, nif:RFC5147String ;\n'
        "    nif:referenceContext <urn:linkassay:document/a%20b#char=0,5> ;\n"
        '    nif:beginIndex "0"^^xsd:nonNegativeInteger ;\n    nif:endIndex "4"^^xsd:nonNegativeInteger ;\n'
        "    itsrdf:taClassRef <urn:linkassay:type:city> ;\n"
        "    itsrdf:taIdentRef <http://www.wikidata.org/entity/Q220> ;\n"
        '    nif:anchorOf "Rome" .\n',
    ]  # fmt: skip


def test_mention_of_several_pieces_is_refused() -> None:
    document = Reading().document("d", [("", 0, "a b c")], [Annotation(((0, 1), (4, 5)), None, "t")], file="")
    with pytest.raises(DataError) as error:
        written([document])
    assert str(error.value) == ("document d, mention d:0-1,4-5:t: NIF has no mentions of 2 pieces; "
                                "write JSON lines instead")  # fmt: skip
