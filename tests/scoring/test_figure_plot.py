"""Results, scores and comparisons draw their figures, and show themselves in a notebook, escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import linkassay
from linkassay.errors import UsageError
from linkassay.scoring.disambiguation import compare_runs
from linkassay.scoring.results import Result

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def result() -> Result:
    gold = [{"mention": n, "document": n, "type": EVIL, "ids": ["x"]} for n in range(4)]
    scores = [linkassay.evaluate(gold, [{"mention": n, "rank": 1, "id": i} for n, i in enumerate(ids)],
                                 ["recall@1", "mrr"], by=["type"], system=system).scores[0]
              for system, ids in ((EVIL, "xxxy"), ("other", "xxyy"))]  # fmt: skip
    return Result(scores)


def words(drawing: Any) -> str:
    return " ".join(ElementTree.fromstring(drawing.svg).itertext())


def test_a_result_draws_every_figure(result: Result) -> None:
    said = words(result.plot())
    for each in ("recall@1 · all", f"mrr · type={EVIL}", "●  <script>", "■  other", "75.0"):
        assert each in said
    one = words(result.plot("recall@1"))
    assert "recall@1, %" in one
    assert "mrr" not in one
    with pytest.raises(UsageError, match="no figure of 'recal' to plot; there are: recall@1, mrr"):
        result.plot("recal")


def test_a_score_and_a_comparison_draw_theirs(result: Result) -> None:
    assert "■" not in words(result.scores[0].plot())
    said = words(compare_runs(result.scores).plot())
    assert "→ other" in said
    assert "difference in recall@1, points" in said


def test_things_show_themselves_in_a_notebook(home: Path, result: Result) -> None:
    comparison = compare_runs(result.scores)
    for thing in (result, result.scores[0], comparison):
        html = thing._repr_html_()
        ElementTree.fromstring(html)
        assert "<script>" not in html
        assert "&lt;script&gt;" in html
    assert str(comparison).count("other") >= 2
    run = linkassay.link("exact", "mini")
    for thing, said in ((run, "mini test"), (linkassay.corpus("mini"), "<td>343</td>"),
                        (linkassay.kb("mini"), "<td>5772</td>")):  # fmt: skip
        html = thing._repr_html_()
        ElementTree.fromstring(html)
        assert said in html
    given = result.scores[0].run
    assert "<script>" not in given._repr_html_()
