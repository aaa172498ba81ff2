"""Full disks and homes that cannot be written; a command that says it is done and is not is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from endure import commands, disk, verbs
from tests.endure.helpers import tried


def test_a_few_disks(tmp_path: Path) -> None:
    assert sum(tried("disk", 8, tmp_path)["tried"].values()) == 8


def test_a_command_that_is_not_done_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def call(arguments: object) -> int:
        try:
            Path("out", "one").write_bytes(bytes(10_000))
        except OSError:
            return 0
        return 0

    monkeypatch.setattr(commands, "call", call)
    monkeypatch.setattr(verbs, "_START", ())
    monkeypatch.setattr(verbs, "VERBS", {"careless": ("careless",)})
    monkeypatch.setattr(verbs, "FROM_NOTHING", ("careless",))
    disk.prepare(["limit-careless/0"], tmp_path)
    [(_, what)] = disk.attempt("limit-careless/0", 1, tmp_path).failures
    assert "said to be done: different: out/one" in what


def test_every_verb_meets_every_trouble() -> None:
    kinds = {case.partition("/")[0] for case in disk.cases(disk.COUNT, 1)}
    assert {f"limit-{verb}" for verb in verbs.VERBS} <= kinds
    if disk.can_mount():
        assert {f"{what}-{verb}" for verb in verbs.VERBS for what in ("full", "locked")} <= kinds
