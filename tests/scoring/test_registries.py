"""Measures, slices, sets, protocols, tie policies, scenarios: what holds of each, and of those of other packages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import linkassay
from linkassay import registry
from linkassay.bench_files import read_plan
from linkassay.cli import app
from linkassay.errors import LinkassayError, UsageError
from linkassay.explorer import SLICE_NAMES as PAGE_NAMES
from linkassay.explorer import embed
from linkassay.pages import gather_page
from linkassay.registry import ValueRegistry
from linkassay.scoring.disambiguation import MEASURES, PROTOCOLS, SETS, SLICES, TIES, Measure, Protocol, Score
from linkassay.scoring.disambiguation.gold_ranks import GoldIds, GoldRanks, rank_gold
from linkassay.scoring.hierarchy import SCENARIOS, load_scenario
from linkassay.scoring.hierarchy.relations import TYPES
from linkassay.scoring.results import SHOWN_SLICES, Result

TABLES: dict[str, ValueRegistry[Any]] = {
    "measure": MEASURES, "slice": SLICES, "set": SETS, "protocol": PROTOCOLS, "tie_policy": TIES, "scenario": SCENARIOS,
}  # fmt: skip
LISTS = pa.list_(pa.list_(pa.string()))
PlugIn = Callable[[str, dict[str, dict[str, str]]], None]


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Score]:
    """A run on the embedded benchmark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("mini")))
        yield linkassay.score(linkassay.link("exact", "mini"), "recall@1")


# ---- contracts


@pytest.mark.parametrize("kind", TABLES)
def test_every_value_is_frozen_and_of_its_type(kind: str) -> None:
    table = TABLES[kind]
    assert table.kind.replace(" ", "_") == kind
    assert len(table) == len(list(table)) > 2
    for value in table.values():
        first = fields(value)[0].name
        with pytest.raises(FrozenInstanceError):
            setattr(value, first, getattr(value, first))
        hash(value)


@st.composite
def placed(draw: st.DrawFn) -> GoldRanks:
    """Gold in some rankings of tied ids, with gaps."""
    ids = st.sampled_from("abcdefgh")
    groups = draw(st.lists(st.lists(st.lists(ids, min_size=1, max_size=4), max_size=4), min_size=1, max_size=6))
    gold = [[[each] for each in draw(st.lists(ids, min_size=1, max_size=2, unique=True))] for _ in groups]
    names = pa.array([f"mention {n}" for n in range(len(groups))])
    batch = np.arange(len(groups)), pa.array(groups, LISTS)
    return rank_gold([batch], GoldIds.of(pa.array(gold, LISTS)), seeds=[0], names=names)


@given(placed(), st.integers(1, 12))
def test_every_measure_is_a_ratio_of_what_items_are_worth(ranks: GoldRanks, k: int) -> None:
    for protocol in [Protocol(ties) for ties in TIES]:
        outcome = ranks.outcome(protocol)
        for name, kind in MEASURES.items():
            above, below = (np.asarray(part, dtype=float) for part in kind.parts(outcome, k, ranks.answered))
            assert above.shape == below.shape == ranks.answered.shape, name
            assert (above >= -1e-12).all(), name
            assert (below >= -1e-12).all(), name
            if kind.additive:
                assert (below == 1).all(), name
                assert (above <= 1 + 1e-12).all(), name
            assert not kind.drawn or kind.additive, name
        hits = [outcome.at(n) for n in (k, k + 1)]
        assert (hits[0] <= hits[1] + 1e-12).all(), protocol  # TIE-8
        assert ((outcome.reciprocal(None) > 0) == (outcome.at(10_000) > 0)).all(), protocol


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_says_what_it_is_and_is_found_by_its_text(name: str) -> None:
    kind = MEASURES[name]
    assert kind.summary
    parsed = Measure.parse(name)
    assert (parsed.name, parsed.k) == (name, kind.k or 0)
    assert Measure.parse(str(parsed)) == parsed


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("name", SETS)
def test_every_set_weighs_what_is_kept_and_nothing_else(mini: Score, name: str, pairs: bool) -> None:
    items = len(mini.items.gold.item) if pairs else len(mini.items)
    keep = np.random.default_rng(1).random(items) < 0.7
    weights = mini.sets.weights(name, keep, pairs=pairs)
    assert SETS[name].summary
    assert weights.shape == keep.shape
    assert ((weights >= 0) & (weights <= 1)).all()
    assert not weights[~keep].any()
    assert weights.any()
    assert not mini.sets.weights(name, np.zeros(items, dtype=bool), pairs=pairs).any()


@pytest.mark.parametrize("name", SLICES)
def test_every_slice_takes_whole_mentions(mini: Score, name: str) -> None:
    masks = mini._slices.masks(name)
    assert all(mask.dtype == bool and mask.shape == (len(mini.items),) for _, mask in masks)
    called = [each for each, _ in masks]
    assert all(each.startswith(f"{name}=") for each in called) if SLICES[name].grouping else called == [name]
    assert bool(SLICES[name].words) != SLICES[name].grouping
    assert len(set(called)) == len(called)


def test_every_slice_of_the_page_has_words() -> None:
    assert set(SHOWN_SLICES) == {name for name, each in SLICES.items() if not each.grouping}
    assert {name: SLICES[name].words for name in SHOWN_SLICES}.items() <= PAGE_NAMES.items()


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_is_found_by_its_name(name: str) -> None:
    protocol = PROTOCOLS[name]
    assert protocol == Protocol.parse(name)
    assert str(protocol) == f"protocol={name}"
    assert TIES[protocol.ties].summary


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_can_be_decided(name: str) -> None:
    scenario = load_scenario(name, "mesh:D009369")
    assert scenario.name == name
    assert scenario.summary
    assert scenario.set in SETS
    assert set(scenario.accept) <= set(TYPES)
    assert all(goal.want in ("high", "low") for goal in scenario.goals)


def test_built_in_names_ask_no_other_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points are of no interest to what is built in; they are looked up when a name is not, and in lists."""
    asked: list[str] = []

    def entry_points(group: str) -> list[Any]:
        asked.append(group)
        return []

    monkeypatch.setattr(registry, "entry_points", entry_points)
    for table in TABLES.values():
        monkeypatch.delitem(table.__dict__, "_plugins", raising=False)
    for text in ("recall(set=novel)@1", "mrr(protocol=belb/strict)", "accuracy(ties=any)", "recall(protocol=all)@5"):
        Measure.parse(text).protocol.with_options(gold="any")
    names = {"slice": "length", "set": "novel", "scenario": "neighbourhood", "tie_policy": "any"}
    assert all(name in TABLES[kind] and TABLES[kind][name] for kind, name in names.items())
    assert asked == []
    for kind, table in TABLES.items():
        list(table)
        assert asked[-1] == f"linkassay.{kind}"
        monkeypatch.delitem(table.__dict__, "_plugins")


# ---- of other packages

MINE = """
import numpy as np
from linkassay.scoring.disambiguation import EvaluationSet, MeasureKind, Protocol, Slice, TIES, TiePolicy
from linkassay.scoring.hierarchy import Goal, Scenario

hits = MeasureKind("recall, written anew", 1, lambda o, k, answered: (o.at(k), np.ones(len(answered))), drawn=True)
short = Slice("length(text) <= 6", "short texts")
ending = Slice("right(text, 1)", grouping=True)
every = EvaluationSet("all, whatever is kept", lambda sets, keep, pairs: np.ones(len(keep)))
typed = EvaluationSet("of a type", lambda sets, keep, pairs: sets.mentions.table["type"].to_numpy() != "")
scalar = EvaluationSet("one weight", lambda sets, keep, pairs: 1.0)
negative = EvaluationSet("less than nothing", lambda sets, keep, pairs: -1.0 * keep)
lenient = Protocol("any", gold="pairs", name="something else")
own_ties = Protocol("loose")
loose = TiePolicy("as any", TIES["any"].outcome)
careful = Scenario("something else", "few errors", ("exact",), (Goal("accuracy", "high"), Goal("distance", "low")))
no_value = "recall"
"""
POINTS = {
    "linkassay.measure": {"mine": "my_package:hits", "recall": "my_package:no_value"},
    "linkassay.slice": {"my-slice": "my_package:short", "my-ends": "my_package:ending", "type": "my_package:short"},
    "linkassay.set": {"my-set": "my_package:every", "scalar": "my_package:scalar", "negative": "my_package:negative",
                      "typed": "my_package:typed", "global": "my_package:scalar"},
    "linkassay.protocol": {"mine": "my_package:lenient", "loose-ends": "my_package:own_ties",
                           "any": "my_package:lenient"},
    "linkassay.tie_policy": {"loose": "my_package:loose", "expected": "my_package:loose"},
    "linkassay.scenario": {"mine": "my_package:careful", "branch": "my_package:careful"},
}  # fmt: skip
WRONG = {f"linkassay.{kind}": {"wrong": "my_package:no_value", "gone": "my_package:no_such_thing"} for kind in TABLES}


@pytest.fixture
def plugged(plug_in: PlugIn) -> None:
    plug_in(MINE, POINTS)


@pytest.fixture
def linked(home_with_mini: Path) -> None:
    linkassay.link("exact", "mini")
    linkassay.link("tfidf", "mini")


def call(*arguments: str) -> Any:
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def refused(*arguments: str) -> str:
    with pytest.raises(LinkassayError) as error:
        CliRunner().invoke(app, [*arguments], catch_exceptions=False)
    return str(error.value)


@pytest.mark.usefixtures("linked", "plugged")
def test_plug_ins_of_every_kind_on_the_command_line() -> None:
    asked = ("--measures", "mine@1", "--by", "my-slice,my-ends", "--set", "my-set", "--protocol", "mine")
    rows = call("score", "mini/exact", *asked)["rows"]
    measure = "mine(protocol=mine,set=my-set)@1"
    assert {row["measure"] for row in rows} == {measure}
    assert {"all", "my-slice", "my-ends=a"} < {row["slice"] for row in rows}
    keys = {row["slice"]: row["key"].split("|")[1:] for row in rows}
    assert keys["my-slice"] == [measure, "my-slice"]
    own = ("score", "mini/exact", "--measures", "recall(ties=any,gold=pairs)@1", "--by", "short: length(text) <= 6")
    same = {row["slice"].replace("short", "my-slice"): row for row in call(*own)["rows"]}
    for row in rows:
        if row["slice"] in same:
            for key in ("value", "low", "high", "n", "difference"):
                assert row.get(key) == same[row["slice"]].get(key)
    [loose, alike] = call("score", "mini/exact", "--measures", "recall(ties=loose)@1,recall(ties=any)@1")["rows"]
    assert (loose["measure"], loose["value"]) == ("recall(ties=loose)@1", alike["value"])
    [open_] = call("score", "mini/exact", "--measures", "mine@1")["rows"]
    [known] = call("score", "mini/exact", "--measures", "recall@1")["rows"]
    assert {k: v for k, v in open_.items() if k not in ("measure", "key")} == {
        k: v for k, v in known.items() if k not in ("measure", "key")
    }
    found = call("scenario", "mine", "mini/exact", "mini/tfidf")
    assert found["scenario"]["name"] == "mine"
    assert found["suits"] or found["open"]


@pytest.mark.usefixtures("linked", "plugged")
def test_plug_ins_where_spans_are_predicted_and_hierarchies_asked(tmp_path: Path) -> None:
    asked = ("score", "mini/exact", "--task", "end-to-end", "--by", "my-slice,my-ends", "--set", "my-set")
    assert {"my-slice", "my-ends=a"} < {row["group"] for row in call(*asked)["groups"]}
    rows = call("score", "mini/exact", "--hierarchy", "mini", "--by", "my-slice", "--set", "my-set")["rows"]
    assert {(row["set"], row["slice"]) for row in rows} == {("my-set", "all"), ("my-set", "my-slice")}
    page = Path(call("profile", "mini/exact", "--set", "my-set", "-o", str(tmp_path / "profile.html"))["page"])
    assert "all, whatever is kept" in page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("linked", "plugged", "no_pictures")
def test_the_page_of_plug_ins() -> None:
    """A slice of a plug-in filters mentions under its own words; groupings, and SQL, under their names."""
    score = linkassay.score("mini/exact", by=["my-slice", "my-ends", "zero-shot"])
    result = Result([score])
    data = gather_page(result)
    assert data["slices"] == PAGE_NAMES | {"my-slice": "short texts"}
    assert {"my-slice", "my-ends=a"} <= set(embed(result.cohorts)["cohorts"][0]["cohort"]["slices"])


@pytest.mark.usefixtures("plugged")
def test_lists_show_plug_ins_last() -> None:
    expected = {"measures": ["mine"], "sets": ["my-set", "negative", "scalar", "typed"]}
    for what, names in expected.items():
        assert [row["name"] for row in call("ls", what)[what]][-len(names) :] == names
    slices = call("ls", "slices")["slices"]
    assert [(r["name"], r["kind"]) for r in slices if r["name"].startswith("my-")] == [
        ("my-ends", "grouping"),
        ("my-slice", "slice"),
    ]
    protocols = call("ls", "protocols")["protocols"]
    assert {"name": "mine", "ties": "any", "summary": TIES["any"].summary} in protocols
    assert protocols[-1] == {"name": "loose", "ties": "loose", "summary": "as any"}
    assert "'my-slice'" in refused("score", "mini/exact", "--by", "my-slyce")
    assert "'mine'" in refused("scenario", "miine", "mini/exact")


@pytest.mark.usefixtures("plugged")
def test_no_plug_in_takes_the_place_of_what_is_built_in() -> None:
    assert MEASURES["recall"].k == 1
    assert SLICES["type"].grouping
    assert SETS["global"].summary == "all"
    assert Protocol.parse("any") == Protocol("any")
    assert TIES["expected"].summary.startswith("chance")
    assert SCENARIOS["branch"].needs_branch
    for table in TABLES.values():
        assert len(list(table)) == len(set(table)) == len(table)


@pytest.mark.usefixtures("plugged")
def test_a_value_has_the_name_of_its_entry_point() -> None:
    parsed = Measure.parse("mine(protocol=mine)@2")
    assert str(parsed) == "mine(protocol=mine)@2"
    assert Measure.parse(str(parsed)) == parsed
    assert Protocol.parse("loose-ends") == Protocol("loose", name="loose-ends")
    assert Protocol.parse("loose") == Protocol("loose")
    with pytest.raises(UsageError, match="with ties=loose that is not defined"):
        Protocol("loose", "all")


@pytest.mark.usefixtures("linked", "plugged")
def test_a_set_that_does_not_weigh_each_item_is_refused() -> None:
    for name in ("scalar", "negative"):
        said = refused("score", "mini/exact", "--set", name)
        assert said.startswith(f"set '{name}': it should weigh each of ")


@pytest.mark.usefixtures("linked", "plugged")
def test_a_set_of_columns_that_predictions_do_not_have_says_so() -> None:
    call("score", "mini/exact", "--set", "typed")
    linkassay.link("spotter", "mini")
    said = refused("score", "mini/spotter", "--task", "end-to-end", "--set", "typed")
    assert said.startswith("set 'typed': ")
    assert said.endswith("of what is no scored mention there are text and gold only")


@pytest.mark.parametrize("kind", TABLES)
def test_what_is_wrong_with_a_plug_in_is_said(plug_in: PlugIn, kind: str) -> None:
    plug_in("no_value = 1\n", WRONG)
    table, shown = TABLES[kind], kind.replace("_", " ")
    needed = type(table[next(iter(table))]).__name__
    for read in (table.load, table.__getitem__):
        with pytest.raises(UsageError) as error:
            read("wrong")
        assert str(error.value) == (
            f"the plug-in {shown} 'wrong' (my_package:no_value) should be of type {needed}, and is of type int"
        )
        with pytest.raises(UsageError) as error:
            read("gone")
        assert str(error.value).startswith(
            f"the plug-in {shown} 'gone' (my_package:no_such_thing) cannot be loaded: AttributeError("
        )


@pytest.mark.usefixtures("linked")
def test_a_broken_plug_in_on_the_command_line(plug_in: PlugIn) -> None:
    plug_in("no_value = 1\n", WRONG)
    run = ("score", "mini/exact")
    for kind, asked in {
        "measure": (*run, "--measures", "gone@1"), "slice": (*run, "--by", "gone"), "set": (*run, "--set", "gone"),
        "protocol": (*run, "--protocol", "gone"), "tie policy": (*run, "--measures", "recall(ties=gone)@1"),
        "scenario": ("scenario", "gone", "mini/exact"),
    }.items():  # fmt: skip
        assert refused(*asked).startswith(f"the plug-in {kind} 'gone' (my_package:no_such_thing) cannot be loaded")
    said = refused(*run, "--task", "end-to-end", "--by", "gone")
    assert said.startswith("the plug-in slice 'gone'")
    for what, column in {"measures": "summary", "sets": "summary", "protocols": "summary", "slices": "sql"}.items():
        broken = [row for row in call("ls", what)[what] if row["name"] in ("gone", "wrong")]
        assert len(broken) == (4 if what == "protocols" else 2)
        assert all(row[column].startswith("BROKEN: the plug-in ") for row in broken)
        assert CliRunner().invoke(app, ["ls", what]).exit_code == 0


@pytest.mark.usefixtures("plugged")
def test_a_bench_file_may_ask_for_plug_ins(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "bench.toml"
    file.write_text(
        '[score]\nmeasures = "mine@1"\nprotocols = "mine"\nsets = "my-set"\nby = ["my-slice", "my-ends"]\n'
        '[[corpora]]\nname = "mini"\n[[linkers]]\nlinker = "exact"\n',
        encoding="utf-8",
    )
    assert [str(m) for m in read_plan(file).score.parsed()] == ["mine(protocol=mine,set=my-set)@1"]


def test_a_command_without_plug_ins_looks_for_none(home_with_mini: Path) -> None:
    """In a process of its own, as it is run: names that are built in are found without other packages."""
    linkassay.link("exact", "mini")
    code = (
        "import importlib.metadata as m, sys\n"
        "def none(**how): raise SystemExit(f'asked for {how}')\n"
        "from linkassay import registry; registry.entry_points = none\n"
        "import linkassay\n"
        "score = linkassay.score('mini/exact', 'recall(set=novel)@1,mrr(protocol=any)', by=['type', 'zero-shot'],\n"
        "                        protocol='belb/strict')\n"
        "print(len(score.rows()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 4
