"""The simulation of intervals counts what it says, sees a wrong interval, and writes its table into a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import coverage
from linkassay.scoring.statistics.intervals import Estimate


@pytest.mark.parametrize("setting", coverage.SETTINGS, ids=lambda each: each.name)
def test_every_setting_holds_with_few_documents(setting: coverage.Setting) -> None:
    found = coverage.measured(setting, 25, 60)
    assert 0.8 <= found["ours"] <= 1  # 60 sets: 0.95 give or take five standard errors
    assert all(0 <= found[name] <= 1 for name in coverage.COLUMNS[5:] if name in found)


def test_a_wrong_interval_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = coverage.SETTINGS[0]
    monkeypatch.setattr(coverage, "ratios", lambda tables, pairs: [Estimate(0.5, 0.76, 0.8, 25)] * len(pairs))
    found = coverage.measured(setting, 25, 20)
    assert (found["ours"], found["held"]) == (0, False)
    assert coverage.cells(found)[4] == "NO"


def test_what_is_wanted() -> None:
    share, near, macro = (coverage.SETTINGS[at] for at in (0, 4, 11))
    assert [share.wanted(n) for n in coverage.DOCUMENTS] == [(0.93, 0.97), (0.94, 0.96), (0.94, 0.96)]
    assert [near.wanted(n) for n in coverage.DOCUMENTS] == [(0.93, 0.97)] * 3
    assert [macro.wanted(n) for n in coverage.DOCUMENTS] == [(0.93, 1.0)] * 3
    assert coverage.SETTINGS[-1].wanted(25) is None


def test_the_table_goes_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- coverage -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
    found = [coverage.measured(coverage.SETTINGS[0], 25, 20)]
    coverage.write(page, coverage.markdown(found, 20))
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- coverage -->\n20 sets")
    assert text.endswith("|\n<!-- end -->\nafter\n")
    assert "| share, documents of one size | 25 |" in text
    page.write_text("nothing\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="no place for the table"):
        coverage.write(page, "")


def test_the_page_has_every_setting_and_each_holds() -> None:
    lines = (coverage.ROOT / "docs" / "intervals.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| ")][1:]
    assert [row[:2] for row in rows] == [[s.name, str(n)] for s in coverage.SETTINGS for n in coverage.DOCUMENTS]
    assert {row[4] for row in rows if row[3]} == {"yes"}
