"""Views hold what pages embed: every answer of a view is that of a plain reader of embedded columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.errors import UsageError
from linkassay.explorer import View, build_view, embed, open_view
from linkassay.runs import Run
from linkassay.scoring.results.cohort import cohorts
from tests.explorer.embedded_reader import Reader

OUTCOMES = [
    "any", "missed", "right", "partly", "wrong", "none", "answered", "credited", "generation", "disambiguation", "left",
    "ahead", "differ", "both", "either", "neither", "overspecific", "underspecific", "orthogonal", "virtual root",
    "outside",
]  # fmt: skip


class Looked(NamedTuple):
    """The same runs as a view and as embedded columns."""

    runs: list[Run]
    view: View
    reader: Reader


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Four systems on mini, one of which finds mentions itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("view") / "home"))
        linkassay.get("mini")
        runs = [linkassay.link(name, "mini") for name in ("exact", "tfidf", "normalised", "spotter")]
        build_view(runs)
        view = open_view(runs[::-1])
        assert view is not None
        (cohort,) = cohorts([linkassay.score(run) for run in runs])
        (embedded,) = through_json(embed([cohort]))["cohorts"]
        yield Looked(runs, view, Reader(embedded))


def through_json(value: Any) -> Any:
    """As it arrives."""
    return json.loads(json.dumps(value, allow_nan=False))


def test_the_cohort_is_the_same(looked: Looked) -> None:
    assert through_json(looked.view.cohort()) == looked.reader.about
    about = looked.view.cohort()
    assert (about["found"], len(about["systems"]), about["nil"]) == (["spotter"], 4, ["ignored", "required"])
    assert about["sizes"] == {"documents": 32, "scored": 334, "left": 9, "held": 343}


def values(about: Any) -> dict[str, st.SearchStrategy[str]]:
    """Filters that a person may write."""
    systems = [f"={label}" for label in about["systems"]]
    return {
        "system": st.sampled_from(["any", "every", *systems]), "outcome": st.sampled_from(OUTCOMES),
        "against": st.sampled_from(["any", *systems]),
        "type": st.sampled_from(["any"] * 3 + [f"={type_}" for type_ in about["types"]]),
        "slice": st.sampled_from(["any"] * 9 + about["slices"]),
        "set": st.sampled_from(["any"] * 9 + about["sets"]),
        "distance": st.sampled_from(["any"] * 9 + about["distances"]),
        "location": st.sampled_from(["any"] * 9 + about["locations"]),
        "find": st.sampled_from(["", "", "", "p53", "MESH:d00", "mini-08", "é", "TUMOUR", "%", "'", "cancer", "dM"]),
        "sort": st.sampled_from(["", "text", "-text", "type", "-type", "document", "-document", "rank", "-rank"]),
        "document": st.sampled_from(["", "", "", "mini-104", "mini-110"]),
    }  # fmt: skip


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_filters_find_what_the_script_finds(looked: Looked, data: st.DataObject) -> None:
    asked: dict[str, Any] = {name: data.draw(each, label=name) for name, each in values(looked.reader.about).items()}
    asked["offset"], asked["limit"] = data.draw(st.integers(0, 40)), data.draw(st.integers(1, 400))
    assert through_json(looked.view.mentions(**asked)) == looked.reader.mentions(**asked)


def test_every_mention_is_the_same(looked: Looked) -> None:
    ids = [
        row["id"] for outcome in ("any", "left") for row in looked.view.mentions(outcome=outcome, limit=1000)["rows"]
    ]
    assert len(ids) == 343
    trees = 0
    for each in ids:
        found = through_json(looked.view.mention(each))
        assert found == looked.reader.mention(each)
        trees += found["tree"] is not None
    assert trees > 10


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_cases_are_the_same(looked: Looked, data: st.DataObject) -> None:
    about = looked.reader.about
    names = {key.rpartition("_")[0] for key, _, _ in about["filters"] if key.endswith("_total")}
    counts = [
        "any",
        "nothing",
        *(key for key, _, _ in about["filters"]),
        *(f"{name}_avoided" for name in sorted(names)),
    ]
    groups = ["any", *(name for name, _ in about["groups"])]
    asked: dict[str, Any] = {
        "system": "=spotter", "nil": data.draw(st.sampled_from(about["nil"])),
        "counted": data.draw(st.sampled_from(counts)), "group": data.draw(st.sampled_from(groups)),
        "sort": data.draw(st.sampled_from(["", "text", "-document"])),
        "find": data.draw(st.sampled_from(["", "p53", "mini-08", "mesh:D"])),
        "document": data.draw(st.sampled_from(["", "mini-104"])), "offset": data.draw(st.integers(0, 30)),
    }  # fmt: skip
    assert through_json(looked.view.cases(**asked)) == looked.reader.cases(**asked)


@pytest.mark.parametrize("nil", ["ignored", "required"])
def test_every_case_is_the_same(looked: Looked, nil: str) -> None:
    rows = looked.view.cases(nil=nil, limit=1000)["rows"]
    assert len(rows) > 340
    for row in rows:
        found = through_json(looked.view.case(row["id"], system="=spotter", nil=nil))
        assert found == looked.reader.case(row["id"], "=spotter", nil)


@pytest.mark.parametrize("nil", ["ignored", "required"])
def test_documents_are_the_same(looked: Looked, nil: str) -> None:
    for sort in (
        "",
        "-",
        "id",
        "errors",
        "fn",
        "fp",
        "-fp",
        "differ",
        "mentions",
        "chars",
        "-id",
        "-errors",
        "-differ",
    ):
        for find, section in (("", "any"), ("10", "any"), ("", "title"), ("toxicity", "abstract")):
            asked = {"nil": nil, "sort": sort, "find": find, "section": section}
            assert through_json(looked.view.documents(**asked)) == looked.reader.documents(**asked)
    for row in looked.view.documents()["rows"]:
        assert through_json(looked.view.document(row["id"], nil=nil)) == looked.reader.document(row["id"], nil)


def test_pages_of_a_list_make_up_the_whole(looked: Looked, monkeypatch: pytest.MonkeyPatch) -> None:
    from linkassay.explorer import view_tables

    whole = looked.view.mentions(sort="-text", limit=1000)["rows"]
    for near in (10_000, 20):  # few rows are sorted for, the others are found without
        monkeypatch.setattr(view_tables, "_NEAR", near)
        pages = [looked.view.mentions(sort="-text", offset=at, limit=50)["rows"] for at in range(0, 400, 50)]
        assert [row for page in pages for row in page] == whole


@pytest.mark.parametrize(
    ("question", "asked", "said"),
    [
        ("mentions", {"system": "=tfid"}, "unknown system '=tfid'; did you mean '=tfidf'"),
        ("mentions", {"outcome": "rigt"}, "unknown outcome 'rigt'; did you mean 'right'"),
        ("mentions", {"type": "=gen"}, "unknown type '=gen'; did you mean '=gene'"),
        ("mentions", {"slice": "abreviation"}, "unknown slice 'abreviation'; did you mean 'abbreviation'"),
        ("mentions", {"set": "novell"}, "unknown set 'novell'; did you mean 'novel'"),
        ("mentions", {"against": "tfidf"}, "unknown other system 'tfidf'"),
        ("mentions", {"distance": "99"}, "unknown distance '99'"),
        ("mentions", {"sort": "--text"}, "unknown order '-text'"),
        ("mentions", {"limit": 1001}, "a limit from 1 to 1000"),
        ("mentions", {"document": "mini-999"}, "has no document 'mini-999'"),
        ("mention", {"id": "'; drop table mentions"}, "has no mention"),
        ("cases", {"system": "=tfidf"}, "unknown system '=tfidf'; known are: =spotter"),
        ("cases", {"nil": "require"}, "unknown NIL mode 'require'; did you mean 'required'"),
        ("cases", {"counted": "all_tps"}, "unknown count 'all_tps'; did you mean 'all_tp'"),
        ("cases", {"group": "type=gen"}, "unknown type or kind of mention 'type=gen'; did you mean 'type=gene'"),
        ("case", {"id": "nothing"}, "spotter has no case 'nothing'"),
        ("documents", {"sort": "size"}, "unknown order 'size'"),
        ("documents", {"section": "titel"}, "unknown section 'titel'; did you mean 'title'"),
        ("document", {"id": "mini-999"}, "has no document 'mini-999'"),
        ("document", {"id": "mini-104", "systems": ["tfid"]}, "unknown system 'tfid'; did you mean 'tfidf'"),
    ],
)
def test_what_is_not_known_is_said(looked: Looked, question: str, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        getattr(looked.view, question)(**asked)


def test_a_document_of_some_systems(looked: Looked) -> None:
    found = looked.view.document("mini-104", systems=["spotter", "exact"])
    whole = looked.view.document("mini-104")
    places = [whole["systems"].index(label) for label in ("spotter", "exact")]
    assert found["figures"] == [whole["figures"][at] for at in places]
    assert [m["answers"] for m in found["marks"]] == [[m["answers"][at] for at in places] for m in whole["marks"]]


def test_a_view_is_made_once_and_for_what_it_is_of(looked: Looked, tmp_path: Path) -> None:
    folder = build_view(looked.runs)
    assert folder == build_view(looked.runs[::-1]) == looked.view.folder
    assert open_view(looked.runs[:2]) is None
    told: list[tuple[int, int, str]] = []
    other = build_view(looked.runs[:1], lambda *what: told.append(what), folder=tmp_path)
    assert (other.parent, told[0][0], told[-1][0]) == (tmp_path, 0, told[-1][1])
    assert open_view(looked.runs[:1]) is None
    view = open_view(looked.runs[:1], folder=tmp_path)
    assert view is not None
    assert view.cohort()["systems"] == ["exact"]
    with pytest.raises(UsageError, match="there are no cases"):
        view.cases()
    with pytest.raises(UsageError, match="name at least one run"):
        build_view([])


def test_work_that_is_stopped_leaves_nothing(looked: Looked, tmp_path: Path) -> None:
    class Stopped(Exception):
        """Somebody had enough."""

    def stop(done: int, of: int, what: str) -> None:
        if done == of:
            raise Stopped

    with pytest.raises(Stopped):
        build_view(looked.runs[1:2], stop, folder=tmp_path / "views")
    assert list((tmp_path / "views").iterdir()) == []
