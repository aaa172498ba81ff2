"""The small Turtle parser: all of the syntax, and errors with their lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from linkassay.errors import DataError
from linkassay.formats.syntax.turtle import RDF, Term, Triple, parse_turtle, quoted
from tests.strategies import texts

P = "@prefix e: <http://e/> . "


def objects(text: str) -> list[Term]:
    return [t.object for t in parse_turtle(P + text, "x.ttl") if t.predicate == "http://e/p"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"a"', "a"), ("'a'", "a"), ('""', ""), ("''", ""), ('"""a"b""c"""', 'a"b""c'), ("'''a\n'b'''", "a\n'b"),
        ('""""a"""', '"a'), ('"# no comment"', "# no comment"), (r'"\t\b\n\r\f\"\'\\"', "\t\b\n\r\f\"'\\"),
        (r'"caf\u00E9 \U0001F642"', "café 🙂"), (r'"""a\"""b"""', 'a"""b'),
        ('"a"@en', "a"), ('"a"@en-GB', "a"), ('"1"^^e:int', "1"), ('"1"^^<http://e/int>', "1"),
        ("12", "12"), ("-1.5", "-1.5"), ("+.5E-3", "+.5E-3"), ("1.e2", "1.e2"), ("true", "true"), ("false", "false"),
    ],
)  # fmt: skip
def test_literals(written: str, meant: str) -> None:
    assert objects(f"e:s e:p {written} .") == [Term(meant, literal=True)]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("<http://x/y>", "http://x/y"), (r"<http://x/\u00E9>", "http://x/é"), ("<#char=0,10>", "#char=0,10"),
        ("e:a.b", "http://e/a.b"), ("e:", "http://e/"), ("e:%20a", "http://e/%20a"), (r"e:a\,b\.", "http://e/a,b."),
        ("e:Zürich", "http://e/Zürich"), ("e:a:b", "http://e/a:b"), ("e:1", "http://e/1"), ("_:n.1", "_:n.1"),
        ("<a b\"c>", 'a b"c'),
    ],
)  # fmt: skip
def test_iris(written: str, meant: str) -> None:
    assert objects(f"e:s e:p {written}.") == [Term(meant)]


def test_predicate_and_object_lists() -> None:
    text = "e:s a e:C ; e:p 1 , 2 ;; e:q 3 ; .\n# end"
    assert [(t.predicate, t.object.value) for t in parse_turtle(P + text, "")] == [
        (RDF + "type", "http://e/C"), ("http://e/p", "1"), ("http://e/p", "2"), ("http://e/q", "3")
    ]  # fmt: skip


def test_directives_in_both_spellings_and_the_base() -> None:
    text = "BASE <http://b/d/x>\nprefix : <#>\n<> :p <y> . @base <z/> . <w> :p :v ."
    assert [(t.subject, t.predicate, t.object.value) for t in parse_turtle(text, "")] == [
        ("http://b/d/x", "http://b/d/x#p", "http://b/d/y"), ("http://b/d/z/w", "http://b/d/x#p", "http://b/d/x#v")
    ]  # fmt: skip


def test_blank_nodes_and_collections() -> None:
    text = "[ e:p 1 ; e:q [ ] ] . [] e:p ( 2 ( ) ) . ( 3 ) e:p e:o ."
    triples = list(parse_turtle(P + text, ""))
    assert [t.object.value for t in triples if t.predicate == RDF + "first"] == ["2", RDF + "nil", "3"]
    subjects = [t.subject for t in triples if t.predicate == "http://e/p"]
    assert len(set(subjects)) == 3
    rests = {t.subject: t.object.value for t in triples if t.predicate == RDF + "rest"}
    assert sorted(rests.values()).count(RDF + "nil") == 2


def test_lines_of_triples() -> None:
    text = 'e:s\n e:p """a\nb""" ,\n 2 .\r\n\r\ne:t e:p 3 .'
    assert [t.line for t in parse_turtle(P + text, "")] == [2, 4, 6]


def test_a_file_without_statements() -> None:
    assert list(parse_turtle("", "")) == []
    assert list(parse_turtle(" # only a comment", "")) == []


@settings(max_examples=150, deadline=None)
@given(texts)
def test_quoted_strings_come_back(text: str) -> None:
    assert objects(f"e:s e:p {quoted(text)} .") == [Term(text, literal=True)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e:s e:p", "x.ttl:1: expected an object, found the end of the file"),
        ("e:s e:p 1", "x.ttl:1: expected '.', found the end of the file"),
        ("\n\ne:s e:p e:o e:q .", "x.ttl:3: expected '.', found 'e:q'"),
        ("e:s", "x.ttl:1: expected a predicate, found the end of the file"),
        ('"s" e:p 1 .', "x.ttl:1: expected a subject, found '\"s\"'"),
        ("e:s _:b 1 .", "x.ttl:1: expected a predicate, found '_:b'"),
        ("e:s 1 1 .", "x.ttl:1: expected a predicate, found '1'"),
        ("e:s e:p\n, 1 .", "x.ttl:2: expected an object, found ','"),
        ("e:s e:p yes .", "x.ttl:1: expected an object, found 'yes'"),
        ("f:s e:p 1 .", "x.ttl:1: the prefix 'f:' is not declared"),
        (":s e:p 1 .", "x.ttl:1: the prefix ':' is not declared"),
        ('e:s e:p "a\nb" .', "x.ttl:1: a string that does not end: '\"a'"),
        ('e:s e:p """a\nb .', 'x.ttl:1: a string that does not end: \'"""a\''),
        ("e:s e:p <a\n> .", "x.ttl:1: not Turtle: '<a'"),
        ("e:s e:p {} .", "x.ttl:1: not Turtle: '{} .'"),
        ('e:s e:p "\\x" .', "x.ttl:1: '\\\\x' is no escape of a character"),
        ('e:s e:p "\\uD83D" .', "x.ttl:1: '\\\\uD83D' is no escape of a character"),
        ('e:s e:p "\\U00110000" .', "x.ttl:1: '\\\\U00110000' is no escape of a character"),
        ('e:s e:p "\\u12" .', "x.ttl:1: '\\\\u' is no escape of a character"),
        ('e:s e:p "a"^^"b" .', "x.ttl:1: expected a datatype, found '\"b\"'"),
        ("@prefix x <y> .", "x.ttl:1: expected a prefix such as 'nif:', found 'x'"),
        ("@prefix x: y .", "x.ttl:1: expected an IRI in <…>, found 'y'"),
        ("@prefix x: <y>", "x.ttl:1: expected '.', found the end of the file"),
        ("@prefixes x: <y> .", "x.ttl:1: expected a subject, found '@prefixes'"),
        ("e:s e:p [ e:q 1 .", "x.ttl:1: expected ']', found '.'"),
        ("e:s e:p ( 1 .", "x.ttl:1: expected an object, found '.'"),
        ("e:s e:p " + "(" * 1000, "x.ttl:1: brackets nested more than 100 deep"),
        ("e:s e:p " + "[ e:p " * 1000, "x.ttl:1: brackets nested more than 100 deep"),
        ("@base <http://[> . <a> e:p 1 .", "x.ttl:1: the IRI 'a' cannot be read (Invalid IPv6 URL)"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        list(parse_turtle(P + text, "x.ttl"))
    assert str(error.value) == message


def test_long_texts_are_read_in_linear_time() -> None:
    text = 'a "b" \\"c\\"' * 100_000
    assert objects(f'e:s e:p """{text}""" .')[0].value == text.replace("\\", "")
    with pytest.raises(DataError):
        objects("e:s e:" + "." * 200_000)


def test_triples_are_plain_tuples() -> None:
    assert list(parse_turtle("<a> <b> <c> .", "")) == [Triple("a", "b", Term("c"), 1)]
