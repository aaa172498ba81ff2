"""An index made in parts: what is made is not made again, by one process or by several (LINKER-17)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

import linkassay
from linkassay import store
from linkassay.engine import Engine
from linkassay.errors import LinkassayError
from linkassay.linkers import LINKERS, Capabilities
from linkassay.runs import LinkRequest, Run, execute, preparing

pytestmark = pytest.mark.usefixtures("home_with_mini")


class InParts:
    """Answers with the first id; its index is the numbers of its five parts."""

    summary = "for tests, of five parts"
    capabilities = Capabilities(links=True, stores=True, prepares_in_parts=True)
    made: ClassVar[list[int]] = []
    fails_at: ClassVar[int | None] = None

    def parts(self, kb: Any) -> int:
        self._first = kb.sql("select min(id) from entities")[0][0]
        return 5

    def make_part(self, part: int, files: store.MappedFolder) -> None:
        if part == self.fails_at:
            raise ValueError("out of power")
        self.made.append(part)
        files.put_record("number", part)

    def join_parts(self, made: Any) -> None:
        self._numbers = [files.record("number") for files in made]

    def prepare(self, kb: Any, train: Any) -> None:
        pytest.fail("it is prepared in parts")

    def store_index(self, files: store.MappedFolder) -> None:
        files.put_record("index", [self._first, self._numbers])

    def open_index(self, kb: Any, files: store.MappedFolder) -> None:
        self._first, numbers = files.record("index")
        assert numbers == [0, 1, 2, 3, 4]

    def link(self, queries: Any, top: int) -> list[Any]:
        return [[((self._first,), 1.0)] for _ in queries]


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> type[InParts]:
    found = type("InParts", (InParts,), {"made": [], "capabilities": InParts.capabilities})
    load = LINKERS.load
    monkeypatch.setattr(LINKERS, "load", lambda name: found if name == "in-parts" else load(name))
    return found


def test_what_is_done_stays_when_the_work_ends_early(in_parts: type[InParts]) -> None:
    in_parts.fails_at = 3
    with pytest.raises(LinkassayError, match="linker 'in-parts' could not be prepared: ValueError: out of power"):
        linkassay.link("in-parts", "mini")
    assert in_parts.made == [0, 1, 2]
    assert not (store.home() / "linkers").exists()
    in_parts.fails_at = None
    told: list[tuple[str, int, int]] = []
    run = execute.link(LinkRequest("in-parts", "mini"), preparing=lambda *done: told.append(done))[0]
    assert in_parts.made == [0, 1, 2, 3, 4]
    assert told[1:4] == [("index in-parts", done, 5) for done in (3, 4, 5)]
    assert not list((store.home() / "work").glob("*"))
    assert run.about["failures"] == []
    linkassay.link("in-parts", "mini", split="dev")
    assert in_parts.made == [0, 1, 2, 3, 4]


def test_what_the_parts_cost_is_told_with_the_rest(in_parts: type[InParts], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also that of parts which an earlier command made."""
    in_parts.fails_at = 2
    with pytest.raises(LinkassayError):
        linkassay.link("in-parts", "mini")
    in_parts.fails_at = None
    for cost in (store.home() / "work").glob("parts-*/*/costs.json"):
        cost.write_text(json.dumps({"part_seconds": 100.0, "part_cpu_seconds": 50.0, "peak_memory_bytes": 1 << 50}))
    about = linkassay.link("in-parts", "mini").about
    assert 200 < about["index_seconds"] < 250
    assert 100 < about["index_cpu_seconds"] < 150
    assert about["peak_memory_bytes"] == 1 << 50


FILE = """
from linkassay.linkers import Capabilities
from tests.runs.test_parts import InParts

class Own(InParts):
    capabilities = InParts.capabilities
"""


@pytest.mark.parametrize("large", [False, True])
def test_several_processes_make_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool) -> None:
    if large:
        monkeypatch.setattr(preparing, "_LARGE", 0)
    (tmp_path / "own.py").write_text(FILE, encoding="utf-8")
    run: Run = execute.link(LinkRequest(f"{tmp_path / 'own.py'}:Own", "mini"), engine=Engine(workers=2))[0]
    assert run.about["answered"] == run.about["mentions"]
