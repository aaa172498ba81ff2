"""The verbs about hierarchies as a person uses them: the guide, JSON, messages, the page in a browser."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.errors import LinkassayError
from linkassay.runs.stored_run import labels
from tests import browser
from tests.conftest import ROOT
from tests.scoring_helpers import knowledge

GUIDE = (ROOT / "docs" / "hierarchy.md").read_text(encoding="utf-8")


def call(*arguments: object) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def linked(got_mini: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A data home with two runs, to be copied, and their names."""
    path = tmp_path_factory.mktemp("linked") / "home"
    shutil.copytree(got_mini, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(path))
        return path, [linkassay.link(name, "mini").name for name in ("exact", "tfidf")]


@pytest.fixture
def runs(home: Path, linked: tuple[Path, list[str]]) -> list[str]:
    shutil.copytree(linked[0], home)
    return linked[1]


def test_the_commands_of_the_guide(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [toml] = re.findall(r"```toml\n(.*?)```", GUIDE, re.S)
    (tmp_path / "mine.toml").write_text(toml, encoding="utf-8")
    lines = re.findall(r"^linkassay (.*)$", GUIDE, re.M)
    assert len(lines) == 6
    for line in lines:
        call(*line.split())
    assert (tmp_path / "profile.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_runs_of_one_system_are_called_alike_everywhere(runs: list[str]) -> None:
    """By what sets them apart, as on the page; of one that is named twice there is the fingerprint."""
    first, fewer = linkassay.run(runs[0]), linkassay.link("exact", "mini", top=3)
    both = [f"mini/{run.path.name}" for run in (first, fewer)]
    names = labels([first, fewer])
    assert names == ["exact (top 10)", "exact (top 3)"]
    compared = json.loads(call("compare", *both, "--resamples", 100, "--json"))
    assert [row["system"] for row in compared["systems"]] == names
    assert list(compared["changed"]) == [" → ".join(names)]
    assert list(dict.fromkeys(row["system"] for row in json.loads(call("profile", *both, "--json"))["rows"])) == names
    found = json.loads(call("score", *both, "--hierarchy", "mini", "--set", "global", "--resamples", 100, "--json"))
    assert [row["system"] for row in found["types"]] == names
    assert {(row["first"], row["second"]) for row in found["tests"]} == {tuple(names)}
    judged = json.loads(call("scenario", "coverage-first", *both, "--resamples", 100, "--json"))
    assert list(dict.fromkeys(row["system"] for row in judged["rows"])) == names
    for further in ((), ("--hierarchy", "mini")):
        said = call("score", *both, "--resamples", 100, *further)
        assert all(name in said for name in names)
    again = json.loads(call("compare", both[0], both[0], "--resamples", 100, "--json"))
    assert {row["system"] for row in again["systems"]} == {f"exact ({first.path.name.rpartition('-')[2]})"}


def test_every_measure_and_choice_is_in_the_guide() -> None:
    from linkassay.scoring.hierarchy.choices import VALUES
    from linkassay.scoring.hierarchy.measures import HIERARCHY_MEASURES
    from linkassay.scoring.hierarchy.relations import TYPES

    words = GUIDE.replace("over-, under-, orthogonal-distance", "over-distance under-distance orthogonal-distance")
    for name in [*HIERARCHY_MEASURES, *TYPES, *VALUES, *(v for values in VALUES.values() for v in values)]:
        assert name in words, name


def test_score_in_a_hierarchy(runs: list[str]) -> None:
    found = json.loads(call("score", *runs, "--hierarchy", "mini", "--set", "global,novel", "--by", "type", "--json"))
    accuracy = [r for r in found["rows"] if r["measure"] == "accuracy" and r["slice"] == "all"]
    assert [(r["system"], r["set"]) for r in accuracy] == [
        ("exact", "global"), ("exact", "novel"), ("tfidf", "global"), ("tfidf", "novel")
    ]  # fmt: skip
    assert any(r["slice"] == "type=disease" for r in found["rows"])
    types = {(r["system"], r["set"], r["slice"]): r for r in found["types"]}
    whole = types["tfidf", "global", "all"]
    names = ("exact", "overspecific", "underspecific", "orthogonal", "no answer", "outside")
    assert sum(whole[n] for n in names) == pytest.approx(accuracy[2]["n"])
    assert accuracy[2]["value"] == pytest.approx(whole["exact"] / accuracy[2]["n"])
    parts = [r for k, r in types.items() if k[0] == "tfidf" and k[1] == "global" and k[2].startswith("type=")]
    assert sum(r["exact"] for r in parts) == pytest.approx(whole["exact"])  # slices by type add up
    assert {r["measure"] for r in found["tests"]} >= {"accuracy", "distance", "wu-palmer"}
    text = call("score", *runs, "--hierarchy", "mini(denominator=placed)")
    assert all(word in text for word in ("novel-unique", "cautiousness", "wu-palmer", "second against first"))
    assert "outside" in call("score", runs[0], "--hierarchy", "mini", "--measures", "outside", "--format", "tsv")


def test_accuracy_is_that_of_pairs(runs: list[str]) -> None:
    """Accuracy over gold pairs with ties at 1/g is recall@1 of the expected policy with gold=pairs."""
    plain = linkassay.score(runs[1], "recall(gold=pairs)@1").rows()[0]
    found = json.loads(call("score", runs[1], "--hierarchy", "mini", "--set", "global", "--json"))["rows"]
    assert found[0]["value"] == pytest.approx(plain["value"])
    assert found[0]["n"] == plain["n"]


def test_profile_and_scenario_as_json(runs: list[str]) -> None:
    rows = json.loads(call("profile", runs[0], "--json"))["rows"]
    assert {"system", "set", "gold", "predicted", "type", "distance", "location", "weight"} <= set(rows[0])
    found = json.loads(call("scenario", "neighbourhood", *runs, "--json"))
    assert bool(found["suits"]) is not bool(found["open"])  # one of them suits, or the choice is open
    assert {found["suits"], *found["open"]} - {""} <= {"exact", "tfidf"}
    shown = call("scenario", "neighbourhood", *runs)
    assert f"suits: {found['suits'] or 'open between ' + ' and '.join(found['open'])}" in shown
    assert found["reasons"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "mini/exact", "--hierarchy", "mini(x=1)"], "unknown option 'x'"),
        (["score", "mini/exact", "--hierarchy", "mini", "--protocol", "belb/strict"], "leave out --protocol"),
        (["score", "mini/exact", "--hierarchy", "mini", "--measures", "mrr"], "unknown measure of a hierarchy 'mrr'"),
        (["score", "mini/exact", "--hierarchy", "mini", "--set", "nowel"], "unknown set 'nowel'"),
        (["profile", "mini/exact", "--hierarchy", "nothing"], "nothing"),
        (["scenario", "branch", "mini/exact"], "--root"),
        (["scenario", "branch", "mini/exact", "--root", "mesh:D0"], "'mesh:D0' is not in the hierarchy"),
        (["scenario", "nowhere.toml", "mini/exact"], "nowhere.toml"),
    ],
)
def test_bad_requests_have_a_message(runs: list[str], arguments: list[str], message: str) -> None:
    with pytest.raises((LinkassayError, OSError), match=re.escape(message)):
        call(*arguments)


def test_the_page_is_the_reports_part_about_the_hierarchy(runs: list[str], tmp_path: Path) -> None:
    """Of the choices and sets that are asked for, with the figures of `score`."""
    out, chosen = tmp_path / "profile.html", ("--hierarchy", "mini(gold=best)", "--set", "global-unique,novel")
    assert json.loads(call("profile", *runs, *chosen, "-o", out, "--json")) == {"page": str(out), "warnings": []}
    page = out.read_text(encoding="utf-8")
    [of] = json.loads(page.partition('id="data">')[2].partition("</script>")[0])["corpora"]
    [section] = of["before"]
    tables = {name: blocks[-1] for name, blocks in section["blocks"][2]["options"]}
    scored = json.loads(call("score", *runs, *chosen, "--json"))["rows"]
    found = {(row["system"], row["set"], row["measure"]): row["value"] for row in scored}
    assert list(tables) == ["global-unique", "novel"]
    for set_, table in tables.items():
        # on the page "coverage" is that of answers
        measures = [{"exact or underspecific": "coverage"}.get(c["label"], c["label"]) for c in table["columns"][2:]]
        assert {(line[0]["v"], set_, m): cell["v"] for line in table["rows"]
                for m, cell in zip(measures, line[2:], strict=True)}.items() <= found.items()  # fmt: skip
    [ways] = [block for block in section["blocks"] if block.get("label") == "Mismatches"]
    assert [name for name, _ in ways["options"]] == [f"by {way}, {set_}" for set_ in tables
                                                     for way in ("distance", "location of gold")]  # fmt: skip


def test_the_page_in_a_browser(driver: Any, runs: list[str], tmp_path: Path) -> None:
    """Nothing is fetched, nothing complains, nothing is wider than the window, in light and dark, wide and narrow."""
    out = tmp_path / "profile.html"
    call("profile", *runs, "-o", out)

    def look(mode: str, width: int) -> None:
        media = {"features": [{"name": "prefers-color-scheme", "value": mode}]}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.resize(driver, width, 900)
        driver.get(out.as_uri())
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        assert driver.execute_script("return document.querySelectorAll('#hierarchy .canvas').length") > 0
        ink, paper = (
            driver.execute_script(f"return getComputedStyle(document.body).{name}")
            for name in ("color", "backgroundColor")
        )
        light = [sum(map(int, re.findall(r"\d+", value)[:3])) for value in (ink, paper)]
        assert (light[0] < light[1]) == (mode == "light")

    for mode in ("light", "dark"):
        for width in (1280, 390):
            look(mode, width)
    assert driver.get_log("browser") == []
    sent = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    assert [url for url in asked if url.startswith(("http", "ws"))] == []
    assert out.as_uri() in asked


def test_a_hierarchy_that_lacks_the_gold_ids_is_worth_a_warning(runs: list[str]) -> None:
    knowledge({"other:1": ["one"], "other:2": ["two"]}, other2={"parents": [["other:1"]]})
    for verb in (("score",), ("profile",)):
        said = json.loads(call(*verb, runs[0], "--hierarchy", "tiny", "--json"))["warnings"]
        [about] = [each for each in said if each["kind"] == "gold-not-in-kb"]
        assert "(100.0 %) are not in tiny" in about["message"]
        assert about["cure"].startswith("mini has all of them")
    assert not [each for each in json.loads(call("score", runs[0], "--hierarchy", "mini", "--json"))["warnings"]
                if each["kind"] == "gold-not-in-kb"]  # fmt: skip
