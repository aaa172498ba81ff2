"""Computed answers: found by name, the oldest gone first, in a temporary folder where the home cannot be written."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from linkassay.errors import UsageError
from linkassay.serving import result_cache
from linkassay.serving.result_cache import ResultCache


def put(cache: ResultCache, room: str, name: str, size: int, age: float) -> Path:
    path = cache.target(room, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if room == "views":
        path.mkdir()
        (path / "data").write_bytes(b"x" * size)
    else:
        path.write_bytes(b"x" * size)
    os.utime(path, (time.time() - age,) * 2)
    return path


@pytest.mark.parametrize("room", ["views", "figures"])
def test_the_oldest_is_gone_first(tmp_path: Path, room: str) -> None:
    tmp_path.joinpath("home").mkdir()
    cache = ResultCache(tmp_path / "home", {room: 250}, in_use=60)
    old, older, new = (put(cache, room, name, 100, age) for name, age in (("b", 200), ("a", 300), ("c", 0)))
    gone: list[Path] = []
    cache.trim(room, gone.append)
    assert gone == [older]
    assert (old.exists(), older.exists(), new.exists()) == (True, False, True)
    assert cache.find(room, "b") == old  # used now
    put(cache, room, "d", 100, 100)
    cache.trim(room, gone.append)
    assert old.exists()
    assert sorted(path.name for path in (tmp_path / "home" / room).iterdir()) == ["b", "c"]
    put(cache, room, "e", 100, 0)
    cache.trim(room)
    assert cache.find(room, "e")  # all are in use: there may be too many for a while


def test_a_name_is_a_name(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)
    for name in ("../x", "/etc/passwd", "", ".hidden", "a/b"):
        with pytest.raises(UsageError):
            cache.target("figures", name)
        with pytest.raises(UsageError):
            cache.find("figures", name)


def test_a_home_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    stored = put(ResultCache(home), "figures", "stored", 10, 500)
    monkeypatch.setattr(result_cache, "_can_write", lambda _: False)
    cache = ResultCache(home)
    assert cache.temporary is not None
    made = put(cache, "figures", "made", 10, 0)
    assert home not in made.parents
    assert cache.find("figures", "made") == made
    assert cache.find("figures", "stored") == stored
    assert cache.folders("figures") == [cache.temporary / "figures", home / "figures"]
    cache.end()
    assert not cache.temporary.exists()
    assert stored.exists()
