"""Problems: stopped at with a full message, or counted with examples."""

from __future__ import annotations

import json

import pytest

from linkassay.errors import DataError
from linkassay.problems import Fix, Problem, Problems


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("span", "it is wrong"), "it is wrong"),
        (Problem("span", "it is wrong", "a.txt"), "a.txt: it is wrong"),
        (Problem("span", "it is wrong", "a.txt", 3), "a.txt:3: it is wrong"),
        (Problem("span", "it is wrong", "a.txt", 3, "d1"), "a.txt:3: it is wrong; document d1"),
        (Problem("span", "it is wrong", "a.txt", 3, "d1", ((1, 2), (5, 9))),
         "a.txt:3: it is wrong; document d1, span 1-2 5-9"),
        (Problem("offset", "differs", "", 0, "d1", ((1, 2),), "a\n", ""),
         "differs; document d1, span 1-2; found 'a\\n', expected ''"),
        (Problem("offset", "differs", found="x" * 80, expected="y" * 81),
         f"differs; found '{'x' * 80}', expected '{'y' * 79}…'"),
    ],
)  # fmt: skip
def test_message(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_the_first_problem_stops() -> None:
    problems = Problems()
    with pytest.raises(DataError) as error:
        problems.add(Problem("span", "it is wrong", "a.txt", 3))
    assert str(error.value) == "a.txt:3: it is wrong (use --skip-bad to leave such annotations out, counted)"
    assert not problems.counts


def test_skipped_problems_are_counted_and_some_are_kept() -> None:
    problems = Problems(skip=True, keep=2)
    for n in range(5):
        problems.add(Problem("span", f"wrong {n}", type="disease" if n else "gene"))
    problems.add(Problem("offset", "differs", type="gene"))
    assert problems.counts == {"span": 5, "offset": 1}
    assert problems.by_type == {("span", "disease"): 4, ("span", "gene"): 1, ("offset", "gene"): 1}
    assert [p.message for p in problems.examples] == ["wrong 0", "wrong 1", "differs"]


def test_as_data() -> None:
    problems = Problems(skip=True)
    problems.add(Problem("offset", "differs", "a.txt", 3, "d", ((1, 2),), "a", "b", "gene"))
    problems.fixes.append(Fix("d", (4, 5), "x", "typing error", ((4, 6),)))
    assert json.loads(json.dumps(problems.as_dict())) == {
        "counts": {"offset": 1},
        "notes": {},
        "by_type": [{"kind": "offset", "type": "gene", "count": 1}],
        "examples": [{"kind": "offset", "message": "differs", "file": "a.txt", "line": 3, "document": "d",
                      "spans": [[1, 2]], "found": "a", "expected": "b", "type": "gene"}],
        "fixes": [{"document": "d", "span": [4, 5], "text": "x", "why": "typing error"}],
    }  # fmt: skip


def test_notes_are_counted_and_never_raised() -> None:
    problems = Problems(skip=False, keep=2)
    for number in range(3):
        problems.note(Problem("stray label", f"label {number}", document="d"))
    assert (problems.counts, problems.notes) == ({}, {"stray label": 3})
    assert [p.message for p in problems.examples] == ["label 0", "label 1"]


def test_collectors_do_not_share_what_they_collect() -> None:
    Problems(skip=True).add(Problem("span", "x"))
    assert not Problems(skip=True).counts


def test_problems_counted_apart_are_added_as_one_by_one() -> None:
    found = [Problem(kind, str(n), type=f"t{n % 2}") for n, kind in enumerate("aabbbabaab")]
    together, first, later = (Problems(skip=True, keep=3) for _ in range(3))
    for at, problem in enumerate(found):
        together.add(problem)
        (first if at < 4 else later).add(problem)
    first.extend(later)
    assert first.as_dict() == together.as_dict()
