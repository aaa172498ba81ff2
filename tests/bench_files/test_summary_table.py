"""One table of a bench: splits side by side, failures, published figures beside ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import linkassay
from linkassay.bench_files import summary_table
from linkassay.bench_files.plan_file import read_plan
from linkassay.scoring.disambiguation.measures import Measure
from tests.bench_files.conftest import bench, written


@pytest.mark.usefixtures("no_pictures")
def test_one_table_with_splits_side_by_side(home: Path, tmp_path: Path) -> None:
    file = written(tmp_path, """
        title = "Both"
        [score]
        measures = ["recall@1", "recall@10"]
        protocols = "bioel/basic"
        by = ["zero-shot"]
        [[corpora]]
        name = "mini/gene"
        splits = ["dev", "test"]
        [[linkers]]
        linker = "exact"
        [[linkers]]
        linker = "normalised"
    """)  # fmt: skip
    out = tmp_path / "table.md"
    rows = bench(str(file), "--write", str(out))["rows"]
    title, said, table, data = out.read_text(encoding="utf-8").strip().split("\n\n")
    assert title == "# Both"
    assert re.search(r"`linkassay bench b.toml`, \d{4}-\d\d-\d\d, linkassay \S+, linkers' code [0-9a-f]{12}\. ", said)
    head, _, *cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert head == ["corpus", "kb", "system", "dev recall@1", "test recall@1", "n", "test recall@10",
                    "test recall@1, zero-shot", "published"]  # fmt: skip
    assert [row[2] for row in cells] == ["exact", "normalised"]
    for row in cells:
        for split in ("dev", "test"):
            [found] = [r for r in rows if (r["split"], r["system"], r["slice"]) == (split, row[2], "all")
                       and r["measure"].endswith("@1") and "corpora" not in r["measure"]]  # fmt: skip
            shown = row[head.index(f"{split} recall@1")]
            assert shown == f"{found['value']:.3f} ({found['low']:.3f}–{found['high']:.3f})"
        assert row[head.index("n")] == str(found["n"])
    assert data.startswith("Data: `mini/gene@")


@pytest.mark.usefixtures("no_pictures", "plugins")
def test_a_row_says_how_many_documents_failed(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linkers = '[[linkers]]\nlinker = "stumbling"\n'
    file = written(tmp_path, '[[corpora]]\nname = "mini"\nsplits = ["dev", "test"]\n' + linkers)
    plan, outcome = read_plan(file), linkassay.bench(file)
    corpus = linkassay.corpus("mini")
    hard = [sum(sum(map(ord, d.id)) % 4 == 0 and bool(d.mentions) for d in corpus[s]) for s in ("dev", "test")]
    assert min(hard) > 1
    said = [f"{split}: {n} documents failed" for split, n in zip(("dev", "test"), hard, strict=True)]
    assert [row["system"] for row in summary_table.table(plan, outcome)] == [f"stumbling ({'; '.join(said)})"]
    assert [row["system"] for row in outcome.table()] == [
        f"stumbling ({hard[0]} documents failed)", f"stumbling ({hard[1]} documents failed)",
    ]  # fmt: skip
    about = "edition of the knowledge base that the paper used"
    assert about not in summary_table.summary_page(plan, outcome)  # nothing is published of it
    monkeypatch.setattr(summary_table, "published", lambda *_: "arboEL 0.35 (belb 15)")
    assert about in summary_table.summary_page(plan, outcome)


def test_the_best_published_figures_stand_beside_ours(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Measure.parse("recall(protocol=bioel/basic)@1")
    best = "GenBioEL 0.84 (belb 15), BioSyn 0.81 (belb 15), arboEL 0.8 (belb 15)"
    assert summary_table.published("ncbi_disease", ours) == best
    assert summary_table.published("mini", ours) == ""
    assert summary_table.published("gnormplus", ours) == (
        "arboEL 0.35 (belb 15), GenBioEL 0.2 (belb 15), BioSyn out of memory (belb 15)"
    )
    assert set(re.findall(r"\((\w+) ", summary_table.published("medmentions_st21pv", ours))) == {"belb"}
    assert set(re.findall(r"\((\w+) ", summary_table.published("medmentions_full", ours))) == {"bioel"}  # not of BELB
    assert "belb" not in summary_table.published("ncbi_disease", Measure.parse("recall(protocol=bioel/relaxed)@1"))
    again = {"inputs": {"all": {"sources": [{"file": "SPECIES_Test.PubTator"}]}}}
    monkeypatch.setattr("linkassay.published.literature._made", lambda name: again)
    assert summary_table.published("s800", ours).startswith("not comparable: GenBioEL 0.89 (belb 15), BioSyn 0.83")
