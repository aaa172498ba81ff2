"""Abbreviations written out in the text (ABBR-4): by hand, against an obvious reference, by the command line, real."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.corpora.preparation import Preparation, expanded
from linkassay.model import Document, Hyperlink, Mention, Passage, Span, join_text
from tests.corpora.catalog.test_real import load
from tests.corpora.catalog.test_real_cli import run as command


def document(text: str, *spans: tuple[Span, ...], **about: object) -> Document:
    annotations = tuple(
        Mention(f"d:{n}", "d", s, join_text(text, s), "disease", (frozenset({f"mesh:{n}"}),))
        for n, s in enumerate(spans)
    )
    return Document("d", text, (Passage("title", 0, text),), annotations, **about)  # type: ignore[arg-type]


PAIRS = {"CF": "cystic fibrosis", "CFS": "CF syndrome", "S": "stroke"}


def texts(found: Document) -> list[str]:
    return [m.text for m in found.annotations]


def test_everything_moves_along() -> None:
    found = expanded(
        document("CF and (CF) in CF-like S.", ((0, 2),), ((8, 10),), ((23, 24),),
                 evaluation_spans=((0, 10), (15, 25)), hyperlinks=(Hyperlink((8, 10), "x"),), title="CF"), PAIRS
    )  # fmt: skip
    assert found.text == "cystic fibrosis and (cystic fibrosis) in CF-like stroke."  # CF of "CF-like" is no mention
    assert [found.text[slice(*m.spans[0])] for m in found.annotations] == texts(found)
    assert texts(found) == ["cystic fibrosis", "cystic fibrosis", "stroke"]
    assert found.passages == (Passage("title", 0, found.text),)
    assert [found.text[a:b] for a, b in found.evaluation_spans or ()] == [
        "cystic fibrosis and (cystic fibrosis", "CF-like stroke."
    ]  # fmt: skip
    assert found.hyperlinks == (Hyperlink(found.annotations[1].spans[0], "x"),)
    assert found.title == "CF"


def test_a_definition_reads_its_long_form_twice() -> None:
    found = expanded(document("cystic fibrosis (CF)", ((0, 15),), ((17, 19),)), PAIRS)
    assert found.text == "cystic fibrosis (cystic fibrosis)"


def test_what_holds_a_mention_grows_with_it() -> None:
    found = expanded(document("CF gene", ((0, 7),), ((0, 2),)), PAIRS)
    assert texts(found) == ["cystic fibrosis gene", "cystic fibrosis"]


def test_two_on_one_span_are_written_out_once() -> None:
    found = expanded(document("no CF", ((3, 5),), ((3, 5),)), PAIRS)
    assert (found.text, texts(found)) == ("no cystic fibrosis", ["cystic fibrosis"] * 2)


def test_of_nested_short_forms_the_innermost_is_written_out() -> None:
    found = expanded(document("CFS", ((0, 3),), ((0, 2),)), PAIRS)
    assert texts(found) == ["cystic fibrosisS", "cystic fibrosis"]


def test_of_overlapping_short_forms_none_is_written_out() -> None:
    found = document("ABC", ((0, 2),), ((1, 3),))
    assert expanded(found, {"AB": "alpha beta", "BC": "beta gamma"}) == found


def test_a_mention_of_several_pieces_is_left_and_moves() -> None:
    found = expanded(document("C CF F", ((0, 1), (5, 6)), ((2, 4),)), PAIRS | {"C F": "cystic fibrosis"})
    assert texts(found) == ["C F", "cystic fibrosis"]
    assert found.annotations[0].spans == ((0, 1), (18, 19))


def test_without_text_the_places_stay_those_of_the_source() -> None:
    mention = Mention("d:0", "d", ((40, 42),), "CF", "disease")
    nowhere = replace(mention, id="d:1", spans=())
    found = expanded(Document("d", "", annotations=(mention, nowhere)), PAIRS)
    assert found.annotations == tuple(replace(m, text="cystic fibrosis") for m in (mention, nowhere))


# ---------------------------------------------------------------- any document


@st.composite
def cases(draw: st.DrawFn) -> tuple[Document, dict[str, str]]:
    text = draw(st.text("AB c", min_size=1, max_size=14))
    places = st.integers(0, len(text))

    def spans(pieces: int) -> tuple[Span, ...]:
        cuts = sorted(draw(st.sets(places, min_size=2, max_size=2 * pieces)))
        return tuple(zip(cuts[::2], cuts[1::2]))

    cut = draw(places)
    found = document(text, *(spans(2) for _ in range(draw(st.integers(0, 5)))))
    found = replace(
        found, passages=(Passage("a", 0, text[:cut]), Passage("b", cut, text[cut:])),
        evaluation_spans=draw(st.none() | st.just(spans(2))),
        hyperlinks=tuple(Hyperlink(span, "x") for span in spans(1) if draw(st.booleans())),
    )  # fmt: skip
    shorts = st.sampled_from(["A", "B", "AB", *texts(found)])
    return found, draw(st.dictionaries(shorts, st.text("ABxy ", min_size=1, max_size=6), max_size=4))


def reference(found: Document, pairs: dict[str, str]) -> Document:
    """Cell by cell: a long form stands in the first cell of its mention, the other cells are empty."""
    spans = [
        *(span for m in found.annotations for span in m.spans), *(found.evaluation_spans or ()),
        *((p.offset, p.offset + len(p.text)) for p in found.passages), *(h.span for h in found.hyperlinks),
    ]  # fmt: skip
    cells = list(found.text)
    for mention in found.annotations:
        start, end = mention.spans[0]
        cut = any(start < place < end for span in spans for place in span)
        if mention.text in pairs and len(mention.spans) == 1 and not cut:
            cells[start:end] = [pairs[mention.text], *[""] * (end - start - 1)]

    def moved(span: Span) -> Span:
        return len("".join(cells[: span[0]])), len("".join(cells[: span[1]]))

    annotations = []
    for mention in found.annotations:
        pieces = ["".join(cells[a:b]) for a, b in mention.spans]
        annotations.append(replace(mention, spans=tuple(map(moved, mention.spans)), text=" ".join(pieces)))
    ends = [(p, p.offset + len(p.text)) for p in found.passages]
    return replace(
        found, text="".join(cells), annotations=tuple(annotations),
        passages=tuple(Passage(p.kind, moved((p.offset, e))[0], "".join(cells[p.offset : e])) for p, e in ends),
        evaluation_spans=found.evaluation_spans and tuple(map(moved, found.evaluation_spans)),
        hyperlinks=tuple(replace(h, span=moved(h.span)) for h in found.hyperlinks),
    )  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(cases())
@example((document("AB", ((0, 1),), ((1, 2),)), {"A": "xx", "B": "y"}))  # neighbours
@example((document("ABc", ((0, 3),), ((0, 2),)), {"AB": "x", "ABc": "xc"}))  # the outer one reads so by the inner one
def test_any_document_as_the_reference_has_it(case: tuple[Document, dict[str, str]]) -> None:
    found, pairs = case
    assert expanded(found, pairs) == reference(found, pairs)


@settings(max_examples=400, deadline=None)
@given(cases())
def test_nothing_is_lost(case: tuple[Document, dict[str, str]]) -> None:
    """Texts stand at their places, ids and gold stay, and what was put in can be taken out again."""
    found, pairs = case
    view = expanded(found, pairs)
    assert [join_text(view.text, m.spans) for m in view.annotations] == texts(view)
    assert all(view.text[p.offset :].startswith(p.text) for p in view.passages)
    old = {m.id: m for m in found.annotations}
    assert [replace(m, spans=old[m.id].spans, text=old[m.id].text) for m in view.annotations] == [*old.values()]
    changed = {m.spans[0]: old[m.id].text for m in view.annotations
               if len(m.spans) == 1 and m.text != old[m.id].text}  # fmt: skip
    inner = {a for a in changed if not any(a != b and a[0] <= b[0] and b[1] <= a[1] for b in changed)}
    text = view.text
    for start, end in sorted(inner, reverse=True):
        text = text[:start] + changed[start, end] + text[end:]
    assert text == found.text


# ---------------------------------------------------------------- as a corpus


Get = Callable[..., dict[str, Any]]
ONE = """1|t|Cystic fibrosis (CF) runs in families.
1|a|Those with CF were seen. Two had a CF gene.
1\t0\t15\tCystic fibrosis\tDisease\tD003550
1\t17\t19\tCF\tDisease\tD003550
1\t50\t52\tCF\tDisease\tD003550
1\t74\t81\tCF gene\tDisease\tD003550
"""


@pytest.fixture
def get(home: Path, tmp_path: Path) -> Get:
    (tmp_path / "one.txt").write_text(ONE, encoding="utf-8")
    own = ("get", "--format", "pubtator", tmp_path / "one.txt", "--name", "mine", "--kb", "mesh", "--replace")
    return lambda *options: command(*own, *options)[0]


def test_get_with_abbreviations(get: Get) -> None:
    plain, ids = get(), [m.id for d in linkassay.corpus("mine") for m in d.mentions]
    got = get("--abbreviations", "schwartz-hearst")
    assert got["revision"] != plain["revision"] == get("--abbreviations", "none")["revision"]
    assert got["reports"]["test"]["prepared"] == {
        "abbreviated mentions left as they are": 0, "mentions written out": 2
    }  # fmt: skip
    get("--abbreviations", "schwartz-hearst")
    [found] = linkassay.corpus("mine")
    assert [m.id for m in found.mentions] == ids
    assert [found.text[m.start : m.end] for m in found.mentions] == [*["Cystic fibrosis"] * 3, "CF gene"]
    assert command("info", "mine")["inputs"]["test"]["options"]["abbreviations"] == "schwartz-hearst"


def test_sentences_know_what_their_document_defines(get: Get) -> None:
    get("--abbreviations", "schwartz-hearst", "--sentences")
    second = list(linkassay.corpus("mine"))[1]
    assert second.text == "Those with Cystic fibrosis were seen."
    assert [m.text for m in second.mentions] == ["Cystic fibrosis"]


def test_a_file_is_recorded_by_its_contents(get: Get, tmp_path: Path) -> None:
    pairs = json.dumps({"1": {"CF": "carbon fibre"}})
    (tmp_path / "a.json").write_text(pairs)
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(pairs.encode()))
    (tmp_path / "c.json").write_text(pairs.replace("fibre", "fibres"))
    revisions = [get("--abbreviations", tmp_path / name)["revision"] for name in ("a.json", "b.json.gz", "c.json")]
    assert revisions[0] == revisions[1] != revisions[2]
    [found] = linkassay.corpus("mine")
    assert [m.text for m in found.mentions] == ["Cystic fibrosis", "carbon fibres", "carbon fibres", "CF gene"]
    recorded = command("info", "mine")["inputs"]["test"]["options"]["abbreviations"]
    assert recorded.startswith("file ")
    assert str(tmp_path) not in recorded


def test_ab3p_is_recorded_with_its_version() -> None:
    pytest.importorskip("pyab3p")
    assert str(Preparation(abbreviations="ab3p").options()["abbreviations"]).startswith("ab3p (pyab3p ")


def test_ncbi_disease_written_out(shared: Path) -> None:
    """Our own rules, and BioEL's pairs."""
    found, _ = load("ncbi_disease", shared / "corpora" / "ncbi_disease")
    for source, written in (
        ("schwartz-hearst", 1648),
        (shared / "corpora" / "abbreviations" / "abbreviations.json.gz", 1611),
    ):
        prepare = Preparation(abbreviations=str(source))
        view = [document for _, document in prepare.apply(found)]
        assert prepare.counts == {"mentions written out": written, "abbreviated mentions left as they are": 0}
        for (_, before), after in zip(found, view, strict=True):
            assert [(m.id, m.gold) for m in after.annotations] == [(m.id, m.gold) for m in before.annotations]
            assert [join_text(after.text, m.spans) for m in after.annotations] == texts(after)
            assert all(after.text[p.offset :].startswith(p.text) for p in after.passages)
