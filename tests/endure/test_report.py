"""The page says what was tried, and what failed."""

from __future__ import annotations

import re
from pathlib import Path

from endure.__main__ import PARTS
from endure.cases import Result

from endure import report
from tests.conftest import ROOT


def test_the_page() -> None:
    result = Result()
    result.tried.update({"documents": 1200, "archives": 34})
    result.failed("zip/0/7", "KeyError at files.py:1: x")
    result.used(1.26, 123_000_000)
    text = report.page({"fuzz": report.record(result, 7, 61.2)}, PARTS)
    assert (
        "**1,234** mutated inputs; **1** not as promised. The longest took 1.3 s, the largest process 123 MB." in text
    )
    assert "| archives | 34 |\n| documents | 1,200 |" in text
    assert "- `zip/0/7`: KeyError at files.py:1: x\n" in text
    assert "## kills" not in text
    assert "1,234 mutated inputs, 1 failed" in report.line("fuzz", PARTS["fuzz"], result, 61.2)


def test_the_last_result_is_in_the_docs() -> None:
    """Every part, with as many tries as are asked for."""
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\w+)$", page, re.M)[: len(PARTS)] == list(PARTS)
    for name, part in PARTS.items():
        assert part.PROMISE in page, name
    assert Path(ROOT / "SECURITY.md").exists()
