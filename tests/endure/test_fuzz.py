"""Readers hold against noise; one that raises, loops, fills the memory or takes its process down is seen."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from endure.cases import Result
from endure.readers import SAMPLES, Reader, all_readers

from endure import fuzz
from linkassay.errors import DataError, LinkassayError
from linkassay.formats import DOCUMENT_FORMATS
from linkassay.kbs import KBS
from linkassay.runs.importing import IMPORTERS
from tests.endure.helpers import tried


def test_some_noise_for_every_reader(tmp_path: Path) -> None:
    found = tried("fuzz", 12_000, tmp_path)
    assert sum(found["tried"].values()) >= 12_000
    assert set(found["tried"]) == {reader.kind for reader in all_readers().values()}
    assert found["longest"] < fuzz.SECONDS


def test_every_format_is_tried() -> None:
    names = set(all_readers())
    assert set(DOCUMENT_FORMATS) <= names
    assert {f"claims-{name}" for name in IMPORTERS} <= names
    modules = {KBS.load(name).parts[0].read.partition(":")[0].rpartition(".")[2] for name in KBS} - {"mini", "wikidata"}
    assert {module for module in modules if not any(name.startswith(f"kb-{module}-") for name in names)} == set()
    assert {path.name for path in (SAMPLES / "corpora").iterdir()} - {"medmentions", "nlm_chem_first"} <= {
        name.removeprefix("corpus-") for name in names
    }


@pytest.mark.parametrize("name", list(all_readers()))
def test_samples_themselves_are_sound(name: str) -> None:
    reader = all_readers()[name]
    reader.read(list(reader.samples), False)


@pytest.mark.parametrize("name", list(all_readers()))
@pytest.mark.parametrize("odd", ["\x1c", "\x1f", "\x85", "\u3000", "9" * 5000, "\u0663"], ids=ascii)
def test_odd_characters_before_numbers(name: str, odd: str) -> None:
    """Blanks that Python's functions do not agree about, and digits that no number is made of."""
    reader = all_readers()[name]
    files = list(reader.samples)
    for at, (file, data) in enumerate(files):
        for found in list(re.finditer(rb"(?<![0-9])[0-9]", data))[:40]:
            broken = data[: found.start()] + odd.encode() + data[found.start() :]
            with contextlib.suppress(LinkassayError):
                reader.read([*files[:at], (file, broken), *files[at + 1 :]], True)


def _raises(files: object, skip: bool) -> None:
    raise KeyError("a bug")


def _refuses(files: object, skip: bool) -> None:
    raise DataError("not this")


def _loops(files: object, skip: bool) -> None:
    while True:
        pass


def _grows(files: object, skip: bool) -> None:
    bytearray(3 << 30)


def _dies(files: object, skip: bool) -> None:
    os._exit(6)


@pytest.mark.parametrize(
    ("read", "wrong"),
    [
        (_raises, "KeyError at test_fuzz.py"),
        (_refuses, ""),
        (_loops, "takes longer than 0.2 s"),
        (_grows, "takes more than"),
        (_dies, "its process ended with 6"),
    ],
)
def test_what_is_wrong_is_seen(
    read: Callable[..., None], wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzz, "all_readers", lambda: {"own": Reader("own", (("a", b"abc"),), read)})
    monkeypatch.setattr(fuzz, "SECONDS", 0.2)
    result: Result = fuzz.attempt("own/0/3-5", 1, tmp_path)
    assert result.tried == {"own": 2}
    assert [case for case, _ in result.failures] == (["own/0/3", "own/0/4"] if wrong else [])
    assert all(wrong in what for _, what in result.failures)
    [again] = fuzz.attempt("own/0/4", 1, tmp_path).failures or [("own/0/4", "")]
    assert again[0] == "own/0/4"
