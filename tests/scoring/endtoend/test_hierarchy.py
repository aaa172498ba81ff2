"""`score --task end-to-end --hierarchy`: agrees with plain F1, and with profiles (HIER-21, HIER-22)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.errors import UsageError
from linkassay.kbs.hierarchy import Hierarchy
from linkassay.model import Document, Prediction
from linkassay.runs.stored_run import Run
from linkassay.scoring.endtoend import evaluate, hierarchy
from linkassay.scoring.endtoend.case_ledger import read_ledger
from linkassay.scoring.endtoend.figures import endtoend_figures, rows_of
from linkassay.scoring.endtoend.run_score import EndToEndScore, score_run_end_to_end
from linkassay.scoring.endtoend.slices_and_sets import CountedSlice
from linkassay.scoring.hierarchy.choices import HierarchyChoices
from linkassay.scoring.hierarchy.profile import profiles
from linkassay.scoring.hierarchy.relations import TYPES, Relations
from tests import reference_endtoend as reference
from tests.scoring.endtoend.test_evaluation import IDS, KB, articles

CHOICES = HierarchyChoices.parse("mini")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("home")))
        linkassay.get("mini")
        yield {"spotter": linkassay.link("spotter", "mini", give="text"), "tfidf": linkassay.link("tfidf", "mini")}


def matched(scored: EndToEndScore, choices: HierarchyChoices = CHOICES) -> hierarchy.Matches:
    assert scored.ledger is not None
    return hierarchy.match(scored.ledger, hierarchy.relations_of([scored], choices), choices, "ignored")


@pytest.mark.parametrize("system", ["spotter", "tfidf"])
def test_exact_ones_are_the_true_positives(runs: dict[str, Run], system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Types divide what must be found, in every set and slice; nothing accepted but exact is plain F1."""
    monkeypatch.setattr(hierarchy, "ACCEPTED", (("exact",),))
    scored = score_run_end_to_end(
        runs[system], by=["zero-shot", "type"], sets=["global", "novel", "global-unique"], cases=True
    )
    plain = rows_of(endtoend_figures([scored], ["ignored"]))
    relations = hierarchy.relations_of([scored], CHOICES)
    related = rows_of(hierarchy.hierarchy_figures([scored], relations, CHOICES, ["ignored"]))
    assert related.keys() == plain.keys()
    for key, row in related.items():
        counts = {name: row[f"matches({name})"].value or 0 for name in TYPES}
        assert counts["exact"] == pytest.approx(plain[key]["all_tp"].value)
        assert sum(counts.values()) == pytest.approx(plain[key]["all_r"].n)
        for end, measure in (("precision", "all_p"), ("recall", "all_r"), ("f1", "all_f1")):
            found, expected = row[hierarchy.accepted(("exact",), end)], plain[key][measure]
            assert found.value is None or found.value == pytest.approx(expected.value)
            if key[3] == "all":
                assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    spurious = [row["matches(spurious)"].value for key, row in related.items() if key[3] == "zero-shot"]
    assert set(spurious) == {0}


def test_types_are_those_of_the_profile_of_given_mentions(runs: dict[str, Run]) -> None:
    """A run that was given all mentions, but for what only one of the two knows: optional gold, alternatives, ties."""
    run = runs["tfidf"]
    scored = score_run_end_to_end(run, cases=True)
    (profile,) = profiles([linkassay.score(run)], HierarchyChoices.parse("mini(gold=best)"))
    rows: dict[str, list[str]] = {}
    for row in profile.rows():
        rows.setdefault(row["mention"], []).append(row["type"])
    ledger, found = scored.ledger, matched(scored)
    assert ledger is not None
    parents = {m.parent for d in run.open_corpus()["test"] for m in d.annotations}
    compared = 0
    for case, type_ in zip(found.case.tolist(), found.type.tolist(), strict=True):
        name = ledger.mention[case]
        if len(rows[name]) == 1 and name not in parents:
            assert [list(TYPES)[type_]] == rows[name]
            compared += 1
    assert compared > 250


@pytest.mark.parametrize("types", [("exact", "underspecific"), ("exact", "overspecific", "underspecific")])
def test_accepting_is_scoring_as_if_these_had_been_right(runs: dict[str, Run], types: tuple[str, ...]) -> None:
    """The answers of these types replaced by the gold, and the run scored again."""
    run = runs["tfidf"]
    scored = score_run_end_to_end(run, cases=True)
    ledger, found = scored.ledger, matched(scored)
    assert ledger is not None
    wanted = {ledger.mention[case]: ledger.ids(int(ledger.gold[case])) for case, type_ in
              zip(found.case.tolist(), found.type.tolist(), strict=True) if list(TYPES)[type_] in types}  # fmt: skip
    places = {(m.document, m.spans): wanted[m.id] for d in run.open_corpus()["test"] for m in d.annotations
              if m.id in wanted}  # fmt: skip
    said = [replace(p, groups=((places[p.document, p.spans][0],),)) if (p.document, p.spans) in places else p
            for p in run.predictions()]  # fmt: skip
    kb = linkassay.kb("mini")
    expected = evaluate(list(run.open_corpus()["test"]), said, current=kb.current).micro("all", "ignored")
    relations = hierarchy.relations_of([scored], CHOICES)
    (row,) = rows_of(hierarchy.hierarchy_figures([scored], relations, CHOICES, ["ignored"])).values()
    values = [row[hierarchy.accepted(types, end)].value for end in ("precision", "recall", "f1")]
    assert values == pytest.approx(list(expected))
    assert values[2] > scored.counts.micro("all", "ignored")[2]  # type: ignore[operator]


@given(article=articles())
def test_accepted_types_are_those_of_the_reference(article: tuple[list[Document], list[Prediction]]) -> None:
    """In a chain of three entities, also where a prediction stands on several labels and where labels have parts."""
    documents, predictions = article
    ledger = read_ledger(documents, predictions, facts=KB)
    chain = Relations(Hierarchy(pa.array(IDS), np.array([1, 2]), np.array([0, 1])))
    every = np.ones(len(ledger))
    cut = CountedSlice("global", "all", ledger.counts(every, every))
    for nil in ("ignored", "required"):
        found = hierarchy.match(ledger, chain, CHOICES, nil)
        measures, counts = hierarchy.hierarchy_sums(ledger, cut, found, nil)
        accept = {
            ("exact", "underspecific"): lambda gold, said: IDS.index(said) < IDS.index(gold),
            ("exact", "overspecific"): lambda gold, said: IDS.index(said) > IDS.index(gold),
        }
        for types, fine in accept.items():
            tp, fp, fn = reference.accepting(documents, predictions, nil, KB, fine)
            sums = [measures[hierarchy.accepted(types, end)] for end in ("precision", "recall", "f1")]
            assert [(top.sum(), below.sum()) for top, below in sums] == [
                (tp, tp + fp), (tp, tp + fn), (2 * tp, 2 * tp + fp + fn)
            ]  # fmt: skip
        assert counts["orthogonal"] == counts["outside"] == 0


def test_choices(runs: dict[str, Run]) -> None:
    scored = score_run_end_to_end(runs["spotter"], cases=True)
    all_, placed = matched(scored), matched(scored, HierarchyChoices.parse("mini(denominator=placed)"))
    assert all_.counted.all()
    assert 0 < placed.counted.sum() < len(placed.case)
    assert not placed.counted[placed.type == list(TYPES).index("no answer")].any()
    branch = matched(scored, HierarchyChoices.parse("mini(branch=mesh:D009369)"))
    assert 0 < branch.counted.sum() < len(branch.case)
    assert np.array_equal(branch.type, all_.type)
    with pytest.raises(UsageError, match="items and location are of scoring with given mentions"):
        hierarchy.relations_of([scored], HierarchyChoices.parse("mini(items=common)"))


def test_command_line(runs: dict[str, Run]) -> None:
    words = ["score", "mini/spotter", "--task", "end-to-end", "--nil", "ignored", "--hierarchy", "mini"]
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    keys = {row["measure"]: row["key"] for row in found["hierarchy"]}
    assert keys["coverage"].endswith("|coverage|all|hierarchy=mini|nil=ignored|preset=fair|set=global")
    assert set(keys.values()) <= {row["key"] for row in found["figures"]}
    text = CliRunner().invoke(app, words).stdout
    assert "match types" in text
    assert "exact+underspecific" in text
    refused = CliRunner().invoke(app, [*words, "--preset", "gerbil/weak"])
    assert "has no slices, sets, hierarchy or comparison" in f"{refused.output}{refused.exception}"
