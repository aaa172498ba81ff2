"""Hierarchy-aware scores of real systems on real data, to the last digit of what issue 7 states."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.kbs.hierarchy import Hierarchy
from linkassay.published.hierarchy import reproduce
from linkassay.runs.importing.importer import import_run
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.hierarchy.choices import HierarchyChoices
from linkassay.scoring.hierarchy.figures import FOUR_SETS, match_counts, profile_figures
from linkassay.scoring.hierarchy.measures import CHARACTERISTICS
from linkassay.scoring.hierarchy.profile import Profile, profiles
from linkassay.scoring.hierarchy.relations import TYPES, Relations

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
def taggerone(shared: Path, get_kb: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory) -> Score:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("home")))
        linkassay.get("bc5cdr", shared / "corpora" / "bc5cdr")
        get_kb("mesh")
        file = shared / "predictions" / "belb" / "bc5cdr_disease" / "taggerone" / "native_with_gold.json.gz"
        import_run("belb", [file], linkassay.corpus("bc5cdr/disease"), "taggerone", split="test", kb="mesh")
        score = linkassay.score(RUN, scope=[f"recognised({RUN})"], abbreviations="none")
        assert score.in_scope.sum() == 3587  # recognised, and with a gold id
        return score


@pytest.fixture(scope="module")
def of(taggerone: Score) -> dict[str, Profile]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(taggerone.run.path.parents[2]))
        return {d: profiles([taggerone], HierarchyChoices(denominator=d))[0] for d in ("all", "placed")}


@pytest.mark.parametrize(("set_", "denominator"), EXPECTED)
def test_taggerone_on_bc5cdr_to_the_last_digit(of: dict[str, Profile], set_: str, denominator: str) -> None:
    n, *expected = EXPECTED[set_, denominator]
    rows = [each.row() for each in profile_figures(of[denominator], [set_])]
    found = [f"{100 * row['value']:.{2 if at < 3 else 1}f}" for at, row in enumerate(rows)]
    assert found == expected[:6]
    assert {row["n"] for row in rows[:3]} == {n}
    types = {name: figure.value for name, figure in match_counts(of[denominator], set_).items()}
    missing = [types["no answer"], types["outside"]]
    if len(expected) < 8:
        missing = [sum(missing)]
    assert [f"{m:.1f}" for m in missing] == (expected[6:] or ["0.0"])


def test_the_types_of_every_set_add_up_to_its_size(of: dict[str, Profile]) -> None:
    for (set_, denominator), (n, *_) in EXPECTED.items():
        types = {name: figure.value for name, figure in match_counts(of[denominator], set_).items()}
        virtual = types.pop("virtual root")
        assert sum(types.values()) == pytest.approx(n)
        assert 0 <= virtual <= types["orthogonal"]
    assert list(FOUR_SETS) == ["global", "global-unique", "novel", "novel-unique"]


def test_the_papers_tables_beside_ours(taggerone: Score, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(taggerone.run.path.parents[2]))
    rows = reproduce()
    assert len(rows) == 8 + 4 * 6
    found = {(r["table"], r["system"], r["set"], r["measure"]): r for r in rows}
    first = found["table 1", "taggerone", "global", "accuracy"]
    assert (first["published"], first["ours"], first["difference"], first["n"]) == (95.27, 95.22, -0.05, 3534)
    last = found["table 2", "taggerone", "novel-unique", "orthogonality"]
    assert (last["published"], last["ours"]) == (52.71, 55.81)
    assert found["table 1", "biosyn", "novel", "accuracy"]["ours"] is None  # no such run
    printed = CliRunner().invoke(app, ["reproduce", "hierarchy", "--json"], catch_exceptions=False)
    assert json.loads(printed.stdout)["rows"] == list(rows)
    same = [r["difference"] for r in rows if r["ours"] is not None and r["measure"] in CHARACTERISTICS[:3]]
    assert max(map(abs, same)) < 0.75  # another run and another edition of MeSH


def _ways_up(hierarchy: Hierarchy, start: int) -> dict[int, int]:
    found, level, step = {start: 0}, [start], 0
    while level:
        step += 1
        level = sorted({int(p) for n in level for p in hierarchy.parents[n]} - set(found))
        found |= dict.fromkeys(level, step)
    return found


@pytest.mark.parametrize("name", ["ncbi_taxonomy", "medic", "chebi", "doid", "mondo", "hp"])
def test_relations_in_real_knowledge_bases(home: Path, get_kb: Callable[[str], None], name: str) -> None:
    get_kb(name)
    _hold_to_search(Relations(Hierarchy.of(linkassay.kb(name))))


def test_relations_in_mesh(of: dict[str, Profile]) -> None:
    _hold_to_search(of["all"].relations)


def _hold_to_search(of: Relations) -> None:
    """A thousand pairs, half of them a node and one of its ancestors, against breadth-first search."""
    hierarchy, random = of.hierarchy, np.random.default_rng(7)
    gold, said = (random.integers(0, len(hierarchy), 1000) for _ in range(2))
    for n in range(500):
        said[n] = random.choice(sorted(_ways_up(hierarchy, int(gold[n]))))
    swap = random.random(1000) < 0.5
    gold, said = np.where(swap, said, gold), np.where(swap, gold, said)
    found = of.of(hierarchy.ids.take(pa.array(gold)), hierarchy.ids.take(pa.array(said)))
    for n, (t, p) in enumerate(zip(gold.tolist(), said.tolist(), strict=True)):
        up, also = _ways_up(hierarchy, t), _ways_up(hierarchy, p)
        kind = "exact" if t == p else "overspecific" if t in also else "underspecific" if p in up else "orthogonal"
        assert list(TYPES)[found.type[n]] == kind
        common = set(up) & set(also)
        least = min((up[x] + also[x] for x in common), default=hierarchy.depths[t] + hierarchy.depths[p] + 2)
        assert found.distance[n] == {"overspecific": also.get(t), "underspecific": up.get(p)}.get(kind, least)
        assert found.virtual[n] == (not common)
    assert len(set(found.type.tolist())) == 4
