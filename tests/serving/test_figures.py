"""The line of a request: what `score` would be told, and nothing that reads or writes anything else."""

from __future__ import annotations

import shlex
from pathlib import Path
from urllib.parse import urlencode

import pytest

from linkassay.errors import LinkassayError
from linkassay.serving.asked import read_query
from linkassay.serving.figures import FORM, Line, command_line, figures_key, keep_answer
from linkassay.serving.run_index import Home, RunIndex


@pytest.fixture
def at_hand(served_home: Path) -> Home:
    return RunIndex(served_home).now()


def line(home: Home, *pairs: tuple[str, str], run: str = "") -> Line:
    name = run or next(iter(home.runs))
    return command_line(read_query(urlencode([("run", name), *pairs]).encode(), FORM), home)


def test_options_as_a_person_would_type_them(at_hand: Home) -> None:
    name = next(iter(at_hand.runs))
    made = line(at_hand, ("measures", "recall@1,mrr"), ("protocol", "belb/strict"), ("set", "global,novel"),
                ("by", "type"), ("by", "length(text) < 3"), ("failures", "5"), ("case", "exact"), ("preset", "bioel"),
                ("exclude_ids", "mesh:D001, omim:1"), ("abbreviations", "none"))  # fmt: skip
    assert shlex.split(made.command) == [
        "linkassay", "score", name, "--measures", "recall@1,mrr", "--protocol", "belb/strict", "--set", "global,novel",
        "--by", "type", "--by", "length(text) < 3", "--preset", "bioel", "--failures", "5", "--abbreviations", "none",
        "--exclude-ids", "mesh:D001, omim:1", "--exact-case",
    ]  # fmt: skip
    assert made.arguments[:3] == ["score", "--measures=recall@1,mrr", "--protocol=belb/strict"]
    assert made.arguments[-4:] == ["--json", "--no-keep-counts", "--", str(at_hand.runs[name].path)]


def test_end_to_end(at_hand: Home) -> None:
    [name] = [name for name in at_hand.runs if "spotter" in name]
    made = line(at_hand, ("task", "found"), ("preset", "elevant"), ("nil", "required"), run=name)
    assert made.command == f"linkassay score {name} --task end-to-end --preset elevant --nil required"


def test_a_scope_is_a_run_of_the_home(at_hand: Home) -> None:
    name = next(iter(at_hand.runs))
    assert f"--scope=recognised({name})" in line(at_hand, ("scope", f"recognised({name})")).arguments


def test_no_value_becomes_an_option(at_hand: Home) -> None:
    made = line(at_hand, ("by", "--help"), ("by", "'; rm -rf ~; '"))
    assert "--by=--help" in made.arguments
    assert "--help" not in made.arguments
    assert shlex.split(made.command)[3:] == ["--by=--help", "--by", "'; rm -rf ~; '"]


@pytest.mark.parametrize(
    ("pair", "why"),
    [
        (("task", "wic"), "task"),
        (("measures", "colour@1"), "unknown measure"),
        (("average", "weeks"), "'average' is one of"),
        (("protocol", "nobody/knows"), "protocol"),
        (("set", "global,odd"), "'set' is one of"),
        (("preset", "elevant"), "'preset' is one of"),  # of end to end only
        (("nil", "maybe"), "'nil' is one of"),
        (("spans", "wide"), "'spans' is one of"),
        (("abbreviations", "/etc/passwd"), "'abbreviations' is one of"),
        (("exclude_ids", "/etc/passwd"), "ids with their prefixes"),
        (("exclude_ids", "~/ids.txt"), "ids with their prefixes"),
        (("exclude_ids", "ids.txt"), "ids with their prefixes"),
        (("exclude_ids", "x:../../etc/passwd"), "ids with their prefixes"),
        (("hierarchy", "../../elsewhere"), "no knowledge base"),
        (("hierarchy", "mesh"), "no knowledge base"),
        (("hierarchy", "mini(x=1)"), "unknown option"),
        (("scope", "recognised(/somewhere/else)"), "no run"),
        (("scope", "everything"), "unknown scope"),
        (("case", "upper"), "'case' is one of"),
        (("out", "/tmp/x"), "'out' is not known"),
        (("format", "md"), "'format' is not known"),
    ],
)
def test_what_is_refused(at_hand: Home, pair: tuple[str, str], why: str) -> None:
    with pytest.raises(LinkassayError, match=why):
        line(at_hand, pair)


@pytest.mark.parametrize("name", ["mini/other-1", "../corpora/mini", "/etc", "mini", ".", "--json"])
def test_a_run_is_one_of_the_home(at_hand: Home, name: str) -> None:
    with pytest.raises(LinkassayError, match="no run"):
        line(at_hand, run=name)


def test_what_an_answer_depends_on(at_hand: Home) -> None:
    def key(home: Home, *pairs: tuple[str, str], software: str = "1") -> str:
        asked = read_query(urlencode([("run", next(iter(home.runs))), *pairs]).encode(), FORM)
        return figures_key(command_line(asked, home), asked, home, software)

    first = key(at_hand)
    assert key(at_hand) == first
    name, run = next(iter(at_hand.runs.items()))
    from dataclasses import replace

    others = [
        key(at_hand, ("by", "type")),
        key(at_hand, software="2"),
        key(at_hand._replace(kbs={"mini": "another"})),
        key(at_hand._replace(corpora={"mini": "another"})),
        key(at_hand._replace(runs={name: replace(run, digest="another")})),
    ]
    assert len({first, *others}) == 6
    assert key(at_hand._replace(kbs={**at_hand.kbs, "unrelated": "1"})) == first


@pytest.mark.parametrize("printed", ["", "text", "[1]", "{", "null"])
def test_what_is_no_answer(tmp_path: Path, printed: str) -> None:
    (tmp_path / "out").write_text(printed)
    with pytest.raises(LinkassayError, match="no figures"):
        keep_answer("x", tmp_path / "out", tmp_path / "kept.json")
    assert not (tmp_path / "kept.json").exists()
