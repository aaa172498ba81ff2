from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError, UsageError
from linkassay.files import expand_paths
from linkassay.formats.documents import pubtator
from linkassay.formats.reading import Annotation, Reading
from linkassay.ids import IdRule
from linkassay.model import Document, Mention, Passage
from linkassay.problems import Fix, Problems
from tests.conftest import ROOT
from tests.helpers import raw, reading

SAMPLES = ROOT / "tests" / "samples" / "pubtator"
BLOCK = "1|t|Asthma\n1|a|Fever, too.\n"


def read(text: str | bytes, how: Reading | None = None) -> list[Document]:
    return list(pubtator.read([raw("a.txt", text)], how or reading()))


def written(documents: list[Document], rules: dict[str, IdRule] | None = None) -> str:
    out = io.StringIO()
    pubtator.write(documents, out, rules)
    return out.getvalue()


def document(text: str = "Asthma and fever", **changes: object) -> Document:
    return replace(Document("1", text, (Passage("title", 0, text),)), **changes)  # type: ignore[arg-type]


def mention(start: int = 0, end: int = 6, text: str = "Asthma", **changes: object) -> Mention:
    found = Mention(f"1:{start}-{end}:Disease", "1", ((start, end),), text, "Disease")
    return replace(found, **changes)  # type: ignore[arg-type]


def test_sample() -> None:
    how = reading(prefix="mesh", composite="|")
    first, second, third = pubtator.read(expand_paths([SAMPLES / "small.PubTator.txt"]), how)
    assert [(p.kind, p.offset) for p in first.passages] == [("title", 0), ("abstract", 70)]
    assert first.passages[0].text == "Kidney and liver failure after paracetamol: β|γ ratios in 12 patients"
    assert first.text == " ".join(p.text for p in first.passages)
    assert [(m.text, m.type, [sorted(ids) for ids in m.gold]) for m in first.mentions] == [
        ("Kidney and liver failure", "Disease", [["mesh:D017093", "mesh:D051437"]]),
        ("paracetamol", "Chemical", [["mesh:D000082"]]),
        ("patients", "Species", []),
        ("slow clotting", "Disease", []),
        ("paracetamol", "Chemical", [["mesh:D000082"]]),
        ("asthma", "Disease", [["mesh:D001249"]]),
    ]
    assert first.mentions[0].raw == "D051437|D017093"
    assert first.mentions[0].id == "101:0-24:Disease"
    assert [(m.text, m.start) for m in second.mentions] == [("BRCA1", 15)]
    assert (third.id, third.mentions) == ("103", ())
    assert how.left_out == {"relation": 2}


def test_blank_abstract_leaves_the_separator() -> None:
    (found,) = read("1|t|Asthma\n1|a|\n")
    assert (found.text, found.passages[1]) == ("Asthma ", Passage("abstract", 7, ""))


def test_abstract_without_title_begins_at_zero() -> None:
    (found,) = read("1|a|Asthma\n1\t0\t6\tAsthma\tDisease\n")
    assert found.passages == (Passage("abstract", 0, "Asthma"),)
    assert found.mentions[0].text == "Asthma"


def test_other_letters_are_passages_of_their_own_kind() -> None:
    (found,) = read("1|t|One\n1|a|Two\n1|k|Three\n1\t8\t13\tThree\tThing\n")
    assert [(p.kind, p.offset) for p in found.passages] == [("title", 0), ("abstract", 4), ("k", 8)]


def test_crlf_blank_lines_and_missing_blank_lines() -> None:
    first, second = pubtator.read(expand_paths([SAMPLES / "crlf.txt"]), reading())
    assert (first.text, second.text) == ("Aspirin and fever Fever fell within a day.", "Insulin in mice")
    assert [m.text for d in (first, second) for m in d.mentions] == ["Aspirin", "fever", "Insulin", "mice"]


def test_a_title_of_the_same_id_begins_another_document() -> None:
    assert [d.text for d in read("1|t|One\n1|t|Two\n1|a|three\n")] == ["One", "Two three"]


def test_duplicate_documents_are_left_to_the_caller() -> None:
    assert [d.id for d in read(BLOCK + "\n\n \n" + BLOCK)] == ["1", "1"]


def test_each_file_ends_its_last_document() -> None:
    files = [raw("a.txt", "1|t|One"), raw("b.txt", "1|a|Two")]
    assert [d.text for d in pubtator.read(files, reading())] == ["One", "Two"]


def test_bars_and_tabs_inside_a_passage() -> None:
    (found,) = read("1|t|a|b|c\n1|a|\tx|a|y\n")
    assert [p.text for p in found.passages] == ["a|b|c", "\tx|a|y"]


def test_columns_after_the_ids_are_passed_over() -> None:
    (found,) = read(BLOCK + "1\t0\t6\tAsthma\tDisease\tD1\tx\ty\n")
    assert found.mentions[0].raw == "D1"


def test_bad_annotations_are_counted_when_skipped() -> None:
    how = reading(skip=True)
    rows = "1\t0\t6\tFever\tDisease\tD1\n1\t-1\t6\tAsthma\tDisease\n1\t0\t999\tAsthma\tGene\n1\t7\t12\tFever\tDisease\n"
    (found,) = read(BLOCK + rows, how)
    assert [m.text for m in found.mentions] == ["Fever"]
    assert how.read == {"Disease": 3, "Gene": 1}
    assert how.problems.by_type == {("offset", "Disease"): 1, ("span", "Disease"): 1, ("span", "Gene"): 1}
    assert [p.line for p in how.problems.examples] == [3, 4, 5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BLOCK + "2\t0\t6\tAsthma\tDisease\n", "a.txt:3: annotation of document '2' among those of '1'"),
        ("1\t0\t6\tAsthma\tDisease\n", "a.txt:1: annotation of document '1' before its title"),
        (
            BLOCK + "1\tzero\t6\tAsthma\tDisease\tD1\n",
            "a.txt:3: start and end of an annotation must be whole numbers, found 'zero' and '6'",
        ),
        (
            BLOCK + "1\t0\t6.0\tAsthma\tDisease\n",
            "a.txt:3: start and end of an annotation must be whole numbers, found '0' and '6.0'",
        ),
        (
            BLOCK + f"1\t0\t{'9' * 5000}\tAsthma\tDisease\n",
            f"a.txt:3: start and end of an annotation must be whole numbers, found '0' and '{'9' * 20}'",
        ),
        (
            BLOCK + "1\t٣\t6\tAsthma\tDisease\n",
            "a.txt:3: start and end of an annotation must be whole numbers, found '٣' and '6'",
        ),
        (
            BLOCK + "1\t0\t6\tAsthma\n",
            "a.txt:3: annotation without a type: expected id, start, end, text, type and perhaps ids, "
            "separated by tabs",
        ),
        (
            BLOCK + "A line of prose.\n",
            "a.txt:3: neither a line 'id|t|title' nor an annotation with tabs: 'A line of prose.'",
        ),
        ("|t|Asthma\n", "a.txt:1: neither a line 'id|t|title' nor an annotation with tabs: '|t|Asthma'"),
        (" |t|Asthma\n", "a.txt:1: document without an id"),
        (
            BLOCK + "1\t0\t5\tAsthma\tDisease\n",
            "a.txt:3: the text at the span differs from the annotation's; document 1, span 0-5; found 'Asthm', "
            "expected 'Asthma' (use --skip-bad to leave such annotations out, counted)",
        ),
        (b"1|t|Asthm\xe9\n", "a.txt:1: not utf-8 text (byte 0xe9); re-encode it, or try --encoding latin-1"),
    ],
)
def test_broken_files(text: str | bytes, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    assert str(caught.value) == message


def test_written_form() -> None:
    mentions = (
        mention(raw="D001249"),
        mention(11, 16, "fever", gold=(frozenset({"mesh:D2", "mesh:D1"}), frozenset({"mesh:D3"}))),
        mention(7, 10, "and"),
        mention(0, 3, "Ast", parent="1:0-6:Disease", role="part"),
    )
    assert written([document(annotations=mentions)]) == (
        "1|t|Asthma and fever\n"
        "1\t0\t6\tAsthma\tDisease\tD001249\n"
        "1\t11\t16\tfever\tDisease\tmesh:D1|mesh:D2;mesh:D3\n"
        "1\t7\t10\tand\tDisease\n\n"
    )


def test_a_text_without_division_is_written_as_title() -> None:
    assert written([document(passages=())]) == "1|t|Asthma and fever\n\n"
    assert written([document(passages=(Passage("", 0, "Asthma and fever"),))]) == "1|t|Asthma and fever\n\n"


@pytest.mark.parametrize(
    ("own", "gold", "expected"),
    [
        ("D1+D2", (frozenset({"mesh:D1", "mesh:D2"}),), "D1+D2"),  # still says the same
        ("D1;D2", (frozenset({"mesh:D1"}), frozenset({"mesh:D2"})), "mesh:D1/mesh:D2"),  # two lines, merged
        ("D1", (frozenset({"mesh:D9"}),), "mesh:D9"),  # replaced since
        ("-1", (), "-1"),
        ("", (), ""),
    ],
)
def test_rules_decide_how_ids_are_written(own: str, gold: tuple[frozenset[str], ...], expected: str) -> None:
    rules = {"Disease": IdRule(prefix="mesh", composite="+|", alternative="/")}
    assert pubtator.ids_text(mention(raw=own, gold=gold), rules) == expected


def test_rules_that_cannot_say_the_gold() -> None:
    bad = mention(gold=(frozenset({"mesh:D1"}), frozenset({"mesh:D2"})))
    with pytest.raises(UsageError) as caught:
        pubtator.ids_text(bad, {"": IdRule(prefix="mesh", composite="|")})
    assert str(caught.value) == (
        "mention 1:0-6:Disease: no text that the id rule reads as [['mesh:D1'], ['mesh:D2']]; "
        "give a rule with characters for composites and alternatives"
    )


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (document("Asthma\nfever"), "its title has a line break"),
        (document(id="a|b"), "its id 'a|b' is empty or has a bar, tab or line break"),
        (
            document(passages=(Passage("paragraph", 0, "x"),)),
            "its passages are 'paragraph', not one title and one abstract",
        ),
        (
            document("a b c", passages=tuple(Passage("title", i, c) for i, c in ((0, "a"), (2, "b"), (4, "c")))),
            "its passages are 'title', 'title', 'title', not one title and one abstract",
        ),
        (
            document("a  b", passages=(Passage("title", 0, "a"), Passage("abstract", 3, "b"))),
            "its passages are not separated by exactly one space",
        ),
        (
            document("a\nb", passages=(Passage("title", 0, "a"), Passage("abstract", 2, "b"))),
            "its passages are not separated by exactly one space",
        ),
        (document(annotations=(mention(spans=((0, 2), (3, 5))),)), "mention 1:0-6:Disease has 2 spans"),
        (document(annotations=(mention(spans=()),)), "mention 1:0-6:Disease has 0 spans"),
        (
            document("", passages=(), annotations=(mention(),)),
            "mention 1:0-6:Disease is not the document's text at its span",
        ),
        (
            document("As\tma", annotations=(mention(0, 5, "As\tma"),)),
            "mention 1:0-5:Disease has a tab or line break in 'As\\tma'",
        ),
        (document(annotations=(mention(raw="D1\nD2"),)), "mention 1:0-6:Disease has a tab or line break in 'D1\\nD2'"),
        (document(annotations=(mention(type="a\tb"),)), "mention 1:0-6:Disease has a tab or line break in 'a\\tb'"),
    ],
)
def test_writer_refuses(bad: Document, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        written([bad])
    assert str(caught.value) == f"document {bad.id}: PubTator cannot hold it: {why}; write BioC or JSON lines instead"


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=30)
IDS = st.frozensets(st.sampled_from(["mesh:D1", "mesh:D2", "omim:3", "own:x:y"]), min_size=1, max_size=3)
GOLD = st.lists(IDS, max_size=3, unique=True).map(tuple)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    texts = draw(st.lists(LINES, min_size=1, max_size=2))
    whole = " ".join(texts)
    annotations = []
    for _ in range(draw(st.integers(0, 4)) if whole else 0):
        start = draw(st.integers(0, len(whole) - 1))
        end = draw(st.integers(start + 1, len(whole)))
        if whole[start:end].strip() and "\t" not in whole[start:end]:
            annotations.append(
                Annotation(((start, end),), None, draw(st.sampled_from(["Gene", "x y", ""])), gold=draw(GOLD))
            )
    kinds = ["title", "abstract"]
    return Reading().document(
        draw(st.sampled_from(["1", "PMC:7", "a b", "#"])),
        [(k, None, t) for k, t in zip(kinds, texts)],
        annotations,
        file="-",
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(documents(), max_size=3))
def test_round_trip(given_documents: list[Document]) -> None:
    how = Reading(rules={"": IdRule(composite="|", alternative=";")})
    back = read(written(given_documents), how)
    assert [replace(d, annotations=()) for d in back] == [replace(d, annotations=()) for d in given_documents]
    for ours, theirs in zip(back, given_documents, strict=True):
        assert [replace(m, raw="") for m in ours.mentions] == list(theirs.mentions)
    assert written(back) == written(given_documents)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["1|t|Asthma", "1|a|x", "2|t|", "1\t0\t6\tAsthma\tDisease", "\t\t\t\t", "|", "\r", "", "1\ta\tb\tc"]
        )
    )
)
def test_any_lines_are_read_or_refused(lines: list[str]) -> None:
    try:
        found = read("\n".join(lines))
    except DataError:
        return
    assert sum(len(d.passages) for d in found) == sum("|t|" in line or "|a|" in line for line in lines)


# Real data


def real(shared: Path, name: str, **options: object) -> tuple[list[Document], Reading]:
    rules = {"": IdRule(prefix="mesh", composite="|")}
    how = Reading(rules=rules, problems=Problems(skip=True), **options)  # type: ignore[arg-type]
    return list(pubtator.read(expand_paths([shared / "corpora" / f"{name}.gz"]), how)), how


@pytest.mark.parametrize(
    ("split", "chemical", "disease", "nil_chemical", "nil_disease", "relations"),
    [
        ("Training", 5203, 4182, 44, 32, 1038),
        ("Development", 5347, 4244, 43, 16, 1012),
        ("Test", 5385, 4424, 30, 61, 1066),
    ],
)
def test_bc5cdr(
    shared: Path, split: str, chemical: int, disease: int, nil_chemical: int, nil_disease: int, relations: int
) -> None:
    found, how = real(shared, f"bc5cdr/CDR_{split}Set.PubTator.txt")
    mentions = [m for d in found for m in d.mentions]
    assert len(found) == 500
    assert Counter(m.type for m in mentions) == {"Chemical": chemical, "Disease": disease}
    assert Counter(m.type for m in mentions if m.gold == ()) == {"Chemical": nil_chemical, "Disease": nil_disease}
    assert (how.left_out, how.problems.counts) == ({"relation": relations}, {})
    again = read(written(found), Reading(rules=how.rules))
    assert again == found


@pytest.mark.parametrize(
    ("split", "blocks", "annotations", "bad"),
    [("train", 593, 5145, 1), ("develop", 100, 787, 0), ("test", 100, 960, 0)],
)
def test_ncbi_disease(shared: Path, split: str, blocks: int, annotations: int, bad: int) -> None:
    found, how = real(shared, f"ncbi_disease/NCBI{split}set_corpus.txt")
    assert (len(found), sum(how.read.values()), how.problems.counts.total()) == (blocks, annotations, bad)
    assert sum(len(d.mentions) for d in found) == annotations - bad
    twice = [id for id, n in Counter(d.id for d in found).items() if n > 1]
    assert twice == (["8528200"] if split == "train" else [])


def test_ncbi_disease_source_error_can_be_fixed(shared: Path) -> None:
    _, how = real(shared, "ncbi_disease/NCBItrainset_corpus.txt")
    (problem,) = how.problems.examples
    assert (problem.kind, problem.document, problem.spans) == ("offset", "10923035", ((711, 761),))
    assert problem.expected == problem.found + "  "
    fix = Fix("10923035", (711, 761), problem.expected, "two spaces too many", new_text=problem.found)
    found, how = real(shared, "ncbi_disease/NCBItrainset_corpus.txt", fixes=(fix,))
    assert (sum(len(d.mentions) for d in found), how.problems.counts, how.problems.fixes) == (5145, {}, [fix])


@pytest.mark.parametrize(
    ("name", "blocks", "type_", "annotations", "bad", "bad_of_type"),
    [
        ("GNormPlus_Train", 432, "Gene", 4246, 35, 14),
        ("GNormPlus_Test", 262, "Gene", 3288, 4, 3),
        ("SPECIES_Train", 639, "Species", 3053, 0, 0),
        ("SPECIES_Test", 160, "Species", 739, 0, 0),
        ("Linnaeus_Train", 80, "Species", 2321, 0, 0),
        ("Linnaeus_Test", 20, "Species", 576, 0, 0),
        ("BioID_Train_revision", 9704, "CellLine", 4137, 1, 1),
        ("BioID_Test_revision", 3993, "CellLine", 1453, 0, 0),
        ("tmVar3_Train", 342, "DNAMutation", 294, 21, 0),
        ("tmVar3_Test", 158, "DNAMutation", 340, 0, 0),
    ],
)
def test_reannotated(
    shared: Path, name: str, blocks: int, type_: str, annotations: int, bad: int, bad_of_type: int
) -> None:
    found, how = real(shared, f"pubtator_reannotated/{name}.PubTator", merge=False)
    problems = how.problems
    assert (len(found), how.read[type_], problems.counts.total()) == (blocks, annotations, bad)
    assert sum(n for (_, of), n in problems.by_type.items() if of == type_) == bad_of_type
    assert sum(len(d.mentions) for d in found) == sum(how.read.values()) - bad
