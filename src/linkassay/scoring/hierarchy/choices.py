"""Which hierarchy, and how it is read (HIER-6 to HIER-9): `mesh(denominator=placed,gold=best)` as a value."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from linkassay.errors import UsageError
from linkassay.registry import near_miss
from linkassay.scoring.hierarchy.relations import LOCATIONS

#: Option → its values, the first being the default; options that are not here take any text.
VALUES = {
    "gold": ("pairs", "best"),  # each gold id is an item of its own, or the one closest to the prediction counts
    "denominator": ("all", "placed"),  # placed: only pairs whose gold and prediction are both in the hierarchy
    "items": ("all", "common"),  # common: only gold that all runs which are looked at together have answered
    "location": tuple(LOCATIONS),
}
_FORM = re.compile(r"\s*([\w./@-]*)\s*(?:\(([^()]*)\))?\s*")


@dataclass(frozen=True)
class HierarchyChoices:
    """A knowledge base, "" being that of the run, and how its hierarchy is read; the text form is its identity.

    >>> str(HierarchyChoices.parse("mesh( denominator = placed, gold=pairs )"))
    'mesh(denominator=placed)'
    """

    kb: str = ""
    gold: str = "pairs"
    denominator: str = "all"
    items: str = "all"
    location: str = "branch"
    branch: str = ""  # only gold entities that are this one or below it
    relations: tuple[str, ...] = ()  # kinds of parents, `+` between them; none: is_a where there is such, else all

    @classmethod
    def parse(cls, text: str) -> HierarchyChoices:
        """From its text."""
        form = _FORM.fullmatch(text)
        if form is None:
            raise UsageError(f"{text!r} is no hierarchy; write the name of a knowledge base, with options if need be: "
                             "mesh(denominator=placed,gold=best)")  # fmt: skip
        known = [field.name for field in fields(cls) if field.name != "kb"]
        found: dict[str, str] = {}
        for part in filter(str.strip, (form[2] or "").split(",")):
            key, equals, value = (each.strip() for each in part.partition("="))
            if key not in known:
                raise UsageError(f"{text!r}: unknown option {key!r}; {near_miss(key, known)}")
            if not equals or not value or key in found:
                raise UsageError(f"{text!r}: expected one value for {key}, as in {key}=…")
            if key in VALUES and value not in VALUES[key]:
                raise UsageError(f"{text!r}: {key}={value}; {near_miss(value, list(VALUES[key]))}")
            found[key] = value
        relations = tuple(filter(None, found.pop("relations", "").split("+")))
        return cls(form[1], relations=relations, **found)

    def __str__(self) -> str:
        values = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        name, relations = values.pop("kb", ""), values.pop("relations", ())
        inner = [f"{k}={v}" for k, v in values.items()] + ([f"relations={'+'.join(relations)}"] if relations else [])
        return f"{name}({','.join(inner)})" if inner else str(name)
