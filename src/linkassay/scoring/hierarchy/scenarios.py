"""Scenarios: which system suits a use, and why (HIER-19). What is asked for is data: `scenarios.toml`, or one's own.

Another package brings its own as a `Scenario`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from linkassay.decoding import described
from linkassay.errors import DataError, UsageError
from linkassay.files import read_toml
from linkassay.registry import ValueRegistry, near_miss
from linkassay.runs import labels
from linkassay.scoring.figure import Keep, same_figures
from linkassay.scoring.hierarchy.figures import compare_profiles, compared_row, profile_figures
from linkassay.scoring.hierarchy.measures import accepted, measure_kind
from linkassay.scoring.hierarchy.profile import Profile
from linkassay.scoring.hierarchy.relations import TYPES
from linkassay.scoring.statistics.significance import ALPHA
from linkassay.tables import Rows, fixed


@dataclass(frozen=True)
class Goal:
    """A measure of a hierarchy, which way it should go (`high`, `low`), how much it weighs, what is not good enough."""

    measure: str
    want: str
    weight: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    def __post_init__(self) -> None:
        measure_kind(self.measure)
        if self.want not in ("high", "low"):
            raise UsageError(f'{self.measure} is neither good nor bad by itself; say want = "high" or "low"')

    @property
    def sign(self) -> int:
        """1 if more is better, else -1."""
        return 1 if self.want == "high" else -1

    def meets(self, value: float | None) -> bool:
        """Whether a value is good enough; an undefined one is not where anything is asked of it."""
        if value is None:
            return self.at_least is None and self.at_most is None
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


@dataclass(frozen=True)
class Scenario:
    """A use of a linker: match types that do no harm, and what matters, in its order.

    `branch` is the id that it is about, with all below; `needs_branch`: one must be named. `set` is an evaluation set.
    """

    name: str
    summary: str
    accept: tuple[str, ...]
    goals: tuple[Goal, ...]
    branch: str = ""
    needs_branch: bool = False
    set: str = "global"

    def __post_init__(self) -> None:
        for each in self.accept:
            if each not in TYPES:
                raise UsageError(f"accept {each!r}; {near_miss(str(each), list(TYPES))}")
        if not self.goals:
            raise UsageError("it has no measure to decide by")
        if len({goal.weight is None for goal in self.goals}) > 1:
            raise UsageError("give all measures a weight, or none")


@dataclass(frozen=True)
class Verdict:
    """Figures of the systems, which suits ("" if none does, or several may), and the reasons in words.

    `open` are the systems between which nothing decides, the one that is ahead first.
    """

    scenario: Scenario
    systems: Rows
    tests: Rows
    suits: str
    reasons: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


def built_in() -> dict[str, Scenario]:
    """The scenarios of the paper (HIER-20)."""
    text = files("linkassay.scoring.hierarchy").joinpath("scenarios.toml").read_text(encoding="utf-8")
    return _parse(tomllib.loads(text), "scenarios.toml")


def load_scenario(name: str, branch: str = "") -> Scenario:
    """A scenario by its name, or of a TOML file (`FILE.toml` with one scenario, else `FILE.toml:NAME`)."""
    known: Mapping[str, Scenario] = SCENARIOS
    path, colon, inner = name.partition(".toml")
    if colon:
        file = Path(f"{path}.toml")
        known = _parse(read_toml(file), str(file))
        wanted = inner.removeprefix(":")
        if not wanted and len(known) != 1:
            raise UsageError(
                f"{file} has the scenarios {', '.join(known)}; say which: {file}:{next(iter(known), 'NAME')}"
            )
        name = wanted or next(iter(known))
    if name not in known:
        raise UsageError(f"unknown scenario {name!r}; {near_miss(name, list(known))} (your own: FILE.toml)")
    found = replace(known[name], branch=branch or known[name].branch)
    if found.needs_branch and not found.branch:
        raise UsageError(f"the scenario {name} is about one branch; name its top with --root, e.g. --root mesh:D009369")
    return found


class _GoalTable(msgspec.Struct, forbid_unknown_fields=True):
    measure: str = ""
    want: str = ""
    weight: float | int | None = None
    at_least: float | int | None = None
    at_most: float | int | None = None


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    summary: str = ""
    accept: tuple[str, ...] = ("exact",)
    measures: tuple[_GoalTable, ...] = ()
    branch: str = ""
    needs_branch: bool = False
    set: str = "global"


def _parse(data: Mapping[str, Any], file: str) -> dict[str, Scenario]:
    if not data:
        raise DataError("no scenario in it; write one as a table, [my-scenario]", file=file)
    found = {}
    for name, given in data.items():
        where = f"scenario {name!r}"
        told = described(_Table, given, file, f"{where}: ")
        if not told.measures:
            raise DataError(f'{where}: measures is missing; e.g. measures = [{{ measure = "accuracy" }}]', file=file)
        try:
            goals = tuple(map(_goal, told.measures))
            found[name] = Scenario(name, told.summary, told.accept, goals, told.branch, told.needs_branch, told.set)
        except UsageError as error:
            raise DataError(f"{where}: {error}", file=file) from error
    return found


def _goal(told: _GoalTable) -> Goal:
    if not told.measure:
        raise UsageError('a measure has no name; write { measure = "accuracy" }')
    want = told.want or {1: "high", -1: "low"}.get(measure_kind(told.measure).better, "")
    return Goal(told.measure, want, told.weight, told.at_least, told.at_most)


def choose_system(scenario: Scenario, profiles: Sequence[Profile], keep: Keep = same_figures) -> Verdict:
    """Which of the systems suits. The profiles must be of the scenario's branch (`HierarchyChoices.branch`).

    `keep` sees every figure before it is used.

    Without weights the measures decide in their order: whoever is worse than the best by more than chance (paired
    bootstrap over documents) is out, the others go on to the next measure. With weights the sum decides.
    """
    goals = list(dict.fromkeys(goal.measure for goal in scenario.goals))
    names, systems = labels([p.score.run for p in profiles]), Rows()
    values: dict[tuple[str, str], float | None] = {}
    for name, profile in zip(names, profiles, strict=True):
        found = list(map(keep, profile_figures(profile, [scenario.set], (), [accepted(scenario.accept), *goals])))
        values |= {(name, figure.about["measure"]): figure.value for figure in found}
        systems += [figure.row() | {"system": name} for figure in found]
    tests = Rows(compared_row(keep(figure)) for figure in compare_profiles(profiles, [scenario.set], goals))
    apart = {(*pair, row["measure"]): row["bootstrap_p"]
             for row in tests for pair in ((row["first"], row["second"]), (row["second"], row["first"]))}  # fmt: skip
    left, reasons = _decide(scenario.goals, names, _Evidence(values, apart))
    suits = left[0] if len(left) == 1 else ""
    return Verdict(scenario, systems, tests, suits, reasons, left if len(left) > 1 else [])


@dataclass(frozen=True)
class _Evidence:
    """What the systems reached in each measure, and p of the difference of two of them."""

    values: Mapping[tuple[str, str], float | None]
    apart: Mapping[tuple[str, str, str], float | None]

    def value(self, name: str, goal: Goal) -> float | None:
        return self.values[name, goal.measure]

    def worth(self, name: str, goal: Goal) -> float:
        """More is better; what is undefined counts as 0."""
        return goal.sign * (self.value(name, goal) or 0.0)

    def said(self, name: str, goal: Goal) -> str:
        value = self.value(name, goal)
        return "undefined" if value is None else fixed(value, 4)

    def p(self, name: str, other: str, goal: Goal) -> float:
        """1 where the two were not tested."""
        return self.apart.get((name, other, goal.measure)) or 1.0


#: Who is left, and why.
_Left = tuple[list[str], list[str]]


def _decide(goals: Sequence[Goal], names: Sequence[str], found: _Evidence) -> _Left:
    left, reasons = _good_enough(goals, names, found)
    if not left:
        return [], [*reasons, "no system is good enough"]
    if goals[0].weight is not None:
        left, why = _by_weight(goals, left, found)
        return left, [*reasons, *why]
    left, told = _by_order(goals, left, found)
    left, why = _ahead(goals, left, found) if len(left) > 1 else (left, [])
    return left, [*reasons, *told, *why]


def _good_enough(goals: Sequence[Goal], names: Sequence[str], found: _Evidence) -> _Left:
    """Those that meet every bound."""
    left, reasons = list(names), []
    for goal in goals:
        bounds = (("at least", goal.at_least), ("at most", goal.at_most))
        asked = " and ".join(f"{what} {bound}" for what, bound in bounds if bound is not None)
        out = [name for name in left if not goal.meets(found.value(name, goal))]
        left = [name for name in left if name not in out]
        reasons += [f"{name} is out: {goal.measure} is {found.said(name, goal)}, not {asked}" for name in out]
    return left, reasons


def _by_order(goals: Sequence[Goal], left: list[str], found: _Evidence) -> _Left:
    """Those that no measure puts behind the best by more than chance, each measure among who the ones before left."""
    reasons: list[str] = []
    for goal in goals:
        defined = [name for name in left if found.value(name, goal) is not None]
        if len(left) == 1 or not defined:
            break
        best = max(defined, key=lambda name: found.worth(name, goal))
        worse = [name for name in defined if name != best and found.p(name, best, goal) < ALPHA]
        left = [name for name in left if name not in worse]
        reasons += [
            f"{best} over {name}: {goal.measure} {found.said(best, goal)} against {found.said(name, goal)}, "
            f"p = {fixed(found.p(name, best, goal), 4)}"
            for name in worse
        ]
        if not worse:
            each = ", ".join(f"{name} {found.said(name, goal)}" for name in defined)
            reasons.append(f"{goal.measure} does not tell {' and '.join(defined)} apart ({each})")
    return left, reasons


def _ahead(goals: Sequence[Goal], left: list[str], found: _Evidence) -> _Left:
    """All of them, the first by the first measure in which they differ at all before the others."""
    for goal in goals:
        ranked = sorted(left, key=lambda name: -found.worth(name, goal))
        if found.value(ranked[0], goal) != found.value(ranked[1], goal):
            return ranked, [f"{ranked[0]} is ahead in {goal.measure}, by no more than chance: the choice is open"]
    return left, ["they do not differ in anything that matters here: the choice is open"]


def _by_weight(goals: Sequence[Goal], left: list[str], found: _Evidence) -> _Left:
    sums = {name: sum((goal.weight or 0.0) * found.worth(name, goal) for goal in goals) for name in left}
    ranked = sorted(left, key=lambda name: -sums[name])
    return ranked[:1], ["weighted sums: " + ", ".join(f"{name} {fixed(sums[name], 4)}" for name in ranked)]


#: Scenario → what it asks for.
SCENARIOS: ValueRegistry[Scenario] = ValueRegistry("scenario", built_in(), Scenario)
