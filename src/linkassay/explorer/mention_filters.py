"""Filters of mentions as SQL over combinations: what a system made of them, type, slice, set, place in the hierarchy.

`passes` and `mentionFilter` of the page's script mean the same. A system is `any` (one of them passes), `every` or
`=LABEL`; outcomes of two systems compare it with `against`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkassay.errors import UsageError
from linkassay.explorer.outcome_words import MISMATCHES
from linkassay.explorer.view_tables import known
from linkassay.model import types_of
from linkassay.registry import near_miss
from linkassay.scoring.hierarchy import DISTANCES, LOCATION_BINS, place_of

#: Outcome of one system → what holds of its verdict `v` and the stage `s` of its failure.
_OUTCOMES = {
    "any": "true", "missed": "v <> 'r'", "right": "v = 'r'", "partly": "v = 'p'", "wrong": "v = 'w'", "none": "v = 'n'",
    "answered": "v <> 'n'", "credited": "v in ('r', 'p')", "generation": "s in ('g', 'b')",
    "disambiguation": "s in ('d', 'b')",
}  # fmt: skip
#: Outcome of two systems → what holds of what each of them is worth.
_PAIRED = {
    "ahead": "a > b", "differ": "a <> b", "both": "a > 0 and b > 0", "either": "a > 0 or b > 0",
    "neither": "a < 2 and b < 2",
}  # fmt: skip
_LEFT = "left"


@dataclass(frozen=True)
class MentionFilter:
    """What is asked of mentions."""

    system: str = "any"
    outcome: str = "any"
    against: str = "any"
    type: str = "any"
    slice: str = "any"
    distance: str = "any"
    location: str = "any"
    set: str = "any"

    def sql(self, cohort: Mapping[str, Any]) -> tuple[str, list[Any]]:
        """A condition on the columns `type`, `slices` and `codes`, and its parameters."""
        labels: list[str] = cohort["systems"]
        system = self._system("system", self.system, labels, ("any", "every"))
        against = self._system("other system", self.against, labels, ("any",))
        known("outcome", self.outcome, [*_OUTCOMES, *_PAIRED, *MISMATCHES, _LEFT])
        known("distance", self.distance, ["any", *DISTANCES])
        known("location", self.location, ["any", *LOCATION_BINS])
        parts, parameters = ["true"], []
        if self.type != "any":
            parts.append("type in (select unnest(?))")
            parameters.append(self._types(cohort["types"]))
        if self.slice != "any":
            bit = cohort["slices"].index(known("slice", self.slice, cohort["slices"]))
            parts.append(f"(slices >> {bit}) & 1 = 1")
        if self.set != "any":  # its bit comes after those of the slices
            bit = len(cohort["slices"]) + cohort["sets"].index(known("set", self.set, cohort["sets"]))
            parts.append(f"(slices >> {bit}) & 1 = 1")
        if self.outcome == _LEFT:
            parts += [f"{_letter(cohort, at)} = 'x'" for at in range(len(labels))]
            return " and ".join(parts), parameters
        each = range(len(labels)) if system is None else [system]
        passes = []
        for at in each:
            condition, more = self._passes(cohort, at, against)
            passes.append(f"({condition})")
            parameters += more
        parts.append(f"({(' and ' if self.system == 'every' else ' or ').join(passes)})")
        return " and ".join(parts), parameters

    def _system(self, what: str, value: str, labels: list[str], further: tuple[str, ...]) -> int | None:
        if value in further:
            return None
        if not value.startswith("=") or value[1:] not in labels:
            raise UsageError(f"unknown {what} {value!r}; {near_miss(value, [*further, *(f'={x}' for x in labels)])}")
        return labels.index(value[1:])

    def _types(self, types: list[str]) -> list[int]:
        """The numbers of types that include the wanted one."""
        wanted = [at for at, type_ in enumerate(types) if self.type[1:] in types_of(type_)]
        if not self.type.startswith("=") or not wanted:
            each = sorted({f"={part}" for type_ in types for part in types_of(type_)})
            raise UsageError(f"unknown type {self.type!r}; {near_miss(self.type, ['any', *each])}")
        return wanted

    def _passes(self, cohort: Mapping[str, Any], at: int, against: int | None) -> tuple[str, list[Any]]:
        """Whether a system passes, which is not so where it is not scored."""
        letter = _letter(cohort, at)
        scored = f"{letter} <> 'x'"
        if self.outcome in _PAIRED:
            if against is None:
                return "false", []
            other = _letter(cohort, against)
            condition = _with(_PAIRED[self.outcome], a=_worth(letter), b=_worth(other))
            return f"{scored} and {other} <> 'x' and ({condition})", []
        if self.outcome in _OUTCOMES:
            return f"{scored} and {_with(_OUTCOMES[self.outcome], v=letter, s=_letter(cohort, at, 1))}", []
        width = cohort["width"]
        place = f"substr(codes, {width * at + 3}, {width - 2})"
        return f"{scored} and {place} in (select unnest(?))", [self._places(cohort)]

    def _places(self, cohort: Mapping[str, Any]) -> list[str]:
        """The numbers of places that pass, as codes have them."""
        digits = cohort["width"] - 2
        return [
            np.base_repr(number, 36).zfill(digits)
            for number, places in enumerate(cohort["places"])
            if any(self._at(place) for place in places)
        ]

    def _at(self, place: int) -> bool:
        kind, distance, location = place_of(place)
        return (
            (kind == self.outcome or (kind == "virtual root" and self.outcome == "orthogonal"))
            and self.distance in ("any", distance)
            and self.location in ("any", location)
        )


def _letter(cohort: Mapping[str, Any], system: int, place: int = 0) -> str:
    """A letter of the code of a system."""
    return f"substr(codes, {cohort['width'] * system + place + 1}, 1)"


def _worth(letter: str) -> str:
    return f"(case {letter} when 'r' then 2 when 'p' then 1 else 0 end)"


def _with(condition: str, **values: str) -> str:
    """A condition with SQL in place of its one-letter names."""
    return " ".join(values.get(word, word) for word in condition.split())
