"""The verb `check`: what is wrong is said with its place, and is exit code 1."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import PUBTATOR


def test_check_of_a_broken_file_exits_1_and_says_where(linkassay, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.txt").write_text(PUBTATOR.replace("0\t4", "1\t5"), encoding="utf-8")
    done = linkassay("check", "a.txt")
    assert done.returncode == 1
    assert "a.txt:3 document 1 1-5 the text at the span differs" in done.stdout
    assert "found 'out ', expected 'Gout'" in done.stdout
    result = json.loads(linkassay("check", "a.txt", "--json").stdout)
    assert (result["ok"], result["problems"]["counts"]) == (False, {"offset": 1})


def test_check_of_predictions(linkassay, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.txt").write_text(PUBTATOR, encoding="utf-8")
    linkassay("get", "--format", "pubtator", "a.txt", "--name", "mine", "--kb", "mesh")
    good = {"document": "1", "spans": [[0, 4]], "mention": "1:0-4:Disease", "candidates": [["mesh:D006073"]]}
    file = tmp_path / "p.jsonl"
    file.write_text(json.dumps(good) + "\n")
    assert linkassay("check", "p.jsonl", "--corpus", "mine").returncode == 0
    bad = [good, good, good | {"document": "9"}, good | {"mention": "x"}, good | {"spans": [[0, 400]], "mention": ""}]
    file.write_text("".join(json.dumps(b) + "\n" for b in bad))
    done = linkassay("check", "p.jsonl", "--corpus", "mine", "--json")
    assert done.returncode == 1
    counts = json.loads(done.stdout)["problems"]["counts"]
    assert counts == {"document": 1, "duplicate": 1, "span": 1}
    file.write_text("".join(json.dumps(b) + "\n" for b in (good | {"scores": ["high"]}, good | {"type": 1}, good)))
    result = json.loads(linkassay("check", "p.jsonl", "--corpus", "mine", "--json").stdout)
    assert result["problems"]["counts"] == {"row": 2}  # one bad line does not hide the next
    assert [(p["file"], p["line"]) for p in result["problems"]["examples"]] == [("p.jsonl", 1), ("p.jsonl", 2)]
    assert [result[key] for key in ("predictions", "mentions", "covered")] == [1, 1, 1]
