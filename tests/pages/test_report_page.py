"""The report: its data agree with the scores, and hostile text stays text."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay import charts
from linkassay.cli import app
from linkassay.errors import UsageError
from linkassay.explorer import View, build_view, embed, open_view, outcome_words
from linkassay.explorer.mention_context import REACH, window
from linkassay.pages import blocks, explanations, front_end
from linkassay.pages.page_data import gather_page
from linkassay.pages.page_table_texts import with_table_texts
from linkassay.pages.report_as_text import tables_as_text
from linkassay.pages.report_page import render_report, write_report
from linkassay.runs.stored_run import Run
from linkassay.scoring.disambiguation.mention_outcomes import CUT_OFFS, mention_outcomes_of
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.results import Cohort, Result
from tests import reference_scoring as reference
from tests.conftest import ReportRuns
from tests.pages.sections.reading import browsed
from tests.report_helpers import HOSTILE, kb


@pytest.fixture(scope="module")
def scores(report_runs: ReportRuns) -> Iterator[list[Score]]:
    """Three systems on the tiny corpus."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(report_runs.home))
        yield [linkassay.score(run) for run in report_runs.runs[:3]]


@pytest.fixture(scope="module")
def data(report_runs: ReportRuns) -> dict[str, Any]:
    return report_runs.data


@pytest.fixture(scope="module")
def corpus(data: dict[str, Any]) -> dict[str, Any]:
    return data["corpora"][0]  # type: ignore[no-any-return]


@pytest.fixture
def no_charts() -> Iterator[None]:
    """Where only other things matter charts are left out."""
    with charts.without_charts():
        yield


@pytest.fixture(scope="module")
def cohort(scores: list[Score]) -> Cohort:
    return Result(scores).cohorts[0]


@pytest.fixture(scope="module")
def view(cohort: Cohort) -> View:
    """What there is to look at, one by one."""
    return _view(cohort)


def _view(cohort: Cohort) -> View:
    runs = [score.run for score in cohort.scores]
    build_view(runs)
    found = open_view(runs)
    assert found is not None
    return found


def _mention(view: View, text: str) -> dict[str, Any]:
    (row,) = (row for row in view.mentions(find=text)["rows"] if row["text"] == text)
    return view.mention(row["id"])


def _verdicts(row: list[Any], system: int) -> str:
    return str(row[2][3 * system])


# ---- the data


def test_systems_are_best_first_and_all_sections_are_there(corpus: dict[str, Any], data: dict[str, Any]) -> None:
    assert corpus["systems"] == data["systems"] == ["tfidf", "exact", "normalised"]
    assert [s["id"] for s in corpus["before"]] == [
        "leaderboard", "curve", "failures", "types", "slices", "unseen", "cost", "agreement", "hierarchy",
        "published",
    ]  # fmt: skip
    assert [s["id"] for s in corpus["after"]] == ["run"]
    assert data["overview"] == data["failed"] == data["plan"] == []
    assert [[name, {k: v for k, v in cell.items() if k != "key"}] for name, cell in corpus["facts"]] == [
        ["documents", {"v": 5, "text": "5"}], ["mentions scored", {"v": 9, "open": {"outcome": "any"}, "text": "9"}],
        ["mentions not scored", {"v": 1, "open": {"outcome": "left"}, "text": "1"}], ["systems", {"v": 3, "text": "3"}],
    ]  # fmt: skip


def test_every_section_has_its_words_and_every_term_its_definition(corpus: dict[str, Any]) -> None:
    for said in explanations.SECTIONS.values():
        assert set(said.terms) <= set(explanations.DEFINITIONS), said.title
    for section in corpus["before"]:
        assert section["shows"]
        assert section["read"]
        charts_, tables = ([b for b in _blocks(section["blocks"]) if b["kind"] == k] for k in ("chart", "table"))
        assert tables, section["id"]
        assert all(c["alt"] and c["spec"] for c in charts_), section["id"]


def _blocks(blocks: list[Any]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        yield block
        yield from _blocks(block.get("blocks", []))
        for _, inner in block.get("options", []):
            yield from _blocks(inner)


def test_sentence_says_the_leaderboards_numbers(corpus: dict[str, Any], data: dict[str, Any]) -> None:
    rows = corpus["before"][0]["blocks"][0]["rows"]
    (_, first, *_), (_, second, *_) = rows[:2]
    p = rows[1][5]["v"]
    assert p > 0.05
    assert data["sentence"] == corpus["sentence"] == (
        f"tfidf puts a right entity first for {100 * first['v']:.1f} % of 9 mentions (95 % interval "
        f"{100 * first['low']:.1f}–{100 * first['high']:.1f} %), {100 * (first['v'] - second['v']):.1f} points ahead "
        f"of exact, which may be chance (p = {p:.3f})."
    )  # fmt: skip


def test_totals_count_every_mention_once(scores: list[Score], corpus: dict[str, Any], cohort: Cohort) -> None:
    totals = browsed(cohort)["totals"]
    assert sum(row[-1] for row in totals) == 9 + 1  # one is not scored
    assert [n for *_, codes, n in totals if codes == "x-0" * 3] == [1]
    for position, label in enumerate(corpus["systems"]):
        score = next(s for s in scores if s.run.system == label)
        for code in outcome_words.OUTCOMES:
            counted = sum(row[-1] for row in totals if _verdicts(row, position) == code)
            assert counted == sum(
                outcome_words.verdict(j.hits[0], j.answered) == code for j in mention_outcomes_of(score)
            )


def test_totals_count_the_mentions_of_every_slice(scores: list[Score], cohort: Cohort) -> None:
    mentions = browsed(cohort)
    assert "zero-shot" in mentions["slices"]
    for bit, name in enumerate(mentions["slices"]):
        if name == "novel":  # of the evaluation sets, not of the slices
            continue
        mask = dict(scores[0].slices([name]))[name]
        assert sum(row[-1] for row in mentions["totals"] if row[1] >> bit & 1) == mask.sum()
        members = set(scores[0].items.table["id"].filter(mask).to_pylist())
        assert {m["id"] for m in mentions["mentions"] if m["slices"] >> bit & 1} == members


def test_a_mention_shows_gold_candidates_and_why(view: View) -> None:
    mention = _mention(view, "alpha")
    assert mention["codes"] == "pd1" + "r-0" + "pd1"  # the other of the tied ids is below gold in the hierarchy
    assert mention["gold"] == [["t:1"]]
    assert mention["names"]["t:1"] == "alpha"
    answer = mention["answers"][2]
    assert answer["why"] == "Gold is tied with 1 other for first place: counts 1/2."
    assert [(g["rank"], g["size"], g["right"], g["score"]) for g in answer["groups"]] == [(1, 2, 1, 1.0)]
    assert answer["groups"][0]["ids"] == ["t:1", "t:2"]
    assert mention["context"] == [("We saw ", False), ("alpha", True), (" and Alpha and beta.", False)]


def test_a_merged_gold_id_is_shown_with_its_current_one(view: View) -> None:
    mention = _mention(view, "شلل")
    assert (mention["gold"], mention["changed"]) == ([["t:5"]], [["t:9", ["t:5"]]])
    assert mention["names"]["t:5"] == "gamma"


def test_gold_is_shown_by_other_ids_where_a_knowledge_base_has_them(scores: list[Score]) -> None:
    kb("older", history="t:8\tt:5\n")
    older = linkassay.score(linkassay.link("exact", "own", kb="older"))
    (both,) = Result([scores[0], older]).cohorts
    assert both.labels[0].startswith("exact (kb tiny")
    view = _view(both)
    found = [view.mention(row["id"]) for row in view.mentions()["rows"]]
    apart = {m["text"]: [a.get("gold") for a in m["answers"] if a] for m in found}
    assert apart.pop("شلل") == [None, ["t:9"]]  # t:5 in the newer one, which the mention is shown with
    assert {each for answers in apart.values() for each in answers} == {None}


@pytest.mark.usefixtures("no_charts")
def test_same_system_twice_is_told_apart(scores: list[Score]) -> None:
    other = linkassay.score(linkassay.link("tfidf", "own", kb="tiny", top=2))
    assert sorted(gather_page([scores[2], other, scores[2]])["systems"]) == ["tfidf (top 10)", "tfidf (top 2)"]
    written = linkassay.score(linkassay.link("tfidf", "own", kb="tiny", abbreviations="schwartz-hearst"))
    assert sorted(gather_page([scores[2], written])["systems"]) == ["tfidf", "tfidf + abbreviations"]


@pytest.mark.usefixtures("no_charts")
def test_failed_cells_and_what_was_asked_for_are_shown(scores: list[Score], tmp_path: Path) -> None:
    failed = [{"corpus": "own", "linker": "house", "error": f"no model {HOSTILE}"}]
    assert gather_page(scores, about={"title": "Mine"})["title"] == "Mine"
    found = gather_page(scores, failed, {"file": "my.toml", "corpora": ["own", "other"], "slices": []})
    (section,), (plan,) = found["failed"], found["plan"]
    assert found["title"] == "own"
    assert (section["id"], section["title"]) == ("failed", "What failed")
    assert section["blocks"][0]["rows"] == [["own", "house", f"no model {HOSTILE}"]]
    assert plan["blocks"][0]["cards"][0]["entries"] == [["file", "my.toml"], ["corpora", "own, other"]]
    nothing = gather_page([], failed)  # everything failed: still a page
    assert (nothing["corpora"], nothing["sentence"]) == ([], "Nothing could be run.")
    assert write_report([], tmp_path / "report.html", failed=failed).exists()
    with pytest.raises(UsageError, match=r"^nothing to report: name at least one run$"):
        gather_page([])


@pytest.mark.parametrize(
    ("groups", "gold", "nil", "said"),
    [
        ([], "a", False, "There was no answer: counts 0."),
        ([], "a", True, "The answer was “not in the knowledge base”: counts 0."),
        (["a"], "a", False, "Gold is first: counts 1."),
        (["ab"], "ab", False, "All 2 candidates tied for first place are gold: counts 1."),
        (["abc"], "ab", False, "2 of the 3 candidates tied for first place are gold: counts 2/3."),
        (["x"], "a", False, "Gold is not the one candidate: counts 0; lost in candidate generation."),
        (["x", "yz"], "a", False, "Gold is not any of the 3 candidates: counts 0; lost in candidate generation."),
        (["x", "ya"], "a", False, "Gold comes at ranks 2–3, tied: counts 0 at rank 1; lost in disambiguation."),
        ([*"0123456789", "a"], "a", False,
         "Gold comes only at rank 11, after the first 10: counts 0; lost in candidate generation."),
        ([*"012345678", "ya"], "a", False,
         "Gold comes at ranks 10–11, tied: counts 0 at rank 1; by chance of the tie it is among the first 10 or not."),
    ],
)  # fmt: skip
def test_why_says_what_the_score_does(groups: list[str], gold: str, nil: bool, said: str) -> None:
    assert outcome_words.why([list(g) for g in groups], set(gold), nil) == said
    hits = [reference.expected([list(g) for g in groups], frozenset(gold), k) for k in CUT_OFFS]
    if stage := re.search(r"lost in (\w)", said):
        assert outcome_words.stage(hits[0], hits[-1]) == {"c": "g", "d": "d"}[stage[1]]
    if worth := re.search(r"counts (\d)(?:/(\d))?", said):
        assert hits[0] == pytest.approx(int(worth[1]) / int(worth[2] or 1))


def test_context_is_bounded_and_marks_every_piece() -> None:
    text = "word " * 1000 + "left" + " gap" * 500 + " right" + " word" * 1000
    start, end = text.index("left"), text.index("right")
    pieces = window(text, [(start, start + 4), (end, end + 5)], "left right")
    assert [t for t, marked in pieces if marked] == ["left", "right"]
    assert sum(len(t) for t, _ in pieces) < 3 * REACH + 200
    assert window("", [(3, 7)], "beta") == [("beta", True)]  # offsets without a text


# ---- the file


def test_page_embeds_data_that_cannot_become_markup(data: dict[str, Any], cohort: Cohort) -> None:
    held = embed([cohort])
    page = render_report(data, held)
    embedded = page.split('id="data">')[1].split("</script>")[0]
    about = {"version": data["version"], "feed": "page", "title": "own", "can": {"compute": False}, "text": "full",
             "note": ""}  # fmt: skip
    assert json.loads(embedded) == json.loads(json.dumps(data)) | {"about": about}
    assert not set("<>&\u2028\u2029") & set(embedded)
    columns = page.split('id="columns">')[1].split("</script>")[0]
    assert json.loads(gzip.decompress(base64.b64decode(columns, validate=True))) == json.loads(json.dumps(held))
    assert render_report(data, embed([cohort])) == page
    assert page.count("<script") == page.count("</script>") == 4
    assert "default-src &#x27;none&#x27;" in page
    assert len(page) - len(front_end.vendored()) < 900_000  # the lines of 100 kB are compressed


def test_scripts_never_write_markup() -> None:
    for name in front_end.modules():
        text = front_end.module(name)
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text), name
        # where ids lead is for a person to follow
        assert name == "entity_links.js" or not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), name


@pytest.mark.usefixtures("no_charts")
def test_not_finite_scores_do_not_break_the_page(scores: list[Score], monkeypatch: pytest.MonkeyPatch) -> None:
    import dataclasses

    original = Run.predictions
    monkeypatch.setattr(Run, "predictions", lambda run: (
        dataclasses.replace(p, scores=tuple(float("nan") for _ in p.scores)) for p in original(run)))  # fmt: skip
    page = render_report(gather_page(scores), embed(Result(scores).cohorts))
    assert "NaN" not in page.split('id="data">')[1].split("</script>")[0]


@pytest.mark.usefixtures("no_charts")
def test_writing_replaces_the_whole_file(scores: list[Score], tmp_path: Path) -> None:
    out = tmp_path / "deep" / "report.html"
    assert write_report(scores, out) == out
    assert write_report(scores[:1], out) == out
    assert [p.name for p in out.parent.iterdir()] == ["report.html"]


def _opened(path: Path) -> tuple[dict[str, Any], Any]:
    """What a page says, and what it holds."""
    said, held = (re.findall(rf'<script type="[a-z/-]+" id="{name}">(.*?)</script>', path.read_text("utf-8"))[0]
                  for name in ("data", "columns"))  # fmt: skip
    return json.loads(said), json.loads(gzip.decompress(base64.b64decode(held)))


@pytest.mark.usefixtures("no_charts")
def test_what_a_page_holds_is_chosen_and_said(scores: list[Score], tmp_path: Path) -> None:
    out, runs = tmp_path / "page.html", [str(score.run.path) for score in scores]
    told = ["report", *runs, "-o", str(out)]
    assert CliRunner().invoke(app, told).exit_code == 0
    data, held = _opened(out)
    assert (data["title"], data["about"]["text"], data["about"]["note"]) == ("own", "full", "")
    assert len(held["cohorts"][0]["mentions"]["worst"]) == 10
    options = ["--mentions", "errors", "--text", "snippet", "--title", HOSTILE]
    assert CliRunner().invoke(app, [*told, *options]).exit_code == 0
    data, held = _opened(out)
    (cohort,) = held["cohorts"]
    missed = cohort["cohort"]["sizes"]["held"]
    assert 0 < missed < 10
    assert (data["title"], data["about"]["title"], data["about"]["text"]) == (HOSTILE, HOSTILE, "snippet")
    assert data["about"]["note"] == (
        f"This page holds {missed} of 10 mentions; all of them are in a page made with “--mentions all”, and in "
        "“linkassay serve”. Of the texts only what stands around the mentions is in this page."
    )
    linkassay.report(runs, out, mentions="all", text="none")
    data, held = _opened(out)
    assert data["about"]["note"] == "The texts are not in this page."
    assert all(pieces == [] for pieces in held["cohorts"][0]["documents"]["pieces"])


@pytest.mark.parametrize(
    ("option", "value", "said"), [("--mentions", "some", "write all, errors, or how many"), ("--text", "half", "half")]
)
@pytest.mark.usefixtures("no_charts")
def test_what_a_page_cannot_hold(scores: list[Score], tmp_path: Path, option: str, value: str, said: str) -> None:
    told = CliRunner().invoke(
        app, ["report", str(scores[0].run.path), "-o", str(tmp_path / "page.html"), option, value]
    )
    assert told.exit_code != 0
    assert said in str(told.exception) + told.output
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("form", ["plain", "tsv", "md", "latex"])
def test_tables_as_text(corpus: dict[str, Any], data: dict[str, Any], form: str) -> None:
    text = tables_as_text(data, form)
    assert data["sentence"] in text
    tables = [b for s in (*corpus["before"], *corpus["after"]) for b in _blocks(s["blocks"]) if b["kind"] == "table"]
    assert all(f"own, test: {table['caption']}" in text for table in tables)
    if form == "tsv":
        rows = text.split("own, test: Leaderboard\n")[1].split("\n\n")[0].splitlines()
        assert rows[0].split("\t")[:4] == ["system", "recall@1", "recall@1 low", "recall@1 high"]
        assert rows[1].split("\t")[0] == "tfidf"
        assert float(rows[1].split("\t")[1]) == tables[0]["rows"][0][1]["v"]


@pytest.mark.parametrize(
    ("form", "name", "heading"), [("tsv", "TSV", "# "), ("md", "Markdown", "## "), ("latex", "LaTeX", "% ")]
)
@pytest.mark.usefixtures("no_charts")
def test_the_page_copies_what_the_command_prints(scores: list[Score], form: str, name: str, heading: str) -> None:
    found = gather_page(scores, [{"corpus": "own", "linker": "house", "error": f"no\tmodel\n{HOSTILE}"}])
    (corpus,) = found["corpora"]
    parts = [f"{'% ' if form == 'latex' else ''}{found['sentence']}"]
    for title, sections in (("", found["failed"]), ("own, test: ", [*corpus["before"], *corpus["after"]])):
        for table in (b for s in sections for b in _blocks(s["blocks"]) if b["kind"] == "table"):
            head, rows, tail = table["copy"][name]
            assert len(rows) == len(table["rows"])
            parts.append("\n".join([f"{heading}{title}{table['caption']}", *head, *rows, *tail]))
    assert tables_as_text(found, form) == "\n\n".join(parts) + "\n"


def test_a_table_that_is_sorted_to_begin_with_has_its_rows_in_that_order() -> None:
    columns = [blocks.column("name"), blocks.column("n", "count")]
    table = blocks.table(
        "T", columns, [["a", 1], ["b", None], ["c", {"v": 2}], ["d", 1]], foot=[["all", 4]], sort=(1, True)
    )
    data: dict[str, Any] = {"failed": [{"blocks": [blocks.choice("", {"x": [table]})]}], "overview": [], "corpora": []}
    with_table_texts(data)
    assert [row[0] for row in table["rows"]] == ["c", "a", "d", "b"]
    assert table["shown"] == [[None, "2"], [None, "1"], [None, "1"], [None, "–"], [None, "4"]]
    assert table["copy"]["TSV"] == (["name\tn"], ["c\t2", "a\t1", "d\t1", "b\t"], ["all\t4"])


def test_names_in_headings_are_no_markup(data: dict[str, Any]) -> None:
    named = data | {
        "sentence": f"{HOSTILE}\nputs _x_ first",
        "corpora": [data["corpora"][0] | {"title": f"a\n{HOSTILE}"}],
    }
    markdown = tables_as_text(named, "md")
    assert "<" not in markdown
    assert r"puts \_x\_ first" in markdown.splitlines()[0]
    for form in ("latex", "tsv"):
        assert f"{'%#'[form == 'tsv']} a {HOSTILE}, test: Leaderboard" in tables_as_text(named, form).splitlines()


def test_terms_are_those_of_the_sections(scores: list[Score]) -> None:
    data = gather_page(scores)
    sections = [each for part in ("before", "after") for each in data["corpora"][0][part]] + [data["mentions"]]
    assert set(data["definitions"]) == {term for section in sections for term in section["terms"]}
    assert "disambiguation accuracy" in explanations.DEFINITIONS  # of systems that find mentions, and there is none
    assert "disambiguation accuracy" not in data["definitions"]


def test_tables_from_the_command_line(scores: list[Score], tmp_path: Path) -> None:
    names = [str(scores[2].run.path)]
    done = CliRunner().invoke(app, ["report", *names, "--format", "md"], catch_exceptions=False)
    assert "## own, test: Leaderboard\n| system |" in done.stdout
    out = tmp_path / "tables.tex"
    done = CliRunner().invoke(app, ["report", *names, "--format", "latex", "-o", str(out), "--json"])
    said = json.loads(done.stdout)
    assert said["report"] == str(out)
    assert [each["kind"] for each in said["warnings"]] == ["few-documents"]
    assert out.read_text(encoding="utf-8").startswith("% tfidf puts")
    assert CliRunner().invoke(app, ["report", *names, "--format", "pdf"]).exit_code != 0


def test_a_hierarchy_that_cannot_be_used_is_said(scores: list[Score], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise UsageError("it has a cycle")

    monkeypatch.setattr("linkassay.scoring.results.cohort.profiles", broken)
    with charts.without_charts():
        (found,) = gather_page(scores)["corpora"]
    (section,) = (s for s in found["before"] if s["id"] == "hierarchy")
    kb = scores[0].run.kb
    assert section["blocks"] == [{"kind": "text", "text": f"The hierarchy of {kb} cannot be used: it has a cycle."}]


# ---- charts


def test_48_systems_look_unlike_each_other_and_six_do_so_without_colour() -> None:
    looks = [charts.look(at) for at in range(48)]
    assert len({(hue, shape) for hue, shape, _ in looks}) == 48
    assert len({(hue, tuple(dash)) for hue, _, dash in looks}) == 48  # of lines
    assert len({shape for _, shape, _ in looks[:6]}) == 6
    script = front_end.module("dom.js")
    drawn = script.split("const SHAPES = {")[1].split("};")[0]
    assert all(re.search(rf'(?<![\w-])"?{shape}"?: "M', drawn) for shape in charts.SHAPES)


@pytest.mark.parametrize("theme", [0, 1])
def test_colours_of_systems_stand_out_from_the_ground(theme: int) -> None:
    """WCAG 1.4.11: 3:1 or more for what must be seen to understand a picture, in light and in dark."""
    style = (Path(linkassay.__file__).parent / "pages" / "page.css").read_text(encoding="utf-8")
    found = dict(re.findall(r"--([a-z0-9-]+): light-dark\((#\w+, #\w+)\)", style))

    def luminance(name: str) -> float:
        colour = found[name].split(", ")[theme]
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for name in [*(f"s{hue}" for hue in range(charts.HUES)), "soft", "generation", "right", "wrong", "partly"]:
        for ground in ("card", "paper"):
            dark, light = sorted((luminance(name), luminance(ground)))
            assert (light + 0.05) / (dark + 0.05) >= 3, (name, ground)


def test_specifications_are_vega_lite(report_runs: ReportRuns) -> None:
    """What the page draws is valid by the schema that Altair carries."""
    import altair

    assert len(report_runs.specs) >= 8
    for spec in report_runs.specs:
        altair.Chart.from_dict(charts.draw(spec, "")["spec"])
