"""Texts are cut by code points, and marks that overlap in any way cover exactly their own places."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.pages.documents_page import cohort, document, mark, row, write_documents_page

NEAR, MOST_LANES = 160, 6  # as in document_marks.js
LETTERS = st.text(st.sampled_from("ab ,\nä\U0001f9ec\U0001f468‍"), max_size=60)
QUICK = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def page(driver: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    answers = {"cohort": cohort("one"), "rows": [row("d", None)], "documents": {"d": document("", [])}}
    driver.get(write_documents_page(tmp_path_factory.mktemp("marks"), answers).as_uri())
    return driver


@st.composite
def spans(draw: st.DrawFn, length: int) -> list[list[int]]:
    """One piece, or several that do not overlap, in order; a piece may be empty."""
    places = sorted(draw(st.lists(st.integers(0, length), min_size=2, max_size=6).filter(lambda p: len(p) % 2 == 0)))
    return [[places[at], places[at + 1]] for at in range(0, len(places), 2)]


@st.composite
def texts(draw: st.DrawFn) -> dict[str, Any]:
    """A text of which some may be left out, passages, and marks anywhere in it."""
    text = draw(LETTERS) * draw(st.sampled_from([1, 1, 1, 20]))
    cuts = sorted({0, len(text), *draw(st.lists(st.integers(0, len(text)), max_size=4))})
    passages = [[f"kind {at % 2}", start, end - start] for at, (start, end) in enumerate(pairwise(cuts))]
    parts = [[start, text[start:end]] for start, end in pairwise(cuts)]
    kept = draw(st.sampled_from([[[0, text]], parts, parts[::2]]))
    marks = [
        mark(" ".join(text[start:end] for start, end in each), each, []) for each in draw(st.lists(spans(len(text))))
    ]
    return {"length": len(text), "pieces": kept, "passages": passages, "marks": marks, "whole": text}


@QUICK
@given(text=LETTERS, start=st.integers(0, 70), end=st.integers(0, 70))
def test_texts_are_cut_by_code_points(page: Any, text: str, start: int, end: int) -> None:
    script = "const t = codePoints(arguments[0]); return [t.length, t.slice(arguments[1], arguments[2])]"
    assert page.execute_script(script, text, start, end) == [len(text), text[start:end]]


@QUICK
@given(text=LETTERS)
def test_places_of_units_are_those_of_code_points(page: Any, text: str) -> None:
    found = page.execute_script(
        "const t = codePoints(arguments[0]); let unit = 0;"
        "return [...arguments[0]].map((c) => { const place = t.place(unit); unit += c.length; return place; })", text,
    )  # fmt: skip
    assert found == list(range(len(text)))


@QUICK
@given(given=texts())
def test_every_place_is_covered_by_its_marks_and_no_other(page: Any, given: dict[str, Any]) -> None:
    """Compared with a plain count over all places of the text."""
    marks, text = given["marks"], given["whole"]
    lanes, rows, items = page.execute_script(
        "const [given] = arguments; const rows = documentRows(given); const lanes = lanesOf(given.marks);"
        "return [lanes, rows.map(({ kind, stretches }) => [kind, stretches.map(({ start, end }) => [start, end])]),"
        "segmentRows(rows, given.marks, lanes)]", given,
    )  # fmt: skip
    signs: list[tuple[int, int]] = []
    reached = -1
    for (_, stretches), row_items in zip(rows, items, strict=True):
        left = [place for start, end in stretches for place in range(start, end)]
        for item in row_items:
            if item.get("before"):
                continue
            here, left = left[: len(item["text"])], left[len(item["text"]) :]
            assert item["text"] == "".join(text[place] for place in here)
            assert all(place > reached for place in here)
            reached = here[-1] if here else reached
            for place in here:
                covers = {(each["mark"], each["tie"]) for each in item["covers"]}
                assert covers == _covering(marks, place)
            assert [each["lane"] for each in item["covers"]] == sorted(
                (lanes[each["mark"]] for each in item["covers"]), reverse=True
            )
            signs += [(each, reached + 1) for each in item["signs"]]
        assert left == []
    assert sorted(each for each, _ in signs) == (list(range(len(marks))) if items else [])
    for each, place in signs:
        end = marks[each]["spans"][-1][1]
        assert place == end or not any(start <= end - 1 < stop for _, s in rows for start, stop in s)


def _covering(marks: list[dict[str, Any]], place: int) -> set[tuple[int, bool]]:
    found = set()
    for number, each in enumerate(marks):
        for start, end in each["spans"]:
            if start <= place < end:
                found.add((number, False))
        for (_, end), (start, _) in pairwise(each["spans"]):
            if end <= place < start and start - end <= NEAR:
                found.add((number, True))
    return found


@QUICK
@given(given=texts())
def test_the_text_of_every_mark_is_there_even_where_the_rest_is_left_out(page: Any, given: dict[str, Any]) -> None:
    """What is not left out, and the text of marks, is there once."""
    rows = page.execute_script(
        "return documentRows(arguments[0]).map(({ stretches }) => stretches.map(({ start, text, before }) => "
        "[start, text.slice(0), before]))", given,
    )  # fmt: skip
    held = {start + at for start, piece in given["pieces"] for at in range(len(piece))}
    lost = {id(m) for m in given["marks"] if any(set(range(s, e)) - held for s, e in m["spans"])}
    wanted = held.union(*(range(s, e) for m in given["marks"] if id(m) in lost for s, e in m["spans"]))
    shown = [(start + at, letter) for each in rows for start, piece, _ in each for at, letter in enumerate(piece)]
    assert shown == [(place, given["whole"][place]) for place in sorted(wanted)]
    reached = 0
    for start, piece, before in (stretch for each in rows for stretch in each):
        assert before == (start > reached)
        reached = start + len(piece)


@QUICK
@given(given=texts())
def test_marks_that_overlap_are_in_different_lanes(page: Any, given: dict[str, Any]) -> None:
    marks = given["marks"]
    lanes = page.execute_script("return lanesOf(arguments[0])", marks)
    assert all(0 <= lane < MOST_LANES for lane in lanes)
    taken = [_taken(each["spans"]) for each in marks]
    for one in range(len(marks)):
        for other in range(one):
            if lanes[one] == lanes[other] < MOST_LANES - 1:
                assert not any(a < d and c < b for a, b in taken[one] for c, d in taken[other])


def _taken(pieces: list[list[int]]) -> list[list[int]]:
    """The stretches of a mark, near ones joined, without empty ones."""
    found: list[list[int]] = []
    for start, end in pieces:
        if found and start - found[-1][1] <= NEAR:
            found[-1][1] = end
        else:
            found.append([start, end])
    return [[start, end] for start, end in found if end > start]


def test_what_is_inside_is_nearer_to_the_text(page: Any) -> None:
    marks = [mark("", [[0, 30]], []), mark("", [[5, 10]], []), mark("", [[4, 20]], []), mark("", [[25, 40]], [])]
    assert page.execute_script("return lanesOf(arguments[0])", marks) == [2, 0, 1, 0]


def test_the_text_of_a_mark_that_does_not_fit_is_not_invented(page: Any) -> None:
    given = {"length": 50, "pieces": [], "passages": [], "marks": [mark("cut …", [[3, 9], [12, 14]], [])]}
    found = page.execute_script(
        "return documentRows(arguments[0]).map(({ stretches, after }) => [stretches.map(({ start, text }) => "
        "[start, text.slice(0)]), after])", given,
    )  # fmt: skip
    assert found == [[[[3, "░" * 6], [12, "░░"]], True]]


def test_ids_lead_to_their_own_pages(page: Any) -> None:
    asked = ["mesh:D003920", "wikidata:Q30", "cellosaurus:0030", "doid:14330", "own:1", "mesh:x y", "mesh:<b>",
             "constructor:1", "javascript:alert(1)"]  # fmt: skip
    found = page.execute_script("return arguments[0].map((id) => idAddress(id))", asked)
    assert found[:4] == [
        "https://meshb.nlm.nih.gov/record/ui?ui=D003920", "https://www.wikidata.org/wiki/Q30",
        "https://www.cellosaurus.org/CVCL_0030", "https://purl.obolibrary.org/obo/DOID_14330",
    ]  # fmt: skip
    assert found[4:] == [""] * 5
