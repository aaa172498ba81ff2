"""What a page answers from the data that it holds is what a view of the same runs answers, to the last field."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.errors import UsageError
from linkassay.explorer import MISMATCHES, Embedded, View, build_view, embed, open_view
from linkassay.runs import Run
from linkassay.runs.importing import ImportOptions, import_run
from linkassay.scoring.hierarchy import DISTANCES, LOCATION_BINS
from linkassay.scoring.results import Result
from tests.pages.embedded_page import Question, asked, write_feed
from tests.report_helpers import corpus, make
from tests.standins.name_spotter import spotted

OUTCOMES = ("any", "missed", "right", "partly", "wrong", "none", "answered", "credited", "generation", "disambiguation",
            "left", *MISMATCHES, "ahead", "differ", "both", "either", "neither")  # fmt: skip
SORTS = ("", *(way + name for way in ("", "-") for name in ("text", "type", "document", "rank")))
DOCUMENT_SORTS = (
    "",
    *(way + name for way in ("", "-") for name in ("id", "errors", "fn", "fp", "differ", "mentions", "chars")),
)
#: Texts to look for, as somebody may write them.
LOOKED_FOR = ("a", "alpha", "ALPHA", "t:", "mini-1", "disease", "é", "ß", "\U0001f9ec", "<script>", "شلل", " ", "%",
              "_", "\\", "İ")  # fmt: skip
COUPLE = "\U0001f468\u200d\U0001f469 \uffee"
SMILES = "\U0001f600" + " \U0001f600" * 200


class Page(NamedTuple):
    """A page, what it holds, and the views of the same runs by the keys of their corpora."""

    driver: Any
    path: Path
    runs: list[Run]
    held: Embedded
    views: dict[str, View]

    def compare(self, questions: list[Question]) -> list[Any]:
        """Compare the page's answers to these questions with those of the views."""
        answers = asked(self.driver, self.path, questions)
        for (name, params), found in zip(questions, answers, strict=True):
            told = {name: value for name, value in params.items() if name != "corpus"}
            try:
                expected = getattr(self.views[params["corpus"][1:]], name)(**told)
            except UsageError:  # what does not exist, the page does not have
                assert found.get("total", 0) == 0, (name, params)
            else:
                assert found == json.loads(json.dumps(expected)), (name, params)
        return answers


def _page(driver: Any, runs: list[Run], folder: Path, mentions: str | int = "all", text: str = "full") -> Page:
    cohorts = Result([linkassay.score(run) for run in runs]).cohorts
    views = {}
    for cohort in cohorts:
        mine = [score.run for score in cohort.scores]
        build_view(mine)
        view = open_view(mine)
        assert view is not None
        views[cohort.key] = view
    held, path = embed(cohorts, mentions, text), folder / f"{mentions} {text}.html"
    words = {"corpora": [], "about": {}, "runs": {}, "mismatches": MISMATCHES, "distances": DISTANCES,
             "locations": LOCATION_BINS}  # fmt: skip
    write_feed(words, held, path)
    return Page(driver, path, runs, held, views)


@pytest.fixture(scope="module")
def mini(driver: Any, got_mini: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Systems that were given mentions, one that finds them, and one whose answers are in a file; a hierarchy."""
    home = tmp_path_factory.mktemp("linked") / "home"
    shutil.copytree(got_mini, home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(home))
        runs = [linkassay.link("exact", "mini"), linkassay.link("tfidf", "mini"), spotted()]
        runs += [linkassay.link("spotter", "mini", give="text")]
        yield _page(driver, runs, tmp_path_factory.mktemp("mini"))


@pytest.fixture(scope="module")
def hostile(driver: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Two corpora with hostile, long and right-to-left texts, and characters beyond the first plane."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder / "home"))
        make(folder)
        first = [("alpha", "Gene", "t:1"), (COUPLE, "Gene", "t:1"), ("omega \U0001f9ec", "Drug", "t:6"),
                 ("gamma", "Drug", "t:5"), (SMILES, "Gene", "t:3")]  # fmt: skip
        second = [("İstanbul", "Gene", "t:1"), ("ΑΣ", "Gene", "t:2"), ("straße", "Drug", "t:5")]
        corpus(folder, "emoji", "test", [
            (f"\U0001f9ec\U0001f9ec alpha {COUPLE} and omega \U0001f9ec, beta {SMILES} gamma \U0001f600.", first),
            ("İstanbul ǅ ΑΣ straße", second),
        ])  # fmt: skip
        runs = [linkassay.link(name, on, kb="tiny") for on in ("own", "other", "emoji") for name in ("exact", "tfidf")]
        yield _page(driver, runs, folder)


@pytest.fixture(params=["mini", "hostile"])
def page(request: pytest.FixtureRequest) -> Page:
    """Each of both."""
    found: Page = request.getfixturevalue(request.param)
    return found


def _everything(page: Page, most: int = 10**6) -> None:
    """Every mention, case and document one by one, as far as there are not more than `most` of a kind."""
    for cohort in page.held["cohorts"]:
        about = cohort["cohort"]
        of = {"corpus": "=" + about["key"]}
        page.compare([("cohort", of)])
        listed: list[Question] = [("mentions", of | {"outcome": outcome, "limit": 1000}) for outcome in ("any", "left")]
        listed += [("cases", of | {"system": "=" + label, "nil": nil, "limit": 1000})
                   for label in about["found"] for nil in about["nil"]]  # fmt: skip
        listed.append(("documents", of | {"limit": 1000}))
        chance = random.Random(1)
        for (name, params), answer in zip(listed, page.compare(listed), strict=True):
            more = {key: params[key] for key in ("system", "nil") if key in params}
            rows = answer["rows"] if len(answer["rows"]) <= most else chance.sample(answer["rows"], most)
            one = [(name.removesuffix("s"), of | more | {"id": row["id"]}) for row in rows]
            if name == "documents":
                one = [("document", {**params_, "nil": nil}) for _, params_ in one for nil in about["nil"]]
                one += [("document", of | {"id": row["id"], "systems": about["systems"][1:2]}) for row in rows[:2]]
            page.compare(one)


def test_every_mention_case_and_document_of_hostile_corpora(hostile: Page) -> None:
    _everything(hostile)


def test_mentions_cases_and_documents_of_the_benchmark(mini: Page) -> None:
    _everything(mini, 40)


def test_real_mentions(driver: Any, home: Path, shared: Path, get_kb: Callable[[str], None], tmp_path: Path) -> None:
    get_kb("medic")
    linkassay.get("ncbi_disease", shared / "corpora" / "ncbi_disease")
    runs = [linkassay.link(name, "ncbi_disease", kb="medic") for name in ("normalised", "tfidf")]
    runs.append(linkassay.link("spotter", "ncbi_disease", kb="medic", give="text"))
    _everything(_page(driver, runs, tmp_path), 25)


def test_real_annotations_in_trees(driver: Any, home: Path, shared: Path, tmp_path: Path) -> None:
    """Alternatives, parts, mentions that need not be found, coreference, NIL."""
    linkassay.get("wiki_fair", shared / "e2e" / "benchmarks")
    runs = [
        import_run("elevant", [shared / "e2e" / "dev" / f"{name}.wiki-fair.linked_articles.jsonl.gz"],
                   linkassay.corpus("wiki_fair"), name, options=ImportOptions())[0]
        for name in ("baseline", "refined__aida_")
    ]  # fmt: skip
    _everything(_page(driver, runs, tmp_path), 25)


@pytest.mark.parametrize(("mentions", "text"), [(60, "snippet"), ("errors", "full"), (120, "none")])
def test_a_sample_is_part_of_the_whole(mini: Page, tmp_path: Path, mentions: str | int, text: str) -> None:
    """What is held is as in the whole, in its order; what matches is counted over the whole."""
    ((key, view),) = mini.views.items()
    of = {"corpus": "=" + key, "limit": 1000}
    page = _page(mini.driver, mini.runs, tmp_path, mentions, text)
    found = view.cohort()["found"]
    questions: list[Question] = [("mentions", of | {"outcome": each}) for each in ("any", "missed", "left", "right")]
    questions += [("cases", of | {"system": "=" + each, "counted": "all_fp"}) for each in found]
    questions += [("mentions", of | {"find": "a", "sort": "-text"}), ("documents", of | {"sort": "errors"})]
    for (name, params), answer in zip(questions, asked(page.driver, page.path, questions), strict=True):
        whole = getattr(view, name)(**{key: value for key, value in params.items() if key != "corpus"})
        if name == "documents":
            assert [row["systems"] for row in answer["rows"]] == [row["systems"] for row in whole["rows"]]
            continue
        assert answer["all"] == whole["all"]
        if params.get("outcome") == "missed":
            assert 0 < answer["total"] == len(answer["rows"]) <= answer["held"] < answer["all"]
            assert (answer["total"] < whole["total"]) == (mentions != "errors")
        if "find" not in params:
            assert answer.get("matching", answer["total"]) == whole["total"]
        elif text == "none":
            continue  # there is no text to find
        wanted = {row["id"] for row in answer["rows"]}
        same = [row for row in whole["rows"] if row["id"] in wanted]
        assert _told(answer["rows"], text) == _told(same, text)
        more = {key: params[key] for key in ("system",) if name == "cases"}
        one = [(name.removesuffix("s"), of | more | {"id": row["id"]}) for row in answer["rows"][:20]]
        each = [getattr(view, kind)(params["id"], **more) for kind, params in one]
        assert _told(asked(page.driver, page.path, one), text) == _told(each, text)


def _told(answers: list[Any], text: str) -> Any:
    """Answers without what is not held."""
    left = ("text", "context") if text == "none" else ()
    return [{k: v for k, v in each.items() if k not in left} for each in json.loads(json.dumps(answers))]


def test_mentions_of_all_corpora(hostile: Page) -> None:
    """They come corpus by corpus, each with its own, or in one order over all."""
    every = [{"corpus": key, **row} for key, view in hostile.views.items() for row in view.mentions(limit=1000)["rows"]]
    plain, back, some, none = asked(hostile.driver, hostile.path, [
        ("mentions", {"from": "all", "limit": 1000}), ("mentions", {"from": "all", "sort": "-text", "limit": 1000}),
        ("mentions", {"from": "all", "type": "=Drug", "offset": 2, "limit": 3}),
        ("mentions", {"from": "all", "system": "=nobody"}),
    ])  # fmt: skip
    assert plain["rows"] == json.loads(json.dumps(every))
    assert (plain["total"], plain["all"]) == (len(every), len(every))
    texts = [row["text"].lower() for row in back["rows"] if len(row["text"]) < 100]
    assert texts == sorted(texts, reverse=True)
    assert some["rows"] == [row for row in plain["rows"] if row["type"] == "Drug"][2:5]
    assert none["total"] == 0


def test_what_is_not_there(mini: Page) -> None:
    said = asked(mini.driver, mini.path, [
        ("mention", {"id": "no such"}), ("case", {"id": "no such"}), ("document", {"id": "no such"}),
        ("cohort", {"corpus": "=no such"}), ("figures", {}), ("mentions", {"sort": "colour"}),
    ])  # fmt: skip
    assert [each["error"] for each in said] == [
        "The page does not hold the mention no such.", "The page does not hold the case no such.",
        "The page does not hold the document no such.", "The page does not hold the corpus =no such.",
        "The page does not hold figures.", "There is no order colour.",
    ]  # fmt: skip


def _choices(about: dict[str, Any], documents: list[str]) -> dict[str, Any]:
    """What may be asked of lists of a corpus, by parameter."""
    systems = st.sampled_from(["any", "every", "=no such system", *("=" + label for label in about["systems"])])
    types = {part for types in about["types"] for part in types.split("|")}
    find = st.just("") | st.sampled_from(LOOKED_FOR) | st.text(max_size=3)
    paging = {"find": find, "offset": st.integers(0, 12), "limit": st.sampled_from([1, 7, 100, 1000])}
    document = st.sampled_from(["", "", "no such document", *documents])
    counted = ["any", "nothing", *(key for key, *_ in about["filters"])]
    counted += [key.removesuffix("_errors") + "_avoided" for key in counted if key.endswith("_errors")]
    return {
        "mentions": paging | {
            "system": systems, "outcome": st.sampled_from(OUTCOMES), "document": document,
            "against": st.sampled_from(["any", *("=" + label for label in about["systems"])]),
            "type": st.sampled_from(["any", "any", "=no such type", *("=" + each for each in sorted(types))]),
            "slice": st.sampled_from(["any", "any", "no such slice", *about["slices"]]), "sort": st.sampled_from(SORTS),
            "set": st.sampled_from(["any", "any", "no such set", *about["sets"]]),
            "distance": st.sampled_from(["any", "any", *DISTANCES]),
            "location": st.sampled_from(["any", "any", *LOCATION_BINS]),
        },
        "cases": paging | {
            "system": st.sampled_from(["", *("=" + label for label in about["found"])]), "document": document,
            "nil": st.sampled_from(about["nil"]), "counted": st.sampled_from(counted),
            "group": st.sampled_from(["any", "any", "type=no such", *(name for name, _ in about["groups"])]),
            "sort": st.sampled_from(["", "text", "-text", "document", "-document"]),
        },
        "documents": paging | {
            "section": st.sampled_from(["any", "any", "no such section", *about["sections"]]),
            "nil": st.sampled_from(about["nil"]), "sort": st.sampled_from(DOCUMENT_SORTS),
        },
    }  # fmt: skip


@st.composite
def _questions(draw: st.DrawFn, page: Page) -> list[Question]:
    found: list[Question] = []
    for _ in range(40):
        cohort = draw(st.sampled_from(page.held["cohorts"]))
        offered = _choices(cohort["cohort"], cohort["documents"]["id"][:3])
        name = draw(st.sampled_from([name for name in offered if name != "cases" or cohort["cohort"]["found"]]))
        params = {key: draw(values) for key, values in offered[name].items() if draw(st.booleans())}
        found.append((name, {"corpus": "=" + cohort["cohort"]["key"], **params}))
    return found


@pytest.mark.parametrize("of", ["mini", "hostile"])
@settings(max_examples=15)
@given(data=st.data())
def test_any_filters(of: str, data: st.DataObject, request: pytest.FixtureRequest) -> None:
    page: Page = request.getfixturevalue(of)
    page.compare(data.draw(_questions(page)))


def test_every_outcome_of_every_system(page: Page) -> None:
    """All filters of outcomes by all systems, alone and with a second one; each type and slice with each of both."""
    for cohort in page.held["cohorts"]:
        about = cohort["cohort"]
        systems = ["any", "every", *("=" + label for label in about["systems"])]
        groups = [
            {},
            *({"type": "=" + type_} for type_ in about["types"]),
            *({"slice": name} for name in about["slices"]),
        ]
        answers = page.compare([
            ("mentions", {"corpus": "=" + about["key"], "system": system, "outcome": outcome, "against": systems[-1],
                          "limit": 1, **group})
            for turn, outcome in enumerate(OUTCOMES) for at, group in enumerate(groups)
            for system in ([systems[(turn + at) % len(systems)]] if group else systems)
        ])  # fmt: skip
        assert len({answer["total"] for answer in answers}) > 5
