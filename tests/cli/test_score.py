"""`score` and `compare` as a person uses them: rows, tables, counts, and one message for what cannot be."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from endure.killing import sweep
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app, main, terminal
from linkassay.errors import DataError, UsageError
from linkassay.scoring.disambiguation.scored_mentions import id_list
from tests.scoring_helpers import corpus, run_of
from tests.test_kill import assert_survives

KEYS = ["run", "corpus", "system", "measure", "slice", "value", "n", "low", "high"]
EXTRAS = {"tie_sd", "difference", "difference_low", "difference_high", "p", "p_holm", "note", "key"}


@pytest.fixture
def home(mini: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LINKASSAY_HOME", str(mini))
    return mini


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def rows(*arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(said("score", *arguments, "--json"))["rows"]
    return found


def test_json_has_the_keys_that_are_promised(home: Path) -> None:
    measures = "recall@1,recall(protocol=belb/strict)@1,mrr,recall(average=entities)@1"
    found = rows(
        "mini/exact",
        "mini/tfidf",
        "--measures",
        measures,
        "--by",
        "type,zero-shot,abbreviation",
        "--set",
        "novel-unique",
    )
    for row in found:
        assert list(row)[: len(KEYS)] == KEYS
        assert set(row) - set(KEYS) <= EXTRAS
        assert (row["low"] is None and row["high"] is None) or row["low"] <= row["value"] <= row["high"]
    slices = [row["slice"] for row in found if (row["system"], row["measure"]) == ("exact", "mrr(set=novel-unique)")]
    assert slices[0] == "all"
    assert slices[-2:] == ["zero-shot", "abbreviation"]
    assert sum(s.startswith("type=") for s in slices) == 6
    tested = [row for row in found if row.get("p") is not None]
    assert tested
    assert all(row["p"] <= row["p_holm"] <= 1 for row in tested)
    whole = [row for row in found if "p" not in row]
    assert all(row["slice"] == "all" or "average" in row["measure"] for row in whole)


def test_several_sets_are_rows_of_one_score(home: Path) -> None:
    found = rows("mini/exact", "--measures", "recall@1,coverage(set=novel)", "--set", "global,novel,global")
    assert [row["measure"] for row in found] == ["recall@1", "coverage(set=novel)", "recall(set=novel)@1"]
    [both] = [r for r in rows("mini/exact", "--measures", "recall(average=corpora)@1", "--set", "global,novel")
              if r["corpus"] == "mean of 1" and "novel" in r["measure"]]  # fmt: skip
    assert both["value"] == found[2]["value"]


def test_the_mean_over_corpora(home: Path, tmp_path: Path) -> None:
    right: Any = [["t:1"]]
    for name, answers in (("one", [right, right, None, right]), ("two", [right, None])):
        documents = {f"d{n}": [("x", "t:1"), ("y", "t:1")] for n in range(len(answers) // 2)}
        run_of(corpus(tmp_path, name, {"test": documents}), answers, system="s")
    found = rows("one/s", "two/s", "--measures", "recall(average=corpora)@1")
    assert [(r["corpus"], r["value"], r["n"]) for r in found] == [
        ("one", 0.75, 4),
        ("two", 0.5, 2),
        ("mean of 2", 0.625, 6),
    ]


def test_counts_beside_the_run_sum_to_the_figures(home: Path) -> None:
    found = rows("mini/exact", "mini/exact", "--measures", "recall@1,mrr", "--by", "type,type")
    path = linkassay.run("mini/exact").path / "counts.parquet"
    counts = pq.read_table(path).to_pylist()
    assert {row["system"] for row in found} == {"exact"}
    assert len({(r["measure"], r["slice"]) for r in found}) == len(found)
    for row in found:
        mine = [c for c in counts if (c["measure"], c["slice"]) == (row["measure"], row["slice"])]
        assert len({c["document"] for c in mine}) == len(mine)
        assert sum(c["n"] for c in mine) == row["n"]
        assert sum(c["total"] for c in mine) / row["n"] == pytest.approx(row["value"])
        assert {(c["run"], c["corpus"], c["system"], c["split"]) for c in mine} == {
            (path.parent.name, "mini", "exact", "test")
        }


def test_tables(home: Path) -> None:
    arguments = ("score", "mini/exact", "--measures", "recall@1", "--by", "zero-shot")
    shown = said(*arguments)
    assert "difference" in shown.splitlines()[1]  # of a slice to all mentions, with its test
    assert "p (Holm)" in shown.splitlines()[1]
    assert "not scored: 9 without a gold id" in shown
    assert "Holm over these 1" in shown
    [whole, zero_shot] = rows(*arguments[1:])
    tsv = [line.split("\t") for line in said(*arguments, "--format", "tsv").splitlines()]
    assert tsv[0][: len(KEYS)] == KEYS
    assert [float(line[tsv[0].index("value")]) for line in tsv[1:]] == [
        round(r["value"], 4) for r in (whole, zero_shot)
    ]
    markdown = said(*arguments, "--format", "md").splitlines()
    assert markdown[0].startswith("| run | corpus |")
    assert len(markdown) == 4
    assert {line.count("|") for line in markdown} == {markdown[0].count("|")}
    latex = said(*arguments, "--format", "latex")
    assert latex.startswith(r"\begin{tabular}{")
    assert latex.splitlines()[1::2][:2] == [r"\toprule", r"\midrule"]
    assert r"difference\_low" in latex
    assert said(*arguments, "--format", "plain").split()[:3] == ["run", "corpus", "system"]


def test_a_slice_without_a_mention_of_the_set_is_shown_as_none(home: Path, tmp_path: Path) -> None:
    train, test = {"a": [("gout", "t:1")]}, {"d1": [("gout", "t:1"), ("rash", "t:2")], "d2": [("rash", "t:2")]}
    run_of(corpus(tmp_path, "seen", {"train": train, "test": test}), [None] * 3, system="s")
    arguments = ("seen/s", "--measures", "recall(set=novel)@1", "--by", "train-pair-match")
    [_, empty] = rows(*arguments)
    assert (empty["value"], empty["n"], empty["low"], empty["difference"]) == (None, 0, None, None)
    for further in ([], ["--preset", "bioel"], ["--format", "md"]):
        assert "train-pair-match" in said("score", *arguments, *further)


def test_the_tests_of_bioel(home: Path) -> None:
    found = rows(
        "mini/exact",
        "mini/tfidf",
        "--measures",
        "recall(protocol=belb/lenient)@1",
        "--by",
        "zero-shot",
        "--preset",
        "bioel",
    )
    for whole, part in (found[:2], found[2:]):
        p = whole["value"]
        assert part["z"] == pytest.approx((part["value"] - p) / (p * (1 - p) / part["n"]) ** 0.5)
        from math import erfc

        assert part["p"] == pytest.approx(min(1, 2 * erfc(abs(part["z"]) / 2**0.5)))  # two systems


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "mini/exat"], "no run 'mini/exat'; did you mean 'mini/exact'"),
        (
            ["score", "mini/exact", "--measures", "recal@1"],
            "unknown measure 'recal' in 'recal@1'; did you mean 'recall'",
        ),
        (["score", "mini/exact", "--by", "zero-shoot"], "unknown slice 'zero-shoot'; did you mean 'zero-shot'?"),
        (["score", "mini/exact", "--by", "x: lenght < 3"], "slice 'x: lenght < 3': Binder Error"),
        (["score", "mini/exact", "--set", "novl"], "unknown set 'novl'; did you mean 'novel'?"),
        (
            ["score", "mini/exact", "--protocol", "belb/stric"],
            "unknown protocol 'belb/stric'; did you mean 'belb/strict'",
        ),
        (
            ["score", "mini/exact", "--scope", "recognized(mini/exact)"],
            "unknown scope 'recognized(mini/exact)'; a scope",
        ),
        (["score", "mini/exact", "--scope", "recognised(mini/exat)"], "no run 'mini/exat'; did you mean 'mini/exact'"),
        (["score", "mini/exact", "--format", "tvs"], "unknown table format 'tvs'; did you mean 'tsv'?"),
        (["score", "mini/exact", "--preset", "bio"], "--preset is one of bioel, not 'bio'"),
        (["score", "mini/exact", "--exclude-ids", "D001405"], "excluded ids need a prefix, such as mesh:D001405"),
        (["score", "mini/exact", "--abbreviations", "nowhere.json"], ""),
    ],
)
def test_bad_requests_exit_2_with_a_message(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setattr("sys.argv", ["linkassay", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {message}")
    assert "Traceback" not in said


def test_excluded_ids_from_a_file_or_a_long_list(home: Path, tmp_path: Path) -> None:
    many = [f"mesh:D{number:06d}" for number in range(1_000)]
    file = tmp_path / "ids.txt"
    file.write_text("\ufeff" + "\n".join(many), encoding="utf-8")
    assert id_list(str(file)) == id_list(",".join(many)) == frozenset(many)
    file.write_bytes(bytes(range(256)))
    with pytest.raises(DataError, match=r"ids.txt:2: not utf-8 text"):
        id_list(str(file))
    with pytest.raises(UsageError, match=r"neither such an id nor a file: nowhere.txt"):
        id_list("nowhere.txt")


def test_a_terminal_without_the_characters_shows_the_rest(home: Path) -> None:
    program = [sys.executable, "-c", "from linkassay.cli import main; main()", "score", "mini/exact"]
    done = subprocess.run(program, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u2013" in done.stdout


def test_json_is_json_on_any_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", errors="backslashreplace"))
    terminal.print_json({"text": "é 😀"})
    sys.stdout.flush()
    assert json.loads(written.getvalue()) == {"text": "é 😀"}


# ---- folders elsewhere


@pytest.fixture
def alike(home: Path, tmp_path: Path) -> list[str]:
    """Two runs on one corpus in folders of the same name."""
    found = []
    for name in ("exact", "tfidf"):
        folder = tmp_path / name / "run"
        shutil.copytree(linkassay.link(name, "mini").path, folder)
        found.append(str(folder))
    return found


def test_runs_in_folders_of_one_name_are_told_apart(alike: list[str]) -> None:
    def tested(*names: str) -> list[tuple[Any, ...]]:
        found = rows(*names, "--by", "type", "--preset", "bioel", "--resamples", "100")
        assert len({row["key"] for row in found}) == len(found)
        return [tuple(row.get(name) for name in ("run", "system", "slice", "value", "z")) for row in found]

    found = tested(*alike)
    assert sorted(found, key=str) == sorted(tested(alike[0]) + tested(alike[1]), key=str)
    assert len({run for run, *_ in found}) == 2
    table = said("score", *alike)
    assert all(name in table for name in ("exact", "tfidf"))


def test_runs_in_folders_of_one_name_are_told_apart_end_to_end(alike: list[str]) -> None:
    result = json.loads(said("score", *alike, "--task", "end-to-end", "--resamples", "100", "--json"))
    assert [row["system"] for row in result["rows"] if row["mode"] == "IGNORED"] == ["exact", "tfidf"]


def test_one_identity_from_two_data_homes(home: Path, tmp_path: Path) -> None:
    """The same request may be answered otherwise elsewhere, by a service or a tool that has changed since."""
    run = linkassay.link("exact", "mini")
    other = tmp_path / "other" / "runs" / "mini" / run.path.name
    shutil.copytree(run.path, other)
    about = json.loads((other / "run.json").read_text()) | {"finished": 1.0}
    (other / "run.json").write_text(json.dumps(about))
    assert run.key == run.path.name
    assert linkassay.run(str(other)).key != run.key
    assert len(said("score", str(run.path), str(other)).splitlines()) > len(said("score", str(run.path)).splitlines())
    moved = tmp_path / "moved" / run.path.name
    moved.parent.mkdir()
    assert linkassay.run(str(other.rename(moved))).key.startswith(f"{run.path.name}-")


def test_a_run_keeps_its_key_when_its_folder_is_moved(alike: list[str], tmp_path: Path) -> None:
    key = linkassay.run(alike[0]).key
    (tmp_path / "moved").mkdir()
    assert linkassay.run(str(Path(alike[0]).rename(tmp_path / "moved" / "run"))).key == key


def test_a_run_that_is_named_in_two_ways_is_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = linkassay.link("exact", "mini").path
    monkeypatch.chdir(path)
    assert linkassay.run(".").key == path.name
    assert rows("mini/exact", str(path), ".") == rows("mini/exact")


def test_killed_while_scoring(home: Path, tmp_path: Path) -> None:
    """Counts are there whole or not at all, and the next time they are there."""
    result = sweep(["score", "mini/exact", "--by", "type", "--resamples", "100"], tmp_path / "sweep", home)
    assert_survives(result, at_least=2)
