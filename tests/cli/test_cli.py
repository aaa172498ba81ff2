"""The command line as a person uses it: what is printed, exit codes, and no traceback for bad input."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["get", "mesch"], "neither a corpus nor a knowledge base: 'mesch'; did you mean 'mesh'"),
        (["get", "ncbi_diseas"], "neither a corpus nor a knowledge base: 'ncbi_diseas'; did you mean 'ncbi_disease'"),
        (["get", "bc5cdr", "--raw", "."], "bc5cdr: missing from the raw files: "),
        (["get", "ncbi_disease", "--raw", "nowhere"], "no such file or folder: nowhere"),
        (["get", "--format", "pubtator", "a"], "own files need a name: add --name NAME"),
        (["get", "mini", "--name", "x"], "--name: for own files only; add --format FORMAT"),
        (["get", "mini", "--composites", "maybe"], "--composites is one of keep, drop, not 'maybe'"),
        (["get", "mini", "--abbreviations", "ab4p"], "abbreviations 'ab4p': no such file; did you mean 'ab3p'?"),
        (["get", "--format", "iob", "x", "--encoding", "utf-9"], "--encoding: no encoding of texts is called 'utf-9'"),
        (["get", "--format", "iob", "x", "--encoding", "punycode"], "--encoding: no encoding of texts is called 'puny"),
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


def test_help_is_there_for_every_verb(linkassay) -> None:  # type: ignore[no-untyped-def]
    for verb in ("demo", "ls", "get", "info", "check", "link", "ground", "score", "report"):
        done = linkassay(verb, "--help")
        assert done.returncode == 0
        assert "--json" in done.stdout


SWAPPED = [
    ("runs/*/*/predictions", "corpora/*/*/mentions.test", ["score", "mini/exact"]),
    ("runs/*/*/predictions", "corpora/*/*/mentions.test", ["report", "mini/exact"]),
    ("corpora/*/*/mentions.test", "runs/*/*/predictions", ["score", "mini/exact"]),
    ("corpora/*/*/documents.test", "corpora/*/*/mentions.test", ["link", "exact", "mini", "--again"]),
    ("kbs/*/*/names", "kbs/*/*/entities", ["link", "exact", "mini", "--again"]),
    ("kbs/*/*/names", "kbs/*/*/parents", ["kb", "diff", "mini", "mini"]),
    ("kbs/*/*/names", "kbs/*/*/parents", ["score", "mini/exact", "--by", "alias-match"]),
]


@pytest.mark.parametrize(("target", "other", "verb"), SWAPPED)
def test_a_swapped_file_is_named(linkassay, tmp_path: Path, target: str, other: str, verb: list[str]) -> None:  # type: ignore[no-untyped-def]
    home = Path(json.loads(linkassay("link", "exact", "mini", "--json").stdout)["path"]).parents[2]
    [damaged], [of_another] = home.glob(f"{target}.parquet"), home.glob(f"{other}.parquet")
    damaged.write_bytes(of_another.read_bytes())
    done = linkassay(*verb)
    assert done.returncode == 2
    [error] = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    assert error.startswith(f"error: {damaged} ")
    damaged.write_bytes(of_another.read_bytes()[:-100])
    done = linkassay(*verb)
    assert done.returncode == 2
    assert f"{damaged}: cannot be read" in done.stderr


def test_damage_that_no_library_names_is_named(program, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program("link", "exact", "mini")
    [mentions] = (tmp_path / "home").glob("corpora/*/*/mentions.test.parquet")
    data = bytearray(mentions.read_bytes())
    data[4 : len(data) // 3] = b"\xff" * (len(data) // 3 - 4)
    mentions.write_bytes(bytes(data))
    done = program("score", "mini/exact")
    assert done.returncode == 2
    [error] = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    assert error.startswith(f"error: {mentions}")


@pytest.mark.parametrize(
    "arguments",
    [
        [b"link", b"exact", b"mini", b"--system", b"\xff"],
        [b"score", b"mini/exact", b"--exclude-ids", b"mesh:\xff"],
        [b"score", b"mini/exact", b"--by", b"x: text = '\xff'"],
        [b"score", b"mini/exact", b"--by", b"\xff"],
    ],
)
def test_arguments_that_are_no_text(tmp_path: Path, arguments: list[bytes]) -> None:
    name = os.fsencode(Path(sys.executable).with_name("linkassay"))
    environment = os.environ | {"LINKASSAY_HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"}
    subprocess.run([name, b"link", b"exact", b"mini"], capture_output=True, env=environment, check=True)
    done = subprocess.run([name, *arguments], capture_output=True, env=environment, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"\\udcff" in done.stderr


def test_how_much_may_be_unpacked_is_said_before_the_verb(program, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"1|t|Gout\n1|a|\n1\t0\t4\tGout\tDisease\tD006073\n\n"))
    verb = ["get", "--format", "pubtator", "a.txt.gz", "--name", "mine"]
    refused = program("--max-unpacked", "10B", *verb)
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "error: a.txt.gz: with it the files unpack to more than 10 bytes; if that is right"
    )
    assert program("--max-unpacked", "much", *verb).stderr.startswith("error: 'much' is no size")
    assert program("--max-unpacked", "1 kB", *verb).returncode == 0
