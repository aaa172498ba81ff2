"""Runs against each other: by hand on four documents, and what may not be compared (STAT-13)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.errors import UsageError
from linkassay.runs.stored_run import Run
from linkassay.scoring.disambiguation.comparison import abbreviation_effect, compare_runs, effect_row
from tests.scoring_helpers import corpus, run_of

RIGHT: Any = [["t:1"]]
WRONG: Any = [["t:2"]]
TIED: Any = [["t:1", "t:2"]]
DOCUMENTS = {f"d{n}": [(f"m{n}{i}", "t:1") for i in range(3)] for n in range(4)}
#: Twelve mentions in four documents, right and wrong for each run.
FIRST = [1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
SECOND = [1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1]
THIRD = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]


@pytest.fixture
def runs(home: Path, tmp_path: Path) -> list[Run]:
    on = corpus(tmp_path, "four", {"test": DOCUMENTS})
    return [
        run_of(on, [RIGHT if right else WRONG for right in answers], system=name)
        for name, answers in (("first", FIRST), ("second", SECOND), ("third", THIRD))
    ]


def test_two_runs_by_hand(runs: list[Run]) -> None:
    found = linkassay.compare(runs[:2])
    assert found.n == 12
    assert [(row["system"], row["value"], row["n"]) for row in found.systems] == [
        ("first", 5 / 12, 12),
        ("second", 9 / 12, 12),
    ]
    [pair] = found.pairs
    assert pair["difference"] == pytest.approx(4 / 12)
    assert (pair["only_first"], pair["only_second"], pair["both"], pair["neither"]) == (1, 5, 4, 2)
    assert pair["mcnemar_p"] == pytest.approx(2 * (1 + 6) / 64)  # six that differ, at most one of them one way
    # Differences of documents 2, 1, 0, 1: of the eight flips of three, two are as large as 4.
    assert pair["permutation_p"] == pytest.approx(2 / 8)
    assert pair["permutation_p_holm"] == pair["permutation_p_bonferroni"] == pair["permutation_p"]
    assert pair["oracle"] == 10 / 12
    phi = (4 * 2 - 1 * 5) / (5 * 7 * 9 * 3) ** 0.5
    assert pair["correlation"] == pytest.approx(phi)
    assert found.correlation == [[pytest.approx(1), pytest.approx(phi)], [pytest.approx(phi), pytest.approx(1)]]
    changed = found.changed["first → second"]
    assert [m["text"] for m in changed["fixed"]] == ["m01", "m02", "m12", "m20", "m32"]
    assert [m["text"] for m in changed["broken"]] == ["m21"]
    assert [m["text"] for m in found.none_right] == ["m22", "m31"]
    assert found.oracle | {"key": ""} == {"value": 10 / 12, "none_right": 2, "n": 12, "key": ""}
    assert pair["low"] <= pair["difference"] <= pair["high"]


def test_three_runs_make_a_family_of_three_pairs(runs: list[Run]) -> None:
    found = linkassay.compare(runs)
    assert found.family == "3 pairs of 3 runs, one measure (recall@1)"
    assert found.oracle | {"key": ""} == {"value": 11 / 12, "none_right": 1, "n": 12, "key": ""}
    ps = [pair["permutation_p"] for pair in found.pairs]
    assert [pair["permutation_p_bonferroni"] for pair in found.pairs] == [min(1, 3 * p) for p in ps]
    smallest = min(found.pairs, key=lambda pair: pair["permutation_p"])
    assert smallest["permutation_p_holm"] == min(1, 3 * min(ps))
    assert all(pair["mcnemar_p_holm"] <= pair["mcnemar_p_bonferroni"] for pair in found.pairs)


def test_keys_tell_which_runs_were_compared(runs: list[Run]) -> None:
    """The mentions in common depend on all of them; their order changes nothing."""
    two, other, three = (linkassay.compare(each) for each in (runs[:2], [runs[0], runs[2]], runs))
    assert len({found.systems[0]["key"] for found in (two, other, three)}) == 3
    assert two.systems[0]["key"] == linkassay.compare(runs[1::-1]).systems[1]["key"]


def test_the_order_of_runs_turns_signs_only(runs: list[Run]) -> None:
    one, two = linkassay.compare(runs[:2]).pairs[0], linkassay.compare(runs[1::-1]).pairs[0]
    assert (one["difference"], one["only_first"]) == (-two["difference"], two["only_second"])
    for same in ("permutation_p", "mcnemar_p", "correlation", "oracle", "both", "neither"):
        assert one[same] == two[same]


def test_expected_scores_have_no_mcnemar(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "ties", {"test": {"d1": [("a", "t:1")], "d2": [("b", "t:1")]}})
    runs = [run_of(on, [TIED, RIGHT], system="one"), run_of(on, [WRONG, RIGHT], system="two")]
    [pair] = linkassay.compare(runs).pairs
    assert (pair["only_first"], pair["both"], pair["neither"], pair["mcnemar_p"]) == (0.5, 1, 0.5, None)
    [lenient] = linkassay.compare(runs, "recall(protocol=belb/lenient)@1").pairs
    assert (lenient["only_first"], lenient["mcnemar_p"]) == (1, 1)


def test_gold_pairs_are_compared_pair_by_pair(home: Path, tmp_path: Path) -> None:
    on = corpus(tmp_path, "pairs", {"test": {"d1": [("a", "t:1+t:2"), ("b", "t:3")]}})
    runs = [run_of(on, [[["t:1"]], None], system="one"), run_of(on, [[["t:2"]], [["t:3"]]], system="two")]
    found = linkassay.compare(runs, "recall(gold=pairs)@1")
    assert (found.n, found.pairs[0]["only_first"], found.pairs[0]["only_second"]) == (3, 1, 2)
    covered = linkassay.compare(runs, "coverage(gold=pairs)")
    assert [row["value"] for row in covered.systems] == [pytest.approx(2 / 3), 1]


def test_what_cannot_be_compared(runs: list[Run], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="compare needs two runs or more"):
        linkassay.compare(runs[:1])
    other = run_of(corpus(tmp_path, "else", {"test": {"x": [("a", "t:1")]}}), [RIGHT])
    with pytest.raises(
        UsageError, match=r"runs of one corpus, revision and split can be compared; these are of else@.*four@"
    ):
        linkassay.compare([runs[0], other])
    for measure in ("recall(set=novel)@1", "recall(average=entities)@1", "recall(per=document)@1"):
        with pytest.raises(UsageError, match="runs are compared mention by mention"):
            linkassay.compare(runs, measure)
    with pytest.raises(UsageError, match="its denominator differs from run to run"):
        linkassay.compare(runs, "normalised-accuracy@5")


def test_abbreviation_effect_by_hand(home: Path, tmp_path: Path) -> None:
    """Of the abbreviated mentions only: three of them, one right without, all with abbreviations written out."""
    documents = {
        "d1": [("multiple sclerosis (MS)", "t:9"), ("MS", "t:1"), ("gout", "t:1")],
        "d2": [("ankylosing spondylitis (AS)", "t:9"), ("AS", "t:1"), ("AS", "t:1")],
    }
    on = corpus(tmp_path, "short", {"test": documents})
    without = run_of(on, [WRONG, TIED, RIGHT, WRONG, TIED, WRONG], system="without")
    with_ = run_of(on, [WRONG, RIGHT, WRONG, WRONG, RIGHT, RIGHT], system="with")
    pair = [linkassay.score(run) for run in (without, with_)]
    [row] = map(effect_row, abbreviation_effect([(pair[0], pair[1])], "recall(protocol=belb/lenient)@1"))
    assert (row["n"], row["value_without"], row["value_with"]) == (3, pytest.approx(2 / 3), 1)
    assert row["difference"] == pytest.approx(1 / 3)
    assert row["z"] == pytest.approx((1 / 3) / (2 / 9 / 3) ** 0.5)
    assert row["permutation_p"] == 1  # one document differs: either sign is as large
    [row] = abbreviation_effect([(pair[0], pair[1])])
    assert row["value_without"] == pytest.approx(1 / 3)
    with pytest.raises(UsageError, match="its denominator differs"):
        abbreviation_effect([(pair[0], pair[1])], "normalised-accuracy@5")
    none = [linkassay.score(run, abbreviations="none") for run in (without, with_)]
    with pytest.raises(UsageError, match="no mention of short is an abbreviation"):
        abbreviation_effect([(none[0], none[1])])


def test_as_json(runs: list[Run]) -> None:
    import json

    found = compare_runs([linkassay.score(run) for run in runs], resamples=200, examples=1)
    again = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert again["changed"]["first → second"]["fixed"] == [
        {"mention": "d0:4-7:disease", "document": "d0", "text": "m01", "type": "disease", "gold": [["t:1"]]}
    ]


def test_slices_without_a_test_of_them_are_refused() -> None:
    """Or figures of all mentions would be taken for those of the slice."""
    result = CliRunner().invoke(app, ["compare", "mini/exact", "mini/tfidf", "--by", "zero-shot"])
    assert isinstance(result.exception, UsageError)
    assert "--by is of --preset bioel" in str(result.exception)
