"""The verb `get`: own files become a corpus, and raw files that are not whole are noticed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from linkassay import fetch
from linkassay.errors import FetchError
from tests.cli.conftest import PUBTATOR


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


def test_a_truncated_official_file_is_noticed(linkassay, tmp_path: Path, shared: Path) -> None:  # type: ignore[no-untyped-def]
    raw = tmp_path / "raw"
    raw.mkdir()
    for path in (shared / "corpora" / "ncbi_disease").iterdir():
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        (raw / path.stem).write_bytes(b"".join(lines if "test" not in path.name else lines[:400]))
    done = linkassay("get", "ncbi_disease", "--raw", raw)
    assert "test has 32 documents, not the 100 it is known to have; are the raw files whole?" in done.stderr


@pytest.mark.parametrize("name", ["ncbi_disease", "ctd_diseases"])
def test_patience_with_servers_is_as_it_is_asked_for(linkassay, monkeypatch: pytest.MonkeyPatch, name: str) -> None:  # type: ignore[no-untyped-def]
    asked = []

    def obtain(*_: Any, patience: fetch.Patience, **__: Any) -> None:
        asked.append(patience)
        raise FetchError("nobody answers")

    monkeypatch.setattr(fetch, "obtain", obtain)
    for options in ((), ("--timeout", "5", "--min-rate", "0")):
        done = linkassay("get", name, *options)
        assert (done.returncode, done.stderr) == (2, "error: nobody answers\n")
    assert asked == [fetch.Patience(30, 1_000), fetch.Patience(5, 0)]
