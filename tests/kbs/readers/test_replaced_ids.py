"""Replaced ids as BELB lists them: read, kept within a knowledge base, and what is wrong and where."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkassay
from linkassay.kbs.readers.replaced_ids import read_replaced
from tests.helpers import raw
from tests.kb_helpers import Read, message

FILE = "bc5cdr/notinkb_identifiers_history.yaml"
LINES = """
# what became of them
'MESH:C000001' : 'MESH:D000002'
"MESH:C000003": 'MESH:D000004'  # or D000009
'MESH:C000005' : 'OMIM:100050'
'OMIM:100060' : 'OMIM:100070'
"""


def test_pairs_and_remarks() -> None:
    first = [("mesh:C000001", "mesh:D000002"), ("mesh:C000003", "mesh:D000004")]
    assert Read(read_replaced, raw(FILE, LINES), {"prefix": "mesh"}).history == first
    others = [("mesh:C000005", "omim:100050"), ("omim:100060", "omim:100070")]
    assert Read(read_replaced, raw(FILE, LINES)).history == [*first, *others]


@pytest.mark.parametrize("line", ["MESH:C1", "'MESH:C1' : ", "'MESH:C1' 'MESH:D1'", "'A:1' : 'A:2' x", "'' : ''"])
def test_anything_else_is_said_with_its_line(line: str) -> None:
    said = message(read_replaced, raw(FILE, f"'MESH:C1' : 'MESH:D1'\n{line}\n"))
    assert "expected: 'OLD:ID' : 'NEW:ID'" in said
    assert f"{FILE}:2" in said


def test_mesh_leads_from_replaced_ids_to_current_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "home"))
    for corpus, line in (("one", "'MESH:C1' : 'MESH:D000002'"), ("two", "'MESH:D000002' : 'MESH:D000004'")):
        (tmp_path / "raw" / corpus).mkdir(parents=True)
        (tmp_path / "raw" / corpus / "notinkb_identifiers_history.yaml").write_text(line)
    (tmp_path / "raw" / "mesh_id_label_mappings.tsv").write_text("D000002\tAspirin\nD000004\tIbuprofen\n")
    linkassay.get("mesh", raw=tmp_path / "raw")
    kb = linkassay.kb("mesh")
    # One of BELB's lines changes an id that lives on, an error of the corpus: to MeSH that is current.
    assert kb.current("mesh:C1") == ("mesh:D000002",)
    assert kb.current("mesh:D000002") == ("mesh:D000002",)
