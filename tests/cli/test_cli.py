"""The command line as a person uses it: what is printed, exit codes, and no traceback for bad input."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from linkassay.cli import main

PUBTATOR = "1|t|Gout in two brothers.\n1|a|Both had gout.\n1\t0\t4\tGout\tDisease\tD006073\n"


@pytest.fixture
def linkassay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Runs what the program runs, in a folder of its own; starting it each time would take longer than the work."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        code: int | str | None = 0
        with monkeypatch.context() as patch:
            patch.setenv("LINKASSAY_HOME", str(tmp_path / "home"))
            patch.setenv("COLUMNS", "200")
            patch.chdir(tmp_path)
            for name, value in (("argv", ["linkassay", *map(str, arguments)]), ("stdout", out), ("stderr", err)):
                patch.setattr(sys, name, value)
            try:
                main()
            except SystemExit as stop:
                code = stop.code or 0
        texts = []
        for stream in (out, err):
            stream.flush()
            texts.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
        return subprocess.CompletedProcess(list(map(str, arguments)), code, *texts)  # type: ignore[arg-type]

    return run


@pytest.fixture
def program(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Runs the real program in a folder of its own."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        program = Path(sys.executable).with_name("linkassay")
        environment = os.environ | {"LINKASSAY_HOME": str(tmp_path / "home"), "COLUMNS": "200"}
        return subprocess.run(
            [str(program), *map(str, arguments)], capture_output=True, text=True, cwd=tmp_path, env=environment,
            timeout=120, check=False,
        )  # fmt: skip

    return run


def test_demo_runs_the_whole_flow(linkassay, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = linkassay("demo")
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in ("exact", "normalised", "tfidf + abbreviations", "recall@1"))
    path = Path(done.stdout.splitlines()[-1].removeprefix("report: "))
    assert path == tmp_path / "linkassay-demo" / "report.html"
    page = path.read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    rows = json.loads(linkassay("demo", "--json").stdout)["rows"]
    assert path.read_text(encoding="utf-8") == page  # to the last byte, pictures too
    assert set(rows[0]) == {"run", "corpus", "system", "measure", "slice", "value", "n", "low", "high", "key"}
    assert all(r["low"] <= r["value"] <= r["high"] and r["n"] > 0 for r in rows)
    best = {(r["system"]): r["value"] for r in rows if (r["measure"], r["slice"]) == ("recall@1", "all")}
    assert best["exact"] < best["normalised"] < best["tfidf"]


def test_own_corpus_from_file_to_check(linkassay, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.txt").write_text(PUBTATOR, encoding="utf-8")
    arguments = ("get", "--format", "pubtator", "a.txt", "--name", "mine", "--type", "Disease", "--kb", "mesh")
    done = linkassay(*arguments)
    assert "test 1 documents / 1 mentions" in done.stdout
    assert "there already; nothing to do" in linkassay(*arguments).stdout
    listed = json.loads(linkassay("ls", "corpora", "--json").stdout)["corpora"]
    assert {"mine", "ncbi_disease", "mini"} <= {row["name"] for row in listed}
    info = json.loads(linkassay("info", "mine", "--json").stdout)
    assert info["splits"]["test"]["unique_entities"] == 1
    assert info["test_unseen_entities"] is None  # nothing to compare with
    assert linkassay("check", "mine").stdout.endswith("ok: nothing wrong found\n")


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["get", "ncbi_diseas"], "neither a corpus nor a knowledge base: 'ncbi_diseas'; did you mean 'ncbi_disease'"),
        (["get", "bc5cdr", "--raw", "."], "bc5cdr: missing from the raw files: "),
        (["get", "ncbi_disease", "--raw", "nowhere"], "no such file or folder: nowhere"),
        (["get", "--format", "pubtator", "a"], "own files need a name: add --name NAME"),
        (["get", "mini", "--name", "x"], "--name: for own files only; add --format FORMAT"),
        (["get", "mini", "--composites", "maybe"], "--composites is one of keep, drop, not 'maybe'"),
        (["get", "mini", "--abbreviations", "ab4p"], "abbreviations 'ab4p': no such file; did you mean 'ab3p'?"),
        (["get", "--format", "iob", "x", "--encoding", "utf-9"], "--encoding: no encoding is called 'utf-9'; try utf"),
        (["info", "nothing-like-it"], "neither a corpus nor a knowledge base: 'nothing-like-it'; known are: "),
        (["ls", "corpra"], "cannot list 'corpra'; did you mean 'corpora'?"),
        (["link", "exakt", "mini"], "unknown linker 'exakt'; did you mean 'exact'?"),
        (["link", "exact", "ncbi_disease"], "corpus 'ncbi_disease' is not in the data home yet; run: linkassay get"),
        (["score", "mini/exact"], "no run 'mini/exact'; known are: none"),
        (["report", "mini/exact"], "no run 'mini/exact'; known are: none"),
        (["check", "empty.xyz"], "cannot tell the format of empty.xyz; say it with --format"),
    ],
)
def test_bad_requests_exit_2_with_a_message(linkassay, tmp_path: Path, arguments: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "empty.xyz").touch()
    done = linkassay(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")
    assert "Traceback" not in done.stderr


def test_the_program_itself(program) -> None:  # type: ignore[no-untyped-def]
    assert program("--version").stdout == "linkassay 0.1.0\n"
    module = [sys.executable, "-m", "linkassay", "--version"]
    assert subprocess.run(module, capture_output=True, text=True, check=True).stdout == "linkassay 0.1.0\n"
    done = program("ls", "corpra")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: cannot list 'corpra'; did you mean 'corpora'?")


def test_a_reader_that_leaves(tmp_path: Path) -> None:
    environment = os.environ | {"LINKASSAY_HOME": str(tmp_path / "home")}
    command = f"{Path(sys.executable).with_name('linkassay')} ls | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_no_regular_file_is_refused(linkassay, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    os.mkfifo(tmp_path / "pipe")
    done = linkassay("get", "--format", "pubtator", "pipe", "--name", "mine")
    assert (done.returncode, done.stderr) == (2, "error: not a regular file: pipe\n")
    linkassay("link", "exact", "mini")
    done = linkassay("report", "mini/exact", "-o", "pipe")
    assert done.returncode == 2
    assert "it is not a regular file" in done.stderr


def test_a_run_can_be_named_by_split_and_folder(linkassay, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder = Path(json.loads(linkassay("link", "exact", "mini", "--json").stdout)["path"]).name
    linkassay("link", "exact", "mini", "--split", "dev")
    assert json.loads(linkassay("score", "mini/exact@test", "--json").stdout)["rows"][0]["run"] == folder
    assert json.loads(linkassay("score", f"mini/{folder}", "--json").stdout)["rows"][0]["run"] == folder
    assert json.loads(linkassay("score", "mini/exact", "--json").stdout)["rows"][0]["run"] != folder  # the newest


def test_damaged_stored_files_are_one_message(linkassay, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run = Path(json.loads(linkassay("link", "exact", "mini", "--json").stdout)["path"])
    (run / "predictions.parquet").write_bytes(b"PAR1")
    done = linkassay("score", "mini/exact")
    assert done.returncode == 2
    assert "predictions.parquet: cannot be read" in done.stderr
    assert "Traceback" not in done.stderr
    (run / "run.json").write_text("{}")
    assert "lacks corpus in run.json" in linkassay("ls", "runs").stderr


def test_a_truncated_official_file_is_noticed(linkassay, tmp_path: Path, shared: Path) -> None:  # type: ignore[no-untyped-def]
    import gzip

    raw = tmp_path / "raw"
    raw.mkdir()
    for path in (shared / "corpora" / "ncbi_disease").iterdir():
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        (raw / path.stem).write_bytes(b"".join(lines if "test" not in path.name else lines[:400]))
    done = linkassay("get", "ncbi_disease", "--raw", raw)
    assert "WARNING: test has 32 documents, not the 100 it is known to have; are the raw files whole?" in done.stdout


def test_help_is_there_for_every_verb(linkassay) -> None:  # type: ignore[no-untyped-def]
    for verb in ("demo", "ls", "get", "info", "check", "link", "score", "report"):
        done = linkassay(verb, "--help")
        assert done.returncode == 0
        assert "--json" in done.stdout
