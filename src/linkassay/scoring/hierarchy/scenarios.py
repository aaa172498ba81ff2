"""Scenarios: which system suits a use, and why (HIER-19). What is asked for is data: `scenarios.toml`, or one's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from linkassay.errors import DataError, UsageError
from linkassay.files import read_toml
from linkassay.registry import near_miss
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
    """A measure, which way it should go, how much it weighs, and what is not good enough."""

    measure: str
    want: str
    weight: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    def meets(self, value: float | None) -> bool:
        """Whether a value is good enough; an undefined one is not where anything is asked of it."""
        if value is None:
            return self.at_least is None and self.at_most is None
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


@dataclass(frozen=True)
class Scenario:
    """A use of a linker."""

    name: str
    summary: str
    accept: tuple[str, ...]
    goals: tuple[Goal, ...]
    branch: str = ""
    needs_branch: bool = False
    set: str = "global"


@dataclass(frozen=True)
class Verdict:
    """Figures of the systems, which suits ("" if none does), and the reasons in words."""

    scenario: Scenario
    systems: Rows
    tests: Rows
    suits: str
    reasons: list[str] = field(default_factory=list)


def built_in() -> dict[str, Scenario]:
    """The scenarios of the paper (HIER-20)."""
    text = files("linkassay.scoring.hierarchy").joinpath("scenarios.toml").read_text(encoding="utf-8")
    return _parse(tomllib.loads(text), "scenarios.toml")


def load_scenario(name: str, branch: str = "") -> Scenario:
    """A scenario that is built in, or of a TOML file (`FILE.toml` with one scenario, else `FILE.toml:NAME`)."""
    known = built_in()
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


_KEYS = {"summary": str, "accept": list, "measures": list, "branch": str, "needs_branch": bool, "set": str}
_GOAL_KEYS: dict[str, Any] = {
    "measure": str, "want": str, "weight": (int, float), "at_least": (int, float), "at_most": (int, float),
}  # fmt: skip


def _parse(data: Mapping[str, Any], file: str) -> dict[str, Scenario]:
    if not data:
        raise DataError("no scenario in it; write one as a table, [my-scenario]", file=file)
    found = {}
    for name, given in data.items():
        where = f"scenario {name!r}"
        _check(given, _KEYS, where, file)
        if not given.get("measures"):
            raise DataError(f'{where}: measures is missing; e.g. measures = [{{ measure = "accuracy" }}]', file=file)
        accept = given.get("accept", ["exact"])
        for each in accept:
            if each not in TYPES:
                raise DataError(f"{where}: accept {each!r}; {near_miss(str(each), list(TYPES))}", file=file)
        goals = tuple(_goal(each, where, file) for each in given["measures"])
        if len({goal.weight is None for goal in goals}) > 1:
            raise DataError(f"{where}: give all measures a weight, or none", file=file)
        rest = {key: given[key] for key in ("branch", "needs_branch", "set") if key in given}
        found[name] = Scenario(name, given.get("summary", ""), tuple(accept), goals, **rest)
    return found


def _goal(given: Any, where: str, file: str) -> Goal:
    _check(given, _GOAL_KEYS, f"{where}, measures", file)
    if "measure" not in given:
        raise DataError(f'{where}: a measure has no name; write {{ measure = "accuracy" }}', file=file)
    try:
        better = measure_kind(given["measure"]).better
    except UsageError as error:
        raise DataError(f"{where}: {error}", file=file) from error
    want = given.get("want") or {1: "high", -1: "low"}.get(better, "")
    if want not in ("high", "low"):
        raise DataError(f"{where}: {given['measure']} is neither good nor bad by itself; say want = \"high\" or "
                        "\"low\"", file=file)  # fmt: skip
    return Goal(**(given | {"want": want}))


def _check(given: Any, keys: dict[str, Any], where: str, file: str) -> None:
    if not isinstance(given, dict):
        raise DataError(f"{where}: expected a table, found {given!r:.60}", file=file)
    for key, value in given.items():
        if key not in keys:
            raise DataError(f"{where}: unknown key {key!r}; {near_miss(key, list(keys))}", file=file)
        if not isinstance(value, keys[key]) or (isinstance(value, bool) and keys[key] is not bool):
            raise DataError(f"{where}: {key} = {value!r:.60} is of the wrong kind", file=file)


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
    suits, reasons = _decide(scenario, names, values, apart)
    return Verdict(scenario, systems, tests, suits, reasons)


def _decide(
    scenario: Scenario, names: list[str], values: dict[tuple[str, str], float | None], apart: dict[Any, Any]
) -> tuple[str, list[str]]:
    left, reasons = list(names), []
    for goal in scenario.goals:
        for name in [n for n in left if not goal.meets(values[n, goal.measure])]:
            left.remove(name)
            bounds = (("at least", goal.at_least), ("at most", goal.at_most))
            asked = " and ".join(f"{what} {bound}" for what, bound in bounds if bound is not None)
            reasons.append(f"{name} is out: {goal.measure} is {_said(values[name, goal.measure])}, not {asked}")
    if not left:
        return "", [*reasons, "no system is good enough"]
    if scenario.goals[0].weight is not None:
        return _by_weight(scenario, left, values, reasons)
    for goal in scenario.goals:
        defined = [n for n in left if values[n, goal.measure] is not None]
        if len(left) == 1 or not defined:
            break
        sign = 1 if goal.want == "high" else -1
        best = max(defined, key=lambda n: sign * (values[n, goal.measure] or 0.0))
        worse = [n for n in defined if n != best and (apart.get((n, best, goal.measure)) or 1.0) < ALPHA]
        for name in worse:
            left.remove(name)
            figures_ = f"{_said(values[best, goal.measure])} against {_said(values[name, goal.measure])}"
            reasons.append(
                f"{best} over {name}: {goal.measure} {figures_}, p = {fixed(apart[name, best, goal.measure], 4)}"
            )
        if not worse:
            figures_ = ", ".join(f"{n} {_said(values[n, goal.measure])}" for n in defined)
            reasons.append(f"{goal.measure} does not tell {' and '.join(defined)} apart ({figures_})")
    if len(left) > 1:
        for goal in scenario.goals:  # the first measure in which they differ at all
            sign = 1 if goal.want == "high" else -1
            ranked = sorted(left, key=lambda n: -sign * (values[n, goal.measure] or 0.0))
            if values[ranked[0], goal.measure] != values[ranked[1], goal.measure]:
                reasons.append(f"{ranked[0]} is ahead in {goal.measure}, by no more than chance: the choice is open")
                return ranked[0], reasons
        reasons.append("they do not differ in anything that matters here: the choice is open")
    return left[0], reasons


def _by_weight(
    scenario: Scenario, left: list[str], values: dict[tuple[str, str], float | None], reasons: list[str]
) -> tuple[str, list[str]]:
    sums = {
        name: sum((goal.weight or 0.0) * (1 if goal.want == "high" else -1) * (values[name, goal.measure] or 0.0)
                  for goal in scenario.goals)
        for name in left
    }  # fmt: skip
    ranked = sorted(left, key=lambda n: -sums[n])
    return ranked[0], [*reasons, "weighted sums: " + ", ".join(f"{n} {fixed(sums[n], 4)}" for n in ranked)]


def _said(value: float | None) -> str:
    return "undefined" if value is None else fixed(value, 4)
