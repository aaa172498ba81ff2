"""Profiles, characteristics and scenarios (HIER-5 to HIER-20) on a small orchard, held to sums of exact fractions."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.corpora.obtain import OwnCorpus, get_own_corpus
from linkassay.errors import DataError, UsageError
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.readers.own_table import spec_from_toml
from linkassay.runs.importing.importer import import_run
from linkassay.scoring.hierarchy import scenarios
from linkassay.scoring.hierarchy.choices import HierarchyChoices
from linkassay.scoring.hierarchy.figures import FOUR_SETS, compare_profiles, compared_row, match_counts, profile_figures
from linkassay.scoring.hierarchy.measures import HIERARCHY_MEASURES, parse_characteristics
from linkassay.scoring.hierarchy.profile import Profile, comparable, profiles
from linkassay.scoring.hierarchy.relations import TYPES
from tests import reference_hierarchy as reference

#: Two roots, one entity with two parents (8), and 99, which is in the knowledge base but not in the hierarchy.
EDGES = [("2", "1"), ("3", "1"), ("4", "2"), ("5", "2"), ("6", "4"), ("7", "4"), ("8", "3"), ("8", "5"), ("11", "10")]
ENTITIES = ["1", "2", "3", "4", "5", "6", "7", "8", "10", "11", "99"]
Answer = list[str]  # ids tied at the first rank; empty for none


@pytest.fixture
def orchard(home: Path, tmp_path: Path) -> Path:
    """The knowledge base `fruit`."""
    lines = ["id\tname\tup"]
    for entity in ENTITIES:
        up = "|".join(p for c, p in EDGES if c == entity)
        lines.append(f"{entity}\tfruit {entity}\t{up}")
    (tmp_path / "fruit.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "fruit.toml").write_text(
        'name = "fruit"\nprefix = "fruit"\ntype = "species"\nfiles = "fruit.tsv"\nid = "id"\nnames = "name"\n'
        'parents = {column = "up", separator = "|"}\n',
        encoding="utf-8",
    )
    build_kb(spec_from_toml(tmp_path / "fruit.toml"), tmp_path)
    return tmp_path


def corpus(folder: Path, gold: list[tuple[str, str, str]], name: str = "pick") -> None:
    """A mention table of (document, text, ids with | between)."""
    rows = ["document\tmention\tstart\tend\ttext\ttype\tids"]
    for n, (document, text, ids) in enumerate(gold):
        rows.append(f"{document}\tm{n}\t{10 * n}\t{10 * n + len(text)}\t{text}\tspecies\t{ids}")
    path = folder / f"{name}.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    get_own_corpus(OwnCorpus(name, "mentions", (path,), kb="fruit"))


def run(folder: Path, gold: list[tuple[str, str, str]], answers: list[Answer], system: str = "one") -> str:
    lines = [
        json.dumps({"document": document, "mention": f"m{n}", "candidates": [[f"fruit:{i}" for i in answer]]})
        for n, ((document, _, _), answer) in enumerate(zip(gold, answers, strict=True))
        if answer
    ]
    path = folder / f"{system}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_run("native", [path], linkassay.corpus("pick"), system, kb="fruit")
    return f"pick/{system}"


def of(*runs: str, **choices: Any) -> list[Profile]:
    scores = [linkassay.score(name, abbreviations="none") for name in runs]
    return profiles(scores, HierarchyChoices("fruit", **choices))


def slow(
    gold: list[tuple[str, str, str]], answers: list[Answer], unique: bool, best: bool, placed: bool
) -> dict[str, Any]:
    """N and the number of each type, as fractions."""
    nodes = reference.nodes(EDGES)

    def related(t: str, p: str) -> tuple[str, int]:
        if t == p:
            return "exact", 0
        if t not in nodes or p not in nodes:
            return "outside", 10**6
        return reference.relation(EDGES, t, p)[:2]

    def closeness(kind: str, distance: int) -> tuple[int, int]:
        return distance, list(TYPES).index(kind)

    items: dict[Any, list[list[tuple[str, Fraction]]]] = {}
    for n, ((_, text, ids), answer) in enumerate(zip(gold, answers, strict=True)):
        targets = sorted(set(ids.split("|")))
        for group in [targets] if best else [[t] for t in targets]:
            rows = []
            for p in answer:
                t = min(group, key=lambda t: closeness(*related(t, p)))
                if not placed or (t in nodes and p in nodes):
                    rows.append((related(t, p)[0], Fraction(1, len(answer))))
            if not answer and not placed:
                rows.append(("no answer", Fraction(1)))
            if rows:
                key = (text, tuple(group)) if unique else (n, tuple(group))
                items.setdefault(key, []).append(rows)
    totals: dict[str, Fraction] = {}
    for repeats in items.values():
        for rows in repeats:
            for kind, share in rows:
                totals[kind] = totals.get(kind, Fraction(0)) + share / len(repeats)
    return totals


@pytest.mark.parametrize("seed", range(3))
def test_types_are_those_of_slow_sums(orchard: Path, seed: int) -> None:
    """All combinations of gold, denominator and repeats; ties count 1/g each."""
    chance = random.Random(seed)
    gold = [
        (
            f"d{n % 7}",
            chance.choice(["apple", "pear", "Pear"]),
            "|".join(chance.sample(ENTITIES, chance.choice([1, 1, 2]))),
        )
        for n in range(60)
    ]
    answers = [chance.sample(ENTITIES, chance.choice([0, 1, 1, 1, 2, 3])) for _ in gold]
    corpus(orchard, gold)
    name = run(orchard, gold, answers)
    for best in (False, True):
        for placed in (False, True):
            [profile] = of(name, gold="best" if best else "pairs", denominator="placed" if placed else "all")
            for set_ in FOUR_SETS:  # there are no training data: novel is global
                expected = slow(gold, answers, set_.endswith("unique"), best, placed)
                found = {name: figure.value for name, figure in match_counts(profile, set_).items()}
                found.pop("virtual root")
                assert {k: v for k, v in found.items() if v} == pytest.approx(
                    {k: float(v) for k, v in expected.items()}
                ), (best, placed, set_)


GOLD = [("d1", "a", "2"), ("d1", "b", "2"), ("d2", "c", "8"), ("d2", "d", "7"), ("d3", "e", "6"), ("d3", "f", "99")]
ANSWERS = [["4"], ["7"], ["1"], ["8"], ["6"], []]


def values(profile: Profile, set_: str = "global") -> dict[str, Any]:
    return {
        each.about["measure"]: each.value for each in profile_figures(profile, [set_], (), list(HIERARCHY_MEASURES))
    }


def test_every_measure_by_hand(orchard: Path) -> None:
    """Over 1, over 2, under 2, orthogonal 4 (7-4-2-5-8), exact, no answer."""
    corpus(orchard, GOLD)
    [profile] = of(run(orchard, GOLD, ANSWERS))
    assert values(profile) == pytest.approx({
        "accuracy": 1 / 6, "coverage": 2 / 6, "specificity": 3 / 6,
        "braveness": 2 / 4, "cautiousness": 1 / 4, "orthogonality": 1 / 4, "no-answer": 1 / 6, "outside": 0,
        "distance": 9 / 5, "error-distance": 9 / 4, "over-distance": 3 / 2, "under-distance": 2,
        "orthogonal-distance": 4,
        # Gold 2 (one step up, two down: 1/3) twice, 8 and 7 (leaves).
        "error-location": (1 / 3 + 1 / 3 + 1 + 1) / 4,
        # Sets: {2 1} and {4 2 1}: 2; {2 1} and {7 4 2 1}: 2; {8 3 5 2 1} and {1}: 1; {7 4 2 1} and {8 3 5 2 1}: 2;
        # {6 4 2 1} twice: 4; {99} and none: 0.
        "h-precision": 11 / (3 + 4 + 1 + 5 + 4), "h-recall": 11 / (2 + 2 + 5 + 4 + 4 + 1),
        "h-f1": 22 / (17 + 18),
        "lca-f": (2 / 3 + 2 / 4 + 2 / 4 + 2 / 6 + 1 + 0) / 6,
        # They meet in 2 (two steps below the virtual root), 2, 1, 2.
        "wu-palmer": (4 / 5 + 4 / 6 + 2 / 4 + 4 / 8 + 1 + 0) / 6,
    })  # fmt: skip
    rows = list(profile.rows())
    assert rows[3] | {"weight": 1.0} == {
        "document": "d2", "mention": "m3", "text": "d", "gold": "fruit:7", "predicted": "fruit:8",
        "type": "orthogonal", "distance": 4, "location": 1.0, "virtual_root": False, "weight": 1.0,
    }  # fmt: skip


def test_a_branch_keeps_its_gold_only(orchard: Path) -> None:
    corpus(orchard, GOLD)
    name = run(orchard, GOLD, ANSWERS)
    [profile] = of(name, branch="fruit:4")  # gold 6 and 7
    assert values(profile)["accuracy"] == 1 / 2
    with pytest.raises(UsageError, match="not in the hierarchy"):
        of(name, branch="fruit:99")


def test_systems_of_different_coverage_on_what_they_have_in_common(orchard: Path) -> None:
    corpus(orchard, GOLD)
    one = run(orchard, GOLD, ANSWERS, "one")
    other = run(orchard, GOLD, [["2"], [], ["8"], [], [], ["99"]], "other")
    apart, common = of(one, other), of(one, other, items="common")
    assert [values(p)["accuracy"] for p in apart] == [1 / 6, 3 / 6]
    assert [values(p)["accuracy"] for p in common] == [0, 1]  # the gold of a and c
    rows = [compared_row(each) for each in compare_profiles(common, measures=["accuracy", "distance"])]
    assert [(r["first"], r["second"], r["difference"]) for r in rows] == [("one", "other", 1.0), ("one", "other", -1.5)]
    assert rows[0]["permutation_p"] is not None
    assert all(r["bootstrap_p_holm"] >= r["bootstrap_p"] for r in rows)
    swapped = [compared_row(each) for each in compare_profiles(common[::-1], measures=["accuracy"])]
    assert swapped[0]["difference"] == -1.0


def test_runs_of_other_data_are_not_compared(orchard: Path) -> None:
    corpus(orchard, GOLD)
    one = run(orchard, GOLD, ANSWERS, "one")
    corpus(orchard, GOLD[:4])
    other = run(orchard, GOLD[:4], ANSWERS[:4], "other")
    found = of(one, other)
    assert [len(group) for group in comparable(found)] == [1, 1]
    with pytest.raises(UsageError, match="not of the same corpus"):
        compare_profiles(found)


def verdict(name: str, *runs: str, branch: str = "") -> scenarios.Verdict:
    scenario = scenarios.load_scenario(name, branch)
    return scenarios.choose_system(scenario, of(*runs, branch=scenario.branch))


def many(folder: Path, answer: Callable[[int], Answer], system: str) -> str:
    gold = [(f"d{n}", f"t{n}", "6") for n in range(40)]
    corpus(folder, gold)
    return run(folder, gold, [answer(n) for n in range(40)], system)


def test_scenarios_say_who_suits_and_why(orchard: Path) -> None:
    near = many(orchard, lambda n: ["6"] if n % 2 else ["4"], "near")  # errors one step up
    far = many(orchard, lambda n: ["6"] if n % 2 else ["11"], "far")  # errors in another branch
    good = many(orchard, lambda n: ["6"], "good")
    for name in ("coverage-first", "neighbourhood"):
        found = verdict(name, far, near)
        assert found.suits == "near"
        assert found.reasons[0].startswith("accuracy does not tell far and near apart")
        assert found.reasons[1].startswith("near over far: ")
        assert verdict(name, near, good, far).suits == "good"
    branch = verdict("branch", near, good, branch="fruit:4")
    assert branch.suits == "good"
    assert branch.reasons == ["good over near: accuracy 1.0000 against 0.5000, p = 0.0002"]
    [accepted] = [r for r in verdict("coverage-first", near).systems if r["measure"].startswith("accepted")]
    assert accepted["value"] == 1.0
    same = verdict("neighbourhood", near, near)
    assert "the choice is open" in same.reasons[-1]
    assert (same.suits, len(same.open)) == ("", 2)  # nobody suits where the choice is open
    assert verdict("neighbourhood", near, good).open == []
    hardly = many(orchard, lambda n: ["6"] if n % 2 or n == 4 else ["4"], "hardly")  # one more is right
    ahead = verdict("neighbourhood", near, hardly)
    assert (ahead.suits, ahead.open) == ("", ["hardly", "near"])
    assert ahead.reasons[-1] == "hardly is ahead in accuracy, by no more than chance: the choice is open"


def test_own_scenarios(orchard: Path) -> None:
    near = many(orchard, lambda n: ["6"] if n % 2 else ["4"], "near")
    silent = many(orchard, lambda n: ["6"] if n % 8 else [], "silent")
    file = orchard / "mine.toml"
    file.write_text(
        '[strict]\nmeasures = [{measure = "coverage", at_least = 0.95}, {measure = "accuracy"}]\n'
        '[weighed]\nmeasures = [{measure = "accuracy", weight = 1}, {measure = "no-answer", weight = 9}]\n',
        encoding="utf-8",
    )
    strict = verdict(f"{file}:strict", near, silent)
    assert strict.suits == "near"
    assert strict.reasons[0] == "silent is out: coverage is 0.8750, not at least 0.95"
    weighed = verdict(f"{file}:weighed", near, silent)
    assert weighed.suits == "near"
    assert weighed.reasons == ["weighted sums: near 0.5000, silent -0.2500"]
    with pytest.raises(UsageError, match="has the scenarios strict, weighed; say which"):
        scenarios.load_scenario(str(file))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a", "not valid TOML"),
        ("a = " + "[" * 10_000, "not valid TOML"),
        ("", "no scenario"),
        ("a = 1", "expected a table"),
        ("[a]\nsummary = 'x'", "measures is missing"),
        ("[a]\nmesures = []", "unknown key 'mesures'; did you mean 'measures'"),
        ("[a]\nmeasures = [{measure = 'acuracy'}]", "did you mean 'accuracy'"),
        ("[a]\nmeasures = [{measure = 'braveness'}]", "say want"),
        ("[a]\nmeasures = [{measure = 'accuracy', weight = 'x'}]", "measures: 'weight' must be a number, not 'x'"),
        ("[a]\nmeasures = [{measure = 'accuracy', weight = 1}, {measure = 'lca-f'}]", "a weight, or none"),
        ("[a]\naccept = ['over']\nmeasures = [{measure = 'accuracy'}]", "did you mean 'overspecific'|known are"),
    ],
)
def test_bad_scenarios_say_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        scenarios.load_scenario(str(tmp_path / "bad.toml"))


def test_the_built_in_scenarios() -> None:
    assert list(scenarios.built_in()) == ["branch", "coverage-first", "neighbourhood"]
    with pytest.raises(UsageError, match="did you mean 'neighbourhood'"):
        scenarios.load_scenario("neighborhood")
    with pytest.raises(UsageError, match="--root"):
        scenarios.load_scenario("branch")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mesh(denominater=placed)", "did you mean 'denominator'"),
        ("mesh(gold=bset)", "did you mean 'best'"),
        ("mesh(gold)", "expected one value for gold"),
        ("mesh(gold=best,gold=pairs)", "expected one value for gold"),
        ("mesh(", "is no hierarchy"),
    ],
)
def test_bad_choices_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        HierarchyChoices.parse(text)


def test_choices_are_their_text() -> None:
    for text in ("mesh", "mesh(gold=best,denominator=placed,branch=mesh:D1)", "(items=common)", "x(relations=is_a+y)"):
        assert str(HierarchyChoices.parse(text)) == text
    assert parse_characteristics("lca-f, accuracy") == ["lca-f", "accuracy"]
    with pytest.raises(UsageError, match="did you mean 'wu-palmer'"):
        parse_characteristics("wu-palmr")


def test_a_knowledge_base_without_parents_is_refused(orchard: Path) -> None:
    corpus(orchard, GOLD)
    name = run(orchard, GOLD, ANSWERS)
    (orchard / "flat.tsv").write_text("id\tname\n1\tone\n", encoding="utf-8")
    (orchard / "flat.toml").write_text(
        'name = "flat"\nprefix = "fruit"\nfiles = "flat.tsv"\nid = "id"\nnames = "name"\n'
    )
    build_kb(spec_from_toml(orchard / "flat.toml"), orchard)
    with pytest.raises(UsageError, match="'flat' has no parents"):
        profiles([linkassay.score(name)], HierarchyChoices("flat"))
    with pytest.raises(UsageError, match="has no parents by part_of"):
        of(name, relations=("part_of",))
