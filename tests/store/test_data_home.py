"""Where the data home is, and how what lies in it is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from linkassay import store
from linkassay.errors import UsageError


def test_home_is_the_environments_else_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path))
    assert store.home() == tmp_path
    monkeypatch.delenv("LINKASSAY_HOME")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", "/x")
    assert store.home() == Path("/x/linkassay")


def test_a_home_where_homes_were_first_stays_in_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LINKASSAY_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    monkeypatch.setenv("XDG_DATA_HOME", "data")  # relative: by the standard as if it were not set
    assert store.home() == tmp_path / "me" / ".local" / "share" / "linkassay"
    (tmp_path / "data" / "linkassay").mkdir(parents=True)
    assert store.home().resolve() == tmp_path / "data" / "linkassay"
    monkeypatch.setattr(sys, "platform", "darwin")
    (tmp_path / "me" / "Library" / "Application Support" / "linkassay").mkdir(parents=True)
    assert store.home() == tmp_path / "me" / "Library" / "Application Support" / "linkassay"


def test_current_ignores_a_revision_that_is_not_whole(tmp_path: Path) -> None:
    assert store.current(tmp_path) is None
    store.set_current(tmp_path, "r1")
    assert store.current(tmp_path) is None
    (tmp_path / "r1").mkdir()
    (tmp_path / "r1" / "manifest.json").write_text("{}")
    assert store.current(tmp_path) == "r1"


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 101, "ä"])
def test_names_that_cannot_be_folders_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a corpus"):
        store.valid_name(name, "corpus")


@pytest.mark.parametrize("noise", [b"", b"\xd6\xff", b"\0", b"x" * 5_000, b"r1/../r2"])
def test_current_that_is_damaged_names_nothing(noise: bytes, tmp_path: Path) -> None:
    (tmp_path / "current").write_bytes(noise)
    assert store.current(tmp_path) is None
