from __future__ import annotations

import io
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.formats.documents import iob
from linkassay.formats.documents.iob import AIDA, Columns
from linkassay.formats.reading import Annotation, Reading, Units
from linkassay.ids import IdRule
from linkassay.model import Document
from linkassay.problems import Problems
from tests.conftest import ROOT
from tests.helpers import raw, reading

SAMPLES = ROOT / "tests" / "samples" / "iob"


def read(text: str, how: Reading | None = None, **options: object) -> list[Document]:
    return list(iob.read([raw("set/file.tsv", text)], how or reading(), **options))  # type: ignore[arg-type]


def shown(document: Document) -> list[tuple[str, str]]:
    return [(m.text, m.type) for m in document.annotations]


def test_sample_with_named_columns() -> None:
    one, two = iob.read(expand_paths([SAMPLES / "tagged.tsv"]), reading())
    assert (one.id, one.text) == ("one", "Asthma and breast cancer TGFB1\nNothing else")
    assert [(m.text, m.type, set(m.ids)) for m in one.annotations] == [
        ("Asthma", "Disease", {"mesh:D001249"}),
        ("breast cancer", "Disease", {"mesh:D001943"}),
        ("TGFB1", "Gene", {"ncbigene:7040"}),
    ]
    assert (two.id, [(m.text, m.gold) for m in two.annotations]) == ("two", [("IL - 2", ())])


def test_sample_in_the_style_of_aida() -> None:
    how = Reading(rules={"": IdRule(prefix="yago", none=("--NME--",))})
    (document,) = iob.read(expand_paths([SAMPLES / "aida.tsv"]), how, columns=AIDA)
    assert (document.id, document.text) == ("1 NEWS", "Reuters in New York .\nNobody")
    assert [(m.text, m.type, set(m.ids)) for m in document.annotations] == [
        ("Reuters", "", {"yago:Reuters"}),
        ("New York", "", {"yago:New_York_City"}),
        ("Nobody", "", set()),
    ]


@pytest.mark.parametrize(
    ("tags", "mentions"),
    [
        ("I-X I-X O I-X B-X", ["a b", "d", "e"]),  # IOB1
        ("B-X I-X B-X I-X O", ["a b", "c d"]),  # IOB2
        ("B-X I-X E-X S-X S-X", ["a b c", "d", "e"]),  # BIOES
        ("B-X I-X L-X U-X O", ["a b c", "d"]),  # BILOU
        ("B-X I-Y I-Y O I-Y", ["a", "b c", "e"]),
        ("E-X I-X E-X B-X E-Y", ["a", "b c", "d", "e"]),
        ("B I O S E", ["a b", "d", "e"]),
        ("B-X-Y I-X-Y O B-X I-X-Y", ["a b", "d", "e"]),
    ],
)
def test_schemes(tags: str, mentions: list[str]) -> None:
    lines = "".join(f"{token} {tag}\n" for token, tag in zip("abcde", tags.split()))
    assert [m.text for m in read(lines)[0].annotations] == mentions


@pytest.mark.parametrize("units", ["byte", "utf16"])
def test_units_of_a_reading_do_not_matter(units: Units) -> None:
    (document,) = read("\U0001f642 O\nflu B-X\nis O\n", reading(units=units))
    assert shown(document) == [("flu", "X")]


def test_a_prefixed_none_does_not_tear_a_mention() -> None:
    text = "# columns: token tag ids\na B-X MESH:D1\nb I-X MESH:-1\n"
    assert shown(read(text)[0]) == [("a b", "X")]


def test_a_blank_line_ends_mention_and_sentence() -> None:
    (document,) = read("\n\na B-X\n \t\n\n\nb I-X\nc I-X\n\n")
    assert (document.text, shown(document)) == ("a\nb c", [("a", "X"), ("b c", "X")])


def test_first_column_is_the_token_and_last_the_tag() -> None:
    (document,) = read("EU  NNP I-NP  I-ORG\nrejects VBZ I-VP O\nnothing\n")
    assert (document.text, shown(document)) == ("EU rejects nothing", [("EU", "ORG")])


def test_columns_can_be_declared() -> None:
    (document,) = read("O|a|-\nB-X|b c|MESH:D1", columns=Columns(token=1, tag=0, ids=2), separator="|")
    assert document.text == "a b c"
    assert [m.ids for m in document.annotations] == [{"mesh:D1"}]


def test_declared_columns_win_over_the_line_in_the_file() -> None:
    (document,) = read("# columns: token tag\nO\ta\nB-X\tb\n", columns=Columns(token=1, tag=0))
    assert (document.text, shown(document)) == ("a b", [("b", "X")])


def test_columns_line_passes_over_other_names() -> None:
    text = "# columns: IDS pos Token lemma Tag\nMESH:D1\tNN\ta\tA\tB-X\n"
    assert [(m.text, m.ids) for m in read(text)[0].annotations] == [("a", {"mesh:D1"})]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a O\n", ["file"]),
        ("-DOCSTART- -X- O O\n\na O\n-DOCSTART-\nb O\n", ["file-1", "file-2"]),
        ("a O\n-DOCSTART- O\nb O\n", ["file-1", "file-2"]),
        ("-DOCSTART- (947testa CRICKET)\na O\n", ["947testa CRICKET"]),
        ("-DOCSTART-\td7\tO\na O\n", ["d7"]),
        ("#doc x\n-DOCSTART- ( )\n", ["x", "file-2"]),
        ("#doc my doc \na O\n# doc x\n", ["my doc", "x"]),
        ("# newdoc id = x\n# sent_id = 1\n# text = a\na O\n# newdoc\nb O\n", ["x", "file-2"]),
        ("#doc\tO\n#x\tO\n#\tB-X\n", ["file"]),
        ("", []),
    ],
)
def test_names_of_documents(text: str, names: list[str]) -> None:
    assert [d.id for d in read(text)] == names


def test_tokens_may_begin_with_a_hash() -> None:
    (document,) = read("#tag\tB-X\n#\tO\n#doc\tO\n")
    assert (document.text, shown(document)) == ("#tag # #doc", [("#tag", "X")])


def test_ids_may_stand_on_the_first_token_only() -> None:
    for rest in ("-", "MESH:D1"):
        (document,) = read(f"# columns: token tag ids\na\tB-X\tMESH:D1\nb\tI-X\t{rest}\nc\tI-X\n")
        assert [(m.text, m.ids) for m in document.annotations] == [("a b c", {"mesh:D1"})]


def test_mentions_with_changing_ids_are_skipped_and_counted() -> None:
    how = reading(skip=True)
    (document,) = read("# columns: token tag ids\na\tB-X\tD1\nb\tI-X\tD2\nc\tB-X\tD3\n", how)
    assert shown(document) == [("c", "X")]
    assert how.problems.counts == {"ids": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a O\nb X\n", "set/file.tsv:2: unknown tag 'X'; expected O, or B, I, E or S with -Type"),
        ("a\tB-X\n\tO\n", "set/file.tsv:2: the token is empty"),
        ("# columns: word tag\n", "set/file.tsv:1: the columns line does not name 'token'; it names word, tag"),
        ("# columns:\n", "set/file.tsv:1: the columns line does not name 'token'; it names none"),
        ("# columns: token pos tag\na\tO\n", "set/file.tsv:2: expected a token and a tag, found 2 columns"),
        (
            "# columns: token tag ids\n#doc x\na\tB-X\tD1\nb\tI-X\tD2\n",
            "set/file.tsv:3: the ids change inside the mention; a new one begins with B; document x, span 0-3 "
            "(use --skip-bad to leave such annotations out, counted)",
        ),
        (b"a O\n\xfe O\n", "set/file.tsv:2: not utf-8 text (byte 0xfe); re-encode it, or try --encoding latin-1"),
    ],
)
def test_broken(text: str | bytes, message: str) -> None:
    with pytest.raises(DataError) as error:
        list(iob.read([raw("set/file.tsv", text)], reading()))
    assert str(error.value) == message


def made(text: str, *annotations: Annotation, name: str = "d") -> Document:
    return Reading(problems=Problems(skip=True)).document(name, [("", 0, text)], annotations, file="")


def test_written_file() -> None:
    gold = (frozenset({"mesh:D2", "mesh:D1"}), frozenset({"mesh:D3"}))
    document = made(
        "Pre-asthma is\nrare.", Annotation(((4, 10),), None, "a disease", gold=gold), Annotation(((14, 16),), None, "")
    )
    out = io.StringIO()
    iob.write([document], out)
    assert out.getvalue() == (
        "# columns: token tag ids\n#doc d\nPre\tO\t-\n-\tO\t-\nasthma\tB-a_disease\tmesh:D1|mesh:D2;mesh:D3\n"
        "is\tO\t-\n\nra\tB\t-\nre\tO\t-\n.\tO\t-\n\n"
    )


def test_mention_across_a_line_break_keeps_its_sentence_whole() -> None:
    out = io.StringIO()
    iob.write([made("a b\nc\nd", Annotation(((2, 5),), None, "X"))], out)
    assert [(d.text, shown(d)) for d in read(out.getvalue())] == [("a b c\nd", [("b c", "X")])]


def test_another_tokenizer() -> None:
    out = io.StringIO()
    iob.write([made("ab cd", Annotation(((1, 2),), None, "X"))], out, tokenizer=lambda text: [(0, len(text))])
    assert out.getvalue().splitlines()[2:5] == ["a\tO\t-", "b\tB-X\t-", " cd\tO\t-"]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            made("a b c", Annotation(((0, 3),), None, "X"), Annotation(((2, 5),), None, "X")),
            "document d: 'a b' (0-3) and 'b c' (2-5) overlap; IOB cannot hold both",
        ),
        (
            made("a b c", Annotation(((0, 3),), None, "X"), Annotation(((0, 3),), None, "Y")),
            "document d: 'a b' (0-3) and 'a b' (0-3) overlap; IOB cannot hold both",
        ),
        (
            made("a b c", Annotation(((0, 1), (4, 5)), None, "X")),
            "document d: 'a c' (0-1 4-5) is discontinuous; IOB cannot hold it",
        ),
        (
            made("a b", Annotation(((0, 1),), None, "X", gold=(frozenset({"x:1|2"}),))),
            "document d: the id 'x:1|2' of 'a' (0-1) has a tab, line break, ';' or '|', which separate ids",
        ),
        (made("a", name="d\n1"), "document 'd\\n1': the id cannot be written on one line"),
    ],
)
def test_what_cannot_be_written(document: Document, message: str) -> None:
    with pytest.raises(DataError) as error:
        iob.write([document], io.StringIO())
    assert str(error.value) == message


@pytest.mark.parametrize("mentions", [[(0, 1)], [(4, 5)], [(0, 1), (2, 3)]])
def test_a_tokenizer_must_not_leave_mentions_out(mentions: list[tuple[int, int]]) -> None:
    document = made("a b c", *(Annotation((span,), None, "X") for span in mentions))
    with pytest.raises(DataError, match=r"^document d: the tokenizer gives no token inside '[ac]' \((0-1|4-5)\)$"):
        iob.write([document], io.StringIO(), tokenizer=lambda text: [(2, 3)])


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(st.sampled_from("ab1-# \n\r\té😀\ufeff"), max_size=30))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    ids = st.frozensets(st.sampled_from(["mesh:D1", "omim:2", "x:y z"]), min_size=1, max_size=2)
    annotations = [
        Annotation(
            (span,), None, draw(st.sampled_from(["", "Disease", "B-X", "my type"])),
            gold=tuple(draw(st.lists(ids, max_size=2, unique=True))),
        )
        for span in pairwise(edges)
        if draw(st.booleans())
    ]  # fmt: skip
    return made(text, *annotations, name=draw(st.sampled_from(["d", "PMC 1", "-DOCSTART-", "(x)", "= 1"])))


def squeezed(text: str) -> str:
    """Without white space, which IOB does not keep."""
    return "".join(text.split())


@settings(max_examples=200)
@given(st.lists(documents(), max_size=3))
def test_round_trip(given_documents: list[Document]) -> None:
    out = io.StringIO()
    iob.write(given_documents, out)
    back = read(out.getvalue(), Reading(rules={"": IdRule(alternative=";", composite="|")}))
    assert [(d.id, squeezed(d.text)) for d in back] == [(d.id, squeezed(d.text)) for d in given_documents]
    for document, original in zip(back, given_documents):
        assert [(squeezed(m.text), m.type, m.gold) for m in document.annotations] == [
            (squeezed(m.text), m.type.replace(" ", "_"), m.gold) for m in original.annotations
        ]
        before = [len(squeezed(original.text[: m.start])) for m in original.annotations]
        assert [len(squeezed(document.text[: m.start])) for m in document.annotations] == before


def test_written_texts_stay_the_same_from_the_second_time_on() -> None:
    first, second = io.StringIO(), io.StringIO()
    iob.write([made("IL-2 (human)\n\n was seen.", Annotation(((0, 4),), None, "Gene"))], first)
    iob.write(read(first.getvalue()), second)
    assert second.getvalue() == first.getvalue()
