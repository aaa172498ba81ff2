"""Turtle: all of the syntax, lenient where published files are, and errors with their lines."""

from __future__ import annotations

import gzip
import re
import resource
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths, from_bytes
from linkassay.formats.syntax.turtle import RDF, Term, Triple, parse_turtle, quoted
from tests.helpers import raw
from tests.strategies import texts

P = "@prefix e: <http://e/> . "


def triples(text: str) -> list[Triple]:
    return list(parse_turtle(raw("x.ttl", text)))


def objects(text: str) -> list[Term]:
    return [t.object for t in triples(P + text) if t.predicate == "http://e/p"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"a"', "a"), ("'a'", "a"), ('""', ""), ("''", ""), ('"""a"b""c"""', 'a"b""c'), ("'''a\n'b'''", "a\n'b"),
        ('""""a"""', '"a'), ('"# no comment"', "# no comment"), (r'"\t\b\n\r\f\"\'\\"', "\t\b\n\r\f\"'\\"),
        (r'"caf\u00E9 \U0001F642"', "café 🙂"), (r'"""a\"""b"""', 'a"""b'),
        ('"a"@en', "a"), ('"a"@en-GB', "a"), ('"1"^^e:int', "1"), ('"1"^^<http://e/int>', "1"),
        ('"a\nb"', "a\nb"), ('"""a\r\nb"""', "a\r\nb"), (r'"\uD83D\uDE42"', "🙂"),
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
        ("<a b\"c>", 'a b"c'), ("<http://x/%zz>", "http://x/%zz"), ("<http://x/{a}|b^c`>", "http://x/{a}|b^c`"),
    ],
)  # fmt: skip
def test_iris(written: str, meant: str) -> None:
    assert objects(f"e:s e:p {written}.") == [Term(meant)]


def test_predicate_and_object_lists() -> None:
    text = "e:s a e:C ; e:p 1 , 2 ;; e:q 3 ; .\n# end"
    assert [(t.predicate, t.object.value) for t in triples(P + text)] == [
        (RDF + "type", "http://e/C"), ("http://e/p", "1"), ("http://e/p", "2"), ("http://e/q", "3")
    ]  # fmt: skip


def test_directives_in_both_spellings_and_the_base() -> None:
    text = "BASE <http://b/d/x>\nprefix : <#>\n<> :p <y> . @base <z/> . <w> :p :v ."
    assert [(t.subject, t.predicate, t.object.value) for t in triples(text)] == [
        ("http://b/d/x", "http://b/d/x#p", "http://b/d/y"), ("http://b/d/z/w", "http://b/d/x#p", "http://b/d/x#v")
    ]  # fmt: skip


def test_blank_nodes_and_collections() -> None:
    text = "[ e:p 1 ; e:q [ ] ] . [] e:p ( 2 ( ) ) . ( 3 ) e:p e:o ."
    found = triples(P + text)
    assert [t.object.value for t in found if t.predicate == RDF + "first"] == ["2", RDF + "nil", "3"]
    subjects = [t.subject for t in found if t.predicate == "http://e/p"]
    assert len(set(subjects)) == 3
    rests = {t.subject: t.object.value for t in found if t.predicate == RDF + "rest"}
    assert sorted(rests.values()).count(RDF + "nil") == 2


def test_nodes_without_a_name_have_the_same_each_time() -> None:
    text = P + "[] e:p 1 . _:a e:p 2 . [] e:p [] . _:a e:p _:b ."
    assert [(t.subject, t.object.value) for t in triples(text)] == [
        ("_:[1]", "1"), ("_:a", "2"), ("_:[2]", "_:[3]"), ("_:a", "_:b")
    ]  # fmt: skip
    assert triples(text) == triples(text)


def test_statements_about_statements_are_left_out() -> None:
    found = triples(P + "e:s e:p 1 {| e:q 2 |} . << e:a e:b e:c >> e:p 3 .")
    assert sorted((t.predicate, t.object.value) for t in found) == [
        ("http://e/p", "1"), ("http://e/p", "3"), ("http://e/q", "2")
    ]  # fmt: skip


def test_lines_of_triples() -> None:
    text = 'e:s\n e:p """a\nb""" ,\n 2 .\r\n\r\ne:t e:p 3 .'
    assert [t.line for t in triples(P + text)] == [3, 4, 6]
    far = "e:s e:p " + ",\n".join(f'"{"x" * (7 * n % 5000)}"' for n in range(2000)) + " ."
    assert [t.line for t in triples(P + far)] == [*range(1, 2001)]


def test_a_file_without_statements() -> None:
    assert triples("") == []
    assert triples(" # only a comment") == []


def test_the_encoding_of_a_file_and_its_byte_order_mark() -> None:
    text = P + 'e:s e:p "naïve 🙂" .'
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert list(parse_turtle(raw("x.ttl", text.encode(encoding)), encoding)) == triples(text)
    assert triples("\ufeff" + text) == triples(text)
    with pytest.raises(DataError) as error:
        list(parse_turtle(raw("x.ttl", P.encode() + b'\ne:s e:p "na\xefve" .')))
    assert str(error.value) == "x.ttl:2: not utf-8 text (byte 0xef); re-encode it, or try --encoding latin-1"


def test_compressed_files_and_truncated_ones(tmp_path: Path) -> None:
    whole = gzip.compress((P + "\n".join(f"e:s e:p {quoted(str(n * n))} ." for n in range(5000))).encode())
    (tmp_path / "x.ttl.gz").write_bytes(whole)
    [file] = expand_paths([tmp_path / "x.ttl.gz"])
    assert [t.object.value for t in parse_turtle(file)] == [str(n * n) for n in range(5000)]
    (tmp_path / "x.ttl.gz").write_bytes(whole[:-2000])
    with pytest.raises(DataError, match=r"^x\.ttl: truncated or damaged file"):
        list(parse_turtle(file))


def test_a_large_file_is_never_held_whole() -> None:
    line = b'<http://e/s> <http://e/p> "' + b"x" * 1000 + b'" .\n'

    class Endless:
        """As much as is read of it, up to 200 MB."""

        left = 200_000

        def __enter__(self) -> Endless:
            return self

        def __exit__(self, *_: object) -> None: ...

        def readline(self, size: int) -> bytes:
            self.left -= 1
            return line if self.left >= 0 else b""

    assert len(triples(line.decode())) == 1
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sum(1 for _ in parse_turtle(RawFile("x.ttl", Endless))) == 200_000  # type: ignore[arg-type]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_no_more_is_read_than_a_triple_needs() -> None:
    assert next(parse_turtle(from_bytes("x.ttl", b"<a> <b> <c> .\n" + b"\xff" * 10))) == Triple("a", "b", Term("c"), 1)


@settings(max_examples=150, deadline=None)
@given(texts)
def test_quoted_strings_come_back(text: str) -> None:
    assert objects(f"e:s e:p {quoted(text)} .") == [Term(text, literal=True)]


_names = st.from_regex(r"[a-z]([a-z0-9]|[._é-][a-z0-9]){0,5}", fullmatch=True)


@st.composite
def _written(draw: st.DrawFn, value: str) -> str:
    """A Turtle string that means `value`: short or long, in either quotes, anything escaped by number."""
    mark = draw(st.sampled_from(['"', "'", '"""', "'''"]))
    plain = draw(st.sets(st.sampled_from(value))) if value else set()

    def spelled(character: str) -> str:
        if character not in "\\\"'\n\r" and character in plain:
            return character
        return f"\\U{ord(character):08X}"

    return mark + "".join(map(spelled, value)) + mark + draw(st.sampled_from(["", "@en", "@de-AT", "^^e:t", "^^<t>"]))


@st.composite
def _files(draw: st.DrawFn) -> tuple[str, list[tuple[str, str, Term, int]]]:
    """A Turtle text and its triples: prefixed names, IRIs whole and below a base, comments and breaks in between."""
    lines, meant = ["@prefix e: <http://e/> .", "@base <http://b/c/> ."], []
    for _ in range(draw(st.integers(0, 6))):
        subject, predicate = draw(_names), draw(_names)
        lines.append(draw(st.sampled_from(["", "# e:s e:p <", "  "])))
        start = draw(st.sampled_from([f"e:{subject}", f"<http://e/{subject}>", f"<../../e/{subject}>", "_:" + subject]))
        name = {"e": "http://e/", "_": "_:"}.get(
            start.partition(":")[0], "http://b/e/" if ".." in start else "http://e/"
        )
        for n in range(draw(st.integers(1, 3))):
            value = draw(texts | _names)
            literal = draw(st.booleans())
            term = draw(_written(value)) if literal else f"<http://e/o/{subject}>"
            lines.append(f"{start if not n else '  '} e:{predicate} {term} ;" if not n else f"  <p{n}> {term} ;")
            meant.append((name + subject, "http://e/" + predicate if not n else f"http://b/c/p{n}",
                          Term(value if literal else f"http://e/o/{subject}", literal), len(lines)))  # fmt: skip
        lines[-1] = lines[-1][:-1] + "."
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines), meant


@settings(max_examples=200, deadline=None)
@given(_files())
def test_whatever_is_written_is_read(written: tuple[str, list[tuple[str, str, Term, int]]]) -> None:
    text, meant = written
    assert [tuple(t) for t in triples(text)] == meant


@settings(max_examples=200, deadline=None)
@given(_files(), st.data())
def test_a_damaged_file_is_read_or_refused_with_a_line(
    written: tuple[str, list[tuple[str, str, Term, int]]], data: st.DataObject
) -> None:
    text, _ = written
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.sampled_from(["", "<", '"', "[", "(", "\\", ":", "\ud800"])) + text[at + 1 :]

    def refused() -> DataError | None:
        try:
            list(parse_turtle(from_bytes("x.ttl", damaged.encode("utf-8", "surrogatepass"))))
        except DataError as error:
            return error
        return None

    if (error := refused()) is not None:
        assert error.file == "x.ttl"
        assert 1 <= error.line <= damaged.count("\n") + 1


_END = "the file ends within a statement"
_OPEN = "a string or an IRI that does not end"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("e:s e:p", 1, _END), ("e:s e:p 1", 1, _END), ("e:s\n\n", 2, _END), ("@prefix x: <y>", 1, _END),
        ("e:s e:p " + "(" * 1000, 1, _END), ("e:s e:p " + "[ e:p " * 1000, 1, _END),
        ('e:s e:p 1 .\ne:s e:p """a\nb .', 2, _OPEN), ("e:s e:p\n 'a .\n\n", 2, _OPEN), ("\ne:s e:p <a .", 2, _OPEN),
        ("\n\ne:s e:p e:o e:q .", 3, "dot"), ('"s" e:p 1 .', 1, '"s"'), ("e:s _:b 1 .", 1, "_:b"),
        ("e:s 1 1 .", 1, "predicate"), ("e:s e:p\n, 1 .", 2, ","), ("e:s e:p yes .", 1, "yes"),
        ("f:s e:p 1 .", 1, "f:"), (":s e:p 1 .", 1, "prefix :"), ("e:s e:p {} .", 1, "{"),
        ('e:s e:p "\\x" .', 1, r"\x"), ('e:s e:p "\\uD83D" .', 1, "surrogate"), ('e:s e:p "\\uDE42" .', 1, "DE42"),
        ('e:s e:p "\\U00110000" .', 1, "110000"), ('e:s e:p "a"^^"b" .', 1, "datatype"),
        ("@prefix x <y> .", 1, "prefix"), ("@prefix x: y .", 1, "IRI"), ("@prefixes x: <y> .", 1, "@prefixes"),
        ("e:s e:p [ e:q 1 .", 1, "]"), ("e:s e:p ( 1 .", 1, "."), ("e:s e:p e:a.. e:t e:p 1 .", 1, "."),
    ],
)  # fmt: skip
def test_errors(text: str, line: int, message: str) -> None:
    with pytest.raises(DataError) as error:
        triples(P + text)
    assert str(error.value).startswith(f"x.ttl:{line}: not Turtle: ")
    assert message in str(error.value).partition("Turtle: ")[2]


def test_an_iri_without_its_end_does_not_swallow_what_follows() -> None:
    with pytest.raises(DataError) as error:
        triples(P + "\ne:s e:p <http://e/o ;\n e:q <http://e/r> .")
    assert str(error.value) == "x.ttl:3: an IRI that does not end: '<http://e/o ;\\n e:q <http://e/r'"


def test_long_texts_are_read_in_linear_time() -> None:
    text = 'a "b" \\"c\\"' * 100_000
    assert objects(f'e:s e:p """{text}""" .')[0].value == text.replace("\\", "")
    for endless in ("e:" + "." * 200_000, "(" * 20_000, "[ e:p " * 20_000):
        with pytest.raises(DataError):
            objects("e:s e:p " + endless)


def test_no_string_is_larger_than_the_parser_can_hold() -> None:
    with pytest.raises(DataError) as error:
        objects('\ne:s e:p """' + ("x" * 99 + "\n") * 180_000 + '""" .')
    assert re.fullmatch(r"x\.ttl:\d+: a string or name of more than 16 MB", str(error.value))
