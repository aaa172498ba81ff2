"""Hierarchy-aware scores of real systems on real data, to the last digit of what issue 7 states."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkassay
from linkassay.imports.base import import_run
from linkassay.scoring.hierarchical.choices import Choices
from linkassay.scoring.hierarchical.figures import FOUR_SETS, counts, figures
from linkassay.scoring.hierarchical.profile import Profile, profiles
from linkassay.scoring.score import Score

#: Set and denominator → N, the six characteristics in percent, no answer and outside.
EXPECTED = {
    ("global", "all"): (3616, "93.56", "94.91", "94.08", "11.2", "29.0", "59.8", "53.0", "11.0"),
    ("global-unique", "all"): (1060, "88.42", "91.30", "89.55", "12.0", "30.6", "57.4", "22.9"),
    ("novel", "all"): (765, "76.08", "81.31", "78.43", "13.6", "30.3", "56.1", "51.0"),
    ("novel-unique", "all"): (467, "77.93", "83.60", "80.29", "13.0", "31.3", "55.7", "18.4"),
    ("global", "placed"): (3534, "95.22", "96.60", "95.76", "11.2", "29.0", "59.8"),
    ("global-unique", "placed"): (1035, "90.14", "93.14", "91.30", "11.8", "30.4", "57.8"),
    ("novel", "placed"): (702, "81.20", "86.89", "83.76", "13.6", "30.3", "56.1"),
    ("novel-unique", "placed"): (447, "80.76", "86.80", "83.22", "12.8", "31.4", "55.8"),
}
RUN = "bc5cdr/disease/taggerone"


@pytest.fixture(scope="module")
def taggerone(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Score:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("home")))
        linkassay.get("bc5cdr", shared / "corpora" / "bc5cdr")
        linkassay.get("mesh", shared / "kbs" / "mesh")
        file = shared / "predictions" / "belb" / "bc5cdr_disease" / "taggerone" / "native_with_gold.json.gz"
        import_run("belb", [file], linkassay.corpus("bc5cdr/disease"), "taggerone", split="test", kb="mesh")
        score = linkassay.score(RUN, scope=[f"recognised({RUN})"], abbreviations="none", resamples=100)
        assert score.in_scope.sum() == 3587  # recognised, and with a gold id
        return score


@pytest.fixture(scope="module")
def of(taggerone: Score) -> dict[str, Profile]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(taggerone.run.path.parents[2]))
        return {d: profiles([taggerone], Choices(denominator=d))[0] for d in ("all", "placed")}


@pytest.mark.parametrize(("set_", "denominator"), EXPECTED)
def test_taggerone_on_bc5cdr_to_the_last_digit(of: dict[str, Profile], set_: str, denominator: str) -> None:
    n, *expected = EXPECTED[set_, denominator]
    rows = figures(of[denominator], [set_])
    found = [f"{100 * row['value']:.{2 if at < 3 else 1}f}" for at, row in enumerate(rows)]
    assert found == expected[:6]
    assert {row["n"] for row in rows[:3]} == {n}
    types = counts(of[denominator], set_)
    missing = [types["no answer"], types["outside"]]
    if len(expected) < 8:
        missing = [sum(missing)]
    assert [f"{m:.1f}" for m in missing] == (expected[6:] or ["0.0"])


def test_the_types_of_every_set_add_up_to_its_size(of: dict[str, Profile]) -> None:
    for (set_, denominator), (n, *_) in EXPECTED.items():
        types = counts(of[denominator], set_)
        virtual = types.pop("virtual root")
        assert sum(types.values()) == pytest.approx(n)
        assert 0 <= virtual <= types["orthogonal"]
    assert list(FOUR_SETS) == ["global", "global-unique", "novel", "novel-unique"]
