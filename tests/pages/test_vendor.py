"""What is vendored is what its page says, runs where nothing may be evaluated, and names no place it came from."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

import linkassay
from tests.conftest import ROOT

VEGA = Path(linkassay.__file__).parent / "pages" / "vendor"
AXE = ROOT / "tests" / "vendor"


@pytest.mark.parametrize("file", [VEGA / "vega.min.js", AXE / "axe.min.js"], ids=lambda file: file.name)
def test_the_page_beside_it_has_its_checksum_and_licence(file: Path) -> None:
    page = (file.parent / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"sha256: `(\w{64})`", page) == [hashlib.sha256(file.read_bytes()).hexdigest()]
    assert f"size: {file.stat().st_size:,} bytes" in page
    assert re.search(r"redistribut", page, re.I) or "Mozilla Public License" in page


def test_vega_is_small_and_stays_inside_its_element() -> None:
    text = (VEGA / "vega.min.js").read_text(encoding="utf-8")
    assert len(text) < 600_000
    assert not re.search(r"</script|<!--|eval\(|sourceMappingURL", text)
    known = ("www.w3.org", "vega.github.io", "github.com")
    assert set(re.findall(r"https?://([\w.-]+)", text)) <= set(known)


def test_the_tool_that_makes_it_names_the_versions_of_its_page() -> None:
    tool = (ROOT / "tools" / "vendor_vega.py").read_text(encoding="utf-8")
    packages = dict(re.findall(r'"([a-z0-9-]+)": "(\d+\.\d+\.\d+)"', tool))
    page = (VEGA / "README.md").read_text(encoding="utf-8")
    assert dict(re.findall(r"^\| ([a-z0-9-]+) \| ([\d.]+) \|", page, re.M)) == packages
    assert not re.search(r"https?://|registry\.", tool)
