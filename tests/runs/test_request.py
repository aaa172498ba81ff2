"""One request: the same value from command line, bench file and Python, in every process."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.bench_files.plan_file import read_plan
from linkassay.errors import UsageError
from linkassay.runs import execute
from linkassay.runs.identity import RunIdentity
from linkassay.runs.request import LinkRequest
from tests.corpora.catalog.test_real_cli import run as command

#: No field has its default.
FULL = LinkRequest(
    "http", "mini/disease", "mini", "train", 3, "schwartz-hearst", ("slang",), "mentions",
    {"url": "http://127.0.0.1:1/", "exchange": "nif"}, {"rate": 1.5}, "mine", True, 5.0, ("mini:dev",), True,
)  # fmt: skip


def test_a_request_goes_to_other_processes_and_back_whole() -> None:
    plain = LinkRequest("exact")
    assert all(getattr(FULL, each.name) != getattr(plain, each.name) for each in fields(FULL))
    for request in (FULL, plain):
        data = json.loads(json.dumps(request.as_data()))
        assert data == request.as_data()
        assert LinkRequest.of_data(data) == request


def test_the_same_request_from_everywhere(
    home_with_mini: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[LinkRequest] = []
    link = execute.link

    def noted(request: LinkRequest, **doing: Any) -> Any:
        asked.append(request.pinned())
        return link(request, **doing)

    monkeypatch.setattr(execute, "link", noted)
    (tmp_path / "pairs.json").write_text('{"1": {"CF": "cystic fibrosis"}}')
    pairs = str(tmp_path / "pairs.json")
    run = linkassay.link("exact", "mini", top=3, abbreviations=pairs, system="mine")
    command("link", "exact", "mini", "--top", "3", "--abbreviations", pairs, "--system", "mine")
    linker = 'linker = "exact"\nname = "mine"\ntop = 3\nabbreviations = "pairs.json"'
    (tmp_path / "plan.toml").write_text(f'[[corpora]]\nname = "mini"\n[[linkers]]\n{linker}\n')
    [entry] = read_plan(tmp_path / "plan.toml").linkers
    assert asked[0] == asked[1] == LinkRequest.of_data(entry.request.as_data() | {"corpus": "mini"}).pinned()
    assert asked[0].pinned() == asked[0]
    assert execute.find_run(asked[0]).path == run.path  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"top": 0}, "top is how many ranks to keep"),
        ({"top": True}, "top is how many ranks to keep"),
        ({"give": "both"}, "--give is mentions or text, not 'both'"),
        ({"timeout": -1.0}, "--timeout is a number of seconds"),
        ({"options": {"since": object()}}, "options of linker 'exact' are texts, numbers, lists and tables"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        LinkRequest("exact", "mini", **asked)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"linker": "exakt"}, "unknown linker 'exakt'; did you mean 'exact'"),
        ({"split": "tset"}, "has no split 'tset'; did you mean 'test'"),
        ({"kb": "minni"}, "unknown knowledge base 'minni'; did you mean 'mini'"),
        ({"give": "text"}, "linker 'exact' finds no mentions itself"),
        ({"options": {"url": "http://127.0.0.1/"}}, "--url is of the linker http, not of 'exact'"),
        ({"running": {"rate": 3}}, "--rate is of the linker http, not of 'exact'"),
        ({"options": {"prefix": "mesh"}}, "--prefix is of the linkers command and http, not of 'exact'"),
        ({"linker": "command", "options": {"url": "x", "exchange": "nif"}}, "--url is of the linker http"),
        ({"options": {"speed": 9}}, r"'exact' cannot be made with the options \{'speed': 9\}"),
        ({"linker": "capitals", "abbreviations": "ab3q"}, "no such file; did you mean 'ab3p'"),
        ({"linker": "spotter", "abbreviations": "schwartz-hearst"}, "with --give text there are none"),
    ],
)
def test_what_cannot_be_met_is_said_before_any_work(home_with_mini: Path, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        execute.link(LinkRequest(**{"linker": "exact", "corpus": "mini"} | asked))
    assert list((home_with_mini / "work").glob("run-*")) == []


def test_a_linker_that_sees_to_the_time_itself_is_told_how_much_there_is() -> None:
    assert FULL.made_with == {"url": "http://127.0.0.1:1/", "exchange": "nif", "rate": 1.5, "timeout": 5.0}
    assert LinkRequest("http", timeout=5, running={"timeout": 7}).made_with == {"timeout": 7}
    assert LinkRequest("exact", timeout=5).made_with == {}


def test_a_file_that_was_moved_is_the_same(home_with_mini: Path, tmp_path: Path) -> None:
    document = next(iter(linkassay.corpus("mini")["test"])).id
    texts = {"ids.json": '{"a": "mesh:D003924"}', "pairs.json": json.dumps({document: {"CF": "cystic fibrosis"}})}
    found = []
    for folder in (tmp_path / "here", tmp_path / "there"):
        folder.mkdir()
        for name, text in texts.items():
            (folder / name).write_text(text)
        options = {"cmd": "true", "exchange": "jsonl", "ids": str(folder / "ids.json")}
        mine = [LinkRequest("command", "mini", options=options).pinned(),
                LinkRequest("exact", "mini", abbreviations=str(folder / "pairs.json")).pinned()]  # fmt: skip
        assert [each.pinned() for each in mine] == mine
        assert mine[0].made_with["ids"] == str(folder / "ids.json")
        found.append([RunIdentity.of(each) for each in mine])
    assert found[0] == found[1]
    assert str(tmp_path) not in json.dumps([each.as_dict() for each in found[0]])


def test_a_run_says_where_an_outside_systems_ids_were(home_with_mini: Path, tmp_path: Path) -> None:
    (tmp_path / "ids.json").write_text('{"a": "mesh:D003924"}')
    options = {"cmd": "true", "exchange": "jsonl", "ids": str(tmp_path / "ids.json")}
    run, _ = execute.link(LinkRequest("command", "mini", options=options))
    assert run.about["ids_file"] == str(tmp_path / "ids.json")
    assert "ids" not in run.about["parameters"]


def test_the_file_of_an_outside_systems_ids_is_known_by_its_contents(home_with_mini: Path, tmp_path: Path) -> None:
    found = []
    for text in ('{"a": "mesh:D003924"}', '{"a": "mesh:D006073"}'):
        (tmp_path / "ids.json").write_text(text)
        options = {"cmd": "true", "exchange": "jsonl", "ids": str(tmp_path / "ids.json")}
        found.append(LinkRequest("command", "mini", options=options).pinned())
    assert found[0] != found[1]
    with pytest.raises(UsageError, match="is no longer the file that this run began with"):
        execute.link(found[0])
