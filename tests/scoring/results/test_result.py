"""One result: every number of every output is a field of a figure, and shows what the figure says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.charts import without_charts
from linkassay.cli import app
from linkassay.cli.demo import LINKED
from linkassay.pages.page_data import gather_page
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.figure import Figure, Figures
from linkassay.scoring.results.result import Result
from linkassay.scoring.statistics.intervals import Difference
from tests.report_helpers import make
from tests.standins.name_spotter import spotted

#: Tables with figures of the literature, which are no result of ours.
LITERATURE = ("Published and ours", "For orientation")
#: What is a fact about the run and no figure of it.
FACTS = {"documents failed"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data home with the demo's runs, and runs on two tiny corpora."""
    folder = tmp_path_factory.mktemp("result")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder / "home"))
        make(folder)
        yield folder


@pytest.fixture(scope="module")
def scores(home: Path) -> list[Score]:
    """The demo's, two corpora more, measures and slices beside those of every report."""
    runs = [linkassay.link(name, "mini", abbreviations=abbreviations) for name, abbreviations in LINKED]
    runs += [spotted(), linkassay.link("exact", "own", kb="tiny"), linkassay.link("tfidf", "own", kb="tiny")]
    runs += [linkassay.link("exact", "other", kb="tiny"), linkassay.link("tfidf", "other", kb="tiny")]
    return [
        linkassay.score(run, "recall@1,recall(protocol=belb/strict)@5", by=["type", "length: length > 4"])
        for run in runs
    ]


def cells(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Every cell of every table: caption, column, cell."""
    sections = [*data["overview"], *(s for c in data["corpora"] for s in (*c["before"], *c["after"]))]
    for block in (b for section in sections for b in tables(section["blocks"])):
        for row in (*block["rows"], *block.get("foot", ())):
            for column, cell in zip(block["columns"], row, strict=True):
                yield block["caption"], column, cell


def tables(blocks: list[Any]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        if block["kind"] == "table":
            yield block
        yield from tables(block.get("blocks", []))
        for _, inner in block.get("options", []):
            yield from tables(inner)


def field(figures: Figures, key: str) -> Any:
    """What a key of an output stands for."""
    of, _, name = key.partition("#")
    return figures[of][name or "value"]


def otherwise(figure: Figure, number: int) -> dict[str, Any]:
    """Fields that no figure of the same key has by itself."""
    apart = number * 1e-7
    cost = figure.about["measure"].startswith("cost")
    fields: dict[str, Any] = {"value": 1e7 + number if cost else 0.111 + apart, "n": 1_000_000 + number}
    if figure.low is not None:
        fields |= {"low": 0.011 + apart, "high": 0.911 + apart}
    if figure.p is not None:
        fields["p"] = 0.222 + apart
    if figure.p_holm is not None:
        fields["p_holm"] = 0.333 + apart
    if figure.difference is not None:
        fields["difference"] = replace(figure.difference, value=0.444 + apart)
    if figure.more:
        fields["more"] = {name: 0.555 + apart if isinstance(value, int | float) and name != "corpora" else value
                          for name, value in figure.more.items()}  # fmt: skip
    return fields


@pytest.fixture(scope="module")
def once() -> Iterator[None]:
    """A key stands for one figure: whoever keeps another one under it is stopped."""
    keep = Figures.keep

    def kept(self: Figures, figure: Figure) -> Figure:
        before = self.get(figure.key)
        after = keep(self, figure)
        assert before is None or alike(before.row(), after.row()), (before, after)
        return after

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figures, "keep", kept)
        yield


def alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two rows say the same but for rounding."""
    return one.keys() == other.keys() and all(
        other[name] == (pytest.approx(value, rel=1e-9) if isinstance(value, float) else value)
        for name, value in one.items()
    )


@pytest.fixture(scope="module")
def pages(scores: list[Score], once: None) -> list[tuple[Result, dict[str, Any]]]:
    """The page of a result, and that of one in which every figure is another."""
    with without_charts():
        result = Result(scores)
        data = gather_page(result)
        changes = {key: otherwise(figure, number) for number, (key, figure) in enumerate(result.figures.items())}
        changed = Result(scores, changes)
        return [(result, data), (changed, gather_page(changed))]


def test_every_number_of_the_page_has_the_key_of_a_figure(pages: list[tuple[Result, dict[str, Any]]]) -> None:
    (result, data), _ = pages
    assert {cell["key"] for corpus in data["corpora"] for _, cell in corpus["facts"]} <= set(result.figures)
    without = set()
    seen = 0
    for caption, column, cell in cells(data):
        value = cell.get("v") if isinstance(cell, dict) else cell
        if column["form"] == "text" or not isinstance(value, int | float) or column["label"] in FACTS:
            continue
        if isinstance(cell, dict) and "key" in cell:
            assert cell["key"].partition("#")[0] in result.figures
            seen += 1
        elif not caption.startswith(LITERATURE):
            without.add((caption, column["label"]))
    assert without == set()
    assert seen > 2_000


@pytest.mark.parametrize("which", [0, 1])
def test_every_number_of_the_page_is_what_its_figure_says(
    pages: list[tuple[Result, dict[str, Any]]], which: int
) -> None:
    """Also where every figure is another than what was computed: nothing that is shown is computed on the way."""
    result, data = pages[which]
    for caption, column, cell in cells(data):
        if isinstance(cell, dict) and "key" in cell:
            figure = result.figures[cell["key"].partition("#")[0]]
            assert cell["v"] == field(result.figures, cell["key"]), (caption, column["label"], cell)
            if "low" in cell:
                assert (cell["low"], cell["high"]) == (figure.low, figure.high), (caption, column["label"], cell)
            if "difference" in cell:
                assert cell["difference"] == figure["difference"], (caption, column["label"], cell)


def test_changed_pages_have_no_number_of_the_old_one(pages: list[tuple[Result, dict[str, Any]]]) -> None:
    """The check above can fail: a cell that was not read from the result would be found here."""
    (_, old), (_, new) = pages
    before = {cell["key"]: cell["v"] for _, _, cell in cells(old) if isinstance(cell, dict) and "key" in cell}
    after = {cell["key"]: cell["v"] for _, _, cell in cells(new) if isinstance(cell, dict) and "key" in cell}
    assert len(before.keys() & after.keys()) > 500
    same = {key for key in before.keys() & after.keys() if before[key] == after[key]}
    assert {key for key in same if not key.endswith("#corpora")} == set()


# ---- one figure, all outputs


@pytest.fixture
def change(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets every result of the test have another field in the figure of one key."""
    make_ = Figures.__init__

    def change(key: str, **fields: Any) -> None:
        monkeypatch.setattr(
            Figures, "__init__", lambda self, changes=None: make_(self, {key: fields} | (changes or {}))
        )

    return change


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_one_value_changes_in_all_outputs(home: Path, scores: list[Score], change: Any, tmp_path: Path) -> None:
    """recall@1 of one run: terminal, tables, JSON, page, bench, demo."""
    run = scores[0].run
    key = f"{run.corpus}/{run.path.name}|recall@1|all"
    change(key, value=0.424242)
    name = f"{run.corpus}/{run.system}"
    assert " 0.4242 " in said("score", name, "--measures", "recall@1")
    for form in ("tsv", "md", "latex"):
        assert "0.4242" in said("score", name, "--measures", "recall@1", "--format", form)
    [row] = json.loads(said("score", name, "--measures", "recall@1", "--json"))["rows"]
    assert (row["key"], row["value"]) == (key, 0.424242)
    with without_charts():
        data = gather_page([linkassay.score(run)])
        (page,) = [cell for caption, _, cell in cells(data)
                   if caption == "Leaderboard" and isinstance(cell, dict) and cell.get("key") == key]  # fmt: skip
        assert page["v"] == 0.424242
        assert "42.4 %" in data["sentence"]
        assert said("report", name, "--format", "md").count("42.4") > 1
        plan = tmp_path / "plan.toml"
        plan.write_text('[[corpora]]\nname = "mini"\n[[linkers]]\nlinker = "exact"\n', encoding="utf-8")
        assert "0.424" in said("bench", str(plan))
        found = json.loads(said("bench", str(plan), "--json"))["rows"]
        assert [r["value"] for r in found if r["key"] == key] == [0.424242]
        assert "0.424" in said("demo", "-o", str(tmp_path / "demo.html"))
        assert "0.424242" in (tmp_path / "demo.html").read_text(encoding="utf-8")


def test_a_key_stands_for_one_figure(scores: list[Score], once: None) -> None:
    """Whatever is asked of a result, and in whatever order: tests of other families have keys of their own."""
    result = Result(scores)
    with without_charts():
        gather_page(result)
    for preset in ("", "bioel"):
        result.asked(preset)
    result.failures(10)
    for cohort in result.cohorts:
        assert len(cohort.asked) > 10
        cohort.bioel(cohort.slices["named"])


def test_bench_has_the_tests_of_the_result(home: Path, tmp_path: Path) -> None:
    """p and its correction too: what `bench --json` says is what the result keeps under that key."""
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[score]\nmeasures = ["recall@1"]\nby = ["type"]\n[[corpora]]\nname = "mini"\nsplits = ["dev", "test"]\n'
        '[[linkers]]\nlinker = "exact"\n[[linkers]]\nlinker = "normalised"\n', encoding="utf-8",
    )  # fmt: skip
    with without_charts():
        outcome = linkassay.bench(plan, out=tmp_path / "page.html")
    rows = outcome.rows()
    assert len([row for row in rows if row.get("p_holm") is not None]) > 20
    for row in rows:
        kept = outcome.result.figures[row["key"]].row()
        assert {name: row[name] for name in kept} == kept


def test_one_comparison_changes_in_all_outputs(home: Path, scores: list[Score], change: Any) -> None:
    first, second = (score.run for score in (scores[0], scores[2]))
    names = [str(run.path) for run in (first, second)]
    [pair] = json.loads(said("compare", *names, "--json"))["pairs"]
    told = ("first", "second", "difference", "low", "high", "n", "key")
    more = {name: value for name, value in pair.items() if name not in told}
    change(pair["key"], value=0.314159, more=more | {"permutation_p": 0.2718})
    [pair] = json.loads(said("compare", *names, "--json"))["pairs"]
    assert (pair["difference"], pair["permutation_p"]) == (0.314159, 0.2718)
    assert "+0.3142" in (shown := said("compare", *names))
    assert "0.2718" in shown


def test_one_characteristic_changes_in_all_outputs(home: Path, scores: list[Score], change: Any) -> None:
    name = str(scores[2].run.path)
    rows = json.loads(said("score", name, "--hierarchy", "mini", "--set", "global", "--json"))["rows"]
    accuracy = next(row for row in rows if row["measure"] == "accuracy")
    change(accuracy["key"], value=0.616161)
    rows = json.loads(said("score", name, "--hierarchy", "mini", "--set", "global", "--json"))["rows"]
    assert [row["value"] for row in rows if row["key"] == accuracy["key"]] == [0.616161]
    assert "61.62" in said("score", name, "--hierarchy", "mini", "--set", "global")


def test_a_failure_stage_is_one_figure_for_terminal_and_page(home: Path, scores: list[Score], change: Any) -> None:
    run = scores[2].run
    key = f"{run.corpus}/{run.path.name}|generation-failure@10|all"
    change(key, value=0.717171)
    assert "0.7172" in said("score", str(run.path), "--failures", "10")
    with without_charts():
        data = gather_page([linkassay.score(run)])
    assert [cell["v"] for _, _, cell in cells(data) if isinstance(cell, dict) and cell.get("key") == key] == [0.717171]


# ---- figures by themselves


def test_a_figure_tells_its_numbers_by_name() -> None:
    about = {"corpus": "c", "run": "r", "system": "s", "measure": "recall@1", "slice": "zero-shot"}
    figure = Figure(about, 0.5, 4, 0.25, 0.75, difference=Difference(0.1, 0.0, 0.2, 9, 0.5), p=0.5, more={"z": 1.5})
    assert [figure[name] for name in ("value", "n", "difference", "difference_low", "p", "z")] == [
        0.5, 4, 0.1, 0.0, 0.5, 1.5,
    ]  # fmt: skip
    assert figure.row() == about | {
        "value": 0.5, "n": 4, "low": 0.25, "high": 0.75, "difference": 0.1, "difference_low": 0.0,
        "difference_high": 0.2, "p": 0.5, "z": 1.5, "key": "c/r|recall@1|zero-shot",
    }  # fmt: skip


def test_figures_are_kept_by_key_and_changed_there() -> None:
    about = {"corpus": "c", "run": "r", "system": "s", "measure": "recall@1", "slice": "all"}
    figures = Figures({"c/r|recall@1|all": {"value": 0.75}})
    assert figures.keep(Figure(about, 0.5, 4)).value == 0.75
    assert (len(figures), list(figures), figures["c/r|recall@1|all"].n) == (1, ["c/r|recall@1|all"], 4)
