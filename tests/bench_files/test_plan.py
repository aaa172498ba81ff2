"""The cells of a plan, and those that are chosen of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkassay.bench_files.plan import chosen_cells
from linkassay.bench_files.plan_file import read_plan
from linkassay.errors import UsageError
from tests.bench_files.conftest import written


def test_cells_and_restrictions(home: Path, tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, """
        [[corpora]]
        name = "mini"
        splits = ["dev", "test"]
        [[corpora]]
        name = "mini/disease"
        linkers = ["exact"]
        [[linkers]]
        linker = "exact"
        [[linkers]]
        linker = "tfidf"
        [[linkers]]
        linker = "house"
        corpora = ["mini/disease"]
        [[imports]]
        format = "native"
        files = "mine.jsonl"
        corpus = "mini"
        system = "mine"
    """))  # fmt: skip
    whole = ["mini dev × exact", "mini dev × tfidf", "mini test × exact", "mini test × tfidf", "mini test × mine",
             "mini/disease test × exact"]  # fmt: skip
    assert [str(cell) for cell in plan.cells()] == whole
    assert plan.imports[0].files == (tmp_path / "mine.jsonl",)  # relative to the file, wherever one stands
    assert [str(cell) for cell in chosen_cells(plan, ["exact", "mini", "mine"])] == [whole[0], whole[2], whole[4]]
    assert [str(cell) for cell in chosen_cells(plan, ["dev"])] == whole[:2]
    with pytest.raises(UsageError, match=r"--only exakt.*did you mean 'exact'"):
        chosen_cells(plan, ["exakt"])
    with pytest.raises(UsageError, match="no cell of all of these"):
        chosen_cells(plan, ["mine", "dev"])
