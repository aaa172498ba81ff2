"""Damaged data homes; a wrong figure without a warning is seen."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from endure import commands, store, verbs
from tests.endure.helpers import tried


def test_a_little_damage(tmp_path: Path) -> None:
    assert sum(tried("store", 16, tmp_path)["tried"].values()) == 16


def test_every_damage_changes_something(tmp_path: Path) -> None:
    for name, damage in store._DAMAGE.items():
        folder = tmp_path / name
        folder.mkdir()
        files = [folder / "a.json", folder / "b.json"]
        for path in files:
            path.write_text(f'{{"{path.stem}": "{"x" * 40}"}}')
        before = {path: path.read_bytes() for path in files}
        damage(files[0], files[1:], Random(1))
        after = {path: path.read_bytes() for path in files if path.is_file()}
        assert before != after, name


def test_a_wrong_figure_without_a_warning_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def call(arguments: object) -> int:
        folder = Path("home", "room")
        if not folder.exists():
            folder.mkdir(parents=True)
            (folder / "a.parquet").write_bytes(bytes(100))
            (folder / "manifest.json").write_text('{"files": {"a.parquet": {}}}')
        print(json.dumps({"sum": sum((folder / "a.parquet").read_bytes())}), flush=True)
        return 0

    monkeypatch.setattr(commands, "call", call)
    monkeypatch.setattr(verbs, "_START", (("any",),))
    cases = [f"score:flip/{n}" for n in range(20)]
    store.prepare(cases, tmp_path)
    failures = [what for case in cases for _, what in store.attempt(case, 1, tmp_path).failures]
    assert any("a.parquet: something else is said, without a warning" in what for what in failures)
