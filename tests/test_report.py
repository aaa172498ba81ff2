"""The report: its data agree with the scores, hostile text stays text, and the page works in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.corpora.get import Own, get_own
from linkassay.errors import UsageError
from linkassay.kbs.base import KbSpec, Part
from linkassay.kbs.build import build
from linkassay.reporting import words
from linkassay.reporting.context import REACH, window
from linkassay.reporting.gather import gather
from linkassay.reporting.page import SCRIPTS, render, write
from linkassay.runs import Run
from linkassay.scoring.judged import KS, judged
from linkassay.scoring.score import Score
from tests import reference_scoring as reference
from tests.browser import chromium, missing, resize
from tests.helpers import raw

HOSTILE = "<script>alert(1)</script>"
LONG = "long " * 20_000  # 100 kB on one line
NAMES = [
    ("t:1", "Gene", ["alpha"]),
    ("t:2", "Gene", ["Alpha"]),
    ("t:3", "Gene", ["beta", "alphabet"]),
    ("t:4", HOSTILE, [HOSTILE, "delta"]),
    ("t:5", "Drug", ["gamma", "شلل"]),
    ("t:6", "Drug", ["omega \U0001f9ec \u2028 line"]),
]
OLD = "t:9\tt:5\n"
TRAIN = [("Here is beta.", [("beta", "Gene", "t:3")]), ("And gamma.", [("gamma", "Drug", "t:5")])]
TEST = [
    ("We saw alpha and Alpha and beta.", [("alpha", "Gene", "t:1"), ("Alpha", "Gene", "t:2"), ("beta", "Gene", "t:3")]),
    (f"Some {HOSTILE} & \"quoted\" 'text' --> </script><!-- here.",
     [(HOSTILE, HOSTILE, "t:4"), ("</script>", HOSTILE, "t:4")]),
    ("Old شلل stays, omega \U0001f9ec too.", [("شلل", "Drug", "t:9"), ("omega \U0001f9ec", "Drug", "t:6")]),
    (LONG + "gamma " + LONG, [("gamma", "Drug", "t:5"), ("gamma ", "Drug", "")]),
    ("Nothing like zeta is known.", [("zeta", "Drug", "t:5")]),
]  # fmt: skip


def _corpus(folder: Path, name: str, split: str, documents: list[Any]) -> None:
    lines = []
    for number, (text, mentions) in enumerate(documents):
        found = [
            {"spans": [[text.index(m), text.index(m) + len(m)]], "type": type_, "gold": [[gold]] if gold else []}
            for m, type_, gold in mentions
        ]
        lines.append(json.dumps({"id": f"{split}{number}", "text": text, "mentions": found}) + "\n")
    path = folder / f"{split}.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    get_own(Own(name=name, format="jsonl", paths=(path,), split=split, kb="tiny", merge=False))


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Score]]:
    """Three systems on the tiny corpus, in a data home of this module."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder / "home"))
        lines = [{"id": i, "type": t, "names": [[n, "synonym"] for n in names]} for i, t, names in NAMES]
        entities = raw("kb.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        history = raw("history.tsv", OLD)
        parts = (Part("kb.jsonl", "linkassay.kbs.jsonl:read_entities"),
                 Part("history.tsv", "linkassay.kbs.jsonl:read_history"))  # fmt: skip
        build(KbSpec("tiny", "Tiny", "tiny", ("disease",), "CC0", "", "", parts, packaged=lambda: [entities, history]))
        _corpus(folder, "own", "train", TRAIN)
        _corpus(folder, "own", "test", TEST)
        yield [linkassay.score(linkassay.link(name, "own", kb="tiny")) for name in ("exact", "normalised", "tfidf")]


@pytest.fixture(scope="module")
def data(scores: list[Score]) -> dict[str, Any]:
    return gather(scores)


def _sample(data: dict[str, Any], text: str) -> dict[str, Any]:
    return next(m for m in data["sample"] if m["text"] == text)


# ---- the data


def test_figures_are_those_of_the_scores(scores: list[Score], data: dict[str, Any]) -> None:
    assert [s["label"] for s in data["systems"]] == ["tfidf", "exact", "normalised"]  # best first
    for score in scores:
        system = next(s for s in data["systems"] if s["label"] == score.run.system)
        rows = score.rows("coverage,recall@1..10", ["type", "unseen-entity", "unseen-synonym", "seen"])
        assert sum(len(measures) for measures in system["figures"].values()) == len(rows)
        for row in rows:
            figure = system["figures"][row["slice"]][row["measure"]]
            assert figure == {key: row[key] for key in ("value", "low", "high", "n")}
        assert system["n"] == len(score.items) == 9
        assert system["without_id"] == score.items.left_out["without a gold id"] == 1


def test_what_was_run_is_said(scores: list[Score], data: dict[str, Any]) -> None:
    about = scores[2].run.about
    system = data["systems"][0]
    assert system["parameters"] == {"top": 10}
    assert system["link_seconds"] == about["link_seconds"]
    assert system["mentions_per_second"] == about["mentions"] / about["link_seconds"]
    assert system["peak_memory_bytes"] == about["peak_memory_bytes"]
    assert system["kb"] == f"tiny@{about['kb_revision']}"
    corpus = data["corpus"]
    assert (corpus["documents"], corpus["scored"], corpus["without_id"], corpus["split"]) == (5, 9, 1, "test")
    assert corpus["licence"] == "own data"
    assert corpus["revision"] == about["corpus_revision"]
    assert data["kbs"][0]["title"] == "Tiny"


def test_sentence_says_the_leaderboards_numbers(data: dict[str, Any]) -> None:
    first, second = (s["figures"]["all"]["recall@1"] for s in data["systems"][:2])
    lead = 100 * (first["value"] - second["value"])
    assert data["sentence"] == (
        f"tfidf puts a right entity first for {100 * first['value']:.1f} % of 9 mentions (95 % interval "
        f"{100 * first['low']:.1f}–{100 * first['high']:.1f} %), {lead:.1f} points ahead of exact; "
        "the two intervals overlap."
    )


def test_failure_stages_sum_to_one_and_follow_the_expected_hits(scores: list[Score], data: dict[str, Any]) -> None:
    for score in scores:
        stage = next(s for s in data["systems"] if s["label"] == score.run.system)["stage"]
        assert stage["wrong"] == pytest.approx(sum(1 - j.hits[0] for j in judged(score)))
        assert stage["generation"] + stage["disambiguation"] == pytest.approx(1)
        assert stage["generation"] * stage["wrong"] == pytest.approx(sum(1 - j.hits[9] for j in judged(score)))
        assert stage["no_answer"] == sum(not j.answered for j in judged(score))


def test_totals_count_every_mention_once(scores: list[Score], data: dict[str, Any]) -> None:
    assert sum(row[-1] for row in data["totals"]) == 9
    for position, system in enumerate(data["systems"]):
        score = next(s for s in scores if s.run.system == system["label"])
        for code in words.OUTCOMES:
            counted = sum(row[-1] for row in data["totals"] if row[2 + position][0] == code)
            assert counted == sum(words.verdict(j.hits[0], j.answered) == code for j in judged(score))


def test_a_mention_shows_gold_candidates_and_why(data: dict[str, Any]) -> None:
    mention = _sample(data, "alpha")
    assert mention["codes"] == ["pd", "r-", "pd"]
    assert [data["names"][n] for n in mention["gold"][0]] == [["t:1", "alpha"]]
    answer = mention["answers"][2]
    assert answer["why"] == "Gold is tied with 1 other for first place: counts 1/2."
    assert [(g["rank"], g["size"], g["right"], g["score"]) for g in answer["groups"]] == [(1, 2, 1, 1.0)]
    assert [data["names"][n][0] for n in answer["groups"][0]["ids"]] == ["t:1", "t:2"]
    assert mention["context"] == [("We saw ", False), ("alpha", True), (" and Alpha and beta.", False)]
    assert {m["text"]: m["slice"] for m in data["sample"]}["beta"] == "seen"
    assert mention["slice"] == "unseen-entity"
    assert _sample(data, "zeta")["slice"] == "unseen-synonym"


def test_a_merged_gold_id_is_shown_with_its_current_one(data: dict[str, Any]) -> None:
    mention = _sample(data, "شلل")
    assert mention["changed"] == [["t:9", ["t:5"]]]
    assert data["names"][mention["gold"][0][0]] == ["t:5", "gamma"]


def test_sample_is_capped_reproducible_and_mostly_missed(scores: list[Score], data: dict[str, Any]) -> None:
    small = gather(scores, sample=5)
    assert len(small["sample"]) == 5
    assert sum(row[-1] for row in small["totals"]) == 9  # totals stay exact
    assert [m["id"] for m in small["sample"]] == [m["id"] for m in gather(scores, sample=5)["sample"]]
    assert sum(any(c[0] != "r" for c in m["codes"]) for m in small["sample"]) == 4
    order = [m["id"] for m in data["sample"]]
    assert [m["id"] for m in small["sample"]] == [i for i in order if i in {m["id"] for m in small["sample"]}]


def test_same_system_twice_is_told_apart(scores: list[Score]) -> None:
    other = linkassay.score(linkassay.link("tfidf", "own", kb="tiny", top=2))
    both = gather([scores[2], other, scores[2]])
    assert sorted(s["label"] for s in both["systems"]) == ["tfidf (top 10)", "tfidf (top 2)"]


def test_runs_of_different_data_are_refused(scores: list[Score], tmp_path: Path) -> None:
    other = linkassay.score(linkassay.link("exact", "own", kb="tiny", split="train"))
    revision = other.run.about["corpus_revision"]
    message = (f"a report shows runs of one corpus, revision and split; these are of own@{revision} test, "
               f"own@{revision} train")  # fmt: skip
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        gather([scores[0], other])
    with pytest.raises(UsageError, match=r"^nothing to report: name at least one run$"):
        gather([])


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
        (["0123456789", "a"], "a", False,
         "Gold comes only at rank 11, after the first 10: counts 0; lost in candidate generation."),
        (["012345678", "ya"], "a", False,
         "Gold comes at ranks 10–11, tied: counts 0 at rank 1; by chance of the tie it is among the first 10 or not."),
    ],
)  # fmt: skip
def test_why_says_what_the_score_does(groups: list[str], gold: str, nil: bool, said: str) -> None:
    assert words.why([list(g) for g in groups], set(gold), nil) == said
    hits = [reference.expected([list(g) for g in groups], frozenset(gold), k) for k in KS]
    if stage := re.search(r"lost in (\w)", said):
        assert words.stage(hits) == {"c": "g", "d": "d"}[stage[1]]
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


def test_page_embeds_data_that_cannot_become_markup(data: dict[str, Any]) -> None:
    page = render(data)
    embedded = page.split('id="data">')[1].split("</script>")[0]
    assert json.loads(embedded) == json.loads(json.dumps(data))
    assert not set("<>&\u2028\u2029") & set(embedded)
    assert page.count("<script") == page.count("</script>") == 2
    assert "default-src &#x27;none&#x27;" in page
    assert len(page) < 500_000  # the 100 kB line is not in it


def test_scripts_never_write_markup() -> None:
    folder = Path(linkassay.__file__).parent / "reporting"
    for name in SCRIPTS:
        text = (folder / name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text), name
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), name


def test_not_finite_scores_do_not_break_the_page(scores: list[Score], monkeypatch: pytest.MonkeyPatch) -> None:
    import dataclasses

    original = Run.predictions
    monkeypatch.setattr(Run, "predictions", lambda run: (
        dataclasses.replace(p, scores=tuple(float("nan") for _ in p.scores)) for p in original(run)))  # fmt: skip
    page = render(gather(scores))
    assert "NaN" not in page.split('id="data">')[1].split("</script>")[0]


def test_write_replaces_the_file_as_a_whole(scores: list[Score], tmp_path: Path) -> None:
    out = tmp_path / "new folder" / "report.html"
    assert write(scores, out) == out
    assert write(scores[:1], out) == out
    assert [p.name for p in out.parent.iterdir()] == ["report.html"]


# ---- the page in a browser


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    if reason := missing():
        pytest.skip(reason)
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(driver: Any, data: dict[str, Any], tmp_path: Path) -> Any:
    """The report, opened from disk; at the end there must be no message in the console."""
    path = tmp_path / "report.html"
    path.write_text(render(data), encoding="utf-8")
    resize(driver, 1280, 900)
    driver.get("about:blank")
    driver.get_log("performance")  # what the browser itself did before
    driver.get(path.as_uri())
    driver.execute_script(
        "document.documentElement.style.scrollBehavior = 'auto'; window.copied = [];"
        "navigator.clipboard.writeText = (text) => { window.copied.push(text); return Promise.resolve(); };"
    )
    yield driver
    assert driver.get_log("browser") == []


def _all(page: Any, selector: str) -> list[Any]:
    return page.find_elements("css selector", selector)


def _one(page: Any, selector: str) -> Any:
    return page.find_element("css selector", selector)


def _button(page: Any, label: str, within: str = "") -> Any:
    found = page.execute_script(
        "return [...document.querySelectorAll(arguments[0])].find(b => "
        "(b.getAttribute('aria-label') || b.textContent).includes(arguments[1]))",
        f"{within} button", label,
    )  # fmt: skip
    assert found is not None, f"no button {label!r}"
    return found


def _click(page: Any, element: Any) -> None:
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def _choose(page: Any, label: str, value: str) -> None:
    from selenium.webdriver.support.ui import Select

    box = next(each for each in _all(page, ".filters label") if each.text.startswith(label))
    Select(box.find_element("css selector", "select")).select_by_visible_text(value)


def _listed(page: Any) -> list[str]:
    script = "return [...document.querySelectorAll('.list .mention-text')].map(e => e.textContent)"
    return list(page.execute_script(script))


def _systems(page: Any) -> list[str]:
    return [each.text for each in _all(page, "#leaderboard tbody th")]


def test_page_asks_for_nothing_but_itself(page: Any) -> None:
    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    here = page.current_url
    assert [url for url in asked if url not in (here, "data:,")] == []
    assert here in asked
    assert [e.text for e in _all(page, "h2")] == [
        "Leaderboard", "Recall@k", "Failure stage", "Slices", "Mentions", "What was run", "Terms",
    ]  # fmt: skip


def test_page_of_one_perfect_run_without_training_data(page: Any, scores: list[Score], tmp_path: Path) -> None:
    alone = gather([linkassay.score(linkassay.link("exact", "own", kb="tiny", split="train"))])
    assert alone["systems"][0]["stage"] == {"wrong": 0, "generation": None, "disambiguation": None, "no_answer": 0}
    assert (
        alone["sentence"] == "exact puts a right entity first for 100.0 % of 2 mentions (95 % interval 100.0–100.0 %)."
    )
    (tmp_path / "alone.html").write_text(render(alone), encoding="utf-8")
    page.get((tmp_path / "alone.html").as_uri())
    assert [td.text for td in _all(page, "#failures td")] == ["0", "–", "–", "0"]
    assert [h3.text for h3 in _all(page, "#slices h3")] == ["By entity type"]
    assert _one(page, ".tally").text == "0 mentions of 2 scored."
    assert [label.text.split("\n")[0] for label in _all(page, ".filters label")] == [
        "System",
        "Outcome",
        "Type",
        "Find",
    ]


def test_a_sampled_page_says_so(page: Any, scores: list[Score], tmp_path: Path) -> None:
    (tmp_path / "sampled.html").write_text(render(gather(scores, sample=3)), encoding="utf-8")
    page.get((tmp_path / "sampled.html").as_uri())
    _choose(page, "Outcome", "any outcome")
    assert _one(page, ".tally").text == (
        "3 mentions shown of 9 that match; the page holds a sample of 3 of 9 scored mentions."
    )


def test_hostile_text_is_shown_as_text(page: Any) -> None:
    from selenium.common.exceptions import NoAlertPresentException

    with pytest.raises(NoAlertPresentException):
        page.switch_to.alert  # noqa: B018
    assert len(_all(page, "script")) == 2
    _choose(page, "Outcome", "any outcome")
    _choose(page, "Type", HOSTILE)
    assert _listed(page) == [HOSTILE, "</script>"]
    assert f"Some {HOSTILE} & \"quoted\" 'text' --> </script><!-- here." in _one(page, ".context").text
    assert _one(page, ".context mark").text == HOSTILE
    assert HOSTILE in _one(page, "#slices").text


def test_long_lines_right_to_left_and_emoji(page: Any) -> None:
    _choose(page, "Outcome", "any outcome")
    _choose(page, "Type", "Drug")
    assert _listed(page) == ["شلل", "omega \U0001f9ec", "gamma", "zeta"]
    _click(page, _all(page, ".list button")[2])
    assert len(_one(page, ".context").text) < 600
    assert _one(page, ".context mark").text == "gamma"
    _click(page, _all(page, ".list button")[0])
    assert _one(page, ".gold").text.splitlines() == ["Gold", "gamma t:5", "The corpus says t:9, now t:5."]


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_nothing_overflows_the_page(page: Any, width: int) -> None:
    resize(page, width, 900)
    assert page.execute_script("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    wide = page.execute_script(
        "return [...document.querySelectorAll('main *')].filter(e => !e.closest('.scroll, .hidden, .list') && "
        "e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className)"
    )
    assert wide == []


def test_sorting_by_click_and_key(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    assert _systems(page) == ["tfidf", "exact", "normalised"]
    _click(page, _button(page, "system", "#leaderboard thead"))
    assert _systems(page) == ["exact", "normalised", "tfidf"]
    assert _one(page, "#leaderboard th").get_attribute("aria-sort") == "ascending"
    _button(page, "recall", "#leaderboard thead").send_keys(Keys.ENTER)
    assert _systems(page) == ["tfidf", "exact", "normalised"]
    assert [th.get_attribute("aria-sort") for th in _all(page, "#leaderboard thead th")] == [
        "none", "none", "descending", "none", "none",
    ]  # fmt: skip


def test_a_figure_opens_its_mentions(page: Any, data: dict[str, Any]) -> None:
    _click(page, _button(page, "exact, recall@1", "#leaderboard"))
    assert len(_listed(page)) == 9
    assert page.execute_script("return document.activeElement.id") == "mentions-title"
    page.back()
    assert "system" not in page.current_url
    _click(page, _button(page, "exact, Drug, recall@1", "#slices"))
    assert _listed(page) == ["شلل", "omega \U0001f9ec", "gamma", "zeta"]
    _click(page, _button(page, "tfidf, unseen synonym", "#slices"))
    assert len(_listed(page)) == data["systems"][0]["figures"]["unseen-synonym"]["recall@1"]["n"]
    _click(page, _button(page, "exact, no answer", "#failures"))
    assert len(_listed(page)) == data["systems"][1]["stage"]["no_answer"]
    _click(page, _button(page, "normalised, disambiguation", "#failures"))
    assert _listed(page) == ["alpha", "Alpha"]


def test_filters_count_and_combine(page: Any) -> None:
    _choose(page, "System", "every system")
    assert _listed(page) == ["zeta"]
    assert _one(page, ".tally").text == "1 mention of 9 scored."
    _choose(page, "System", "any system")
    assert _listed(page) == ["alpha", "Alpha", "</script>", "omega \U0001f9ec", "zeta"]
    assert _one(page, ".tally").text == "5 mentions of 9 scored."
    _choose(page, "Training data", "unseen synonym")
    assert "zeta" in _listed(page)
    _choose(page, "Type", "Gene")
    assert _listed(page) == []
    assert _one(page, ".empty").text == "No mention passes these filters."
    _click(page, _button(page, "Reset"))
    _one(page, ".filters input").send_keys("ALPHA")
    assert _listed(page) == ["alpha", "Alpha"]


def test_state_is_in_the_address(page: Any, data: dict[str, Any]) -> None:
    _choose(page, "System", "tfidf")
    _choose(page, "Outcome", "any outcome")
    _choose(page, "Type", HOSTILE)
    _click(page, _button(page, "Next"))
    shown = _one(page, ".detail").text
    address = page.current_url
    page.get("about:blank")
    page.get(address)
    assert _listed(page) == [HOSTILE, "</script>"]
    assert _one(page, ".detail").text == shown
    assert _one(page, ".context mark").text == "</script>"
    place = "return document.getElementById('mentions').getBoundingClientRect().top"
    assert 0 <= page.execute_async_script(f"setTimeout(() => arguments[0]((() => {{ {place} }})()), 200)") < 100
    page.execute_script("location.hash = '#mentions&system=%E0%A4%A&type=none&nonsense&at=<b>'")
    assert _one(page, ".where").text.startswith("1 of ")


def test_next_previous_and_keys(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    _choose(page, "Outcome", "any outcome")
    assert _one(page, ".where").text == "1 of 9"
    assert not _button(page, "Previous").is_enabled()
    _click(page, _button(page, "Next"))
    assert _one(page, ".where").text == "2 of 9"
    _button(page, "Next").send_keys("j")
    assert _one(page, ".where").text == "3 of 9"
    _button(page, "Next").send_keys("k")
    assert _one(page, ".where").text == "2 of 9"
    current = _one(page, ".list [aria-current]")
    current.send_keys(Keys.END)
    assert _one(page, ".where").text == "9 of 9"
    assert not _button(page, "Next").is_enabled()
    page.switch_to.active_element.send_keys(Keys.ARROW_UP)
    assert _one(page, ".where").text == "8 of 9"
    assert page.switch_to.active_element.get_attribute("aria-current") == "true"


def test_tables_copy_as_tsv_markdown_and_latex(page: Any, data: dict[str, Any]) -> None:
    for name in ("TSV", "Markdown", "LaTeX"):
        _click(page, _button(page, f"“Leaderboard” as {name}"))
    _click(page, _button(page, "“By entity type: recall@1” as LaTeX"))
    tsv, markdown, latex, types = page.execute_script("return window.copied")
    lines = [line.split("\t") for line in tsv.splitlines()]
    assert lines[0] == ["system", "coverage", "coverage low", "coverage high", "recall@1", "recall@1 low",
                        "recall@1 high", "recall@5", "recall@5 low", "recall@5 high", "n"]  # fmt: skip
    for line, system in zip(lines[1:], data["systems"], strict=True):
        assert line[0] == system["label"]
        assert float(line[4]) == system["figures"]["all"]["recall@1"]["value"]
        assert float(line[5]) == system["figures"]["all"]["recall@1"]["low"]
        assert line[-1] == "9"
    first = data["systems"][0]["figures"]["all"]
    shown = {key: f"{100 * first['recall@1'][key]:.1f}" for key in ("value", "low", "high")}
    rows = markdown.splitlines()
    assert rows[0] == "| system | coverage | recall@1 | recall@5 | n |"
    assert rows[1] == "| --- | ---: | ---: | ---: | ---: |"
    assert f"| {shown['value']} ({shown['low']}–{shown['high']}) |" in rows[2]
    assert latex.startswith("\\begin{tabular}{lrrrr}\n\\toprule\n")
    assert f"& {shown['value']} {{\\scriptsize [{shown['low']}, {shown['high']}]}} &" in latex
    assert HOSTILE in types  # `<` and `>` are not special there
    assert _one(page, "#status").get_attribute("textContent") == "Copied as LaTeX"


def test_measure_of_the_slices_can_be_chosen(page: Any, data: dict[str, Any]) -> None:
    _click(page, _one(page, "#slices input[value=coverage]"))
    figure = data["systems"][1]["figures"]["type=Drug"]["coverage"]
    label = _button(page, "exact, Drug, coverage", "#slices").get_attribute("aria-label")
    assert f"coverage {100 * figure['value']:.1f} %" in label
    assert label.endswith(f"n {figure['n']}: show its mentions")


def test_curve_reads_its_values(page: Any, data: dict[str, Any]) -> None:
    from selenium.webdriver.common.keys import Keys

    assert len(_all(page, ".plot polyline")) == 3
    assert [t.text for t in _all(page, ".plot .name")] == ["tfidf", "exact", "normalised"]
    _one(page, "#k").send_keys(Keys.ARROW_RIGHT)
    assert _one(page, ".reader label").text == "Read at k = 2"
    value = data["systems"][0]["figures"]["all"]["recall@2"]["value"]
    assert _all(page, ".readout li")[0].text.split() == ["tfidf", f"{100 * value:.1f}"]


def test_dark_and_light(page: Any) -> None:
    def paper() -> str:
        return str(page.execute_script("return getComputedStyle(document.body).backgroundColor"))

    before = paper()
    _click(page, _one(page, "#theme"))
    assert paper() != before
    assert _one(page, "#theme").get_attribute("aria-pressed") == "true"
    page.refresh()
    assert paper() != before  # the choice is kept
    _click(page, _one(page, "#theme"))
    assert paper() == before


def test_everything_is_reached_by_keyboard_alone(page: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    seen = []
    for _ in range(200):
        ActionChains(page).send_keys(Keys.TAB).perform()
        name = page.execute_script(
            "const e = document.activeElement; return e === document.body ? '' : "
            "e.getAttribute('aria-label') || e.textContent || e.tagName"
        )
        if not name:
            break
        seen.append(name)
    assert seen[0] == "Skip to the results"
    text = "\n".join(seen)
    for part in ("Leaderboard", "Dark", "exact, recall@1", "Copy the table “Failure stage” as TSV", "Next →", "Reset"):
        assert part in text
    _button(page, "exact, recall@5", "#leaderboard").send_keys(Keys.ENTER)
    for _ in range(9):
        ActionChains(page).send_keys(Keys.TAB).perform()
        if page.switch_to.active_element.get_attribute("aria-current"):
            break
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert _one(page, ".where").text == "2 of 9"


def test_controls_have_names_and_landmarks_exist(page: Any) -> None:
    nameless = page.execute_script(
        "return [...document.querySelectorAll('button, a, input, select')].filter(e => "
        "!(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map(e => e.outerHTML)"
    )
    assert nameless == []
    for landmark in ("header", "nav[aria-label]", "main", "footer", "section[aria-labelledby]"):
        assert _all(page, landmark)
    assert all(_one(page, f"#{s.get_attribute('aria-labelledby')}") for s in _all(page, "section[aria-labelledby]"))
