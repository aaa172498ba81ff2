"""Servers that misbehave; a client that hangs, or that takes what it should not, is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from endure.hostile import GROUPS

from endure import hostile, servers
from linkassay.fetch import Downloaded
from tests.endure.helpers import tried


def test_a_few_servers(tmp_path: Path) -> None:
    assert sum(tried("servers", 14, tmp_path)["tried"].values()) == 14


def test_there_are_enough() -> None:
    assert len(set(hostile.COMMON) | set(hostile.DOWNLOADS) | set(hostile.LINKERS)) >= 50
    assert len(servers.cases(servers.COUNT, 1)) == sum(map(len, GROUPS.values()))


@pytest.mark.parametrize(
    ("name", "does", "wrong"),
    [
        ("page", "takes it", "a web page was taken for the file"),
        ("silent", "waits", "did not end within 0.5 s"),
        ("good", "raises", "a traceback"),
        ("good", "nothing", "no error, and no file"),
    ],
)
def test_a_bad_client_is_seen(
    name: str, does: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def download(url: str, target: Path, **options: object) -> Downloaded:
        if does == "takes it":
            target.parent.mkdir()
            target.write_bytes(hostile.PAGE)
        elif does == "raises":
            raise KeyError(url)
        while does == "waits":
            pass
        return Downloaded(target, "", 0, url)

    monkeypatch.setattr(servers, "download", download)
    monkeypatch.setattr(servers, "LONGEST", 0.5 if does == "waits" else 45.0)
    cases = [f"download/{name}/{n}" for n in range(3)]
    said = [what for case in cases for _, what in servers.attempt(case, 1, tmp_path).failures]
    assert said
    assert any(wrong in what for what in said)
