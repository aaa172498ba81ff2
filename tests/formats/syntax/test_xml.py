from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile
from linkassay.formats.syntax import xml
from linkassay.formats.syntax.xml import Element, escape, iterate
from tests.helpers import raw


def elements(text: str | bytes, tag: str = "d", roots: tuple[str, ...] = ()) -> list[Element]:
    return list(iterate(raw("a.xml", text), tag, roots))


def test_mixed_content_stays_in_order() -> None:
    (found,) = elements('<c>out<d n="1">one <b>two</b> three<e/>\n<b>four</b></d>out</c>')
    assert (found.tag, found.attributes, found.line) == ("d", {"n": "1"}, 1)
    assert [item if isinstance(item, str) else item.tag for item in found.content] == [
        "one ", "b", " three", "e", "\n", "b",
    ]  # fmt: skip
    assert found.text == "one two three\nfour"
    assert [(child.tag, child.text, child.line) for child in found.children("b")] == [("b", "two", 1), ("b", "four", 2)]
    assert [child.tag for child in found.children()] == ["b", "e", "b"]
    assert found.first("x") is None
    assert (found.first("b") or found).text == "two"


def test_only_the_outermost_elements_are_yielded() -> None:
    assert [found.text for found in elements("<c><d>a<d>b</d></d><x><d>c</d></x></c>")] == ["ab", "c"]
    assert [found.text for found in elements("<d>a</d>")] == ["a"]


def test_character_references_and_predefined_entities_work() -> None:
    (found,) = elements('<d n="&quot;&#38;">&lt;&gt;&amp;&apos;&quot;&#946;&#x1F642;&#13;<![CDATA[<&beta;>]]></d>')
    assert (found.text, found.attributes["n"]) == ("<>&'\"β🙂\r<&beta;>", '"&')


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "cp1252"])
def test_declared_encodings(encoding: str) -> None:
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    (found,) = elements(f'<?xml version="1.0" encoding="{declared}"?><d>é</d>'.encode(encoding))
    assert found.text == "é"


def test_a_document_type_from_outside_is_never_fetched() -> None:
    (found,) = elements("<!DOCTYPE c SYSTEM 'http://localhost:9/none.dtd'><c><d>a</d></c>")
    assert found.text == "a"


def test_elements_come_while_the_file_is_still_being_read() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"<c>"
        for number in range(1000):
            yield f"<d>{number}{'x' * 10_000}</d>".encode()
        yield b"</c>"

    class Stream(io.RawIOBase):
        taken = 0
        source = chunks()

        def read(self, size: int = -1) -> bytes:
            Stream.taken += 1
            return next(self.source, b"")

    stream: IO[bytes] = Stream()  # type: ignore[assignment]
    found = iterate(RawFile("a.xml", lambda: stream), "d")
    assert next(found).text.startswith("0x")
    assert Stream.taken == 2
    assert sum(1 for _ in found) == 999


BILLION = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.xml:1: not well-formed XML (no element found)"),
        ("<c>\n<d>a</d>", "a.xml:2: not well-formed XML (no element found)"),
        ("<c>\n<d>a</c>", "a.xml:2: not well-formed XML (mismatched tag)"),
        ("<c>\n\n<d>a</d> & </c>", "a.xml:3: not well-formed XML (not well-formed (invalid token))"),
        ("<c>\x00</c>", "a.xml:1: not well-formed XML (not well-formed (invalid token))"),
        ("<c>&#0;</c>", "a.xml:1: not well-formed XML (reference to invalid character number)"),
        (b"<c>\xff</c>", "a.xml:1: not well-formed XML (not well-formed (invalid token))"),
        ("<c>\n&beta;</c>", "a.xml:2: not well-formed XML (undefined entity)"),
        (
            "<!DOCTYPE c SYSTEM 'c.dtd'>\n<c>&beta;</c>",
            "a.xml:2: refers to the XML entity 'beta', which is never expanded; write the character itself",
        ),
        ("<!DOCTYPE c [\n<!ENTITY beta 'b'>]><c/>", "a.xml:2: declares XML entities, which are never expanded"),
        (
            f'<!DOCTYPE c [<!ENTITY l0 "x">{BILLION}]><c>&l9;</c>',
            "a.xml:1: declares XML entities, which are never expanded",
        ),
        (
            "<!DOCTYPE c [<!ENTITY f SYSTEM 'file:///etc/hostname'>]><c>&f;</c>",
            "a.xml:1: declares XML entities, which are never expanded",
        ),
        (
            "<!DOCTYPE c [<!ENTITY % f SYSTEM 'file:///etc/hostname'> %f;]><c/>",
            "a.xml:1: declares XML entities, which are never expanded",
        ),
        ("<c>" * 501 + "</c>" * 501, "a.xml:1: elements nested deeper than 500"),
        ('<?xml version="1.0" encoding="nope"?><c/>', "a.xml:1: not readable XML (unknown encoding: nope)"),
        (
            '<?xml version="1.0" encoding="big5"?><c/>',
            "a.xml:1: not readable XML (multi-byte encodings are not supported)",
        ),
    ],
)
def test_broken_files(text: str | bytes, message: str) -> None:
    with pytest.raises(DataError) as caught:
        elements(text)
    assert str(caught.value) == message


def test_wrong_root() -> None:
    with pytest.raises(DataError) as caught:
        elements("\n<html><d/></html>", "d", ("c", "d"))
    assert str(caught.value) == "a.xml:2: the root element is <html>, expected <c> or <d>"


def test_five_hundred_levels_are_read() -> None:
    (found,) = elements("<d>" * 500 + "x" + "</d>" * 500)
    assert found.text == "x"


@pytest.mark.parametrize("token", ['<d n="{}"/>', "<!--{}-->", "<?p {}?>"])
def test_size_of_a_tag_is_bounded(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "MAX_TOKEN", 1 << 19)
    with pytest.raises(DataError) as caught:
        elements(f"<c>{token.format('x' * (1 << 21))}</c>")
    assert str(caught.value) == "a.xml:1: a tag or comment is longer than 524,288 bytes"


def test_long_text_is_no_tag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "MAX_TOKEN", 1 << 19)
    (found,) = elements(f"{' ' * (1 << 21)}<c>{' ' * (1 << 21)}<d>{'x' * (1 << 21)}</d></c>")
    assert len(found.text) == 1 << 21


@pytest.mark.parametrize("inside", ["x" * 1000, "<e/>" * 250])
def test_size_of_an_element_is_bounded(inside: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "MAX_LINE", 500)
    assert len(elements(f"<c>{inside}<d>a</d>{inside}<d>b</d></c>")) == 2
    with pytest.raises(DataError) as caught:
        elements(f"<c><d>{inside}</d></c>")
    assert str(caught.value) == "a.xml:1: an element <d> is larger than 500 bytes"


@pytest.mark.parametrize(("bad", "name"), [("\x00", "0000"), ("\x0b", "000B"), ("\ufffe", "FFFE"), ("\ud800", "D800")])
def test_characters_that_xml_cannot_hold(bad: str, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        escape(f"a{bad}b")
    assert str(caught.value) == f"XML cannot hold the character U+{name} in {f'a{bad}b'!r}; write JSON lines instead"


LEGAL = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | st.sampled_from("\t\n\r<>&\"'")
)


@settings(max_examples=150, deadline=None)
@given(LEGAL)
def test_escaped_text_comes_back(text: str) -> None:
    (found,) = elements(f"<d>{escape(text)}</d>")
    assert found.text == text


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["<c>", "</c>", "<d a='1'>", "</d>", "x", "&amp;", "&b;", "<!DOCTYPE c SYSTEM 'a'>", "<", "]]>"]
        )
    )
)
def test_any_text_is_read_or_refused(pieces: list[str]) -> None:
    try:
        found = elements("".join(pieces))
    except DataError:
        return
    assert len(found) <= pieces.count("<d a='1'>")
