from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths
from linkassay.formats.documents import inline_xml
from linkassay.formats.documents.inline_xml import Markup
from linkassay.formats.reading import Reading, Units
from linkassay.formats.syntax.xml import escape
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.problems import Problems
from tests.conftest import ROOT
from tests.helpers import raw, reading

SAMPLES = ROOT / "tests" / "samples" / "inlinexml"


def osiris() -> Reading:
    none = ("", "No")
    return Reading(
        rules={
            "variant": IdRule(prefix="dbsnp", none=none),
            "gene": IdRule(prefix="ncbigene", alternative=";", none=none),
        }
    )


def article(abstract: str) -> RawFile:
    return raw("o.xml", f"<Articles><Article><Pmid>7</Pmid><Abstract>{abstract}</Abstract></Article></Articles>")


def test_sample() -> None:
    first, second = inline_xml.read(expand_paths([SAMPLES]), osiris())
    assert first.text == "A study of TGFB1 & its variants The L10P allele and -9 T>C of TGFB were rare."
    assert [(p.kind, p.offset) for p in first.passages] == [("title", 0), ("abstract", 32)]
    assert [(m.text, m.start, m.type, [sorted(a) for a in m.gold]) for m in first.annotations] == [
        ("TGFB1", 11, "gene", [["ncbigene:7040"]]),
        ("L10P", 36, "variant", [["dbsnp:rs1800470"]]),
        ("-9 T>C", 52, "variant", []),
        ("TGFB", 62, "gene", [["ncbigene:7040"], ["ncbigene:7042"]]),
    ]
    assert second.id == "102"


@pytest.mark.parametrize("units", ["byte", "utf16"])
def test_units_of_a_reading_do_not_matter(units: Units) -> None:
    (document,) = inline_xml.read([article("\U0001f642 of <gene>TGFB</gene> here")], reading(units=units))
    assert [m.text for m in document.annotations] == ["TGFB"]


def test_nested_mentions_outer_first() -> None:
    _, document = inline_xml.read(expand_paths([SAMPLES]), osiris())
    outer, inner = document.annotations
    assert (outer.text, outer.spans) == ("BRCA1 185delAG", ((22, 36),))
    assert (inner.text, inner.spans) == ("185delAG", ((28, 36),))


def test_markup_is_declared() -> None:
    markup = Markup("doc", "no", {"p": "paragraph"}, {"drug": ("chemical", "cui"), "toxin": ("chemical", "cui")})
    text = '<all><doc><no> 1 </no><note>out</note><p>a <drug cui="C1">b</drug></p><p><toxin>c</toxin></p></doc></all>'
    (document,) = inline_xml.read([raw("x.xml", text)], reading(prefix="umls"), markup=markup)
    assert (document.id, document.text) == ("1", "a b c")
    assert [(m.text, m.type, set(m.ids)) for m in document.annotations] == [
        ("b", "chemical", {"umls:C1"}),
        ("c", "chemical", set()),
    ]


def test_a_declared_document_type_is_neither_needed_nor_fetched() -> None:
    text = b'<?xml version="1.0"?>\n<!DOCTYPE Articles SYSTEM "nowhere.dtd">\n<Articles/>'
    assert list(inline_xml.read([raw("o.xml", text)], osiris())) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<Articles><Article>", "o.xml:1: not well-formed XML (no element found)"),
        ("<Articles>\n<Article><Title>a</Title></Article></Articles>", "o.xml:2: an <Article> without <Pmid>"),
        ("<Articles>\n<Article><Pmid> </Pmid></Article></Articles>", "o.xml:2: document without an id"),
        (
            '<!DOCTYPE a [<!ENTITY e "x">]><Article><Pmid>1</Pmid><Title>&e;</Title></Article>',
            "o.xml:1: declares XML entities, which are never expanded",
        ),
        (
            '<Article><Pmid>1</Pmid><Title>a <gene g_id="1"></gene></Title></Article>',
            "o.xml:1: the span is empty or reversed; document 1, span 2-2 "
            "(use --skip-bad to leave such annotations out, counted)",
        ),
    ],
)
def test_broken(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        list(inline_xml.read([raw("o.xml", text)], osiris()))
    assert str(error.value) == message


def test_deep_nesting_is_no_trouble() -> None:
    depth = 400
    (document,) = inline_xml.read([article("<variant>" * depth + "A1T" + "</variant>" * depth)], osiris())
    assert [m.text for m in document.annotations] == ["A1T"]


Tree = list["str | tuple[str, Tree]"]
trees: st.SearchStrategy[Tree] = st.recursive(
    st.lists(st.text("ab <&😀", max_size=4), max_size=3),
    lambda inner: st.lists(
        st.one_of(st.text("ab <&", max_size=4), st.tuples(st.sampled_from("gvi"), inner)), max_size=4
    ),
    max_leaves=12,
)
TAGS = {"g": "gene", "v": "variant", "i": "i"}


def written(tree: Tree) -> str:
    return "".join(
        escape(item) if isinstance(item, str) else f"<{TAGS[item[0]]}>{written(item[1])}</{TAGS[item[0]]}>"
        for item in tree
    )


def expected(tree: Tree, offset: int = 0) -> tuple[str, set[tuple[int, int, str]]]:
    """The text and the spans, the slow and obvious way."""
    text, found = "", set()
    for item in tree:
        if isinstance(item, str):
            text += item
        else:
            inner, inside = expected(item[1], offset + len(text))
            found |= inside
            if inner.strip() and item[0] != "i":
                found.add((offset + len(text), offset + len(text) + len(inner), TAGS[item[0]]))
            text += inner
    return text, found


@settings(max_examples=150)
@given(trees)
def test_offsets_are_those_of_the_text_without_tags(tree: Tree) -> None:
    (document,) = inline_xml.read([article(written(tree))], Reading(problems=Problems(skip=True)))
    text, spans = expected(tree)
    assert document.text == text
    assert {(m.start, m.end, m.type) for m in document.annotations} == spans


def variants(found: list[Document]) -> tuple[int, int, int]:
    """Variants; those with an id; documents that have one of these."""
    with_id = [sum(bool(m.gold) for m in d.annotations if m.type == "variant") for d in found]
    return sum(m.type == "variant" for d in found for m in d.annotations), sum(with_id), sum(map(bool, with_id))


@pytest.mark.parametrize(
    ("name", "counts"), [("OSIRIScorpusv01", (554, 253, 57)), ("SETH_OSIRIS_corpus", (563, 261, 57))]
)
def test_osiris(shared: Path, name: str, counts: tuple[int, int, int]) -> None:
    how = osiris()
    found = list(inline_xml.read(expand_paths([shared / f"corpora/snp_osiris/{name}.xml.gz"]), how))
    assert len(found) == 105
    assert how.read == {"gene": 802, "variant": counts[0]}
    assert variants(found) == counts
